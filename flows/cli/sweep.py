"""`assent sweep`: how much a result moves when one setting changes."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, note, print_json, printable
from flows.cli.evaluate import EngineChoice, Parser, TieBreak
from flows.cli.prompts import Form, PluginsOption

if TYPE_CHECKING:
    from flows.engines import Engine
    from flows.sweeping import Plan
    from schemas.sweep import SweepResult

_ASKING, _READING, _WORKING, _FILES = "Asking", "Reading replies", "Working", "Files and engine"
# What decides how the command works; everything else is an option of the suite.
_NOT_OPTIONS = {
    *("paths", "model", "vary", "header", "fresh", "allow_plugins"),
    *("output_dir", "engine", "quiet", "format_"),
}


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
    base_url: Annotated[
        str | None, typer.Option(help="Endpoint of every model.", rich_help_panel=_ASKING)
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="K=V", help="Sent with each request; repeatable.", rich_help_panel=_ASKING
        ),
    ] = None,
    extra_body: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Further keys of a request.", rich_help_panel=_ASKING),
    ] = None,
    n_samples: Annotated[
        int | None, typer.Option(help="Samples per item; else 5.", rich_help_panel=_ASKING)
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Else 1.0.", rich_help_panel=_ASKING)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Longest reply; else 1024.", rich_help_panel=_ASKING)
    ] = None,
    top_p: Annotated[float | None, typer.Option(rich_help_panel=_ASKING)] = None,
    seed: Annotated[
        int | None, typer.Option(help="Sample i gets seed + i.", rich_help_panel=_ASKING)
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="Ends a reply; repeatable.", rich_help_panel=_ASKING)
    ] = None,
    question_form: Annotated[
        Form | None, typer.Option(help="Else support.", rich_help_panel=_ASKING)
    ] = None,
    coherence_frame: Annotated[
        str | None,
        typer.Option(help="System text of the coherence question.", rich_help_panel=_ASKING),
    ] = None,
    strip_tex: Annotated[
        bool | None,
        typer.Option(
            "--strip-tex/--no-strip-tex",
            help="Drop the dollars of $…$ pairs.",
            rich_help_panel=_ASKING,
        ),
    ] = None,
    allow_plugins: PluginsOption = False,
    paraphrase_variant: Annotated[
        int | None, typer.Option(help="Wording; 0 is the canonical one.", rich_help_panel=_ASKING)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only the first N items.", rich_help_panel=_ASKING)
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this item; repeatable.", rich_help_panel=_ASKING),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Only items so tagged; repeatable.", rich_help_panel=_ASKING),
    ] = None,
    tie_break: Annotated[
        TieBreak | None,
        typer.Option(help="Verdict of a good/bad tie; else abstain.", rich_help_panel=_READING),
    ] = None,
    parser: Annotated[
        Parser | None,
        typer.Option(help="How a reply is read; else final-answer.", rich_help_panel=_READING),
    ] = None,
    max_failed: Annotated[
        float | None,
        typer.Option(
            help="Share of failed samples that passes; else 0.05.", rich_help_panel=_READING
        ),
    ] = None,
    epoch: Annotated[
        str | None, typer.Option(help="Draws of another epoch are new.", rich_help_panel=_WORKING)
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Redraw everything once.", rich_help_panel=_WORKING)
    ] = False,
    concurrency: Annotated[
        int | None, typer.Option(help="Most calls at a time; else 16.", rich_help_panel=_WORKING)
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds for one request; else 60.", rich_help_panel=_WORKING),
    ] = None,
    max_retries: Annotated[
        int | None,
        typer.Option(help="Further requests per sample; else 5.", rich_help_panel=_WORKING),
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option(help="Most requests of the whole sweep.", rich_help_panel=_WORKING)
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(help="Most US dollars to spend in all.", rich_help_panel=_WORKING),
    ] = None,
    rpm: Annotated[
        int | None, typer.Option(help="Most requests in a minute.", rich_help_panel=_WORKING)
    ] = None,
    output_dir: Annotated[
        str, typer.Option(help="Holds evaluations/, outputs/ and studies/.", rich_help_panel=_FILES)
    ] = ".",
    engine: Annotated[
        EngineChoice | None,
        typer.Option(help="auto: Prefect when a server is configured.", rich_help_panel=_FILES),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress, no notes.", rich_help_panel=_FILES)
    ] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Vary one parameter at a time and see how far the agreement with the panel moves.

    Every benchmark is run with every model and every value; values that need the same samples
    share them. Results: one run per value, and studies/<name>.json. Options take the place of
    what a suite says; budgets hold for the whole sweep.

    Example: assent sweep examples/stop_sign/benchmark.json --model control/coin
    --vary n_samples=3,5,9
    """
    given: dict[str, Any] = {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in locals().items()
        if name not in _NOT_OPTIONS and value != []  # an empty list was not given
    }
    from flows.suites import fresh_epoch, is_suite, parse_vary
    from tasks.providers.headers import parse_headers, sending

    suites = [path for path in paths if is_suite(path)]
    given |= {
        "suite": suites[0] if suites else None,
        # A second path beside a suite counts as a benchmark, which is then refused.
        "benchmarks": paths[1:] if suites else paths,
        "models": model or [],
        "vary": parse_vary(vary or []),
        "epoch": fresh_epoch(epoch) if fresh else epoch,
    }
    work = {"output_dir": output_dir, "allow_plugins": allow_plugins}
    with sending(parse_headers(header or [])):
        _run(given, work, engine, fresh=fresh, quiet=quiet, as_json=format_ is Format.JSON)


def _run(
    given: dict[str, Any],
    work: dict[str, Any],
    engine: EngineChoice | None,
    *,
    fresh: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    from flows.cli.progress import shown_progress
    from flows.cli.sweep_results import note_failures, print_result
    from flows.engines import choose_engine
    from flows.suites import choose_suite
    from flows.sweeping import plan_sweep
    from schemas.settings import read_settings
    from tasks.sampling.engine import BudgetExhausted
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
    except (BudgetExhausted, KeyboardInterrupt) as stop:
        used_up = stop if isinstance(stop, BudgetExhausted) else None
        if as_json:
            counts = {"calls": monitor.calls, "reused": monitor.reused}
            cause = used_up.code if used_up else "interrupted"
            print_json({"id": plan.id, "document": None, **counts, "stopped": cause})
        said = used_up.what if used_up else "interrupted"
        note(f"{said}. {_way_on(given['epoch'] if fresh else None)}")
        raise typer.Exit(3 if used_up else 130) from None
    if as_json:
        print_json(result.to_json())
    else:
        print_result(result)
    note_failures(result, len(plan.cells))
    if not result.is_clean:
        raise typer.Exit(1)


def _way_on(epoch: str | None) -> str:
    if epoch is not None:
        return f"To continue, run it again with --epoch {epoch} in place of --fresh"
    return "Run the same command again to continue: nothing is asked twice"


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
