"""How many items and samples reach a goal, and how to split a number of calls.

Two-stage sampling: items are drawn first, then draws within items. The mean share has variance
between / n + within / (n s) for n items of s samples each. For the difference of two runs on the
same items it is twice between (1 - correlation) / n + within / (n s).

References:
    Cochran, W. G. (1977). Sampling Techniques, third edition. Wiley, chapter 10.
    Chow, S.-C., Shao, J. and Wang, H. (2008). Sample Size Calculations in Clinical Research,
    second edition. Chapman and Hall, chapter 3.
"""

from collections.abc import Callable, Iterable
from math import ceil
from statistics import NormalDist
from typing import NamedTuple

from schemas.planning import BudgetGoal, DifferenceGoal, PlanRow, Split, Spread, WidthGoal

SAMPLES_SHOWN = (1, 2, 3, 5, 8, 10, 20)
FEWEST_ITEMS = 2

ASSUMPTIONS = (
    "a draw passes when it agrees with the reference; the goal is the mean share over items",
    "items and draws are independent; new items are like those of the pilot",
    "intervals and tests are normal approximations: below about 20 items add some",
)


class Sureness(NamedTuple):
    """How sure a study shall be."""

    confidence: float = 0.95
    power: float = 0.8
    alpha: float = 0.05


def plan_width(spread: Spread, width: float, sureness: Sureness, shown: Iterable[int]) -> WidthGoal:
    """Items for an interval of that width, by samples per item."""
    needed = (2 * _z(sureness.confidence) / width) ** 2
    rows = _rows(lambda s: needed * variance_of_item(spread, s), shown)
    return WidthGoal(
        width=width, confidence=sureness.confidence, rows=rows, fewest_calls=_cheapest(rows)
    )


def plan_difference(
    spread: Spread, difference: float, sureness: Sureness, shown: Iterable[int]
) -> DifferenceGoal:
    """Items for detecting that difference between two runs on the same items."""
    needed = (_sum_of_quantiles(sureness) / difference) ** 2
    rows = _rows(lambda s: needed * variance_of_pair(spread, s), shown)
    return DifferenceGoal(
        difference=difference,
        power=sureness.power,
        alpha=sureness.alpha,
        rows=rows,
        fewest_calls=_cheapest(rows),
    )


def plan_budget(
    spread: Spread,
    calls: int,
    sureness: Sureness,
    item_cost: float = 0.0,
    max_items: int | None = None,
) -> BudgetGoal:
    """The split of the calls that gives the narrowest interval.

    Args:
        spread: What the plan rests on.
        calls: What may be spent on one run, items included.
        sureness: How sure the study shall be.
        item_cost: What a further item costs, in calls.
        max_items: Items that there are.
    """
    splits = [
        _split(spread, n_items, n_samples, sureness)
        for n_samples in range(1, calls // FEWEST_ITEMS + 1)
        if (n_items := _affordable(calls, n_samples, item_cost, max_items)) >= FEWEST_ITEMS
    ]
    best = min(splits, key=lambda split: (round(split.width, 12), split.calls))
    shown = [s for s in splits if s.n_samples in SAMPLES_SHOWN and s != best]
    return BudgetGoal(
        calls=calls, item_cost=item_cost, max_items=max_items, best=best, others=tuple(shown)
    )


def variance_of_item(spread: Spread, n_samples: int) -> float:
    """Variance of one item's share of passing draws."""
    return spread.between_items + spread.within_items / n_samples


def variance_of_pair(spread: Spread, n_samples: int) -> float:
    """Variance of one item's difference between two runs."""
    shared = spread.between_items * (1 - spread.correlation)
    return 2 * (shared + spread.within_items / n_samples)


def _split(spread: Spread, n_items: int, n_samples: int, sureness: Sureness) -> Split:
    error = (variance_of_item(spread, n_samples) / n_items) ** 0.5
    of_pair = (variance_of_pair(spread, n_samples) / n_items) ** 0.5
    return Split(
        n_items=n_items,
        n_samples=n_samples,
        calls=n_items * n_samples,
        width=2 * _z(sureness.confidence) * error,
        detectable_difference=_sum_of_quantiles(sureness) * of_pair,
    )


def _affordable(calls: int, n_samples: int, item_cost: float, max_items: int | None) -> int:
    n_items = int(calls / (n_samples + item_cost) + 1e-9)
    return n_items if max_items is None else min(n_items, max_items)


def _rows(items_for: Callable[[int], float], shown: Iterable[int]) -> tuple[PlanRow, ...]:
    rows = []
    for n_samples in sorted(set(shown)):
        # A number that is whole on paper must not be rounded up for its last bit.
        n_items = max(FEWEST_ITEMS, ceil(items_for(n_samples) - 1e-9))
        rows.append(PlanRow(n_samples=n_samples, n_items=n_items, calls=n_items * n_samples))
    return tuple(rows)


def _cheapest(rows: tuple[PlanRow, ...]) -> PlanRow:
    return min(rows, key=lambda row: (row.calls, row.n_items))


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _sum_of_quantiles(sureness: Sureness) -> float:
    return _z(1 - sureness.alpha) + NormalDist().inv_cdf(sureness.power)
