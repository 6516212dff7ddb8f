"""One request for a run of a pack, and what comes back.

As for evaluations, `PackRunSpec` holds what decides the result. Where the pack lies (`PackPlace`)
is told apart from how it is read, because the same pack elsewhere is the same pack.
"""

import datetime
from typing import Any

from pydantic import Field

from schemas.base import Frozen
from schemas.pack import Profile
from schemas.run import Destination, Effort, ModelSpec, Result, SamplingSpec

ANSWERS = "answers"
"""The provider of a run on an answers file; the model is then the path of the file."""


class PackPlace(Frozen):
    """Where a pack is."""

    pack: str = Field(description="Directory or manifest, as given.")
    tasks: str | None = Field(default=None, description="Rows; else tasks.jsonl by the manifest.")


class PackReading(Frozen):
    """How a pack is read."""

    profile: Profile = Field(default="target", description="How rows are checked and scored.")
    limit: int | None = Field(default=None, ge=1, description="Only the first rows are read.")


class PackJudgingSpec(Frozen):
    """How candidates are judged."""

    deny_commands: tuple[str, ...] = Field(default=(), description="Refused to every checker.")
    disallow_dangerous_commands: bool = Field(
        default=True, description="Refuse rows that need a dangerous command."
    )
    extract_code: bool = Field(
        default=True, description="Whether code is taken out of the last fenced block."
    )


class PackMeasuringSpec(Frozen):
    """What is measured beside the whole and the families."""

    by: tuple[str, ...] = Field(default=(), description="Metadata keys with a rate per value.")
    group_by: str | None = Field(default=None, description="Rows equal in it belong together.")


class PackRunSpec(Frozen):
    """Everything that decides the result of one run of a pack."""

    place: PackPlace = Field(description="Where the pack is.")
    reading: PackReading = Field(default=PackReading(), description="How it is read.")
    items: tuple[str, ...] = Field(default=(), description="Only these rows; all when empty.")
    model: ModelSpec = Field(description="Who answers; `answers` is a file of answers.")
    sampling: SamplingSpec = Field(
        default=SamplingSpec(n_samples=1), description="Which draws; one per row unless stated."
    )
    judging: PackJudgingSpec = Field(default=PackJudgingSpec(), description="How it is judged.")
    measuring: PackMeasuringSpec = Field(
        default=PackMeasuringSpec(), description="What is measured."
    )
    max_failed: float = Field(
        default=0.05, ge=0, le=1, description="Largest share of failed samples that passes."
    )

    @property
    def has_answers(self) -> bool:
        """Whether answers come from a file, so that nobody is asked."""
        return self.model.provider == ANSWERS


class PackOrder(Frozen):
    """A spec with its name, its effort and its destination."""

    spec: PackRunSpec = Field(description="What decides the result.")
    run_id: str = Field(description="Name of the run; also of its files.")
    started_at: datetime.datetime = Field(description="When the run began, UTC.")
    effort: Effort = Field(default=Effort(), description="How hard to work.")
    destination: Destination = Field(default=Destination(), description="Where results go.")


class PackRunResult(Result):
    """One finished run of a pack: what `pack score` prints, and what `evaluate` does."""

    run_id: str = Field(description="Name of the run.")
    evaluation: None = Field(default=None, description="Packs have no evaluation file.")
    output: str = Field(description="Path of the output document.")
    artifacts: dict[str, str] = Field(description="Paths of tables and records by name.")
    calls: int = Field(description="Requests sent.")
    reused: int = Field(description="Samples taken from the store.")
    failed: int = Field(description="Failed samples.")
    metrics: dict[str, float] = Field(description="Every figure that is defined.")
    results: tuple[dict[str, Any], ...] = Field(description="One per row and sample.")
    summary: dict[str, Any] = Field(description="How many results there are of each kind.")
    measures: dict[str, Any] = Field(description="All figures with intervals and parts.")
    n_samples: int = Field(default=0, description="Samples of the run.")
    too_many_failed: bool = Field(default=False, description="More failed than the run allows.")

    def to_json(self) -> dict[str, Any]:
        """The document that `--format json` prints; what else is known has attributes only."""
        return self.model_dump(mode="json", exclude={"n_samples", "too_many_failed"})
