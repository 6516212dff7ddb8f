"""Sweeps, as plain paragraphs: plan every run, refuse what cannot succeed, run, summarise.

Runs of a sweep share the sample store, so that values which need the same draws share them: a
sweep over n_samples costs what its largest value costs, one over tie_break what one run costs.
"""

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args

import orjson

from flows.options import make_order, new_run_id
from flows.pipelines import run_evaluation
from flows.preflight import preflight
from schemas.benchmark import Benchmark
from schemas.errors import EvalError, UserError
from schemas.identifiers import file_name_fault, run_id_fault
from schemas.run import ModelSpec, RunResult
from schemas.sweep import CellFailure, Parameter, Suite, Sweep, SweepResult, SweepRow, SweepStudy
from tasks.outputs.gate import require_valid
from tasks.sampling.engine import BudgetExhausted
from tasks.sampling.monitor import watching
from tasks.statistics import consensus
from tasks.statistics.sensitivity import spread, stability_verdict
from tasks.storage.files import write_whole
from tasks.storage.places import relative

PARAMETERS: tuple[Parameter, ...] = get_args(Parameter)
KAPPA_C, KAPPA_F = "cohens_kappa[consensus]", "fleiss_kappa"
_UNSAFE = re.compile(r"[^\w.@+-]+", re.ASCII)


class Cell(NamedTuple):
    """One run of a sweep."""

    parameter: Parameter
    value: str
    benchmark: str
    benchmark_id: str
    model: str
    options: dict[str, Any]
    """Options of the evaluation, as `make_order` takes them."""

    @property
    def run_id(self) -> str:
        """Name of the run."""
        return str(self.options["run_id"])

    @property
    def sweep(self) -> tuple[str, str, str]:
        """The sweep that it belongs to."""
        return self.benchmark, self.model, self.parameter


class Plan(NamedTuple):
    """Everything that a study will run."""

    id: str
    suite: Suite
    output_dir: str
    cells: tuple[Cell, ...]
    benchmarks: dict[str, Benchmark]

    @property
    def document(self) -> Path:
        """Where the document of the study goes."""
        return Path(self.output_dir) / "studies" / f"{self.id}.json"


def plan_sweep(suite: Suite, *, output_dir: str = ".", allow_plugins: bool = False) -> Plan:
    """Every run of a suite, each of them possible; nothing is written and no model is asked.

    Args:
        suite: What is wanted.
        output_dir: Holds evaluations/, outputs/ and studies/.
        allow_plugins: Whether plugin builders may run; a suite file cannot say so.

    Raises:
        UserError: The name, a benchmark, a model or a value cannot be used.
    """
    study = _study_id(suite)
    stated = (*suite.settings, *suite.effort)
    common = {name: value for name, value in stated if value is not None}
    common |= {"output_dir": output_dir, "allow_plugins": allow_plugins}
    benchmarks = {path: _check(suite, path, common) for path in suite.benchmarks}
    cells = tuple(_cells(suite, study, common, benchmarks))
    for cell in cells:
        preflight(make_order(**cell.options)[0], cycle=False)
    plan = Plan(study, suite, output_dir, cells, benchmarks)
    if plan.document.is_dir():
        raise UserError(
            f"{str(plan.document)!r} is a directory", where="--output-dir", code="bad_option"
        )
    return plan


def _study_id(suite: Suite) -> str:
    if suite.name is None:
        return new_run_id(datetime.datetime.now(datetime.UTC))
    # Draws of another epoch are another study: its runs must not replace those of the first.
    epoch = suite.settings.epoch
    study = f"{suite.name}-{_UNSAFE.sub('_', epoch)}" if epoch else suite.name
    fault = run_id_fault(study)
    if fault:
        raise UserError(f"name {study!r}: {fault}", where="name", code="bad_run_id")
    return study


def _check(suite: Suite, path: str, common: dict[str, Any]) -> Benchmark:
    """The benchmark at a path, for the ids that depend on it; its runs are checked one by one."""
    fixed = {name: value for name, value in common.items() if name != "paraphrase_variant"}
    order, _ = make_order(**fixed, benchmark=path, model=suite.models[0])
    return preflight(order, cycle=False)


def _cells(
    suite: Suite, study: str, common: dict[str, Any], benchmarks: dict[str, Benchmark]
) -> Iterator[Cell]:
    named = [
        (benchmark, model, parameter, value)
        for benchmark in suite.benchmarks
        for model in suite.models
        for parameter in PARAMETERS
        for value in getattr(suite.vary, parameter)
    ]
    ids = [
        _run_id(suite, study, benchmarks[benchmark].id, model, f"{parameter}={value}")
        for benchmark, model, parameter, value in named
    ]
    lower = [run_id.lower() for run_id in ids]
    for run_id, (benchmark, model, parameter, value) in zip(ids, named, strict=True):
        if lower.count(run_id.lower()) > 1 or file_name_fault(run_id):
            run_id = _unmistakable(run_id, benchmark, model, parameter, str(value))
        options = common | {parameter: value, "run_id": run_id}
        options |= {"benchmark": benchmark, "model": model}
        yield Cell(parameter, str(value), benchmark, benchmarks[benchmark].id, model, options)


def _run_id(suite: Suite, study: str, benchmark_id: str, model: str, setting: str) -> str:
    parts = [study]
    parts += [_UNSAFE.sub("_", benchmark_id)] if len(suite.benchmarks) > 1 else []
    parts += [_UNSAFE.sub("_", model)] if len(suite.models) > 1 else []
    return "-".join([*parts, setting])


def _unmistakable(run_id: str, *cell: str) -> str:
    """A run id that no other cell has, although their names look alike or are too long."""
    whole = "\0".join((run_id, *cell)).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(whole).hexdigest()[:10]
    start = run_id.encode("utf-8", "surrogatepass")[:180].decode("utf-8", "ignore")
    return f"{start}-{digest}"


def evaluate_here(cell: Cell) -> RunResult:
    """A run of a sweep, in this process."""
    order, _ = make_order(**cell.options)
    return run_evaluation(order)


def run_sweep(plan: Plan, evaluate: Callable[[Cell], RunResult] = evaluate_here) -> SweepResult:
    """Run every cell, one after the other, and write down how far each result moved.

    A cell that fails does not stop the others; a budget that is used up stops them all.

    Args:
        plan: What to run.
        evaluate: How a cell is run.

    Raises:
        BudgetExhausted: The study needs more calls or money than allowed. Finished runs are kept.
    """
    done: dict[str, RunResult] = {}
    failures = []
    with watching() as monitor:
        before = monitor.calls
        for cell in plan.cells:
            try:
                done[cell.run_id] = evaluate(cell)
            except BudgetExhausted:
                raise
            except EvalError as error:
                failures.append(_failure(cell, error))
        calls, reused = monitor.calls - before, sum(run.reused for run in done.values())
    by_sweep = groupby(plan.cells, key=lambda cell: cell.sweep)
    study = SweepStudy(
        id=plan.id,
        description=plan.suite.description,
        settings=plan.suite.settings,
        sweeps=tuple(_sweep(plan, list(cells), done) for _, cells in by_sweep),
        failures=tuple(failures),
    )
    publish_study(study, plan.document)
    return SweepResult(
        id=study.id,
        document=relative(plan.document),
        calls=calls,
        reused=reused,
        sweeps=study.sweeps,
        failures=study.failures,
    )


def publish_study(study: SweepStudy, path: Path) -> None:
    """Write the document of a study, whole, after it was checked against its schema."""
    document = study.model_dump(mode="json")
    require_valid("sweep-1.0", document)
    write_whole(path, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")


def _failure(cell: Cell, error: EvalError) -> CellFailure:
    return CellFailure(
        run_id=cell.run_id,
        parameter=cell.parameter,
        value=cell.value,
        benchmark=cell.benchmark,
        model=cell.model,
        reason=error.code,
        message=str(error),
    )


def _sweep(plan: Plan, cells: list[Cell], done: dict[str, RunResult]) -> Sweep:
    first = cells[0]
    model = ModelSpec.parse(first.model)
    benchmark = plan.benchmarks[first.benchmark]
    finished = [cell for cell in cells if cell.run_id in done]
    rows = tuple(_row(cell, done[cell.run_id], benchmark) for cell in finished)
    found = spread(row.kappa_c for row in rows)
    return Sweep(
        parameter=first.parameter,
        benchmark_id=first.benchmark_id,
        benchmark=first.benchmark,
        provider=model.provider,
        model_id=model.model_id,
        rows=rows,
        kappa_c_range=found.value,
        n_kappa_c_range=found.n,
        kappa_c_range_reason=found.reason,
        stability_verdict=stability_verdict(found),
    )


_REASONED = {"coverage": "coverage", "kappa_c": KAPPA_C, "kappa_f": KAPPA_F}


def _row(cell: Cell, run: RunResult, benchmark: Benchmark) -> SweepRow:
    metrics = run.metrics
    assert run.evaluation is not None  # a run that comes back is published
    return SweepRow(
        value=cell.value,
        run_id=run.run_id,
        coverage=metrics["coverage"],
        n_coverage=metrics["ns"]["coverage"],
        kappa_c=metrics[KAPPA_C],
        n_kappa_c=metrics["ns"][KAPPA_C],
        kappa_f=metrics[KAPPA_F],
        n_kappa_f=metrics["ns"][KAPPA_F],
        n_agreement=count_agreement(metrics["verdict_distributions"], benchmark),
        n_total=metrics["n"],
        n_missing=metrics["n_missing"],
        n_failed=run.failed,
        too_many_failed=run.too_many_failed,
        reasons={
            name: metrics["reasons"][key]
            for name, key in _REASONED.items()
            if key in metrics["reasons"]
        },
        eta_path=run.evaluation,
    )


def count_agreement(verdicts: dict[str, dict[str, Any]], benchmark: Benchmark) -> int:
    """Items where the model says what the panel's majority says; abstaining matches abstaining."""
    return sum(
        item.id in verdicts and verdicts[item.id]["verdict"] == consensus(item.analyst_verdicts)
        for item in benchmark.items
    )


def describe_failures(failures: Iterable[CellFailure]) -> str:
    """One line that names every run that failed."""
    return "; ".join(f"{failure.run_id}: {failure.message}" for failure in failures)
