"""P-values of several tests, adjusted for their number.

References:
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics, 6(2), 65-70. Keeps the chance of any false alarm.
    Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the
    Royal Statistical Society B, 57(1), 289-300. Keeps the share of false alarms among alarms.
"""

from collections.abc import Sequence

import numpy as np

from schemas.comparison import Correction, PairedTests
from schemas.errors import UserError


def adjust(p_values: Sequence[float], correction: Correction) -> list[float]:
    """The p-values in the same order, each as it counts among the others.

    Raises:
        UserError: A p-value is not between 0 and 1.
    """
    given = np.asarray(p_values, dtype=np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise UserError("a p-value is not between 0 and 1")
    if correction == "none" or len(given) == 0:
        return [float(p) for p in given]
    order = np.argsort(given, kind="stable")
    n = len(given)
    if correction == "holm":
        steps = np.maximum.accumulate(given[order] * np.arange(n, 0, -1))
    else:
        scaled = given[order] * (n / np.arange(1, n + 1))
        steps = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(p) for p in adjusted]


def adjust_tests(families: Sequence[PairedTests], correction: Correction) -> list[PairedTests]:
    """Tests of several comparisons, each kind adjusted over those that have one."""
    tested = [
        (place, one.mcnemar, one.permutation)
        for place, one in enumerate(families)
        if one.mcnemar is not None and one.permutation is not None
    ]
    of_verdicts = adjust([exact.p_value for _, exact, _ in tested], correction)
    of_draws = adjust([drawn.p_value for _, _, drawn in tested], correction)
    adjusted = list(families)
    for (place, exact, drawn), p, q in zip(tested, of_verdicts, of_draws, strict=True):
        adjusted[place] = families[place].model_copy(
            update={
                "mcnemar": exact.model_copy(update={"p_adjusted": p}),
                "permutation": drawn.model_copy(update={"p_adjusted": q}),
            }
        )
    return adjusted
