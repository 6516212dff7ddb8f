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
from flows.suites import choose_suite
from flows.sweeping import Cell, describe_failures, plan_sweep, run_sweep
from schemas.errors import EvalError
from schemas.run import RunResult
from schemas.sweep import SweepResult


class CellsFailed(EvalError):
    """Some runs of a sweep failed; `result` has those that did not, if it got that far."""

    def __init__(self, what: str, result: SweepResult | None = None) -> None:
        super().__init__(what, code="cells_failed")
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
    epoch: str | None = None,
    epoch_from_schedule: bool = False,
    concurrency: Annotated[int, Field(ge=1)] = 16,
    output_dir: str = ".",
) -> SweepResult:
    """Vary one parameter at a time and see how far the agreement with the panel moves.

    Args:
        suite: Path of a suite file; or else name benchmarks, models and what to vary.
        benchmarks: Paths of benchmarks.
        models: Models as provider/model.
        vary: Values per parameter: n_samples, tie_break, paraphrase_variant, temperature.
        name: Name of the study; begins the ids of its runs.
        n_samples: Samples per item, in place of the suite's.
        temperature: Sampling temperature, in place of the suite's.
        epoch: Draws of other epochs are independent; in place of the suite's.
        epoch_from_schedule: Take the epoch from the scheduled time, so that each one draws anew.
        concurrency: Most calls at a time.
        output_dir: Where results go.

    Returns:
        What `assent sweep --format json` prints, as an object.

    Raises:
        UserError: Something about it is wrong; nothing was run.
        CellsFailed: Some runs failed; all others are finished and written down.
    """
    wanted = choose_suite(
        suite=suite,
        benchmarks=benchmarks or (),
        models=models or (),
        vary=vary or {},
        name=name,
        n_samples=n_samples,
        temperature=temperature,
        epoch=_scheduled_epoch() if epoch_from_schedule else epoch,
    )
    plan = plan_sweep(wanted, output_dir=output_dir, concurrency=concurrency)
    # With its heartbeat, each subflow would wait about a second for that to end.
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        result = run_sweep(plan, _as_subflow)
    if result.failures:
        n_failed, n_cells = len(result.failures), len(plan.cells)
        listed = describe_failures(result.failures)
        raise CellsFailed(f"{n_failed} of {n_cells} runs failed: {listed}", result)
    return result


def _as_subflow(cell: Cell) -> RunResult:
    result = evaluate(**cell.options)
    assert isinstance(result, RunResult)  # no paraphrase cycle was asked for
    return result


def _scheduled_epoch() -> str:
    """The time for which this flow run was scheduled: a late run draws what it was to draw."""
    scheduled: datetime.datetime = flow_run.scheduled_start_time
    return f"{scheduled.astimezone(datetime.UTC):%Y%m%d-%H%M%S}"
