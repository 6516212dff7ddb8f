"""How a finished run looks in the terminal and as JSON."""

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from flows.cli.console import printable
from schemas.pack_run import PackOrder
from schemas.run import CycleResult, RunOrder, RunResult
from tasks.sampling.monitor import Monitor

if TYPE_CHECKING:
    from flows.forecast import Forecast

_SHOWN = (
    ("coverage_judged", "items on which the model took a side"),
    ("cohens_kappa[consensus]", "agreement of the model with the panel's majority"),
    ("fleiss_kappa", "agreement of the analysts and the model"),
    ("inter_analyst_fleiss", "agreement of the analysts"),
    ("inter_analyst_fleiss_primary", "agreement of the primary panel"),
)


def runs_of(result: RunResult | CycleResult) -> tuple[RunResult, ...]:
    """The runs behind a result, one per wording."""
    return result.runs if isinstance(result, CycleResult) else (result,)


def stopped(
    order: RunOrder | PackOrder, monitor: Monitor, cause: str, *, cycle: bool
) -> dict[str, Any]:
    """The document of a run that stopped before its end; everything answered is kept.

    A cycle comes whole or not at all: it has no runs then.
    """
    wordings: dict[str, Any] = {"runs": [], "comparison": None} if cycle else {}
    return wordings | {
        "run_id": order.run_id,
        "evaluation": None,
        "output": None,
        "artifacts": {},
        "calls": monitor.calls,
        "reused": monitor.reused,
        "failed": monitor.failed,
        "metrics": None,
        "stopped": cause,
    }


def print_result(result: RunResult | CycleResult, monitor: Monitor, *, show_stages: bool) -> None:
    """Tables for people."""
    # Names come from strangers: nothing in them is markup or an emoji code.
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    if show_stages:
        console.print(stages_table(monitor))
    runs = runs_of(result)
    for run in runs:
        _print_run(console, run, name_variant=len(runs) > 1)
    if isinstance(result, CycleResult) and result.comparison is not None:
        _print_comparison(console, result)


def stages_table(monitor: Monitor) -> Table:
    """How long each stage took, and how it ended."""
    table = Table("stage", "state", "seconds", title="stages", title_justify="left")
    for stage in monitor.stages:
        table.add_row(stage.name, stage.state, f"{stage.seconds:.2f}")
    return table


def _print_run(console: Console, run: RunResult, *, name_variant: bool) -> None:
    metrics = run.metrics
    variant = f", variant {run.variant}" if name_variant else ""
    title = printable(f"run {run.run_id}{variant}")
    table = Table(title=title, title_justify="left")
    table.add_column("metric", no_wrap=True, overflow="fold")
    for name in ("value", "95 % interval", "n", "meaning"):
        table.add_column(name)
    for key, meaning in _SHOWN:
        if key in metrics:
            n = str(metrics["ns"].get(key, ""))
            table.add_row(key, _value(metrics, key), _interval(metrics, key), n, meaning)
    console.print(table)
    for caution in metrics["cautions"]:
        console.print(printable(f"caution: {caution['message']}"))
    console.print(
        f"items: {metrics['n']} asked, {metrics['n_judged']} judged, "
        f"{metrics['n_missing']} missing (no usable sample)"
    )
    console.print(
        f"samples: {run.n_samples}, {run.calls} calls, {run.reused} reused, {run.failed} failed"
    )
    for name, path in (("evaluation", run.evaluation), ("output document", run.output)):
        console.print(printable(f"{name}: {path}"))
    folder = next(iter(run.artifacts.values()), "").rpartition("/")[0]
    console.print(printable(f"tables: {folder}/{{{','.join(run.artifacts)}}}.parquet"))


def _value(metrics: dict[str, Any], key: str) -> str:
    value = metrics[key]
    return f"undefined: {metrics['reasons'][key]}" if value is None else f"{value:.3f}"


def _interval(metrics: dict[str, Any], key: str) -> str:
    found = metrics.get(f"{key}_ci")
    return f"{found['lo']:.3f} to {found['hi']:.3f}" if found else ""


def _print_comparison(console: Console, result: CycleResult) -> None:
    found = result.comparison
    assert found is not None
    share = "undefined" if found.stable_share is None else f"{found.stable_share:.1%}"
    kappa = "undefined" if found.fleiss_kappa is None else f"{found.fleiss_kappa:.3f}"
    console.print(
        f"wordings: {found.n_stable} of {found.n_items} items keep their verdict ({share}), "
        f"agreement of the wordings (Fleiss' kappa) {kappa} on {found.n_fleiss} items"
    )


def print_forecast(found: "Forecast") -> None:
    """A forecast for people."""
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    console.print(
        f"{found.samples} samples wanted, {found.in_store} in the store, "
        f"{found.calls_needed} calls needed"
    )
    basis = found.basis
    console.print(f"about {found.input_tokens} tokens of requests ({basis['input_tokens']})")
    expected = found.expected_output_tokens
    likely = "unknown" if expected is None else f"about {expected}"
    console.print(
        f"tokens of replies: {likely} ({basis['expected_output_tokens']}), "
        f"at most {found.most_output_tokens} ({basis['most_output_tokens']})"
    )
    console.print(f"cost: {_forecast_cost(found)}")
    seconds = found.expected_seconds
    likely = "unknown" if seconds is None else f"about {seconds:.0f} s"
    console.print(
        f"time: {likely} ({basis['expected_seconds']}), "
        f"at most {found.most_seconds:.0f} s ({basis['most_seconds']})"
    )
    console.print("nobody was asked, nothing was written")


def _forecast_cost(found: "Forecast") -> str:
    basis = found.basis["cost_usd"]
    if found.most_cost_usd is None:
        return basis
    expected = found.expected_cost_usd
    likely = "" if expected is None else f"about {expected:.4f}, "
    return f"{likely}{found.least_cost_usd:.4f} to {found.most_cost_usd:.4f} US dollars ({basis})"
