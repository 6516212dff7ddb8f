"""`assent pack run`: a pack, somebody who answers, and what came of it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, note, print_json, printable, say
from flows.cli.evaluate import EngineChoice, engine_note, way_on
from flows.cli.pack_results import print_score
from flows.cli.pack_score import (
    AllowOption,
    ByOption,
    DenyOption,
    ExtractOption,
    GroupOption,
)
from flows.cli.packs import LimitOption, ProfileName, ProfileOption, TasksOption

if TYPE_CHECKING:
    from flows.engines import Engine
    from schemas.pack_run import PackOrder, PackRunResult

_ANSWERING, _ASKING, _WORKING = "Who answers", "Asking", "Working"
_FILES = "Files and engine"


def run_pack(
    pack: Annotated[
        str | None,
        typer.Argument(metavar="PACK", help="A directory with a manifest, or the manifest."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="provider/model, as for assent evaluate.", metavar="M", rich_help_panel=_ANSWERING
        ),
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            help="JSONL, as for assent pack score.", metavar="FILE", rich_help_panel=_ANSWERING
        ),
    ] = None,
    harness: Annotated[
        str | None,
        typer.Option(
            help="A command; refused until there is a sandbox.",
            metavar="CMD",
            rich_help_panel=_ANSWERING,
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            help="Tester file: pack, run, harness, policy.",
            metavar="TESTER",
            rich_help_panel=_ANSWERING,
        ),
    ] = None,
    tasks: TasksOption = None,
    profile: ProfileOption = ProfileName.TARGET,
    limit: LimitOption = None,
    items: Annotated[
        list[str] | None, typer.Option(help="Only this row; repeatable.", metavar="ID")
    ] = None,
    extract_code: ExtractOption = False,
    deny_command: DenyOption = None,
    allow_dangerous_commands: AllowOption = False,
    by: ByOption = None,
    group_by: GroupOption = None,
    base_url: Annotated[
        str | None, typer.Option(help="Endpoint of the model.", rich_help_panel=_ASKING)
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            help="Sent with each request; repeatable.", metavar="K=V", rich_help_panel=_ASKING
        ),
    ] = None,
    extra_body: Annotated[
        str | None,
        typer.Option(help="Further keys of a request.", metavar="JSON", rich_help_panel=_ASKING),
    ] = None,
    n_samples: Annotated[int, typer.Option(help="Samples per row.", rich_help_panel=_ASKING)] = 1,
    temperature: Annotated[float, typer.Option(rich_help_panel=_ASKING)] = 1.0,
    max_tokens: Annotated[int, typer.Option(help="Longest reply.", rich_help_panel=_ASKING)] = 1024,
    top_p: Annotated[float | None, typer.Option(rich_help_panel=_ASKING)] = None,
    seed: Annotated[
        int | None, typer.Option(help="Sample i gets seed + i.", rich_help_panel=_ASKING)
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="Ends a reply; repeatable.", rich_help_panel=_ASKING)
    ] = None,
    max_failed: Annotated[
        float, typer.Option(help="Share of failed samples that passes.", rich_help_panel=_WORKING)
    ] = 0.05,
    epoch: Annotated[
        str, typer.Option(help="Draws of another epoch are new.", rich_help_panel=_WORKING)
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Redraw everything once.", rich_help_panel=_WORKING)
    ] = False,
    concurrency: Annotated[
        int, typer.Option(help="Most calls at a time.", rich_help_panel=_WORKING)
    ] = 16,
    timeout: Annotated[
        float, typer.Option(help="Seconds for one request.", rich_help_panel=_WORKING)
    ] = 60.0,
    max_retries: Annotated[
        int, typer.Option(help="Further requests per sample.", rich_help_panel=_WORKING)
    ] = 5,
    max_calls: Annotated[
        int | None, typer.Option(help="Most requests in all.", rich_help_panel=_WORKING)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Most US dollars to spend.", rich_help_panel=_WORKING)
    ] = None,
    rpm: Annotated[
        int | None, typer.Option(help="Most requests in a minute.", rich_help_panel=_WORKING)
    ] = None,
    run_id: Annotated[
        str | None, typer.Option(help="Name of the run.", rich_help_panel=_FILES)
    ] = None,
    output_dir: Annotated[str, typer.Option(help="Holds outputs/.", rich_help_panel=_FILES)] = ".",
    engine: Annotated[
        EngineChoice | None,
        typer.Option(help="auto: Prefect when a server is configured.", rich_help_panel=_FILES),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what it would take; ask nobody.", rich_help_panel=_FILES
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress, no notes.", rich_help_panel=_FILES)
    ] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Say what is done.", rich_help_panel=_FILES)
    ] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Ask a model about every row of a pack, and have verifiers judge its replies.

    Only the public part of a row is shown. Replies are kept: running the same command again asks
    nobody. Results: outputs/<pack>/<run>.json, and tables and candidates.jsonl in
    outputs/artifacts/<run>/. Exit 3: some row could not be judged.

    Example: assent pack run examples/packs/short_answer --model control/echo
    """
    given: dict[str, Any] = {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in locals().items()
        if value is not None
    }
    headers = given.pop("header", [])
    for name in ("dry_run", "engine", "quiet", "verbose", "format_"):
        given.pop(name, None)
    from tasks.providers.headers import parse_headers, sending

    if dry_run:
        _forecast(given, as_json=format_ is Format.JSON)
        return
    with sending(parse_headers(headers)):
        _run(given, engine, quiet=quiet, verbose=verbose, as_json=format_ is Format.JSON)


def _run(
    given: dict[str, Any],
    engine: EngineChoice | None,
    *,
    quiet: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    from flows.cli import results
    from flows.cli.progress import shown_progress
    from flows.engines import choose_engine
    from flows.pack_options import make_pack_order
    from flows.preflight import preflight_pack
    from schemas.settings import read_settings
    from tasks.sampling.engine import BudgetExhausted, ModelRefused
    from tasks.sampling.monitor import Monitor

    order = make_pack_order(**given)
    preflight_pack(order)
    wanted = engine.value if engine else read_settings().engine
    chosen = choose_engine(wanted)
    if not quiet:
        note(engine_note(wanted, chosen.name, chosen.server))
    monitor = Monitor()

    def tell_stopped(cause: str) -> None:
        if as_json:
            shown = results.stopped(order, monitor, cause, cycle=False)
            print_json(shown | {"results": [], "summary": None, "measures": None})

    try:
        with shown_progress(monitor, quiet=quiet):
            result = _carry_out(order, given, chosen)
    except (BudgetExhausted, KeyboardInterrupt) as stop:
        used_up = isinstance(stop, BudgetExhausted)
        tell_stopped(stop.code if isinstance(stop, BudgetExhausted) else "interrupted")
        why = stop.what if isinstance(stop, BudgetExhausted) else "interrupted"
        note(printable(f"{why}; nothing was published. {way_on(order, given)}"))
        raise typer.Exit(3 if used_up else 130) from None
    except ModelRefused as refused:
        if not as_json:
            raise
        tell_stopped("refused")
        note(printable(str(refused)))
        raise typer.Exit(2) from None
    if as_json:
        print_json(result.to_json())
    else:
        _print(result, monitor, show_stages=verbose or chosen.name == "prefect")
    _leave(result)


def _leave(result: "PackRunResult") -> None:
    """The exit code of a run that was published."""
    if result.too_many_failed:
        note("more samples failed than --max-failed allows; assent show RUN ROW names the causes")
    if result.summary["errors"]:
        raise typer.Exit(3)
    raise typer.Exit(1 if result.too_many_failed else 0)


def _carry_out(order: "PackOrder", given: dict[str, Any], chosen: "Engine") -> "PackRunResult":
    if chosen.name == "prefect":
        from flows.cli.on_prefect import run_pack_on_prefect

        return run_pack_on_prefect(given | {"run_id": order.run_id}, server=chosen.server)
    from flows.pack_pipeline import run_pack

    return run_pack(order)


def _forecast(given: dict[str, Any], *, as_json: bool) -> None:
    from flows.cli import results
    from flows.forecast import forecast_pack
    from flows.pack_options import make_pack_order
    from flows.preflight import preflight_pack
    from schemas.errors import UserError

    order = make_pack_order(**given)
    if order.spec.has_answers:
        raise UserError("--dry-run and --answers exclude each other: nobody is asked", code="usage")
    preflight_pack(order)
    found = forecast_pack(order)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        results.print_forecast(found)


def _print(result: "PackRunResult", monitor: Any, *, show_stages: bool) -> None:
    if show_stages:
        from rich.console import Console

        from flows.cli.results import stages_table

        Console(highlight=False, soft_wrap=True).print(stages_table(monitor))
    print_score(result.to_json())
    for name in ("pass_at", "pass_hat"):
        for k, metric in result.measures[name].items():
            say(f"{name}_{k} {metric['value']:.3f} over {metric['n']} rows")
    say(
        f"samples: {result.n_samples}, {result.calls} calls, {result.reused} reused, "
        f"{result.failed} failed"
    )
    say(printable(f"output document: {result.output}"))
    folder = result.artifacts["candidates"].rpartition("/")[0]
    tables = ",".join(name for name in result.artifacts if name != "candidates")
    say(printable(f"tables and records: {folder}/{{{tables}}}.parquet, candidates.jsonl"))
