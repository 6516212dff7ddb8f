"""`assent schemas`: the published JSON Schemas."""

from typing import Annotated

import typer

from flows.cli.console import Format, FormatOption, note, print_json, say
from schemas.errors import UserError


def schemas(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One schema; all names when not given.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Regenerate their files.")] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Print a JSON Schema (draft 2020-12), list their names, or regenerate their files.

    Example: assent schemas benchmark-1.0
    """
    from schemas import published

    if name is not None and name not in published.PUBLISHED:
        known = ", ".join(published.PUBLISHED)
        raise UserError(
            f"unknown schema {name!r}", fix=f"use one of {known}", code="unknown_schema"
        )
    names = [name] if name else list(published.PUBLISHED)
    if write:
        from tasks.storage.files import write_whole

        for each in names:
            text = published.as_text(published.generate(each))
            for place in published.places(each):
                write_whole(place, text.encode())
                note(f"wrote {place}")
    if name and not write:
        say(published.as_text(published.generate(name)).rstrip("\n"))
    elif format_ is Format.JSON:
        print_json({"schemas": names})
    else:
        for each in names:
            say(each)
