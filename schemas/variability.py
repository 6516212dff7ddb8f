"""Where the spread of verdicts comes from, and how far wording moves them."""

from pydantic import Field, FiniteFloat

from schemas.base import Frozen, Verdict
from schemas.metrics import Count, Interval, Metric, Share


class Component(Frozen):
    """The part of the variance that one source brings in."""

    source: str = Field(description="The source, or sources joined by ` x `.")
    value: FiniteFloat | None = Field(description="Variance, at least 0; null when not estimable.")
    raw: FiniteFloat | None = Field(description="The estimate before negative ones became 0.")
    share: Share | None = Field(description="Of the sum of all sources but the analysts.")
    n_levels: Count = Field(description="Levels that were seen; for samples, usable ones.")
    interval: Interval | None = Field(description="Where resampling items can tell.")
    reason: str | None = Field(description="Why there is no value.")


class Spending(Frozen):
    """What a number of further calls would buy if spent in one way."""

    on: str = Field(description="items, samples, wordings or epochs.")
    standard_error: FiniteFloat | None = Field(description="Of the mean agreement, afterwards.")
    reduction: Share | None = Field(description="Share of the standard error that goes away.")
    reason: str | None = Field(description="Why it is not known.")


class VarianceStudy(Frozen):
    """Components of the agreement of a model's draws with the analysts."""

    benchmark_id: str = Field(description="Id of the benchmark.")
    runs: tuple[str, ...] = Field(description="Run ids, in the order given.")
    n_items: Count = Field(description="Items that have usable samples in every run.")
    n_left_out: Count = Field(description="Other items of the first run.")
    n_wordings: Count = Field(description="Wordings.")
    n_epochs: Count = Field(description="Runs per wording.")
    n_analysts: Count = Field(description="Analysts.")
    n_samples: Count = Field(description="Usable samples.")
    mean_agreement: Share = Field(description="Share of pairs of draw and analyst that agree.")
    standard_error: FiniteFloat = Field(description="Of that mean, all sources counted.")
    components: tuple[Component, ...] = Field(description="Variance by source.")
    calls: Count = Field(description="Calls to spend.")
    spending: tuple[Spending, ...] = Field(description="Ways to spend them.")
    best: str | None = Field(description="What lowers the standard error most.")
    best_without_new_items: str | None = Field(description="The same on the items there are.")
    conclusion: str = Field(description="That, in words.")
    assumptions: tuple[str, ...] = Field(description="What the numbers rest on.")


class WordingRow(Frozen):
    """One wording against all others."""

    variant: int = Field(description="Number of the wording.")
    run_id: str = Field(description="Its run.")
    agreement: Metric = Field(description="Share of other wordings with its verdict, over items.")
    flips_from_first: Count = Field(description="Items whose verdict differs from the first's.")


class ItemVerdicts(Frozen):
    """An item whose verdict depends on its wording."""

    item_id: str = Field(description="The item.")
    verdicts: dict[str, Verdict] = Field(description="Verdict by number of the wording.")
    takes_both_sides: bool = Field(description="Whether good and bad both occur.")


class SamplingCheck(Frozen):
    """Would as many verdicts differ if wording did not matter?"""

    flips: Count = Field(description="Items whose verdict differs.")
    flips_expected: FiniteFloat = Field(description="On average when draws are dealt out anew.")
    p_value: Share = Field(description="Of the spread between wordings, by dealing out draws.")
    iterations: Count = Field(description="Deals.")
    seed: int = Field(description="Of the deals.")


class InvarianceStudy(Frozen):
    """How far the verdicts of a model depend on wording."""

    benchmark_id: str = Field(description="Id of the benchmark.")
    n_items: Count = Field(description="Items judged under every wording.")
    n_left_out: Count = Field(description="Other items of the first run.")
    stable_share: Metric = Field(description="Share of items with one verdict under all wordings.")
    pairwise_agreement: Metric = Field(description="Mean share of pairs of wordings that agree.")
    fleiss_kappa: Metric = Field(description="Agreement of the wordings beyond chance.")
    wordings: tuple[WordingRow, ...] = Field(description="By number of the wording.")
    worst_variant: int | None = Field(description="The wording that agrees least with the others.")
    flipped_items: tuple[ItemVerdicts, ...] = Field(description="Items with several verdicts.")
    sampling: SamplingCheck | None = Field(description="Null when no draws are recorded.")
    reasons: dict[str, str] = Field(description="Why for every null.")
    assumptions: tuple[str, ...] = Field(description="What the numbers rest on.")
