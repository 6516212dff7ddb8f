"""`assent store`: looks after the sample store."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, note, print_json, printable, say
from schemas.errors import UserError

if TYPE_CHECKING:
    from tasks.storage.database import Database
    from tasks.storage.store_care import Selection

app = typer.Typer(
    help="The sample store: what it holds, whether it is sound, copies of it, and less of it.",
    no_args_is_help=True,
)

Benchmark = Annotated[
    str | None, typer.Option("--benchmark", metavar="ID", help="Samples of this benchmark.")
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="P/M", help="Samples of this provider/model.")
]
Epoch = Annotated[
    str | None, typer.Option("--epoch", metavar="NAME", help="Samples of this epoch.")
]
OlderThan = Annotated[
    float | None,
    typer.Option("--older-than", metavar="DAYS", min=0, max=36500, help="Samples older than this."),
]


@app.command("stats")
def stats(format_: FormatOption = Format.TEXT) -> None:
    """Count samples by provider, model, benchmark, epoch and status.

    Example: assent store stats
    """
    from tasks.storage.store_care import Stats, read_stats

    with _opened() as database:
        found = Stats() if database is None else read_stats(database)
    if format_ is Format.JSON:
        groups = [group._asdict() for group in found.groups]
        print_json(found._asdict() | {"groups": groups})
        return
    say(f"{found.samples} samples, {found.size_bytes / 1e6:.1f} MB")
    if found.oldest and found.newest:
        say(printable(f"oldest {found.oldest}, newest {found.newest}"))
    for group in found.groups:
        epoch = f"  epoch {group.epoch}" if group.epoch else ""
        model = f"{group.provider}/{group.model}"
        say(printable(f"{group.samples:>9}  {group.status:<6}  {model}  {group.benchmark}{epoch}"))


@app.command("verify")
def verify(format_: FormatOption = Format.TEXT) -> None:
    """Read every record, and list those that cannot be used.

    Exit 0: all can be used. Exit 1: some cannot.

    Example: assent store verify
    """
    from tasks.storage.store_check import Checked
    from tasks.storage.store_check import verify as check

    with _opened() as database:
        found = Checked() if database is None else check(database)
    if format_ is Format.JSON:
        print_json({"checked": found.checked, "bad": [bad._asdict() for bad in found.bad]})
    else:
        for bad in found.bad:
            say(printable(f"{bad.key}: {bad.problem}"))
        say(f"{found.checked} records checked, {len(found.bad)} bad")
    raise typer.Exit(1 if found.bad else 0)


@app.command("export")
def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Ends in .jsonl or .parquet.")],
    benchmark: Benchmark = None,
    model: Model = None,
    epoch: Epoch = None,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Write samples to a file that --model replay/FILE reads.

    Example: assent store export replies.jsonl --benchmark stop-sign --model openai/gpt-4.1-mini
    """
    from tasks.storage.store_export import export as write
    from tasks.storage.store_export import nothing_to_export, writer_for

    selection = _selection(benchmark, model, epoch, None)
    writer_for(Path(file))
    with _opened() as database:
        if database is None:
            raise nothing_to_export()
        count = write(database, selection, Path(file))
    if format_ is Format.JSON:
        print_json({"file": file, "exported": count})
    else:
        say(printable(f"{count} samples exported to {file}"))


@app.command("prune")
def prune(
    benchmark: Benchmark = None,
    model: Model = None,
    epoch: Epoch = None,
    older_than: OlderThan = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Delete nothing; say how many there are.")
    ] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Delete samples for good: those to which every given option applies.

    A run that needs them again pays for them again.

    Example: assent store prune --benchmark stop-sign --older-than 90 --dry-run
    """
    from tasks.storage.store_care import count
    from tasks.storage.store_care import prune as delete

    selection = _selection(benchmark, model, epoch, older_than)
    if not any(value is not None for value in selection):
        raise UserError(
            "nothing says what to delete",
            fix="give --benchmark, --model, --epoch or --older-than",
            code="usage",
        )
    with _opened() as database:
        if database is None:
            number = 0
        else:
            number = count(database, selection) if dry_run else delete(database, selection)
    if format_ is Format.JSON:
        print_json({"pruned": number, "dry_run": dry_run})
    else:
        say(f"{number} samples {'would be ' if dry_run else ''}deleted")


@contextmanager
def _opened() -> "Iterator[Database | None]":
    """The store of this directory; None when there is none yet, and none is made."""
    from schemas.settings import read_settings
    from tasks.storage.database import Database, exists, sqlite_url
    from tasks.storage.home import Home

    settings = read_settings()
    url = settings.store or sqlite_url(Home(settings.home).store)
    if not exists(url):
        note("there is no sample store yet")
        yield None
        return
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def _selection(
    benchmark: str | None, model: str | None, epoch: str | None, older_than: float | None
) -> "Selection":
    from tasks.storage.store_care import Selection

    if model is None:
        return Selection(benchmark, None, None, epoch, older_than)
    provider, slash, name = model.partition("/")
    if not (provider and slash and name):
        raise UserError(
            f"{model!r} is no model",
            where="--model",
            fix="write PROVIDER/MODEL, for example openai/gpt-4.1-mini",
            code="bad_model",
        )
    return Selection(benchmark, provider, name, epoch, older_than)
