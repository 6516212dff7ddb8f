"""Agreement beyond chance between two raters (Cohen) or among many (Fleiss).

Only items where every rater took a side count. Both coefficients are computed in their
disagreement form, kappa = 1 - observed disagreement / chance disagreement (Cohen 1968),
which equals (observed - chance) / (1 - chance) in agreements and stays exact where the latter
subtracts numbers close to 1.

References:
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and
    Psychological Measurement, 20(1), 37-46.
    Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70(4), 213-220.
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological
    Bulletin, 76(5), 378-382.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schemas.errors import UserError
from schemas.metrics import Metric
from tasks.statistics.codes import ABSTAIN, BAD, GOOD, Column, Table, encode, encode_table

NO_ITEMS = "there are no items"
NO_RATERS = "nobody rated the items"
ONE_RATER = "fewer than two raters"
NO_SHARED_SIDE = "no item where both took a side"
NO_COMMON_SIDE = "no item where every rater took a side"
NO_WEIGHT = "the weights sum to zero"
ONE_CLASS = "all used one and the same class throughout, so chance agreement is 1"

Weights = Sequence[float] | npt.NDArray[np.float64]

_NO_CHANCE_DISAGREEMENT = 1e-12


def cohens_kappa(model: Column, reference: Column, weights: Weights | None = None) -> Metric:
    """Cohen's kappa (1960) of two raters, over the items where both took a side.

    Args:
        model: Verdicts of one rater.
        reference: Verdicts of the other on the same items.
        weights: How much each item counts; equally when not given.

    Raises:
        UserError: The columns differ in length, or the weights cannot be used.
    """
    rows, columns = encode(model), encode(reference)
    if len(rows) != len(columns):
        raise UserError(f"one rater has {len(rows)} verdicts, the other {len(columns)}")
    item_weights = _checked_weights(weights, len(rows))
    if not len(rows):
        return Metric.undefined(NO_ITEMS)
    used = (rows < ABSTAIN) & (columns < ABSTAIN)
    n = int(used.sum())
    if n == 0:
        return Metric.undefined(NO_SHARED_SIDE)
    total = float(item_weights[used].sum())
    if total <= 0:
        return Metric.undefined(NO_WEIGHT, n)
    pairs = 2 * rows[used] + columns[used]
    shares = np.bincount(pairs, item_weights[used], minlength=4).reshape(2, 2) / total
    of_row, of_column = shares.sum(axis=1), shares.sum(axis=0)
    observed = shares[GOOD, BAD] + shares[BAD, GOOD]
    by_chance = of_row[GOOD] * of_column[BAD] + of_row[BAD] * of_column[GOOD]
    return _kappa(float(observed), float(by_chance), n)


def fleiss_kappa(table: Table, weights: Weights | None = None) -> Metric:
    """Fleiss' kappa (1971) over the items where every rater took a side.

    Args:
        table: One tuple of verdicts per item, all of the same length.
        weights: How much each item counts; equally when not given.

    Raises:
        UserError: Tuples differ in length, or the weights cannot be used.
    """
    codes = encode_table(table)
    n_items, n_raters = codes.shape
    item_weights = _checked_weights(weights, n_items)
    if n_items == 0:
        return Metric.undefined(NO_ITEMS)
    if n_raters < 2:
        return Metric.undefined(ONE_RATER if n_raters else NO_RATERS)
    used = (codes < ABSTAIN).all(axis=1)
    n = int(used.sum())
    if n == 0:
        return Metric.undefined(NO_COMMON_SIDE)
    total = float(item_weights[used].sum())
    if total <= 0:
        return Metric.undefined(NO_WEIGHT, n)
    shares = item_weights[used] / total
    n_bad = codes[used].sum(axis=1, dtype=np.int64)
    n_good = n_raters - n_bad
    observed = 2 * (shares @ (n_good * n_bad)) / (n_raters * (n_raters - 1))
    by_chance = 2 * (shares @ n_good) * (shares @ n_bad) / n_raters**2
    return _kappa(float(observed), float(by_chance), n)


def _kappa(observed: float, by_chance: float, n: int) -> Metric:
    """Kappa from the observed disagreement and the one that chance would produce."""
    if by_chance < _NO_CHANCE_DISAGREEMENT:
        return Metric.undefined(ONE_CLASS, n)
    # Rounding may leave the range by the last bit.
    return Metric(value=max(-1.0, 1.0 - observed / by_chance), n=n)


def _checked_weights(weights: Weights | None, n_items: int) -> npt.NDArray[np.float64]:
    if weights is None:
        return np.ones(n_items)
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_items,):
        raise UserError(f"there are {checked.size} weights for {n_items} items")
    if not (np.isfinite(checked) & (checked >= 0)).all():
        raise UserError("a weight is negative or not a finite number")
    return checked
