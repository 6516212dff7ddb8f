"""How many items and samples a study needs."""

from typing import Literal

from pydantic import Field, FiniteFloat

from schemas.base import Frozen
from schemas.metrics import Count, Share


class Spread(Frozen):
    """What a plan rests on: how draws pass, and how much of that is the item's doing."""

    source: Literal["pilot", "assumptions"] = Field(description="Where the rate comes from.")
    assumed: tuple[str, ...] = Field(description="Which of these numbers were not estimated.")
    rate: Share = Field(description="Mean share of draws that agree with the reference.")
    between_items: FiniteFloat = Field(description="Variance of the items' own shares.")
    within_items: FiniteFloat = Field(description="Mean variance of a draw within its item.")
    icc: Share = Field(description="between_items over the sum: how alike draws of an item are.")
    correlation: FiniteFloat = Field(
        description="Of the items' shares in two runs that are to be compared."
    )
    n_items: Count = Field(description="Items of the pilot; 0 without one.")


class PlanRow(Frozen):
    """What it takes with so many samples an item."""

    n_samples: Count = Field(description="Samples per item.")
    n_items: Count = Field(description="Items needed.")
    calls: Count = Field(description="Calls of one run.")


class WidthGoal(Frozen):
    """An interval of a wanted width for the agreement of one run."""

    width: FiniteFloat = Field(description="From end to end.")
    confidence: Share = Field(description="Of the interval.")
    rows: tuple[PlanRow, ...] = Field(description="By samples per item.")
    fewest_calls: PlanRow = Field(description="The cheapest of them.")


class DifferenceGoal(Frozen):
    """A difference between two runs that shall be detected."""

    difference: FiniteFloat = Field(description="Of the two shares.")
    power: Share = Field(description="Chance of detecting it.")
    alpha: Share = Field(description="Chance of a false alarm, two-sided.")
    rows: tuple[PlanRow, ...] = Field(description="By samples per item; calls are of each run.")
    fewest_calls: PlanRow = Field(description="The cheapest of them.")


class Split(Frozen):
    """One way to spend a budget."""

    n_items: Count = Field(description="Items.")
    n_samples: Count = Field(description="Samples per item.")
    calls: Count = Field(description="Calls that this uses.")
    width: FiniteFloat = Field(description="Width of the interval that it gives.")
    detectable_difference: FiniteFloat = Field(
        description="Difference of two such runs that is detected with the wanted power."
    )


class BudgetGoal(Frozen):
    """The best split of a number of calls."""

    calls: Count = Field(description="Calls to spend on one run.")
    item_cost: FiniteFloat = Field(description="What a further item costs, in calls.")
    max_items: int | None = Field(description="Items that there are; null when not limited.")
    best: Split = Field(description="The narrowest interval.")
    others: tuple[Split, ...] = Field(description="Other numbers of samples, for comparison.")


class StudyPlan(Frozen):
    """Items and samples for the wanted goals."""

    spread: Spread = Field(description="What the plan rests on.")
    width: WidthGoal | None = Field(description="When a width was asked for.")
    difference: DifferenceGoal | None = Field(description="When a difference was asked for.")
    budget: BudgetGoal | None = Field(description="When a budget was given.")
    assumptions: tuple[str, ...] = Field(description="What the numbers rest on.")
