"""How stable a model's verdicts are when it is asked the same again."""

from typing import Literal

from pydantic import Field, FiniteFloat

from schemas.base import Frozen, Verdict
from schemas.checks import Warned
from schemas.metrics import Count, Metric, Share
from schemas.version import VERSION

StabilityBand = Literal["stable", "moderately stable", "unstable", "undefined"]


class RetestFlip(Frozen):
    """An item whose verdict changed; an item without a usable sample reads abstain."""

    item_id: str = Field(description="The item.")
    verdict_a: Verdict = Field(description="First verdict.")
    verdict_b: Verdict = Field(description="Second verdict.")
    missing_a: bool = Field(description="No usable sample in the first run: not an abstention.")
    missing_b: bool = Field(description="The same, second run.")
    factor_levels: dict[str, str] | None = Field(
        description="Level per factor; null without the benchmark, or when the item has none."
    )


class ItemDelta(Frozen):
    """One item in both runs; without usable samples entropy and margin read 0."""

    item_id: str = Field(description="The item.")
    verdict_a: Verdict = Field(description="First verdict.")
    verdict_b: Verdict = Field(description="Second verdict.")
    n_samples_a: Count = Field(description="Usable samples, first run.")
    n_samples_b: Count = Field(description="Usable samples, second run.")
    entropy_a: Share = Field(description="Entropy of the samples, first run.")
    entropy_b: Share = Field(description="The same, second run.")
    entropy_delta: Share = Field(description="How far the two are apart.")
    margin_a: Share = Field(description="Lead of the first verdict over the second, first run.")
    margin_b: Share = Field(description="The same, second run.")
    margin_delta: Share = Field(description="How far the two are apart.")


class RetestFigures(Frozen):
    """Every figure with its interval and the number of items behind it."""

    test_retest_kappa: Metric = Field(description="Over items where both runs took a side.")
    kappa_three_class: Metric = Field(
        description="Over judged items; abstaining is a verdict of its own."
    )
    agreement_rate: Metric = Field(description="Over all shared items.")
    flip_rate: Metric = Field(description="Over all shared items.")
    agreement_rate_judged: Metric = Field(description="Over judged items.")
    flip_rate_judged: Metric = Field(description="Over judged items.")


class RetestResult(Frozen):
    """Two runs of one model with the same settings on the same benchmark."""

    schema_version: Literal["1.0"] = Field(default="1.0", description="Always the text 1.0.")
    framework_version: str = Field(default=VERSION, description="Version that wrote it.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    benchmark_hash: str | None = Field(description="As the runs record it.")
    run_a_id: str = Field(description="Run id of the first.")
    run_b_id: str = Field(description="Run id of the second.")
    n_items: Count = Field(description="Items of both runs; missing ones included.")
    n_judged: Count = Field(description="Those with a usable sample in both runs.")
    n_missing_a: Count = Field(description="Items without a usable sample in the first run.")
    n_missing_b: Count = Field(description="The same, second run.")
    only_in_a: tuple[str, ...] = Field(description="Items that the second run lacks: left out.")
    only_in_b: tuple[str, ...] = Field(description="Items that the first run lacks: left out.")
    n_agreements: Count = Field(description="Items with the same verdict.")
    n_disagreements: Count = Field(description="Items with another one; to abstain counts.")
    n_flips_between_sides: Count = Field(description="Judged items from good to bad or back.")
    n_flips_with_abstain: Count = Field(description="Judged items from a side to abstain or back.")
    agreement_rate: Share | None = Field(description="Share of items with the same verdict.")
    flip_rate: Share | None = Field(description="Share of items with another verdict.")
    test_retest_kappa: FiniteFloat | None = Field(
        description="Cohen's kappa of the runs over items where both took a side."
    )
    stability_verdict: str = Field(description="How to read that, in words.")
    stability_band: StabilityBand = Field(description="The same in a word.")
    kappa_three_class: FiniteFloat | None = Field(
        description="Cohen's kappa over judged items, abstaining counted as a verdict."
    )
    kappa_three_class_band: StabilityBand = Field(description="How to read that.")
    figures: RetestFigures = Field(description="Intervals and numbers of items.")
    flipped_items: tuple[RetestFlip, ...] = Field(description="Items with another verdict, by id.")
    item_deltas: tuple[ItemDelta, ...] = Field(description="All shared items, by id.")
    unchecked: tuple[str, ...] = Field(description="Settings that are not recorded in both.")
    reasons: dict[str, str] = Field(description="Why for every null.")
    warnings: tuple[Warned, ...] = Field(default=(), description="What else was noticed.")
