"""`assent pack`: check benchmark packs and look at their rows."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from flows.cli.console import (
    Format,
    FormatOption,
    error_object,
    note,
    print_json,
    printable,
    problem_line,
    say,
)
from schemas.errors import Problem, UserError

app = typer.Typer(
    help="Benchmark packs: a manifest, rows of six families, public and hidden parts.",
    no_args_is_help=True,
)


class ProfileName(StrEnum):
    """How rows are checked and scored."""

    TARGET = "target"
    COMPAT = "compat"


PackArgument = Annotated[
    str, typer.Argument(metavar="PACK", help="A directory with a manifest, or the manifest.")
]
TasksOption = Annotated[
    str | None,
    typer.Option("--tasks", metavar="FILE", help="Rows; else tasks.jsonl by the manifest."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Read only the first rows.")
]
ProfileOption = Annotated[
    ProfileName, typer.Option("--profile", help="target, or compat with the public tool.")
]


@app.command("validate")
def validate_pack(
    pack: PackArgument,
    strict: Annotated[
        bool, typer.Option("--strict", help="Unknown keys and families are errors.")
    ] = False,
    tasks: TasksOption = None,
    limit: LimitOption = None,
    profile: ProfileOption = ProfileName.TARGET,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Check a pack: manifest, every row, every file that a row names. Nothing is run.

    All problems are reported at once, each with file, line and place. Warnings point out leaks,
    repeated questions, answers out of reach and settings without effect. Exit 0: valid. Exit 1:
    something is wrong. Exit 2: a file cannot be read.

    Example: assent pack validate examples/packs/short_answer
    """
    from tasks.storage.pack_check import PackRequest

    entry = pack_entry(PackRequest(pack, tasks, limit, profile.value, strict))
    if format_ is Format.JSON:
        print_json({"files": [entry.as_json()]})
    else:
        entry.print()
    raise typer.Exit(entry.exit_code)


class PackEntry:
    """What was found in one pack, as it is printed."""

    def __init__(
        self,
        path: str,
        rows: int | None,
        errors: tuple[Problem, ...],
        warnings: tuple[Problem, ...],
    ) -> None:
        self.path, self.rows, self.errors, self.warnings = path, rows, errors, warnings

    @property
    def exit_code(self) -> int:
        """2 when something cannot be read, 1 when something is wrong."""
        if any(problem.code == "unreadable" for problem in self.errors):
            return 2
        return 1 if self.errors else 0

    def as_json(self) -> dict[str, Any]:
        """The entry of the printed document."""
        return {
            "path": self.path,
            "kind": "pack",
            "valid": not self.errors,
            "hash": None,
            "rows": self.rows,
            "errors": [_object(problem, self.path) for problem in self.errors],
            "warnings": [_object(problem, self.path) for problem in self.warnings],
        }

    def print(self) -> None:
        """One line per problem, and one for a sound pack."""
        for problem in self.errors:
            note(problem_line(problem.file or self.path, problem))
        for problem in self.warnings:
            warning = problem._replace(message=f"warning: {problem.message}")
            note(problem_line(problem.file or self.path, warning))
        if not self.errors:
            rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
            say(f"{printable(self.path)}: valid pack, {rows}")


def pack_entry(request: Any) -> PackEntry:
    """Check one pack."""
    from tasks.storage.pack_check import check_pack

    checked = check_pack(request)
    return PackEntry(request.path, checked.rows, checked.errors, checked.warnings)


def _object(problem: Problem, path: str) -> dict[str, Any]:
    shown = error_object(problem, problem.file or path)
    return {**shown, "type": problem.type, "line": problem.line, "task_id": problem.task_id}


@app.command("show")
def show_row(
    pack: PackArgument,
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a row.")],
    tasks: TasksOption = None,
    profile: ProfileOption = ProfileName.TARGET,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Show one row as it is compiled; what is not public is only named.

    Example: assent pack show examples/packs/short_answer boiling-point
    """
    from tasks.storage.packs import open_pack

    for row in open_pack(pack, tasks, profile.value).rows():
        if row.task_id == task_id:
            break
    else:
        raise UserError(
            f"no row has the id {task_id!r}",
            where=pack,
            fix="assent pack validate reads them all",
            code="unknown_task",
        )
    document = _shown(row)
    if format_ is Format.JSON:
        print_json(document)
    else:
        _print_row(document)


def _shown(row: Any) -> dict[str, Any]:
    from schemas.pack_task import view
    from tasks.storage.packs import invalid

    if row.task is None:
        raise invalid(str(row.errors[0].file), row.errors)
    task = row.task
    return {
        "id": task.id,
        "family": task.family,
        "candidate_kind": task.candidate_kind,
        "environment": task.environment,
        "metadata": task.metadata,
        "resources": [
            {"name": r.name, "visibility": r.visibility, "kind": r.kind, "redacted": True}
            if r.redacted
            else {"name": r.name, "visibility": r.visibility, "kind": r.kind, "value": r.value}
            for r in view(task, "result")
        ],
        "mounts": [
            {"path": m.path, "mount": m.mount, "read_only": m.read_only}
            for m in task.mounts
            if m.lane == "public"
        ],
    }


def _print_row(document: dict[str, Any]) -> None:
    kind = document["candidate_kind"] or "no verifier"
    say(printable(f"{document['id']}  {document['family']} ({kind})"))
    for resource in document["resources"]:
        name = f"{resource['name']} ({resource['visibility']})"
        value = "not shown" if resource.get("redacted") else _brief(resource["value"])
        say(printable(f"  {name}: {value}"))
    for mount in document["mounts"]:
        access = "read-only" if mount["read_only"] else "writable"
        say(printable(f"  {mount['path']} -> {mount['mount']} ({access})"))


def _brief(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
