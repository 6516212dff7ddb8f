"""`assent outputs`: places of result files, their check, and the migration of old ones."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
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
from schemas.errors import Problem, UserError, unreadable

app = typer.Typer(
    help="Output documents v1: where they live, whether they are valid, how old ones get there.",
    no_args_is_help=True,
)


class CheckFormat(StrEnum):
    """How `check` prints its findings."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


@app.command("classify")
def classify_paths(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Paths in a repository.")],
    format_: FormatOption = Format.TEXT,
) -> None:
    """Say what the rules say about paths; nothing is looked up on disk.

    Example: assent outputs classify outputs/gsm8k/run_77.json results/old.json
    """
    from tasks.outputs.paths import classify, explain

    if format_ is Format.JSON:
        found = [classify(path) for path in paths]
        entries = [
            {
                "path": one.path,
                "normalized": one.normalized,
                "status": one.status,
                "rule": one.rule,
                "flags": list(one.flags),
                "schema_version": one.schema_version,
            }
            for one in found
        ]
        print_json({"paths": entries})
    else:
        for path in paths:
            say(printable(explain(path)))


@app.command("check")
def check(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files; the repository if none.")
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="What the next commit changes, as it is staged.")
    ] = False,
    allow_existing: Annotated[
        bool,
        typer.Option(
            "--allow-existing", help="With --staged: only newly added files must leave old places."
        ),
    ] = False,
    strict_names: Annotated[
        bool, typer.Option("--strict-names", help="Names like results.json are errors.")
    ] = False,
    lax: Annotated[
        bool, typer.Option("--lax", help="Unknown keys below the top level are warnings.")
    ] = False,
    fail_on_empty: Annotated[
        bool, typer.Option("--fail-on-empty", help="Nothing to check is an error.")
    ] = False,
    max_errors: Annotated[
        int, typer.Option(min=1, help="Print at most so many errors of a file.")
    ] = 50,
    format_: Annotated[
        CheckFormat, typer.Option("--format", help="text, json, or github for annotations.")
    ] = CheckFormat.TEXT,
) -> None:
    """Check result files: their places, their content, and run ids across files.

    Without paths the whole repository is checked. Exit 0: all good. Exit 1: something is wrong.
    Exit 2: a path cannot be read, or nothing to check with --fail-on-empty.

    Example: assent outputs check --staged
    """
    from tasks.outputs.report import FileToCheck, Strictness, check_files
    from tasks.storage.worktree import named_files, repository_root, result_files, staged_files

    root = repository_root()
    if staged and paths:
        raise UserError("--staged and paths exclude each other", code="usage")
    if staged:
        files: Iterable[FileToCheck] = staged_files(root)
    elif paths:
        files = named_files(root, paths)
    else:
        files = result_files(root)
    report = check_files(files, Strictness(lax, strict_names, allow_existing))
    if report.checked == 0 and fail_on_empty and not report.errors:
        raise UserError("there is nothing to check", where="--fail-on-empty", code="empty")
    errors = _cut(report.errors, max_errors)
    match format_:
        case CheckFormat.JSON:
            print_json(
                {
                    "checked": report.checked,
                    "total_errors": len(report.errors),
                    "errors": [error_object(problem, file) for file, problem in errors],
                    "warnings": [error_object(problem, file) for file, problem in report.warnings],
                }
            )
        case CheckFormat.GITHUB:
            _print_annotations(errors, report.warnings)
            _print_count(report.checked, len(report.errors), len(errors))
        case CheckFormat.TEXT:
            _print_findings(errors, report.warnings)
            _print_count(report.checked, len(report.errors), len(errors))
    if any(problem.code == "unreadable" for _, problem in report.errors):
        raise typer.Exit(2)
    raise typer.Exit(1 if report.errors else 0)


Findings = tuple[tuple[str, Problem], ...]


def _cut(findings: Findings, most: int) -> Findings:
    """The first so many findings of each file."""
    seen: dict[str, int] = {}
    kept = []
    for file, problem in findings:
        seen[file] = seen.get(file, 0) + 1
        if seen[file] <= most:
            kept.append((file, problem))
    return tuple(kept)


def _print_findings(errors: Findings, warnings: Findings) -> None:
    for file, problem in errors:
        note(problem_line(file, problem))
    for file, problem in warnings:
        note(problem_line(file, problem._replace(message=f"warning: {problem.message}")))


def _print_count(checked: int, total: int, shown: int) -> None:
    from schemas.output import SCHEMA_PATH

    if total:
        more = f", {shown} shown" if shown < total else ""
        note(f"{total} errors{more} in {checked} files checked against {SCHEMA_PATH}")
    else:
        say(f"{checked} files checked, no errors")


def _print_annotations(errors: Findings, warnings: Findings) -> None:
    for level, findings in (("error", errors), ("warning", warnings)):
        for file, problem in findings:
            text = problem_line("", problem).replace("%", "%25")
            place = printable("".join(_IN_ANNOTATION.get(c, c) for c in file))
            say(f"::{level} file={place},title={problem.code}::{text}")


_IN_ANNOTATION = {c: f"%{ord(c):02X}" for c in "%\r\n:,"}


@app.command("migrate")
def migrate(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Old result files.")],
    move: Annotated[
        bool, typer.Option("--move", help="Remove the old file when the new one is written.")
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="K=V", help="metadata.model.provider=openai; repeatable."),
    ] = None,
    fill_unknown: Annotated[
        bool, typer.Option("--fill-unknown", help="Missing names and provider become unknown.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would change.")
    ] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Bring old result files into v1, without losing or inventing anything.

    A file that cannot be migrated does not stop the others. Exit 1: some file failed. Exit 3:
    the disk refused.

    Example: assent outputs migrate results/*.json --dry-run
    """
    from tasks.storage.migrate_files import Migrator, Options
    from tasks.storage.worktree import in_repository, repository_root

    root = repository_root()
    for path in paths:
        if not Path(path).is_file():
            reason = "is not a regular file" if Path(path).exists() else "no such file"
            raise unreadable(path, reason)
    migrator = Migrator(root, Options(_given(set_ or []), fill_unknown, move, dry_run))
    places = {in_repository(root, path): path for path in paths}
    results = [migrator.migrate(place, Path(path)) for place, path in places.items()]
    if format_ is Format.JSON:
        print_json({"files": [_entry(result) for result in results]})
    else:
        for result in results:
            _print_result(result, dry_run=dry_run)
        _print_failures(results)
    if any(result.is_unfinished for result in results):
        raise typer.Exit(3)
    raise typer.Exit(1 if any(result.error for result in results) else 0)


def _given(pairs: list[str]) -> dict[str, str]:
    from tasks.outputs.legacy_metadata import SETTABLE
    from tasks.outputs.validation import read_time

    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.removeprefix("$.")
        is_wrong_time = key.endswith("_at") and read_time(value) is None
        if not equals or key not in SETTABLE or not value.strip() or is_wrong_time:
            raise UserError(
                f"cannot set {pair!r}",
                where="--set",
                fix=f"write KEY=VALUE, times like 2030-01-31T12:00:00Z; {', '.join(SETTABLE)}",
                code="bad_option",
            )
        given[key] = value
    return given


def _entry(result: Any) -> dict[str, Any]:
    error = result.error
    return {
        "path": result.path,
        "new_path": result.new_path,
        "outcome": result.outcome,
        "document": result.document,
        "warnings": [error_object(problem, result.path) for problem in result.warnings],
        "error": None
        if error is None
        else {"code": error.code, "message": error.message, "missing": list(error.missing)},
    }


def _print_result(result: Any, *, dry_run: bool) -> None:
    for problem in result.warnings:
        note(problem_line(result.path, problem._replace(message=f"warning: {problem.message}")))
    if result.error is not None:
        return
    if dry_run and result.after is not None:
        _print_diff(result)
    else:
        say(printable(f"{result.path} -> {result.new_path} ({result.outcome})"))


def _print_diff(result: Any) -> None:
    import difflib

    before = result.before.decode("utf-8", "replace").splitlines()
    after = result.after.decode("utf-8").splitlines()
    names = (printable(result.path), printable(result.new_path))
    lines = list(difflib.unified_diff(before, after, *names, lineterm=""))
    if not lines and result.new_path != result.path:
        say(f"{names[0]} -> {names[1]} (unchanged)")
    for line in lines:
        say(printable(line))


def _print_failures(results: list[Any]) -> None:
    failed = [result for result in results if result.error is not None]
    for result in failed:
        error = result.error
        fix = "supply them with --set KEY=VALUE" if error.missing else ""
        problem = Problem(error.code, "$", f"{error.code}: {error.message}", fix)
        note(problem_line(result.path, problem))
    if failed:
        note(f"{len(failed)} of {len(results)} files could not be migrated")
