"""From flat options to a checked order for a run of a pack."""

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from flows.options import (
    LARGEST,
    bad_option,
    checked_run_id,
    parse_extra_body,
    require_writable,
)
from flows.tester_files import TesterOptions, load_tester
from schemas.errors import Unfinished, UserError
from schemas.evaluation import ProviderParams
from schemas.pack import Profile
from schemas.pack_run import (
    ANSWERS,
    PackJudgingSpec,
    PackMeasuringSpec,
    PackOrder,
    PackPlace,
    PackReading,
    PackRunSpec,
)
from schemas.run import Destination, Effort, ModelSpec, SamplingSpec
from tasks.storage.pack_files import locate_pack
from tasks.storage.packs import open_pack


class PackOptions(BaseModel):
    """Every option of a run of a pack, under the name of its flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pack: str | None = None
    model: str | None = None
    answers: str | None = None
    harness: str | None = None
    config: str | None = None
    tasks: str | None = None
    profile: Profile = "target"
    limit: int | None = Field(default=None, ge=1, le=LARGEST)
    items: tuple[str, ...] = ()
    base_url: str | None = None
    extra_body: str | None = None
    n_samples: int = Field(default=1, ge=1, le=LARGEST)
    temperature: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    max_tokens: int = Field(default=1024, ge=1, le=LARGEST)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = Field(default=None, ge=-LARGEST, le=LARGEST)
    stop: tuple[str, ...] = ()
    extract_code: bool = False
    deny_command: tuple[str, ...] = ()
    allow_dangerous_commands: bool = False
    by: tuple[str, ...] = ()
    group_by: str | None = None
    epoch: str = ""
    fresh: bool = False
    concurrency: int = Field(default=16, ge=1, le=10_000)
    timeout: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    max_retries: int = 5
    max_calls: int | None = None
    rpm: int | None = None
    max_cost: Decimal | None = None
    max_failed: float = 0.05
    run_id: str | None = None
    output_dir: str = "."

    @field_validator("*")
    @classmethod
    def _can_be_written_down(cls, value: object) -> object:
        return require_writable(value)


def make_pack_order(**given: Any) -> PackOrder:
    """The order that some options ask for.

    Raises:
        UserError: An option has an impossible value, or two exclude each other.
        Unfinished: A harness shall answer, which only a sandbox may run.
    """
    try:
        options = PackOptions(**given)
    except ValidationError as error:
        raise bad_option(error, "pack run") from None
    if options.fresh and options.epoch:
        raise UserError("--fresh and --epoch exclude each other", code="usage")
    tester = load_tester(options.config) if options.config is not None else None
    place = _place(options, tester)
    _require_one_to_answer(options, tester, place)
    now = datetime.datetime.now(datetime.UTC)
    run_id = options.run_id if options.run_id is not None or tester is None else tester.run_id
    run_id = checked_run_id(run_id, now)
    try:
        return PackOrder(
            spec=_spec(options, place, tester, run_id),
            run_id=run_id,
            started_at=now,
            effort=Effort(
                concurrency=options.concurrency,
                timeout_seconds=options.timeout,
                max_retries=options.max_retries,
                max_calls=options.max_calls,
                rpm=options.rpm,
                max_cost_usd=options.max_cost,
            ),
            destination=Destination(output_dir=_output_dir(options, tester)),
        )
    except ValidationError as error:
        raise bad_option(error, "pack run") from None


def _output_dir(options: PackOptions, tester: TesterOptions | None) -> str:
    return tester.output_dir if tester and options.output_dir == "." else options.output_dir


def _place(options: PackOptions, tester: TesterOptions | None) -> PackPlace:
    if tester is None:
        if options.pack is None:
            raise UserError("name a pack, or a tester file with --config", code="usage")
        return PackPlace(pack=options.pack, tasks=options.tasks)
    if options.pack is not None:
        named = locate_pack(options.pack).manifest
        if named.resolve() != Path(tester.manifest).resolve():
            raise UserError(
                f"the tester file names another pack, {tester.manifest!r}",
                where="--config",
                fix="leave PACK out, or name the same one",
                code="usage",
            )
    return PackPlace(pack=tester.manifest, tasks=options.tasks or tester.tasks)


def _require_one_to_answer(
    options: PackOptions, tester: TesterOptions | None, place: PackPlace
) -> None:
    given = [n for n in ("model", "answers", "harness") if getattr(options, n) is not None]
    if len(given) > 1:
        raise UserError(f"--{given[0]} and --{given[1]} exclude each other", code="usage")
    if not given and tester is None:
        fix = "add --model M, --answers FILE or --config TESTER"
        raise UserError("nobody is named to answer", fix=fix, code="usage")
    if options.answers is not None and options.n_samples != 1:
        raise UserError("--answers and --n-samples exclude each other", code="usage")
    if options.model is None and options.answers is None:
        # A pack that is wrong is wrong everywhere: say that first.
        open_pack(place.pack, place.tasks, options.profile)
        harness = "the command of --harness" if tester is None else f"harness {tester.harness!r}"
        raise Unfinished(
            f"{harness} has to run in a sandbox, and there is none here",
            fix="ask a model with --model, or judge answers with --answers",
            code="sandbox_unavailable",
        )


def _spec(
    options: PackOptions, place: PackPlace, tester: TesterOptions | None, run_id: str
) -> PackRunSpec:
    if options.answers is not None:
        model = ModelSpec(provider=ANSWERS, model_id=options.answers)
        sampling = SamplingSpec(n_samples=1)
    else:
        model = ModelSpec.parse(options.model or "", options.base_url)
        sampling = _sampling(options, run_id)
    denied = (*options.deny_command, *(tester.deny_commands if tester else ()))
    allowed = options.allow_dangerous_commands or (tester is not None and tester.allows_dangerous)
    return PackRunSpec(
        place=place,
        reading=PackReading(profile=options.profile, limit=options.limit),
        items=options.items,
        model=model,
        sampling=sampling,
        judging=PackJudgingSpec(
            deny_commands=tuple(dict.fromkeys(denied)),
            disallow_dangerous_commands=not allowed,
            # Models wrap code in prose and fences; a file of answers says what it means.
            extract_code=options.extract_code or options.answers is None,
        ),
        measuring=PackMeasuringSpec(by=options.by, group_by=options.group_by),
        max_failed=options.max_failed,
    )


def _sampling(options: PackOptions, run_id: str) -> SamplingSpec:
    return SamplingSpec(
        n_samples=options.n_samples,
        params=ProviderParams(
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            top_p=options.top_p,
            seed=options.seed,
            stop=options.stop,
            **parse_extra_body(options.extra_body),
        ),
        epoch=options.epoch or (f"fresh-{run_id}" if options.fresh else ""),
    )
