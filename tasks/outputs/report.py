"""Checks many files at once: places, documents, and run ids across files."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from schemas.errors import Problem
from schemas.output import SCHEMA_PATH
from schemas.problems import sort_problems
from schemas.strict_json import NotStrictJson, parse
from tasks.outputs.legacy import legacy_shapes
from tasks.outputs.migration import MigrationFailed, migrate
from tasks.outputs.paths import Classified, classify
from tasks.outputs.validation import check_output, repeated_run_ids, run_id_of

Finding = tuple[str, Problem]


class FileToCheck(NamedTuple):
    """One file, its bytes, and how it came to be checked."""

    path: str
    data: bytes
    is_named: bool = False
    is_new: bool = True
    problem: str = ""
    """Why it could not be read."""


class Strictness(NamedTuple):
    """What counts as an error."""

    lax: bool = False
    strict_names: bool = False
    allow_existing: bool = False


class Report(NamedTuple):
    """What was found, in path order."""

    checked: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


def check_files(files: Iterable[FileToCheck], strictness: Strictness) -> Report:
    """Everything that is wrong with some files, and how many were checked.

    Args:
        files: In path order; they are looked at one by one and not kept.
        strictness: What counts as an error.
    """
    checked = 0
    errors: list[Finding] = []
    warnings: list[Finding] = []
    run_ids: list[tuple[str, str]] = []
    for file in files:
        if file.problem:
            errors.append((file.path, Problem("unreadable", "$", file.problem)))
            continue
        place = classify(file.path)
        if place.normalized == SCHEMA_PATH:
            errors += [(file.path, problem) for problem in _schema_faults(file.data)]
        if place.status == "excluded":
            continue
        if place.status in {"unknown", "invalid"} and not file.is_named:
            warnings += [(file.path, note) for note in _stray_result(file)]
            continue
        checked += 1
        found, cautions, run_id = _check(file, place, strictness)
        errors += [(file.path, problem) for problem in found]
        warnings += [(file.path, problem) for problem in cautions]
        if run_id is not None:
            run_ids.append((file.path, run_id))
    errors += repeated_run_ids(run_ids)
    return Report(checked, _in_order(errors), _in_order(warnings))


def _in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """By path, then as the problems of one file are sorted."""
    by_file = groupby(sorted(findings, key=itemgetter(0)), key=itemgetter(0))
    return tuple((file, p) for file, found in by_file for p in sort_problems(p for _, p in found))


def _check(
    file: FileToCheck, place: Classified, strictness: Strictness
) -> tuple[list[Problem], list[Problem], str | None]:
    result = check_output(file.data, lax=strictness.lax)
    run_id = run_id_of(result.value)
    if place.status == "deprecated":
        tolerated = strictness.allow_existing and not file.is_new
        problem = _deprecated(file)
        return ([], [problem], run_id) if tolerated else ([problem], [], run_id)
    errors, warnings = list(result.errors), list(result.warnings)
    if place.flags:
        problem = Problem(
            "generic_name", "$", "the file name says nothing about the run", "name it by its run id"
        )
        (errors if strictness.strict_names else warnings).append(problem)
    if place.status != "allowed":
        warnings.append(_unrecognised())
    if result.errors and (shapes := legacy_shapes(result.value)):
        message = f"has an old shape ({', '.join(shapes)})"
        warnings.append(Problem("legacy_shape", "$", message, _migrate_command(file.path)))
    return errors, warnings, run_id


def _deprecated(file: FileToCheck) -> Problem:
    command = _migrate_command(file.path)
    try:
        fix = f"move it to {migrate(file.data, file.path).new_path}: {command}"
    except MigrationFailed as failed:
        if failed.missing:
            fix = _migrate_command(file.path, missing=failed.missing)
        else:
            fix = f"mend it first ({failed.message}), then {command}"
    return Problem("deprecated_path", "$", "results no longer live here", fix)


def _migrate_command(path: str, missing: tuple[str, ...] = ()) -> str:
    import shlex

    supplied = "".join(f" --set {name.removeprefix('$.')}=…" for name in missing)
    return f"assent outputs migrate --move{supplied} {shlex.quote(path)}"


def _unrecognised() -> Problem:
    return Problem("unrecognised_path", "$", "is not a place for results", "move it below outputs/")


def _stray_result(file: FileToCheck) -> list[Problem]:
    """A remark when a file elsewhere is a result by its content."""
    result = check_output(file.data)
    is_result = result.value is not None and (not result.errors or legacy_shapes(result.value))
    return [_unrecognised()] if is_result else []


def _schema_faults(data: bytes) -> list[Problem]:
    """What is wrong with the schema file itself."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        schema: Any = parse(data)
        Draft202012Validator.check_schema(schema)
    except NotStrictJson as error:
        return list(error.problems)
    except SchemaError as error:
        return [Problem("invalid_schema", error.json_path, error.message[:200])]
    return []
