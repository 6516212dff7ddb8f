"""Agreement beyond chance between two raters (Cohen) or among many (Fleiss).

Only items where every rater took a side count, and abstentions do when asked for three classes.
The formulas, and those of the coefficients that stand beside the kappas, are in
`tasks.statistics.coefficients`.

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
from tasks.statistics.codes import Codes, Column, Table, encode, encode_table
from tasks.statistics.coefficients import Coefficient, Floats, Kind

NO_ITEMS = "there are no items"
NO_RATERS = "nobody rated the items"
ONE_RATER = "fewer than two raters"
NO_SHARED_SIDE = "no item where both took a side"
NO_COMMON_SIDE = "no item where every rater took a side"
NO_PAIR = "no item that two raters rated"
NO_WEIGHT = "the weights sum to zero"
ONE_CLASS = "all used one and the same class throughout, so chance agreement is 1"

Weights = Sequence[float] | npt.NDArray[np.float64]

SIDES, ALL_VERDICTS = 2, 3
"""Numbers of classes: good and bad, or abstain as a third one."""


def cohens_kappa(
    model: Column,
    reference: Column,
    weights: Weights | None = None,
    n_classes: int = SIDES,
) -> Metric:
    """Cohen's kappa (1960) of two raters, over the items where both took a side.

    Args:
        model: Verdicts of one rater.
        reference: Verdicts of the other on the same items.
        weights: How much each item counts; equally when not given.
        n_classes: 3 counts abstaining as a class of its own.

    Raises:
        UserError: The columns differ in length, or the weights cannot be used.
    """
    rows, columns = encode(model), encode(reference)
    if len(rows) != len(columns):
        raise UserError(f"one rater has {len(rows)} verdicts, the other {len(columns)}")
    return agreement("cohen", np.column_stack((rows, columns)), weights, n_classes)


def fleiss_kappa(table: Table, weights: Weights | None = None, n_classes: int = SIDES) -> Metric:
    """Fleiss' kappa (1971) over the items where every rater took a side.

    Args:
        table: One tuple of verdicts per item, all of the same length.
        weights: How much each item counts; equally when not given.
        n_classes: 3 counts abstaining as a class of its own.

    Raises:
        UserError: Tuples differ in length, or the weights cannot be used.
    """
    return agreement("fleiss", encode_table(table), weights, n_classes)


def agreement(
    kind: Kind, table: Codes, weights: Weights | None = None, n_classes: int = SIDES
) -> Metric:
    """Any coefficient of `tasks.statistics.coefficients`, with its chance agreement.

    Args:
        kind: Which one.
        table: Codes, one row per item and one column per rater; those beyond the classes are no
            rating.
        weights: How much each item counts; equally when not given.
        n_classes: 2 for the sides, 3 to count abstaining as a class of its own.

    Raises:
        UserError: The weights cannot be used.
    """
    item_weights = checked_weights(weights, len(table))
    measure = Coefficient(kind, n_classes)
    used = measure.usable(table)
    n = int(((table[used] < n_classes).sum(axis=1) >= 2).sum())
    reason = _why_not(kind, table, n, float(item_weights[used].sum()))
    if reason is not None:
        return Metric.undefined(reason, n)
    sums = item_weights[used] @ measure.features(table[used])
    return as_metric(measure, sums, n)


def as_metric(measure: Coefficient, sums: Floats, n: int) -> Metric:
    """The coefficient of summed features, or that only one class was used."""
    value = float(measure.values(sums))
    if np.isnan(value):
        return Metric.undefined(ONE_CLASS, n)
    chance = min(1.0, max(0.0, 1.0 - float(measure.disagreement(sums).by_chance)))
    return Metric(value=value, n=n, chance=chance)


def _why_not(kind: Kind, table: Codes, n: int, total_weight: float) -> str | None:
    n_items, n_raters = table.shape
    if n_items == 0:
        return NO_ITEMS
    if n_raters < 2:
        return ONE_RATER if n_raters else NO_RATERS
    if n == 0:
        return {"cohen": NO_SHARED_SIDE, "fleiss": NO_COMMON_SIDE}.get(kind, NO_PAIR)
    return NO_WEIGHT if total_weight <= 0 else None


def checked_weights(weights: Weights | None, n_items: int) -> Floats:
    """Weights as an array, one per item.

    Raises:
        UserError: Their number is wrong, or one is negative or not finite.
    """
    if weights is None:
        return np.ones(n_items)
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_items,):
        raise UserError(f"there are {checked.size} weights for {n_items} items")
    if not (np.isfinite(checked) & (checked >= 0)).all():
        raise UserError("a weight is negative or not a finite number")
    return checked
