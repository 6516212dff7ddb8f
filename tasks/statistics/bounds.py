"""How low and how high a coefficient could be, whatever the unjudged samples would have said.

Each item has a set of verdicts that it could have got (`tasks.statistics.revoting`). Over all
choices from these sets the extremes are found exactly:

- Two raters. Items are alike when they have the same reference and the same set, so a choice is
  four counts: a (both good), b (model bad, reference good), c (model good, reference bad) and d.
  Given b, the possible a are a range, and given c the possible d. Cohen's kappa, alpha, raw
  agreement and Brennan-Prediger are ratios of two linear functions of a, and of d, hence monotone:
  only the ends of the ranges matter. AC1 is not, and all of each range is looked at.
- Fleiss' kappa. Given how many items count and how many ratings are good, it falls with the
  disagreement; the least and the most of that are found by dynamic programming over the items.

`tasks.statistics.completions` does the rest, in a more general and slower way.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from schemas.metrics import Bounds
from tasks.statistics.agreement import SIDES
from tasks.statistics.codes import ABSTAIN, BAD, GOOD, Codes
from tasks.statistics.coefficients import Coefficient, Floats, Kind

Reached = npt.NDArray[np.bool_]
Points = npt.NDArray[np.int64]

TOO_MANY_OPEN: Final = "too many open items or raters to look at every possibility"
NEVER_DEFINED: Final = "undefined whatever the unjudged samples had said"

MOST_TABLES: Final = 20_000_000
MOST_OPEN_FOR_FLEISS: Final = 150

_PAIRS = np.array([[GOOD, GOOD], [BAD, GOOD], [GOOD, BAD], [BAD, BAD]], dtype=np.int8)
_CHUNK = 500_000


def rate_bounds(reached: Reached, n_open: int) -> Bounds | None:
    """Lowest and highest coverage, over all items."""
    if not len(reached):
        return None
    sides = reached[:, [GOOD, BAD]]
    surely = (sides.any(axis=1) & ~reached[:, ABSTAIN]).mean()
    return Bounds(lowest=float(surely), highest=float(sides.any(axis=1).mean()), n_open=n_open)


def pair_bounds(kind: Kind, reached: Reached, reference: Codes) -> Bounds | str:
    """Lowest and highest coefficient of the model and a reference, over the sides.

    Args:
        kind: The coefficient; not Fleiss' kappa.
        reached: Which verdicts each item could have got: good, bad, abstain.
        reference: The other rater.

    Returns:
        Them, or why not: undefined whatever happens, or too many tables to look at.
    """
    inner = kind == "ac1"
    agree_good = _points(reached[reference == GOOD], GOOD, inner=inner)
    agree_bad = _points(reached[reference == BAD], BAD, inner=inner)
    if len(agree_good) * len(agree_bad) > MOST_TABLES:
        return TOO_MANY_OPEN
    measure = Coefficient(kind, SIDES)
    features = measure.features(_PAIRS)
    ends = []
    step = max(1, _CHUNK // len(agree_bad))
    for start in range(0, len(agree_good), step):
        some = agree_good[start : start + step]
        sums = (some @ features[:2])[:, None] + (agree_bad[:, ::-1] @ features[2:])[None]
        ends.append(_range(measure.values(sums.astype(np.float64))))
    known = [end for end in ends if end is not None]
    return _bounds(known, _n_open(reached[reference < ABSTAIN]))


def fleiss_bounds(reached: Reached, analysts: Codes) -> Bounds | str:
    """Lowest and highest Fleiss' kappa of the analysts and the model.

    Returns:
        Them, or why not: undefined whatever happens, or too many items are open.
    """
    n_raters = analysts.shape[1] + 1
    complete = (analysts < ABSTAIN).all(axis=1)
    reached, goods = reached[complete], (analysts[complete] == GOOD).sum(axis=1)
    is_open = reached.sum(axis=1) > 1
    n_open = int(is_open.sum())
    if n_raters < 2:
        return NEVER_DEFINED
    if n_open > MOST_OPEN_FOR_FLEISS:
        return TOO_MANY_OPEN
    fixed = [_ratings(goods[~is_open & reached[:, side]], side) for side in (GOOD, BAD)]
    good_now = int(sum(part.sum() for part in fixed))
    split_now = int(sum((part * (n_raters - part)).sum() for part in fixed))
    n_now = sum(len(part) for part in fixed)
    least, most = _splits(reached[is_open], goods[is_open], n_raters)
    n_more, good_more = np.indices(least.shape)
    n, good = (n_now + n_more).astype(np.float64), (good_now + good_more).astype(np.float64)
    measure = Coefficient("fleiss", SIDES)
    found = []
    for split in (least, most):
        share = (split_now + split) * 2 / (n_raters * (n_raters - 1))
        columns = (n, share, n, good / n_raters, n - good / n_raters)
        sums = np.stack(columns, axis=-1)[np.isfinite(split)]
        found.append(_range(measure.values(sums)))
    return _bounds([one for one in found if one is not None], n_open)


def _points(reached: Reached, agreeing: int, *, inner: bool) -> Points:
    """Possible numbers of agreeing and disagreeing items among those of one reference."""
    other = BAD if agreeing == GOOD else GOOD
    sets = reached[:, [agreeing, other, ABSTAIN]] @ np.array([1, 2, 4])
    n = np.bincount(sets.astype(np.intp), minlength=8)
    points = []
    for disagree in range(n[3] + n[6] + n[7] + 1):
        least = n[3] - min(n[3], disagree)
        most = n[5] + n[3] + n[7] - max(0, disagree - n[6])
        agree = range(least, most + 1) if inner else {least, most}
        points += [(n[1] + number, n[2] + disagree) for number in agree]
    return np.array(points, dtype=np.int64)


def _ratings(goods: npt.NDArray[np.int64], side: int) -> npt.NDArray[np.int64]:
    return goods + 1 if side == GOOD else goods


def _splits(reached: Reached, goods: npt.NDArray[np.int64], n_raters: int) -> tuple[Floats, Floats]:
    """Least and most split ratings by number of items that count and of good ratings in them."""
    shape = len(reached) + 1, int((goods + 1).sum()) + 1
    least, most = np.full(shape, np.inf), np.full(shape, -np.inf)
    least[0, 0] = most[0, 0] = 0
    for choices, good in zip(reached, goods, strict=True):
        lower, upper = np.full(shape, np.inf), np.full(shape, -np.inf)
        if choices[ABSTAIN]:
            lower, upper = least.copy(), most.copy()
        for side in (GOOD, BAD):
            if not choices[side]:
                continue
            rated = int(good) + (side == GOOD)
            split = rated * (n_raters - rated)
            end = shape[1] - rated
            np.minimum(lower[1:, rated:], least[:-1, :end] + split, out=lower[1:, rated:])
            np.maximum(upper[1:, rated:], most[:-1, :end] + split, out=upper[1:, rated:])
        least, most = lower, upper
    return least, most


def _range(values: Floats) -> tuple[float, float] | None:
    defined = values[~np.isnan(values)]
    return (float(defined.min()), float(defined.max())) if len(defined) else None


def _n_open(reached: Reached) -> int:
    return int((reached.sum(axis=1) > 1).sum())


def _bounds(ranges: list[tuple[float, float]], n_open: int) -> Bounds | str:
    if not ranges:
        return NEVER_DEFINED
    lowest, highest = min(lo for lo, _ in ranges), max(hi for _, hi in ranges)
    return Bounds(lowest=lowest, highest=highest, n_open=n_open)
