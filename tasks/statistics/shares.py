"""Means of shares over items, with intervals that hold on few items.

Reference:
    Agresti, A. and Coull, B. A. (1998). Approximate is better than "exact" for interval estimation
    of binomial proportions. The American Statistician, 52(2), 119-126.
"""

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from schemas.metrics import Interval, Metric
from tasks.statistics.agreement import NO_ITEMS


def mean_share(values: npt.ArrayLike, confidence: float = 0.95, if_empty: str = NO_ITEMS) -> Metric:
    """The mean of numbers between 0 and 1, one per item.

    The interval adds z²/2 items at each end before taking the mean and the spread. For outcomes of
    0 and 1 it is that of Agresti and Coull; for shares, items remain the units.
    """
    shares = np.asarray(values, dtype=np.float64)
    n = len(shares)
    if n == 0:
        return Metric.undefined(if_empty)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    added = z * z / 2
    centre = (float(shares.sum()) + added) / (n + 2 * added)
    square = (float(shares @ shares) + added) / (n + 2 * added)
    reach = z * ((square - centre**2) / (n + 2 * added)) ** 0.5
    mean = float(shares.mean())
    return Metric(
        value=mean,
        n=n,
        interval=Interval(
            lo=max(0.0, min(mean, centre - reach)),
            hi=min(1.0, max(mean, centre + reach)),
            method="agresti-coull",
        ),
    )
