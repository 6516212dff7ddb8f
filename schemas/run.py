"""One request for a run, and what comes back.

`RunSpec` holds the settings that decide the result; two runs with equal specs on the same files
are the same experiment. How hard to work (`Effort`) and where to write (`Destination`) decide
nothing about the numbers and stay outside of it.
"""

import datetime
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import Field

from schemas.base import Frozen, ParserName, QuestionForm, TieBreak
from schemas.errors import UserError
from schemas.evaluation import ProviderParams


class ModelSpec(Frozen):
    """Who is asked, as `provider/model`."""

    provider: str = Field(description="Kind of provider.")
    model_id: str = Field(description="Model at that provider, or the path of a replay file.")
    base_url: str | None = Field(default=None, description="Endpoint asked for, if any.")

    @classmethod
    def parse(cls, text: str, base_url: str | None = None) -> "ModelSpec":
        """Split `provider/model` at the first slash."""
        provider, slash, model_id = text.partition("/")
        if not slash or not provider or not model_id:
            raise UserError(
                f"model {text!r} is not of the form provider/model",
                where="--model",
                fix="for example control/coin or replay/PATH",
                code="bad_model",
            )
        return cls(provider=provider, model_id=model_id, base_url=base_url)

    def __str__(self) -> str:
        """The spelling that users know."""
        return f"{self.provider}/{self.model_id}"


class PromptingSpec(Frozen):
    """How items become prompts."""

    question_form: QuestionForm = Field(default="support", description="Question asked.")
    coherence_frame: str | None = Field(
        default=None, description="Frame of the coherence question."
    )
    strip_tex: bool = Field(default=True, description="Whether `$…$` loses its dollars.")
    variant: int = Field(default=0, ge=0, description="Wording asked.")
    allow_plugins: bool = Field(default=False, description="Whether plugin builders may run.")


class SamplingSpec(Frozen):
    """Which draws are wanted."""

    n_samples: int = Field(default=5, ge=1, le=10_000, description="Samples per item.")
    params: ProviderParams = Field(default=ProviderParams(), description="Decoding parameters.")
    epoch: str = Field(default="", description="Draws of different epochs are independent.")
    curtail: bool = Field(
        default=False, description="Whether an item with a settled verdict is asked no more."
    )


class DrawSpec(Frozen):
    """Who is asked for which draws: with the prompts, what decides every request key."""

    model: ModelSpec = Field(description="Who is asked.")
    source_sha256: str | None = Field(description="Digest of the recording, for replay.")
    base_url: str | None = Field(default=None, description="Endpoint, without credentials.")
    sampling: SamplingSpec = Field(description="Which draws.")


class VotingSpec(Frozen):
    """How replies become verdicts."""

    parser: ParserName = Field(default="final-answer", description="How a reply is read.")
    tie_break: TieBreak = Field(default="abstain", description="Verdict of a good/bad tie.")


class JudgingSpec(Frozen):
    """How the replies to some prompts become verdicts."""

    voting: VotingSpec = Field(description="Parser and tie-break.")
    parser_version: int = Field(description="Version of the parser.")
    question_form: QuestionForm = Field(description="Decides the labels.")
    parse_regex: str | None = Field(description="The benchmark's own pattern, if in force.")
    n_samples: int = Field(description="Samples of a full vote.")


class MeasuringSpec(Frozen):
    """What is measured."""

    references: tuple[str, ...] = Field(
        default=("consensus",), description="`consensus` or `analyst:<id or index>`."
    )


class Selection(Frozen):
    """Which items are asked; everything unless stated."""

    limit: int | None = Field(default=None, ge=0, description="The first so many items.")
    items: tuple[str, ...] = Field(default=(), description="Only these item ids.")
    tags: tuple[str, ...] = Field(default=(), description="Only items with one of these tags.")


class Effort(Frozen):
    """How hard to work; decides nothing about the numbers."""

    concurrency: int = Field(default=16, ge=1, description="Most calls at the same time.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="Deadline of one request.")
    max_retries: int = Field(default=5, ge=0, description="Further requests per sample.")
    max_calls: int | None = Field(default=None, ge=0, description="Most requests of the command.")
    rpm: int | None = Field(default=None, ge=1, description="Requests that may start in a minute.")
    max_cost_usd: Decimal | None = Field(default=None, ge=0, description="Most money to spend.")


class Destination(Frozen):
    """Where results go."""

    output_dir: str = Field(default=".", description="Holds evaluations/, outputs/, studies/.")
    evaluation_file: str | None = Field(default=None, description="Other place of the evaluation.")
    log_file: str | None = Field(default=None, description="Run log, appended to.")


class RunSpec(Frozen):
    """Everything that decides the result of one run."""

    benchmark: str = Field(description="Path of the benchmark, as given.")
    model: ModelSpec = Field(description="Who is asked.")
    prompting: PromptingSpec = Field(default=PromptingSpec(), description="Items to prompts.")
    sampling: SamplingSpec = Field(default=SamplingSpec(), description="Which draws.")
    voting: VotingSpec = Field(default=VotingSpec(), description="Replies to verdicts.")
    measuring: MeasuringSpec = Field(default=MeasuringSpec(), description="What is measured.")
    selection: Selection = Field(default=Selection(), description="Which items.")
    max_failed: float = Field(
        default=0.05, ge=0, le=1, description="Largest share of failed samples that passes."
    )


class RunOrder(Frozen):
    """A run spec with its name, its effort and its destination: what a pipeline carries out."""

    spec: RunSpec = Field(description="What decides the result.")
    run_id: str = Field(description="Name of the run; also of its files.")
    started_at: datetime.datetime = Field(description="When the run began, UTC.")
    effort: Effort = Field(default=Effort(), description="How hard to work.")
    destination: Destination = Field(default=Destination(), description="Where results go.")

    def for_variant(self, variant: int) -> "RunOrder":
        """The same order for one wording of a cycle."""
        suffix = f"-v{variant}"
        prompting = self.spec.prompting.model_copy(update={"variant": variant})
        places = {
            name: _with_suffix(getattr(self.destination, name), suffix)
            for name in ("evaluation_file", "log_file")
        }
        return self.model_copy(
            update={
                "spec": self.spec.model_copy(update={"prompting": prompting}),
                "run_id": f"{self.run_id}{suffix}",
                "destination": self.destination.model_copy(update=places),
            }
        )


def _with_suffix(path: str | None, suffix: str) -> str | None:
    return None if path is None else str(Path(path).with_stem(f"{Path(path).stem}{suffix}"))


class Result(Frozen):
    """Base of what a command prints and a flow returns; also readable like the printed JSON."""

    def to_json(self) -> dict[str, Any]:
        """The document that `--format json` prints."""
        return self.model_dump(mode="json")

    def __getitem__(self, key: str) -> Any:
        """`result["run_id"]`, as in the printed JSON."""
        return self.to_json()[key]

    def __contains__(self, key: object) -> bool:
        """Whether the printed JSON has a key."""
        return key in self.to_json()

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]  # keys, as a mapping has them
        """Keys of the printed JSON."""
        return iter(self.to_json())

    def __len__(self) -> int:
        """Number of keys of the printed JSON."""
        return len(self.to_json())

    def keys(self) -> KeysView[str]:
        """Keys of the printed JSON; with them, `dict(result)` is that document."""
        return self.to_json().keys()

    def values(self) -> ValuesView[Any]:
        """Values of the printed JSON."""
        return self.to_json().values()

    def items(self) -> ItemsView[str, Any]:
        """Keys and values of the printed JSON."""
        return self.to_json().items()

    def get(self, key: str, default: Any = None) -> Any:
        """A value of the printed JSON."""
        return self.to_json().get(key, default)


class RunResult(Result):
    """One finished run."""

    run_id: str = Field(description="Name of the run.")
    evaluation: str | None = Field(description="Path of the evaluation file.")
    output: str | None = Field(description="Path of the output document.")
    artifacts: dict[str, str] = Field(description="Paths of the Parquet tables by name.")
    calls: int = Field(description="Requests sent.")
    reused: int = Field(description="Samples taken from the store.")
    failed: int = Field(description="Failed samples.")
    metrics: dict[str, Any] = Field(description="The overall metrics.")
    variant: int = Field(default=0, description="Wording asked.")
    n_samples: int = Field(default=0, description="Samples of the run.")
    too_many_failed: bool = Field(default=False, description="More failed than the run allows.")

    def to_json(self) -> dict[str, Any]:
        """The document that `--format json` prints; what else is known has attributes only."""
        return self.model_dump(mode="json", exclude={"variant", "n_samples", "too_many_failed"})


class VariantComparison(Frozen):
    """How the runs of a cycle differ."""

    variants: tuple[dict[str, Any], ...] = Field(description="Headline figures per variant.")
    n_items: int = Field(description="Items compared.")
    n_left_out: int = Field(description="Items that are missing under some wording.")
    n_stable: int = Field(description="Items with one verdict under every wording.")
    stable_share: float | None = Field(description="n_stable / n_items; null without items.")
    unstable_items: tuple[dict[str, Any], ...] = Field(description="Item and verdict per variant.")
    fleiss_kappa: float | None = Field(description="Agreement of the variants with each other.")
    n_fleiss: int = Field(description="Items behind it.")
    reasons: dict[str, str] = Field(description="Why a value is undefined.")


class CycleResult(Result):
    """Runs over all wordings, and how they differ."""

    runs: tuple[RunResult, ...] = Field(description="One per wording.")
    comparison: VariantComparison | None = Field(description="Null when there is one wording.")

    def to_json(self) -> dict[str, Any]:
        """The document that `--format json` prints."""
        document: dict[str, Any] = {
            "runs": [{**run.to_json(), "variant": run.variant} for run in self.runs]
        }
        if self.comparison is not None:
            document["comparison"] = self.comparison.model_dump(mode="json")
        return document
