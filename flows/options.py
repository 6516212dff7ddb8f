"""From flat options, as flags and deployment parameters spell them, to a checked order."""

import datetime
import secrets
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from schemas.base import ParserName, QuestionForm, TieBreak
from schemas.errors import UserError
from schemas.evaluation import ProviderParams
from schemas.identifiers import benchmark_id_fault, run_id_fault
from schemas.run import (
    Destination,
    Effort,
    MeasuringSpec,
    ModelSpec,
    PromptingSpec,
    RunOrder,
    RunSpec,
    SamplingSpec,
    Selection,
    VotingSpec,
)
from schemas.strict_json import NotStrictJson, parse
from tasks.sampling.records import storable

LARGEST = 2**53
"""Beyond it, readers of our JSON lose digits."""


class EvaluateOptions(BaseModel):
    """Every option of an evaluation, under the name of its flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: str
    model: str
    base_url: str | None = None
    extra_body: str | None = None
    n_samples: int = Field(default=5, ge=1, le=LARGEST)
    temperature: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    max_tokens: int = Field(default=1024, ge=1, le=LARGEST)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=-LARGEST, le=LARGEST)
    stop: tuple[str, ...] = ()
    tie_break: TieBreak = "abstain"
    parser: ParserName = "final-answer"
    question_form: QuestionForm = "support"
    coherence_frame: str | None = None
    strip_tex: bool = True
    paraphrase_variant: int = 0
    paraphrase_cycle: bool = False
    epoch: str = ""
    fresh: bool = False
    curtail: bool = False
    limit: int | None = Field(default=None, ge=0, le=LARGEST)
    items: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    concurrency: int = Field(default=16, ge=1, le=10_000)
    timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    max_retries: int = 5
    max_calls: int | None = None
    rpm: int | None = None
    max_cost: Decimal | None = None
    max_failed: float = 0.05
    run_id: str | None = None
    output_dir: str = "."
    output: str | None = None
    log: str | None = None
    allow_plugins: bool = False

    @field_validator("*")
    @classmethod
    def _can_be_written_down(cls, value: object) -> object:
        return require_writable(value)


def require_writable(value: object) -> object:
    """Refuse text that cannot be kept, for validators of options."""
    for text in value if isinstance(value, tuple) else (value,):
        if isinstance(text, str) and storable(text) != text:
            raise PydanticCustomError("text", "must be valid UTF-8 without NUL")
    return value


_FLAGS = {"output": "-o", "benchmark": "BENCH"}


def make_order(**given: Any) -> tuple[RunOrder, bool]:
    """The order that some options ask for, and whether it is a paraphrase cycle.

    Raises:
        UserError: An option has an impossible value, or two exclude each other.
    """
    options = parse_options(**given)
    if options.fresh and options.epoch:
        raise UserError("--fresh and --epoch exclude each other", code="usage")
    if options.paraphrase_cycle and options.paraphrase_variant:
        raise UserError(
            "--paraphrase-cycle and --paraphrase-variant exclude each other", code="usage"
        )
    now = datetime.datetime.now(datetime.UTC)
    run_id = checked_run_id(options.run_id, now)
    try:
        spec = _spec(options, options.epoch or (f"fresh-{run_id}" if options.fresh else ""))
        effort = Effort(
            concurrency=options.concurrency,
            timeout_seconds=options.timeout,
            max_retries=options.max_retries,
            max_calls=options.max_calls,
            rpm=options.rpm,
            max_cost_usd=options.max_cost,
        )
    except ValidationError as error:
        raise bad_option(error) from None
    destination = Destination(
        output_dir=options.output_dir, evaluation_file=options.output, log_file=options.log
    )
    order = RunOrder(
        spec=spec, run_id=run_id, started_at=now, effort=effort, destination=destination
    )
    return order, options.paraphrase_cycle


def parse_options(**given: Any) -> EvaluateOptions:
    """Options of the right types.

    Raises:
        UserError: One is not.
    """
    try:
        return EvaluateOptions(**given)
    except ValidationError as error:
        raise bad_option(error) from None


# What the request itself is made of cannot be replaced from outside.
_OWN_KEYS = {"model", "messages", "system", "stream", "n", *ProviderParams.model_fields}


def parse_extra_body(text: str | None) -> dict[str, Any]:
    """Further keys of a request's body, from a JSON object.

    Raises:
        UserError: It is no JSON object, or names a key that is ours to set.
    """
    if text is None:
        return {}
    try:
        value = parse(text.encode("utf-8", "surrogatepass"))
    except NotStrictJson as error:
        raise _bad_extra_body(error.problems[0].message) from None
    if not isinstance(value, dict):
        raise _bad_extra_body("it is not a JSON object")
    own = sorted(_OWN_KEYS & value.keys())
    if own:
        raise _bad_extra_body(f"{own[0]!r} has an option of its own, or cannot be changed")
    return value


def _bad_extra_body(why: str) -> UserError:
    return UserError(why, where="--extra-body", fix="see assent evaluate --help", code="bad_option")


def checked_run_id(run_id: str | None, now: datetime.datetime) -> str:
    """The run id asked for, or a new one.

    Raises:
        UserError: It cannot name files.
    """
    if run_id is None:
        return new_run_id(now)
    fault = run_id_fault(run_id)
    if fault:
        raise UserError(f"run id {run_id!r}: {fault}", where="--run-id", code="bad_run_id")
    return run_id


def new_run_id(now: datetime.datetime) -> str:
    """A name that sorts by time and does not repeat."""
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def require_plain_benchmark_id(benchmark_id: str, path: str) -> None:
    """Refuse an id that cannot name a directory of results."""
    fault = benchmark_id_fault(benchmark_id)
    if fault:
        raise UserError(
            f"benchmark id {benchmark_id!r} cannot name a directory: {fault}",
            where=f"{Path(path)}: $.id",
            fix="choose a plain id",
            code="bad_benchmark_id",
        )


def _spec(options: EvaluateOptions, epoch: str) -> RunSpec:
    return RunSpec(
        benchmark=options.benchmark,
        model=ModelSpec.parse(options.model, options.base_url),
        prompting=PromptingSpec(
            question_form=options.question_form,
            coherence_frame=options.coherence_frame,
            strip_tex=options.strip_tex,
            variant=options.paraphrase_variant,
            allow_plugins=options.allow_plugins,
        ),
        sampling=SamplingSpec(
            n_samples=options.n_samples,
            params=ProviderParams(
                temperature=options.temperature,
                max_tokens=options.max_tokens,
                top_p=options.top_p,
                seed=options.seed,
                stop=options.stop,
                **parse_extra_body(options.extra_body),
            ),
            epoch=epoch,
            curtail=options.curtail,
        ),
        voting=VotingSpec(parser=options.parser, tie_break=options.tie_break),
        measuring=MeasuringSpec(),
        selection=Selection(limit=options.limit, items=options.items, tags=options.tag),
        max_failed=options.max_failed,
    )


_SPELLED = {
    "variant": "paraphrase-variant",
    "timeout_seconds": "timeout",
    "max_cost_usd": "max-cost",
    "tags": "tag",
    "model_id": "model",
}


def bad_option(error: ValidationError, command: str = "evaluate") -> UserError:
    """The error for an impossible value, by the name of its flag."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "option"
    flag = _FLAGS.get(name, f"--{_SPELLED.get(name, name).replace('_', '-')}")
    message = first["msg"][0].lower() + first["msg"][1:]
    return UserError(
        f"{message}, found {first['input']!r}",
        where=flag,
        fix=f"see assent {command} --help",
        code="bad_option",
    )
