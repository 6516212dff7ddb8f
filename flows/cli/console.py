"""What the command line prints: results to stdout, everything else to stderr."""

import json
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any

import typer

from schemas.errors import EvalError, InvalidFile, Problem

_UNUSUAL = re.compile(r"[^ -~\n]")


class Format(StrEnum):
    """How a command prints its result."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[
    Format, typer.Option("--format", help="text for people, json for machines.")
]


def printable(text: str) -> str:
    """Text without control characters: strangers' names and messages go to a terminal."""
    return "".join(
        c if c.isprintable() or c == " " else c.encode("unicode_escape", "surrogatepass").decode()
        for c in text
    )


def say(text: str = "") -> None:
    """One line of the result."""
    print(text)


def note(text: str) -> None:
    """One line beside the result."""
    # Where even this cannot be written, the exit code still says how it went.
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr)


def print_json(document: Any) -> None:
    """The result as exactly one JSON document."""
    print(json_text(document))


def json_text(document: Any) -> str:
    """JSON as it is printed: nothing in it that a terminal would not show."""
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(document, ensure_ascii=not is_unicode, indent=2, allow_nan=False)
    return _UNUSUAL.sub(lambda m: m[0] if m[0].isprintable() else json.dumps(m[0])[1:-1], text)


def error_object(problem: Problem, file: str | None) -> dict[str, Any]:
    """A problem as machines read it."""
    return {
        "file": file,
        "code": problem.code,
        "location": problem.location,
        "message": printable(problem.message),
        "fix": printable(problem.fix) or None,
    }


def problem_line(file: str | None, problem: Problem) -> str:
    """A problem as people read it: path, place, message, and how to mend it."""
    where = [printable(part) for part in (file or "", problem.location) if part]
    line = f" (line {problem.line})" if problem.line and "line" not in problem.message else ""
    fix = f". Fix: {problem.fix}" if problem.fix else ""
    return printable(f"{': '.join(where)}: {problem.message}{line}{fix}")


def problems_of(error: EvalError) -> Iterable[tuple[str | None, Problem]]:
    """Every problem behind an error, with the file it is about."""
    if isinstance(error, InvalidFile):
        return [(problem.file or error.file, problem) for problem in error.problems]
    if error.code == "unreadable":
        return [(error.where, Problem(error.code, "$", error.what, error.fix))]
    message = f"{error.where}: {error.what}" if error.where else error.what
    return [(None, Problem(error.code, "$", message, error.fix))]


def report_error(error: EvalError, *, as_json: bool) -> None:
    """Print an error in the form that was asked for."""
    found = list(problems_of(error))
    if as_json:
        print_json({"errors": [_of_any_kind(problem, file) for file, problem in found]})
    else:
        for file, problem in found:
            note(problem_line(file, problem) if file else _plain(problem))


def _of_any_kind(problem: Problem, file: str | None) -> dict[str, Any]:
    """The object of a problem; those of packs say more."""
    shown = error_object(problem, file)
    if problem.type is None:
        return shown
    return {**shown, "type": problem.type, "line": problem.line, "task_id": problem.task_id}


def _plain(problem: Problem) -> str:
    fix = f". Fix: {problem.fix}" if problem.fix else ""
    return printable(f"assent: {problem.message}{fix}")
