"""A suite of sweeps as people write it, and what came of it.

A sweep asks how much a result moves when one setting changes: one benchmark, one model, one
parameter, several values. A suite holds the sweeps of several benchmarks, models and parameters.
"""

from collections.abc import Hashable, Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, FiniteFloat, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from schemas.base import Frozen, ParserName, QuestionForm, TieBreak
from schemas.metrics import Count, Share
from schemas.run import Result

Parameter = Literal["n_samples", "tie_break", "paraphrase_variant", "temperature"]

_LARGEST = 2**53
"""Beyond it, readers of our JSON lose digits."""

_Values = TypeVar("_Values", bound=Sequence[Hashable])


def _distinct(values: _Values) -> _Values:
    if len(set(values)) != len(values):
        raise PydanticCustomError("repeated", "the same value stands here twice")
    return values


_DISTINCT = AfterValidator(_distinct)

Text = Annotated[str, StringConstraints(min_length=1)]
SampleCount = Annotated[int, Field(strict=True, ge=1, le=_LARGEST)]
Wording = Annotated[int, Field(strict=True, ge=0, le=_LARGEST)]
Temperature = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class Vary(Frozen):
    """The values of each parameter that is varied, one parameter at a time."""

    n_samples: Annotated[tuple[SampleCount, ...], _DISTINCT] = Field(
        default=(), description="Samples per item."
    )
    tie_break: Annotated[tuple[TieBreak, ...], _DISTINCT] = Field(
        default=(), description="Verdict of a good/bad tie."
    )
    paraphrase_variant: Annotated[tuple[Wording, ...], _DISTINCT] = Field(
        default=(), description="Wording asked; 0 is the canonical one."
    )
    temperature: Annotated[tuple[Temperature, ...], _DISTINCT] = Field(
        default=(), description="Sampling temperature."
    )

    @model_validator(mode="after")
    def _varies_something(self) -> "Vary":
        if not any(values for _, values in self):
            raise PydanticCustomError("nothing", "no parameter has a value to try")
        return self


class SweepSettings(Frozen):
    """What all runs of a suite have in common; a varied parameter takes its place there."""

    n_samples: SampleCount = Field(default=5, description="Samples per item.")
    temperature: Temperature = Field(default=1.0, description="Sampling temperature.")
    tie_break: TieBreak = Field(default="abstain", description="Verdict of a good/bad tie.")
    paraphrase_variant: Wording = Field(default=0, description="Wording asked.")
    max_tokens: SampleCount = Field(default=1024, description="Longest reply, in tokens.")
    seed: int | None = Field(
        default=None, strict=True, ge=-_LARGEST, le=_LARGEST, description="Sample i gets seed + i."
    )
    parser: ParserName = Field(default="final-answer", description="How a reply is read.")
    question_form: QuestionForm = Field(default="support", description="Question asked.")
    strip_tex: bool = Field(
        default=True, strict=True, description="Whether `$…$` loses its dollars."
    )
    epoch: str = Field(default="", description="Draws of different epochs are independent.")
    base_url: str | None = Field(default=None, description="Endpoint of every model.")
    extra_body: str | None = Field(
        default=None, description="Further keys of each request: a JSON object, as text."
    )
    top_p: Annotated[float, Field(strict=True, gt=0, le=1)] | None = Field(
        default=None, description="Nucleus sampling."
    )
    stop: tuple[str, ...] = Field(default=(), description="Strings that end a reply.")
    coherence_frame: str | None = Field(default=None, description="Coherence frame.")
    limit: Wording | None = Field(default=None, description="Only the first so many items.")
    items: tuple[str, ...] = Field(default=(), description="Only these items.")
    tag: tuple[str, ...] = Field(default=(), description="Only items with one of these tags.")
    max_failed: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(
        default=0.05, description="Largest share of failed samples that passes, for each run."
    )


class SweepEffort(Frozen):
    """How hard to work; decides nothing about the numbers. Budgets hold for the whole study."""

    concurrency: SampleCount = Field(default=16, description="Most calls at a time.")
    timeout: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] = Field(
        default=60.0, description="Deadline of one request, in seconds."
    )
    max_retries: Wording = Field(default=5, description="Further requests per sample.")
    max_calls: Wording | None = Field(default=None, description="Most requests in all.")
    rpm: SampleCount | None = Field(default=None, description="Most requests in a minute.")
    max_cost: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Most US dollars to spend in all."
    )


class Suite(Frozen):
    """Which sweeps are wanted: every benchmark with every model, one parameter at a time."""

    name: Text | None = Field(
        default=None, description="Names the study and begins the ids of its runs."
    )
    description: str | None = Field(default=None, description="What it is about.")
    benchmarks: Annotated[tuple[Text, ...], _DISTINCT] = Field(
        min_length=1, description="Paths, relative to the working directory."
    )
    models: Annotated[tuple[Text, ...], _DISTINCT] = Field(
        min_length=1, description="Models as provider/model."
    )
    vary: Vary = Field(description="Values per parameter.")
    settings: SweepSettings = Field(
        default=SweepSettings(), description="What the runs have in common."
    )
    effort: SweepEffort = Field(default=SweepEffort(), description="How hard to work.")


class SweepRow(Frozen):
    """One value of the parameter, and the run that used it."""

    value: str = Field(description="The value, as text.")
    run_id: str = Field(description="The run.")
    coverage: Share | None = Field(description="Share of items where the model took a side.")
    n_coverage: Count = Field(description="Items behind it.")
    kappa_c: FiniteFloat | None = Field(
        description="Cohen's kappa of the model and the panel's majority."
    )
    n_kappa_c: Count = Field(description="Items behind it: both took a side.")
    kappa_f: FiniteFloat | None = Field(description="Fleiss' kappa of the analysts and the model.")
    n_kappa_f: Count = Field(description="Items behind it.")
    n_agreement: Count = Field(
        description="Items where model and majority say the same; abstaining matches abstaining."
    )
    n_total: Count = Field(description="Items asked.")
    n_missing: Count = Field(description="Items without any usable sample; they read abstain.")
    n_failed: Count = Field(description="Failed samples.")
    too_many_failed: bool = Field(description="More samples failed than a run may have.")
    reasons: dict[str, str] = Field(description="Why a figure is undefined.")
    eta_path: str = Field(description="The evaluation file.")


class Sweep(Frozen):
    """How one model's result on one benchmark moves with one parameter."""

    parameter: Parameter = Field(description="What was varied.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    benchmark: str = Field(description="Its path, as given.")
    provider: str = Field(description="Kind of provider.")
    model_id: str = Field(description="Model at that provider.")
    rows: tuple[SweepRow, ...] = Field(description="Finished runs, in the order of the values.")
    kappa_c_range: Annotated[FiniteFloat, Field(ge=0)] | None = Field(
        description="Largest less smallest defined kappa_c; null with fewer than two."
    )
    n_kappa_c_range: Count = Field(description="Defined kappas behind it.")
    kappa_c_range_reason: str | None = Field(description="Why there is no range.")
    stability_verdict: str = Field(description="What the range means, in words.")


class CellFailure(Frozen):
    """A run of a sweep that could not be finished."""

    run_id: str = Field(description="The run.")
    parameter: Parameter = Field(description="What was varied.")
    value: str = Field(description="Its value, as text.")
    benchmark: str = Field(description="Path of the benchmark, as given.")
    model: str = Field(description="The model.")
    reason: str = Field(description="An error code.")
    message: str = Field(description="What went wrong.")


class SweepStudy(Frozen):
    """The document of a study, `studies/<id>.json`: equal for equal settings and draws."""

    schema_version: Literal["1.0"] = Field(default="1.0", description="Always the text 1.0.")
    kind: Literal["sweep"] = Field(default="sweep", description="Kind of study.")
    id: str = Field(description="Name of the study.")
    description: str | None = Field(description="What it is about.")
    settings: SweepSettings = Field(description="What the runs have in common.")
    sweeps: tuple[Sweep, ...] = Field(description="One per benchmark, model and parameter.")
    failures: tuple[CellFailure, ...] = Field(description="Runs that could not be finished.")


class SweepResult(Result):
    """A study, where it was written, and what it took."""

    id: str = Field(description="Name of the study.")
    document: str = Field(description="Path of its document.")
    calls: int = Field(description="Requests sent.")
    reused: int = Field(description="Samples taken from the store.")
    sweeps: tuple[Sweep, ...] = Field(description="One per benchmark, model and parameter.")
    failures: tuple[CellFailure, ...] = Field(description="Runs that could not be finished.")

    @property
    def is_clean(self) -> bool:
        """Whether every run was finished with few enough failed samples."""
        rows = (row for sweep in self.sweeps for row in sweep.rows)
        return not self.failures and not any(row.too_many_failed for row in rows)
