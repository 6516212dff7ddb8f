"""`assent sweep`: how much a result moves when one setting changes."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, note, print_json, printable
from flows.cli.evaluate import EngineChoice

if TYPE_CHECKING:
    from flows.engines import Engine
    from flows.sweeping import Plan
    from schemas.sweep import Sweep, SweepResult, SweepRow


def sweep(
    paths: Annotated[
        list[str], typer.Argument(metavar="SUITE.yaml|BENCH…", help="A suite, or benchmarks.")
    ],
    model: Annotated[
        list[str] | None, typer.Option(help="provider/model; repeatable.", metavar="M")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="n_samples, tie_break, paraphrase_variant or temperature; repeatable.",
            metavar="P=V1,V2",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the study.")] = None,
    n_samples: Annotated[
        int | None, typer.Option(help="Samples per item; 5 unless the suite says otherwise.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="1.0 unless the suite says otherwise.")
    ] = None,
    epoch: Annotated[str | None, typer.Option(help="Draws of another epoch are new.")] = None,
    concurrency: Annotated[int, typer.Option(help="Most calls at a time.")] = 16,
    output_dir: Annotated[
        str, typer.Option(help="Holds evaluations/, outputs/ and studies/.")
    ] = ".",
    engine: Annotated[
        EngineChoice | None, typer.Option(help="auto: Prefect when a server is configured.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no notes.")] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Vary one parameter at a time and see how far the agreement with the panel moves.

    Every benchmark is run with every model and every value; values that need the same samples
    share them. Results: one run per value, and studies/<name>.json.

    Example: assent sweep examples/stop_sign/benchmark.json --model control/coin
    --vary n_samples=3,5,9
    """
    from flows.suites import is_suite, parse_vary

    suites = [path for path in paths if is_suite(path)]
    given: dict[str, Any] = {
        "suite": suites[0] if suites else None,
        # A second path beside a suite counts as a benchmark, which is then refused.
        "benchmarks": paths[1:] if suites else paths,
        "models": model or [],
        "vary": parse_vary(vary or []),
        "name": name,
        "n_samples": n_samples,
        "temperature": temperature,
        "epoch": epoch,
    }
    work = {"concurrency": concurrency, "output_dir": output_dir}
    _run(given, work, engine, quiet=quiet, as_json=format_ is Format.JSON)


def _run(
    given: dict[str, Any],
    work: dict[str, Any],
    engine: EngineChoice | None,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    from flows.cli.progress import shown_progress
    from flows.engines import choose_engine
    from flows.suites import choose_suite
    from flows.sweeping import plan_sweep
    from schemas.settings import read_settings
    from tasks.sampling.monitor import Monitor

    plan = plan_sweep(choose_suite(**given), **work)
    wanted = engine.value if engine else read_settings().engine
    chosen = choose_engine(wanted)
    if not quiet:
        note(_engine_note(wanted, chosen))
    monitor = Monitor()
    try:
        with shown_progress(monitor, quiet=quiet):
            result = _carry_out(plan, given | work, chosen)
    except KeyboardInterrupt:
        if as_json:
            counts = {"calls": monitor.calls, "reused": monitor.reused}
            print_json({"id": plan.id, "document": None, **counts, "stopped": "interrupted"})
        note("interrupted. Run the same command again to continue: nothing is asked twice")
        raise typer.Exit(130) from None
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        _print_result(result)
    _note_failures(result, len(plan.cells))
    if not result.is_clean:
        raise typer.Exit(1)


def _carry_out(plan: "Plan", given: dict[str, Any], chosen: "Engine") -> "SweepResult":
    if chosen.name == "embedded":
        from flows.sweeping import run_sweep

        return run_sweep(plan)
    return _on_prefect(given, chosen.server)


def _on_prefect(options: dict[str, Any], server: str | None) -> "SweepResult":
    """The `sweep` flow in this process, recorded by a server; by one of our own without any."""
    import logging
    from contextlib import nullcontext

    from flows.temporary_server import temporary_server

    with nullcontext(server) if server else temporary_server() as url:
        from prefect.settings import PREFECT_API_URL, temporary_settings

        from flows.sweep import CellsFailed, sweep

        # Errors reach the user as one line of ours; Prefect's tracebacks would bury it.
        for name in ("prefect", "prefect.flow_runs", "prefect.task_runs"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with temporary_settings({PREFECT_API_URL: url}):
            try:
                result: SweepResult = sweep(**options)
            except CellsFailed as failed:
                if failed.result is None:
                    raise
                return failed.result
            return result


def _engine_note(wanted: str, chosen: "Engine") -> str:
    if chosen.name == "embedded":
        return f"engine: embedded{' (no Prefect server is configured)' if wanted == 'auto' else ''}"
    at = f" at {printable(chosen.server)}" if chosen.server else " with a server of its own"
    return f"engine: Prefect{at}"


def _note_failures(result: "SweepResult", n_cells: int) -> None:
    if result.failures:
        note(f"{len(result.failures)} of {n_cells} runs failed:")
    for failure in result.failures:
        note(printable(f"{failure.run_id}: {failure.message}"))
    for row in (row for sweep in result.sweeps for row in sweep.rows):
        if row.too_many_failed:
            note(printable(f"{row.run_id}: {row.n_failed} samples failed, too many"))


def _print_result(result: "SweepResult") -> None:
    from rich.console import Console

    # Names come from strangers: nothing in them is markup or an emoji code.
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    for sweep in result.sweeps:
        _print_sweep(console, sweep)
    console.print(
        printable(f"study {result.id}: {result.calls} calls, {result.reused} samples reused")
    )
    console.print(printable(f"document: {result.document}"))


def _print_sweep(console: Any, sweep: "Sweep") -> None:
    from rich.table import Table

    title = f"{sweep.parameter}: {sweep.benchmark_id} x {sweep.provider}/{sweep.model_id}"
    table = Table(title=printable(title), title_justify="left")
    table.add_column("value", overflow="fold")
    for name in ("coverage", "kappa_c", "n", "kappa_f", "n", "agreement", "missing"):
        table.add_column(name, no_wrap=True)
    for row in sweep.rows:
        table.add_row(printable(row.value), *_figures(row))
    console.print(table)
    if sweep.kappa_c_range is None:
        console.print(f"verdict: {sweep.stability_verdict}")
    else:
        console.print(
            f"verdict: {sweep.stability_verdict} (kappa_c moves by {sweep.kappa_c_range:.3f} "
            f"over {sweep.n_kappa_c_range} values)"
        )


def _figures(row: "SweepRow") -> list[str]:
    def shown(value: float | None) -> str:
        return "undefined" if value is None else f"{value:.3f}"

    return [
        shown(row.coverage),
        shown(row.kappa_c),
        str(row.n_kappa_c),
        shown(row.kappa_f),
        str(row.n_kappa_f),
        f"{row.n_agreement} of {row.n_total}",
        str(row.n_missing),
    ]
