"""Bounds of any coefficient over everything that unjudged samples could have said, by a walk.

A coefficient is a formula of sums over items in which the observed disagreement stands for itself:
given all other sums, the coefficient falls as disagreement grows. So the open items are taken one
after the other, and for each value that the other sums can have only the least and the most
disagreement are kept. The extremes over all choices are exact.
"""

from math import lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from schemas.metrics import Bounds
from tasks.statistics.bounds import NEVER_DEFINED, TOO_MANY_OPEN, Reached
from tasks.statistics.codes import MISSING, Codes
from tasks.statistics.coefficients import Coefficient, Floats
from tasks.statistics.units import item_features

Whole = npt.NDArray[np.int64]

MOST_OPEN: Final = 150
MOST_SUMS: Final = 50_000

_LARGEST = 2**62
_LARGEST_UNIT = 2**40  # Doubles hold the features of an item exactly.


def completion_bounds(measure: Coefficient, reached: Reached, others: Codes) -> Bounds | str:
    """Lowest and highest coefficient of the model beside other raters, or why they are not known.

    Args:
        measure: The coefficient.
        reached: Which codes each item could have got: good, bad, abstain, and perhaps missing.
        others: One row of codes per item, one column per other rater.
    """
    is_open = reached.sum(axis=1) > 1
    unit = lcm(*(r * (r - 1) for r in range(2, others.shape[1] + 2)))
    if is_open.sum() > MOST_OPEN or unit > _LARGEST_UNIT:
        return TOO_MANY_OPEN
    settled = np.where(reached.any(axis=1), reached.argmax(axis=1), MISSING).astype(np.int8)
    fixed = _whole(measure, others[~is_open], settled[~is_open], unit).sum(axis=0)
    choices = [
        _whole(measure, others[is_open], np.full(is_open.sum(), verdict, dtype=np.int8), unit)
        for verdict in range(reached.shape[1])
    ]
    options = [
        np.unique(np.stack([choices[v][i] for v in np.flatnonzero(row)]), axis=0)
        for i, row in enumerate(reached[is_open])
    ]
    ends = _walk(options, len(fixed))
    if ends is None:
        return TOO_MANY_OPEN
    sums, *splits = ends
    found = [
        _values(measure, (split + fixed[0]) / unit, (sums + fixed[1:]) / unit) for split in splits
    ]
    defined = np.concatenate(found)
    defined = defined[~np.isnan(defined)]
    if not len(defined):
        return NEVER_DEFINED
    n_open = sum(len(one) > 1 for one in options)
    return Bounds(lowest=float(defined.min()), highest=float(defined.max()), n_open=n_open)


def _walk(options: list[Whole], width: int) -> tuple[Whole, Whole, Whole] | None:
    """Every possible sum of the open items, with the least and the most disagreement at each."""
    nothing = np.zeros((1, width), dtype=np.int64)
    sums, least, most = nothing[:, 1:], nothing[:, 0], nothing[:, 0]
    steps = np.maximum(1, np.gcd.reduce(np.concatenate([nothing, *options])[:, 1:], axis=0))
    span = sum((one[:, 1:].max(axis=0) for one in options), nothing[0, 1:]) // steps + 1
    if np.prod(span.astype(np.float64)) > _LARGEST:
        return None
    places = np.concatenate(([1], np.cumprod(span)[:-1]))
    for one in options:
        reached = (sums[:, None] + one[None, :, 1:]).reshape(-1, sums.shape[1])
        lower = (least[:, None] + one[None, :, 0]).ravel()
        upper = (most[:, None] + one[None, :, 0]).ravel()
        # The sums are digits of one number, by which equal ones are found.
        _, first, group = np.unique(
            reached // steps @ places, return_index=True, return_inverse=True
        )
        if len(first) > MOST_SUMS:
            return None
        sums, group = reached[first], group.ravel()
        least, most = np.full(len(first), np.iinfo(np.int64).max), np.full(len(first), -1)
        np.minimum.at(least, group, lower)
        np.maximum.at(most, group, upper)
    return sums, least, most


def _whole(measure: Coefficient, others: Codes, model: Codes, unit: int) -> Whole:
    """Features of items as whole multiples of 1 / unit, disagreement first."""
    table = np.column_stack((model, others)).astype(np.int8)
    features, k = item_features(measure, table, np.ones(len(table))), measure.n_classes
    if measure.kind == "cohen":
        cells = features.reshape(-1, k, k)
        split = features @ (1 - np.eye(k)).ravel()
        features = np.column_stack((split, cells.sum(axis=2), cells.sum(axis=1)))
    else:
        place = _split_place(measure)
        features = np.column_stack((features[:, place], np.delete(features, place, axis=1)))
    return np.rint(features * unit).astype(np.int64)


def _values(measure: Coefficient, split: Floats, sums: Floats) -> Floats:
    if measure.kind != "cohen":
        return measure.values(np.insert(sums, _split_place(measure), split, axis=1))
    k = measure.n_classes
    rows, columns = sums[:, :k], sums[:, k:]
    # A table with these margins and this disagreement has the kappa of any other such table.
    n = rows.sum(axis=1)
    expected = n**2 - (rows * columns).sum(axis=1)
    known = expected > 0
    return np.where(known, 1 - split * n / np.where(known, expected, 1.0), np.nan)


def _split_place(measure: Coefficient) -> int:
    """Where the disagreement stands among the features."""
    return measure.n_classes if measure.kind == "alpha" else 1
