"""How runs differ: distances item by item, and tests of pass or fail on the items both judged."""

from typing import Any, Literal

from pydantic import Field, FiniteFloat

from schemas.base import Frozen, Verdict
from schemas.checks import Warned
from schemas.metrics import Count, Interval, Share

Correction = Literal["holm", "benjamini-hochberg", "none"]
NonInferiorityOutcome = Literal["pass", "fail", "undecided"]


class McNemar(Frozen):
    """The exact test of the items on which only one of two runs passed."""

    both: Count = Field(description="Items that both passed.")
    only_a: Count = Field(description="Items that only the first passed.")
    only_b: Count = Field(description="Items that only the second passed.")
    neither: Count = Field(description="Items that neither passed.")
    p_value: Share = Field(description="Two-sided, exact; 1 when no item tells them apart.")
    p_adjusted: Share = Field(description="After the correction for several comparisons.")


class PermutationTest(Frozen):
    """How often exchanging the two runs item by item gives as large a mean difference."""

    p_value: Share = Field(description="Two-sided.")
    p_adjusted: Share = Field(description="After the correction for several comparisons.")
    method: Literal["exact", "monte-carlo"] = Field(description="All exchanges, or random ones.")
    iterations: int | None = Field(description="Random exchanges; null when all were counted.")
    seed: int | None = Field(description="Seed of those; null when all were counted.")


class Difference(Frozen):
    """A mean difference over items, second run less first."""

    value: FiniteFloat = Field(description="Mean over items.")
    n: Count = Field(description="Items.")
    interval: Interval = Field(description="Items are the units; draws of one item are not.")


class NonInferiority(Frozen):
    """Is the second run worse than the first by less than a margin?"""

    margin: FiniteFloat = Field(description="Loss that would still be accepted.")
    outcome: NonInferiorityOutcome = Field(
        description="pass: the interval lies above -margin; fail: below; undecided: across."
    )
    confidence: Share = Field(description="Of the two-sided interval.")


class PairedTests(Frozen):
    """Two runs on the items that both judged: does one pass more often?"""

    n_items: Count = Field(description="Items in the tests.")
    n_left_out: Count = Field(description="Items without a reference or a usable sample.")
    pass_rate_a: Share | None = Field(description="Mean share of draws that pass, first run.")
    pass_rate_b: Share | None = Field(description="The same, second run.")
    mcnemar: McNemar | None = Field(description="On verdicts; null without items.")
    permutation: PermutationTest | None = Field(description="On draws; null without items.")
    difference: Difference | None = Field(description="Of the shares of draws; null without items.")
    difference_of_verdicts: Difference | None = Field(description="Of the verdicts.")
    non_inferiority: NonInferiority | None = Field(description="When a margin was given.")
    reason: str | None = Field(description="Why there are no tests.")


class AgreementGate(Frozen):
    """Whether two runs are so alike, on so many draws, that they may stand for each other."""

    passed: bool = Field(description="Every distance is small and rests on enough draws.")
    tv_below: float = Field(description="Distances must be strictly below it.")
    samples_needed: Count = Field(description="Usable samples per item and run.")
    max_tv_distance: Share | None = Field(description="Largest distance.")
    fewest_samples: Count | None = Field(description="Fewest usable samples of an item in a run.")
    n_failing: Count = Field(description="Items that fail the gate.")


class FlippedItem(Frozen):
    """An item on which the runs differ."""

    item_id: str = Field(description="The item.")
    verdict_a: Verdict | None = Field(description="Null when no sample was usable.")
    verdict_b: Verdict | None = Field(description="Null when no sample was usable.")


class SettingPair(Frozen):
    """A setting that the runs do not share."""

    a: Any = Field(description="Of the first run.")
    b: Any = Field(description="Of the second run.")


class Comparison(Frozen):
    """Two evaluations of one benchmark, item by item."""

    run_a: str = Field(description="Run id of the first.")
    run_b: str = Field(description="Run id of the second.")
    n_items: Count = Field(description="Items of the first run, all of which the second has.")
    n_only_in_b: Count = Field(description="Items of the second run that are left out.")
    n_both_substantive: Count = Field(description="Items where both took a side.")
    n_missing_a: Count = Field(description="Items without a usable sample in the first run.")
    n_missing_b: Count = Field(description="The same, second run.")
    coverage_a: Share | None = Field(description="Share of items with a side, first run.")
    coverage_b: Share | None = Field(description="The same, second run.")
    cross_run_kappa: float | None = Field(
        description="Cohen's kappa of the two; withheld when both took a side on under half."
    )
    insufficient_overlap: bool = Field(description="Whether it is withheld for that.")
    mean_tv_distance: Share | None = Field(description="Mean of the distances.")
    n_tv_distance: Count = Field(description="Items with a distance.")
    per_item_tv: dict[str, Share | None] = Field(
        description="Total variation distance of the sample shares; null without usable samples."
    )
    agreement_gate: AgreementGate = Field(description="Near identity of the two runs.")
    flipped_items: tuple[FlippedItem, ...] = Field(description="Items with different verdicts.")
    differences: dict[str, SettingPair] = Field(description="Settings that differ.")
    unchecked: tuple[str, ...] = Field(description="Settings that are not recorded in both.")
    reference: str = Field(description="Whom a draw must agree with to pass.")
    tests: PairedTests = Field(description="Does one run agree with the reference more often?")
    reasons: dict[str, str] = Field(description="Why for every null.")
    warnings: tuple[Warned, ...] = Field(default=(), description="What else was noticed.")


class ComparisonFamily(Frozen):
    """One run against several others, corrected for their number."""

    baseline: str = Field(description="Run id of the first evaluation.")
    correction: Correction = Field(description="How p-values are adjusted.")
    comparisons: tuple[Comparison, ...] = Field(description="The first against each other one.")
