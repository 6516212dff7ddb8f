"""Runs of one pack, row by row: what is read of a run, and how two of them differ."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from schemas.base import Frozen
from schemas.comparison import Correction, PairedTests, SettingPair
from schemas.metrics import Count

# No run has more attempts at a row, and sums of so many stay exact.
Attempts = Annotated[int, Field(ge=0, le=2**31)]


class RowOutcome(Frozen):
    """The attempts at one row."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(description="The row.")
    family: str = Field(description="Its family.")
    n_passed: Attempts = Field(description="Attempts that passed.")
    n_failed: Attempts = Field(description="Attempts that did not.")
    n_errors: Attempts = Field(description="Attempts that could not be judged.")
    n_pending: Attempts = Field(description="Attempts without a candidate or a verifier.")

    @property
    def n_judged(self) -> int:
        """Attempts with a verdict."""
        return self.n_passed + self.n_failed


class PackRunOutcomes(Frozen):
    """What a comparison needs of a finished pack run."""

    run_id: str = Field(description="Name of the run.")
    pack_id: str = Field(description="Id of the pack.")
    pack_sha256: str = Field(description="Digest of manifest, rows and assets.")
    judging: dict[str, Any] = Field(description="How candidates were asked for and judged.")
    verifiers: dict[str, str] = Field(description="Version of the verifier by family.")
    settings: dict[str, Any] = Field(description="Who was asked, and for which draws.")
    rows: tuple[RowOutcome, ...] = Field(description="The selected rows, in file order.")


class AttemptCounts(Frozen):
    """Attempts of one run at the rows that both have."""

    passed: Count = Field(description="Passed.")
    failed: Count = Field(description="Did not pass.")
    errors: Count = Field(description="Could not be judged.")
    pending: Count = Field(description="No candidate, a failed call, or no verifier.")
    rows_unjudged: Count = Field(description="Rows without any judged attempt.")


class ChangedRow(Frozen):
    """A row that the runs pass differently often."""

    row_id: str = Field(description="The row.")
    passed_a: Count = Field(description="Attempts that passed, first run.")
    judged_a: Count = Field(description="Attempts with a verdict, first run.")
    passed_b: Count = Field(description="The same, second run.")
    judged_b: Count = Field(description="The same, second run.")


class PackComparison(Frozen):
    """Two runs of one pack, row by row."""

    kind: Literal["pack"] = Field(default="pack", description="Tells it from evaluations.")
    run_a: str = Field(description="Run id of the first.")
    run_b: str = Field(description="Run id of the second.")
    pack_id: str = Field(description="Id of the pack.")
    pack_sha256: str = Field(description="Digest of the pack, the same for both.")
    n_rows: Count = Field(description="Rows of both runs.")
    only_in_a: tuple[str, ...] = Field(description="Rows that the second run lacks: left out.")
    only_in_b: tuple[str, ...] = Field(description="Rows that the first run lacks: left out.")
    attempts_a: AttemptCounts = Field(description="What became of the first run's attempts.")
    attempts_b: AttemptCounts = Field(description="What became of the second run's.")
    changed_rows: tuple[ChangedRow, ...] = Field(
        description="Rows judged in both whose share of passes differs."
    )
    differences: dict[str, SettingPair] = Field(description="Settings that differ.")
    tests: PairedTests = Field(description="Does one run pass more often? Items are rows.")


class PackComparisonFamily(Frozen):
    """One pack run against several others, corrected for their number."""

    kind: Literal["pack"] = Field(default="pack", description="Tells it from evaluations.")
    baseline: str = Field(description="Run id of the first run.")
    correction: Correction = Field(description="How p-values are adjusted.")
    comparisons: tuple[PackComparison, ...] = Field(description="The first against each other.")
