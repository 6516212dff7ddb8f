"""The `sweep` flow: how much results move with a parameter, over benchmarks and models.

Each run of a sweep is an `evaluate` subflow; `flows/sweeping.py` holds what the flow does.
"""

import flows.prefect_settings  # noqa: F401  isort: skip - must come before Prefect

import datetime
from typing import Annotated

from prefect import flow
from prefect.runtime import flow_run
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from pydantic import Field

from flows.evaluate import evaluate
from flows.suites import choose_suite, fresh_epoch
from flows.sweeping import Cell, describe_failures, plan_sweep, run_sweep
from schemas.base import ParserName, QuestionForm, TieBreak
from schemas.errors import EvalError
from schemas.run import RunResult
from schemas.sweep import SweepResult


class CellsFailed(EvalError):
    """Some runs of a sweep failed; `result` has those that did not, if it got that far."""

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        fix: str = "",
        code: str = "cells_failed",
        result: SweepResult | None = None,
    ) -> None:
        super().__init__(what, where=where, fix=fix, code=code)
        self.result = result


@flow(name="sweep", validate_parameters=True, persist_result=False)
def sweep(
    suite: str | None = None,
    benchmarks: list[str] | None = None,
    models: list[str] | None = None,
    vary: dict[str, list[int | float | str]] | None = None,
    name: str | None = None,
    n_samples: Annotated[int, Field(ge=1)] | None = None,
    temperature: Annotated[float, Field(ge=0)] | None = None,
    max_tokens: Annotated[int, Field(ge=1)] | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    stop: list[str] | None = None,
    tie_break: TieBreak | None = None,
    parser: ParserName | None = None,
    question_form: QuestionForm | None = None,
    coherence_frame: str | None = None,
    strip_tex: bool | None = None,
    paraphrase_variant: Annotated[int, Field(ge=0)] | None = None,
    base_url: str | None = None,
    extra_body: str | None = None,
    limit: int | None = None,
    items: list[str] | None = None,
    tag: list[str] | None = None,
    max_failed: Annotated[float, Field(ge=0, le=1)] | None = None,
    epoch: str | None = None,
    epoch_from_schedule: bool = False,
    fresh: bool = False,
    concurrency: Annotated[int, Field(ge=1)] | None = None,
    timeout: Annotated[float, Field(gt=0)] | None = None,
    max_retries: Annotated[int, Field(ge=0)] | None = None,
    max_calls: int | None = None,
    rpm: int | None = None,
    max_cost: float | None = None,
    allow_plugins: bool = False,
    output_dir: str = ".",
) -> SweepResult:
    """Vary one parameter at a time and see how far the agreement with the panel moves.

    Args:
        suite: Path of a suite file; or else name benchmarks, models and what to vary.
        benchmarks: Paths of benchmarks.
        models: Models as provider/model.
        vary: Values per parameter: n_samples, tie_break, paraphrase_variant, temperature.
        name: Name of the study; begins the ids of its runs.
        n_samples: Samples per item. This and what follows takes the place of the suite's.
        temperature: Sampling temperature.
        max_tokens: Longest reply, in tokens.
        top_p: Nucleus sampling.
        seed: Base seed; sample i uses seed + i.
        stop: Strings that end a reply.
        tie_break: Verdict of a good/bad tie.
        parser: How a reply is read.
        question_form: Question asked.
        coherence_frame: Coherence frame.
        strip_tex: Drop the dollars of $…$.
        paraphrase_variant: Wording asked.
        base_url: Endpoint of every model.
        extra_body: JSON object with further keys of each request.
        limit: Only the first items.
        items: Only these items.
        tag: Only items with these tags.
        max_failed: Share that may fail, in each run.
        epoch: Draws of other epochs are independent.
        epoch_from_schedule: Take the epoch from the scheduled time, so that each one draws anew.
        fresh: Redraw everything in a new epoch.
        concurrency: Most calls at a time.
        timeout: Deadline of a request, seconds.
        max_retries: Further requests per sample.
        max_calls: Most requests of the whole study.
        rpm: Requests that may start in a minute.
        max_cost: Most US dollars to spend in all.
        allow_plugins: Let plugin builders run.
        output_dir: Where results go.

    Returns:
        What `assent sweep --format json` prints, as an object.

    Raises:
        UserError: Something about it is wrong; nothing was run.
        CellsFailed: Some runs failed; all others are finished and written down.
        BudgetExhausted: The study needs more calls or money than allowed; finished runs are kept.
    """
    given = dict(locals())
    for taken in ("epoch_from_schedule", "fresh", "output_dir", "allow_plugins"):
        given.pop(taken)
    given |= {"benchmarks": benchmarks or (), "models": models or (), "vary": vary or {}}
    if epoch_from_schedule:
        given["epoch"] = _scheduled_epoch()
    elif fresh:
        given["epoch"] = fresh_epoch(epoch)
    wanted = choose_suite(**given)
    plan = plan_sweep(wanted, output_dir=output_dir, allow_plugins=allow_plugins)
    # With its heartbeat, each subflow would wait about a second for that to end.
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        result = run_sweep(plan, _as_subflow)
    if result.failures:
        n_failed, n_cells = len(result.failures), len(plan.cells)
        listed = describe_failures(result.failures)
        raise CellsFailed(f"{n_failed} of {n_cells} runs failed: {listed}", result=result)
    return result


def _as_subflow(cell: Cell) -> RunResult:
    result = evaluate(**cell.options)
    assert isinstance(result, RunResult)  # no paraphrase cycle was asked for
    return result


def _scheduled_epoch() -> str:
    """The time for which this flow run was scheduled: a late run draws what it was to draw."""
    scheduled: datetime.datetime = flow_run.scheduled_start_time
    return f"{scheduled.astimezone(datetime.UTC):%Y%m%d-%H%M%S}"
