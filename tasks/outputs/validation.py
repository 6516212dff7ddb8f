"""Checks output documents: the published schema, and what no schema can say.

A document is first put to a compiled validator, which is fast and only says yes or no. Only a
document that fails is explained, every problem at once, with codes and locations.
"""

import datetime
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from schemas.errors import Problem
from schemas.problems import JsonPath, describe, one_line, sort_problems
from schemas.published import stored
from schemas.strict_json import JsonValue, NotStrictJson, location, parse
from tasks.outputs.paths import normalise

LONG_NOTES = 2000

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")


class CheckedOutput(NamedTuple):
    """What was found in one document; `value` is the document when it could be read at all."""

    value: JsonValue
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def check_output(data: bytes, *, lax: bool = False) -> CheckedOutput:
    """Every problem of an output document.

    Args:
        data: The file's bytes.
        lax: Take unknown keys below the top level for warnings.
    """
    try:
        document = parse(data)
    except NotStrictJson as error:
        return CheckedOutput(None, error.problems, ())
    return check_document(document, lax=lax)


def check_document(document: JsonValue, *, lax: bool = False) -> CheckedOutput:
    """Every problem of a document that was read."""
    errors = [] if _gate().is_valid(document) else list(_schema_problems(document))
    wrong_times, warnings = _times(document)
    errors += [*wrong_times, *_artifact_paths(document)]
    warnings += _cautions(document)
    if lax:
        tolerated = [p for p in errors if p.code == "additional_property" and p.location != "$"]
        errors = [p for p in errors if p not in tolerated]
        warnings += tolerated
    return CheckedOutput(document, tuple(sort_problems(errors)), tuple(sort_problems(warnings)))


@cache
def _gate() -> Any:
    from jsonschema_rs import validator_for

    return validator_for(stored("output-v1"))


@cache
def _explainer() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(stored("output-v1"))


def _schema_problems(document: JsonValue) -> Iterator[Problem]:
    missing: defaultdict[JsonPath, list[str]] = defaultdict(list)
    found: dict[tuple[str, str], Problem] = {}
    for error in _explainer().iter_errors(document):
        path: JsonPath = tuple(error.absolute_path)
        if error.validator == "required" and "then" not in error.absolute_schema_path:
            missing[path] += [key for key in error.validator_value if key not in error.instance]
        else:
            problem = _problem(error, path)
            found.setdefault((problem.location, problem.code), problem)
    for path, keys in missing.items():
        names = ", ".join(repr(key) for key in dict.fromkeys(keys))
        yield Problem("required", location(path), f"missing {names}", f"add {names}")
    mistyped = {place for place, code in found if code == "type"}
    # A value of the wrong type has no right value either: that would say the same thing twice.
    yield from (
        problem
        for (place, code), problem in found.items()
        if code not in {"const", "enum"} or place not in mistyped
    )


def _problem(error: Any, path: JsonPath) -> Problem:
    place, given, wanted = location(path), describe(error.instance), error.validator_value
    match error.validator:
        case "additionalProperties":
            return _unknown_keys(error, path)
        case "type":
            return Problem("type", place, f"expected {_TYPES[wanted]}, found {given}")
        case "const" | "enum":
            words = " or ".join(repr(word) for word in ([wanted] if wanted == "v1" else wanted))
            return Problem(error.validator, place, f"must be {words}, found {given}")
        case "pattern" if wanted != r"\S":
            return Problem("format", place, f"{given} has the wrong form", _FORM.get(path[-1:], ""))
        case "minimum":
            return Problem("minimum", place, f"must not be below 0, found {given}")
        case keyword:
            code, message, fix = _PLAIN[keyword]
            return Problem(code, place, message, fix)


def _unknown_keys(error: Any, path: JsonPath) -> Problem:
    known = error.schema["properties"]
    keys = [k for k in error.instance if k not in known and not (path and k.startswith("x_"))]
    names = one_line(", ".join(repr(key) for key in keys), 200)
    fix = "remove it, or let it start with x_" if path else "remove it"
    return Problem("additional_property", location(path), f"unknown {names}", fix)


_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "an object",
    "string": "text",
}
_PLAIN = {
    "minLength": ("min_length", "must not be empty", ""),
    "pattern": ("min_length", "must not be blank", ""),
    "required": ("conditional_required", "status error needs 'error'", "say what went wrong"),
    "not": ("conditional_forbidden", "status ok excludes 'error'", "remove it"),
    "oneOf": ("one_of", "needs exactly one of 'path' and 'uri'", ""),
}
_TIME_FORM = "write YYYY-MM-DDTHH:MM:SS with Z or an offset"
_FORM: dict[JsonPath, str] = {
    ("started_at",): _TIME_FORM,
    ("finished_at",): _TIME_FORM,
    ("sha256",): "write 64 lower-case hex digits",
}


def _at(document: JsonValue, *path: str) -> Any:
    value: Any = document
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def read_time(text: object) -> datetime.datetime | None:
    """A timestamp of the right form and a real date; None otherwise."""
    if not isinstance(text, str) or not _time_pattern().match(text):
        return None
    try:
        return datetime.datetime.fromisoformat(_BEYOND_MICROSECONDS.sub(r"\1", text))
    except ValueError:
        return None


_BEYOND_MICROSECONDS = re.compile(r"(\.\d{6})\d+")


@cache
def _time_pattern() -> re.Pattern[str]:
    from schemas.output import TIME_PATTERN

    return re.compile(TIME_PATTERN)


def _times(document: JsonValue) -> tuple[list[Problem], list[Problem]]:
    """Errors and warnings about the two times of a run."""
    errors, warnings, read = [], [], []
    run = _at(document, "metadata", "run")
    for key in ("started_at", "finished_at"):
        text = _at(run, key)
        moment = read_time(text)
        read.append(moment)
        if moment is not None and moment.tzinfo is None:
            place = location(["metadata", "run", key])
            warnings.append(Problem("naive_time", place, "has no offset", "add Z or an offset"))
        elif moment is None and isinstance(text, str) and _time_pattern().match(text):
            place = location(["metadata", "run", key])
            errors.append(Problem("format", place, f"{describe(text)} is no date of the calendar"))
    start, end = read
    if start and end and (start.tzinfo is None) == (end.tzinfo is None) and end < start:
        place = location(["metadata", "run", "finished_at"])
        errors.append(Problem("time_order", place, "is before started_at", "correct one of them"))
    return errors, warnings


def _artifact_paths(document: JsonValue) -> Iterator[Problem]:
    artifacts = _at(document, "results", "artifacts")
    for i, artifact in enumerate(artifacts if isinstance(artifacts, list) else []):
        path = artifact.get("path") if isinstance(artifact, dict) else None
        if isinstance(path, str) and normalise(path) is None:
            yield Problem(
                "unsafe_path",
                location(["results", "artifacts", i, "path"]),
                f"{describe(path)} is not a path inside the repository",
                "write it relative to the repository, without ..",
            )


def _cautions(document: JsonValue) -> Iterator[Problem]:
    notes = _at(document, "metadata", "notes")
    if isinstance(notes, str) and len(notes) > LONG_NOTES:
        yield Problem("long_notes", "$.metadata.notes", f"has {len(notes)} characters")
    metrics = _at(document, "results", "metrics")
    if isinstance(metrics, dict):
        if not metrics and _at(document, "results", "status") == "ok":
            yield Problem("no_metrics", "$.results.metrics", "is empty although the status is ok")
        for name in metrics:
            if name and not _SNAKE_CASE.fullmatch(name):
                place = location(["results", "metrics", name])
                yield Problem("metric_name", place, "is not in snake_case")


def run_id_of(document: JsonValue) -> str | None:
    """The run id of a document, when it has one."""
    found = _at(document, "metadata", "run", "id")
    return found if isinstance(found, str) else None


def repeated_run_ids(run_ids: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Problem]]:
    """Files, in path order, whose run id an earlier file already has."""
    first: dict[str, str] = {}
    for file, run_id in run_ids:
        earlier = first.setdefault(run_id, file)
        if earlier != file:
            message = f"run id {one_line(repr(run_id))} is also in {one_line(earlier, 200)}"
            yield file, Problem("duplicate_run_id", "$.metadata.run.id", message, "rename one run")
