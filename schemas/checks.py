"""What `structure`, `monotonicity` and `audit` find in one evaluation."""

from typing import Literal

from pydantic import Field

from schemas.base import Frozen, TieBreak, Verdict
from schemas.benchmark import Direction
from schemas.metrics import Count, Share

LadderStatus = Literal["monotone", "violated", "insufficient"]


class Warned(Frozen):
    """One warning; it never changes the exit code."""

    file: str | None = Field(description="The file it is about.")
    code: str = Field(description="A short stable word.")
    location: str = Field(description="Where in the file.")
    message: str = Field(description="What was noticed.")
    fix: str | None = Field(description="What to do about it.")


class Anomaly(Frozen):
    """One item that does not fit a check."""

    item_id: str = Field(description="The item.")
    expected: str = Field(description="What the check expects.")
    actual: str = Field(description="What was found.")
    explanation: str = Field(description="Why that is expected, in words.")


class StructureCheck(Frozen):
    """One check over the items that it applies to."""

    name: str = Field(description="Name of the check.")
    items_checked: Count = Field(description="Items that it applies to.")
    items_satisfying: Count = Field(description="Items that fit.")
    items_missing: Count = Field(
        description="Checked items without a usable sample; they read abstain."
    )
    rate: Share | None = Field(description="Share of checked items that fit; null when none is.")
    reason: str | None = Field(description="Why there is no rate.")
    anomalies: tuple[Anomaly, ...] = Field(description="Items that do not fit.")


class ArityGroups(Frozen):
    """Items by the number of their conclusions."""

    exclusivity: tuple[str, ...] = Field(description="No conclusion.")
    single: tuple[str, ...] = Field(description="One conclusion.")
    exhaustivity: tuple[str, ...] = Field(description="Two conclusions or more.")


class StructureReport(Frozen):
    """Whether an evaluation has the structure that the benchmark implies."""

    evaluation_id: str = Field(description="Run id of the evaluation.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    thin_margin_threshold: float = Field(description="Margins strictly below it are thin.")
    checks: tuple[StructureCheck, ...] = Field(description="The checks, always the same four.")
    arity: ArityGroups = Field(description="Item ids by number of conclusions.")
    total_anomalies: Count = Field(description="Anomalies of all checks.")
    all_satisfied: bool = Field(description="Whether there is no anomaly.")
    warnings: tuple[Warned, ...] = Field(default=(), description="What else was noticed.")


class LadderStep(Frozen):
    """One item on a ladder."""

    item_id: str = Field(description="The item.")
    tier: str = Field(description="Bearer id of its tier.")
    tier_index: int = Field(description="Position of the tier, from 0.")
    verdict: Verdict | None = Field(description="The model's; null when no sample was usable.")


class Ladder(Frozen):
    """Items that differ in one tier only, lowest first."""

    ladder: str | None = Field(description="Name of the ladder, if it has one.")
    family: str = Field(description="Ordinal family of the tiers.")
    fixed: str | None = Field(description="Bearer id that is held fixed, if any.")
    expected: Direction = Field(description="Where verdicts go as the tier rises, bad below good.")
    steps: tuple[LadderStep, ...] = Field(description="The items by tier.")
    n_gaps: Count = Field(description="Steps where the model took no side.")
    n_missing: Count = Field(description="Those of them without a usable sample.")
    status: LadderStatus = Field(description="insufficient: fewer than two steps with a side.")
    violations: tuple[tuple[str, str], ...] = Field(
        description="Neighbouring steps with a side that go the wrong way."
    )


class VariationRow(Frozen):
    """The verdicts on the items of one kind of variation."""

    variation: str = Field(description="Kind of variation; `unspecified` when unset.")
    n: Count = Field(description="Items.")
    good: Count = Field(description="Verdicts good.")
    bad: Count = Field(description="Verdicts bad.")
    abstain: Count = Field(description="Verdicts abstain, missing ones included.")
    n_missing: Count = Field(description="Items without a usable sample.")
    coverage: Share = Field(description="Share of items where the model took a side.")


class MonotonicityReport(Frozen):
    """Whether verdicts move as the tiers of their ladders say."""

    evaluation_id: str = Field(description="Run id of the evaluation.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    ladders: tuple[Ladder, ...] = Field(description="By ladder, family and fixed bearer.")
    variations: tuple[VariationRow, ...] = Field(description="Verdicts per kind of variation.")
    n_violations: Count = Field(description="Violations of all ladders.")
    warnings: tuple[Warned, ...] = Field(default=(), description="What else was noticed.")


class AuditedFigures(Frozen):
    """Headline figures of one reading of the run."""

    coverage: Share | None = Field(description="Share of items with a side; null without items.")
    kappa_c: float | None = Field(description="Cohen's kappa of the model and the consensus.")
    n_kappa_c: Count = Field(description="Items that kappa_c rests on.")
    n_missing: Count = Field(description="Items without a usable sample; they read abstain.")
    reasons: dict[str, str] = Field(description="Why for every null.")


class ItemFailures(Frozen):
    """Failures among the samples of one item."""

    id: str = Field(description="The item.")
    n_samples: Count = Field(description="Recorded samples.")
    known_provider_errors: Count = Field(description="Samples recorded as failed.")
    suspected_silent_failures: Count = Field(description="Samples that look like failures.")


class ChangedVerdict(Frozen):
    """An item whose verdict rests on failures."""

    id: str = Field(description="The item.")
    published: Verdict = Field(description="The recorded verdict.")
    recomputed: Verdict | None = Field(description="Without failures; null when none is left.")


class AuditReport(Frozen):
    """Failed calls that may have been counted as answers."""

    eta_path: str = Field(description="The file, as it was named.")
    eta_id: str = Field(description="Run id of the evaluation.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    model_id: str = Field(description="The model.")
    provider: str = Field(description="Who was asked; recordings and controls take no time.")
    tie_break: TieBreak = Field(description="The run's own rule, used for recomputing.")
    n_items: Count = Field(description="Items.")
    n_samples_scanned: Count = Field(description="Recorded samples.")
    n_known_provider_errors: Count = Field(description="Samples recorded as failed.")
    n_suspected_silent_failures: Count = Field(
        description="Abstentions with a blank reply or, where calls take time, without a duration."
    )
    n_items_with_any_failure: Count = Field(description="Items with one or the other.")
    n_items_without_samples: Count = Field(
        description="Items that record no sample; their verdict is kept."
    )
    published: AuditedFigures = Field(description="From the recorded verdicts.")
    recomputed_failures_excluded: AuditedFigures = Field(
        description="From votes without known and suspected failures."
    )
    per_item_failures: tuple[ItemFailures, ...] = Field(description="Items with a failure.")
    changed_verdicts: tuple[ChangedVerdict, ...] = Field(
        description="Items whose verdict differs without those samples."
    )
