"""`assent evaluate`: a benchmark, a model, and what came of it."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, note, print_json, printable
from flows.cli.prompts import Form, FormOption, FrameOption, PluginsOption, StripOption

if TYPE_CHECKING:
    from flows.engines import Engine
    from schemas.pack_run import PackOrder
    from schemas.run import CycleResult, RunOrder, RunResult


class TieBreak(StrEnum):
    """Verdict of a good/bad tie."""

    ABSTAIN = "abstain"
    GOOD = "good"
    BAD = "bad"
    FIRST = "first"


class Parser(StrEnum):
    """How a reply is read."""

    FINAL_ANSWER = "final-answer"
    FIRST_MATCH = "first-match"


class EngineChoice(StrEnum):
    """Who carries out the stages."""

    AUTO = "auto"
    EMBEDDED = "embedded"
    PREFECT = "prefect"


_ASKING, _READING, _WORKING, _FILES = "Asking", "Reading replies", "Working", "Files and engine"


def evaluate(
    bench: Annotated[str, typer.Argument(metavar="BENCH", help="A benchmark.")],
    model: Annotated[
        str,
        typer.Option(
            help="provider/model: openai/…, anthropic/…, vllm/…, control/coin, replay/PATH.",
            metavar="M",
        ),
    ],
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
    n_samples: Annotated[int, typer.Option(help="Samples per item.", rich_help_panel=_ASKING)] = 5,
    temperature: Annotated[float, typer.Option(rich_help_panel=_ASKING)] = 1.0,
    max_tokens: Annotated[int, typer.Option(help="Longest reply.", rich_help_panel=_ASKING)] = 1024,
    top_p: Annotated[float | None, typer.Option(rich_help_panel=_ASKING)] = None,
    seed: Annotated[
        int | None, typer.Option(help="Sample i gets seed + i.", rich_help_panel=_ASKING)
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help="Ends a reply; repeatable.", rich_help_panel=_ASKING)
    ] = None,
    question_form: FormOption = Form.SUPPORT,
    coherence_frame: FrameOption = None,
    strip_tex: StripOption = True,
    allow_plugins: PluginsOption = False,
    paraphrase_variant: Annotated[
        int, typer.Option(help="Wording; 0 is the canonical one.", rich_help_panel=_ASKING)
    ] = 0,
    paraphrase_cycle: Annotated[
        bool, typer.Option("--paraphrase-cycle", help="Every wording.", rich_help_panel=_ASKING)
    ] = False,
    limit: Annotated[
        int | None, typer.Option(help="Only the first N items.", rich_help_panel=_ASKING)
    ] = None,
    items: Annotated[
        list[str] | None,
        typer.Option(help="Only this item; repeatable.", metavar="ID", rich_help_panel=_ASKING),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Only items so tagged; repeatable.", rich_help_panel=_ASKING),
    ] = None,
    tie_break: Annotated[
        TieBreak, typer.Option(help="Verdict of a good/bad tie.", rich_help_panel=_READING)
    ] = TieBreak.ABSTAIN,
    parser: Annotated[
        Parser, typer.Option(help="How a reply is read.", rich_help_panel=_READING)
    ] = Parser.FINAL_ANSWER,
    max_failed: Annotated[
        float, typer.Option(help="Share of failed samples that passes.", rich_help_panel=_READING)
    ] = 0.05,
    epoch: Annotated[
        str, typer.Option(help="Draws of another epoch are new.", rich_help_panel=_WORKING)
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Redraw everything once.", rich_help_panel=_WORKING)
    ] = False,
    curtail: Annotated[
        bool,
        typer.Option(
            "--curtail",
            help="Stop drawing for an item when its verdict is settled.",
            rich_help_panel=_WORKING,
        ),
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
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Other evaluation file.", rich_help_panel=_FILES),
    ] = None,
    output_dir: Annotated[
        str, typer.Option(help="Holds evaluations/ and outputs/.", rich_help_panel=_FILES)
    ] = ".",
    log: Annotated[
        str | None, typer.Option(help="Append a run log.", rich_help_panel=_FILES)
    ] = None,
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
    """Ask a model about every item, vote, and measure its agreement with the panel.

    Samples are kept: running the same command again asks nobody, and an interrupted run goes on
    where it stopped. Results: evaluations/<benchmark>/<run>.json, outputs/<benchmark>/<run>.json
    and Parquet tables in outputs/artifacts/<run>/.

    Example: assent evaluate examples/stop_sign/benchmark.json --model control/coin
    """
    given: dict[str, Any] = {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in locals().items()
        if value is not None
    }
    headers = given.pop("header", [])
    for name in ("bench", "dry_run", "engine", "quiet", "verbose", "format_"):
        given.pop(name, None)
    given["benchmark"] = bench
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
    from flows.options import make_order
    from flows.preflight import preflight
    from schemas.settings import read_settings
    from tasks.sampling.engine import BudgetExhausted, ModelRefused
    from tasks.sampling.monitor import Monitor

    order, cycle = make_order(**given)
    preflight(order, cycle=cycle)
    wanted = engine.value if engine else read_settings().engine
    chosen = choose_engine(wanted)
    if not quiet:
        note(engine_note(wanted, chosen.name, chosen.server))
    monitor = Monitor()
    try:
        with shown_progress(monitor, quiet=quiet):
            result = _carry_out(order, cycle, given, chosen)
    except (BudgetExhausted, KeyboardInterrupt) as stop:
        used_up = isinstance(stop, BudgetExhausted)
        if as_json:
            cause = stop.code if isinstance(stop, BudgetExhausted) else "interrupted"
            print_json(results.stopped(order, monitor, cause, cycle=cycle))
        why = stop.what if isinstance(stop, BudgetExhausted) else "interrupted"
        note(printable(f"{why}; nothing was published. {way_on(order, given)}"))
        raise typer.Exit(3 if used_up else 130) from None
    except ModelRefused as refused:
        if not as_json:
            raise
        print_json(results.stopped(order, monitor, "refused", cycle=cycle))
        note(printable(str(refused)))
        raise typer.Exit(2) from None
    if as_json:
        print_json(result.to_json())
    else:
        results.print_result(result, monitor, show_stages=verbose or chosen.name == "prefect")
    if any(run.too_many_failed for run in results.runs_of(result)):
        note("more samples failed than --max-failed allows; assent show RUN ITEM names the causes")
        raise typer.Exit(1)


def _forecast(given: dict[str, Any], *, as_json: bool) -> None:
    from flows.cli import results
    from flows.forecast import forecast
    from flows.options import make_order
    from flows.preflight import preflight

    order, cycle = make_order(**given)
    benchmark = preflight(order, cycle=cycle)
    found = forecast(order, benchmark, cycle=cycle)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        results.print_forecast(found)


def _carry_out(
    order: "RunOrder", cycle: bool, given: dict[str, Any], chosen: "Engine"
) -> "RunResult | CycleResult":
    if chosen.name == "prefect":
        from flows.cli.on_prefect import run_on_prefect

        return run_on_prefect(given | {"run_id": order.run_id}, server=chosen.server)
    from flows.pipelines import run_cycle, run_evaluation

    return run_cycle(order) if cycle else run_evaluation(order)


def way_on(order: "RunOrder | PackOrder", given: dict[str, Any]) -> str:
    """How to go on from what is already answered; --fresh would begin once more."""
    if given["fresh"] and "run_id" not in given:
        epoch = order.spec.sampling.epoch
        return f"To continue, run it again with --epoch {epoch} in place of --fresh"
    return "Run the same command again to continue: nothing is asked twice"


def engine_note(wanted: str, name: str, server: str | None) -> str:
    """Which engine a command takes, in one line."""
    if name == "embedded":
        return f"engine: embedded{' (no Prefect server is configured)' if wanted == 'auto' else ''}"
    if server:
        return f"engine: Prefect at {printable(server)}"
    return "engine: Prefect with a server of its own for this command; this takes some seconds"
