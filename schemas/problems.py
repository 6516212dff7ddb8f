"""Translates what Pydantic found into located problems in our own words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.errors import Problem
from schemas.strict_json import JsonValue, location

JsonPath = tuple[str | int, ...]

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "date_type": "a date, YYYY-MM-DD",
    "datetime_type": "a date and time",
}


def problems_of(error: ValidationError, data: JsonValue) -> list[Problem]:
    """Every problem once; missing and unknown keys are gathered at their parent."""
    missing: defaultdict[JsonPath, list[str]] = defaultdict(list)
    unknown: defaultdict[JsonPath, list[str]] = defaultdict(list)
    found = []
    for detail in error.errors(include_url=False):
        path = _without_tag(detail["loc"])
        match detail["type"]:
            case "missing":
                missing[path[:-1]].append(str(path[-1]))
            case "extra_forbidden":
                unknown[path[:-1]].append(str(path[-1]))
            case "union_tag_not_found":
                missing[path].append("kind")
            case "too_short" if len(detail["input"]) >= detail["ctx"]["min_length"]:
                continue  # Pydantic counts only the good entries; the bad ones are reported
            case _:
                found.append(_problem(detail, location(_existing(path, data))))
    found += _gathered("required", "missing", missing, "add")
    found += _gathered("additional_property", "unknown", unknown, "remove or correct")
    return sort_problems(found)


def sort_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Outer places first, then by place and code."""
    return sorted(problems, key=lambda p: (len(_STEP.findall(p.location)), p.location, p.code))


_STEP = re.compile(r"\.[\w$-]+|\[\d+\]|\['(?:[^'\\]|\\.)*'\]")

# Where a field is a union told apart by `kind`: Pydantic puts the kind behind such a path.
_TAGGED = {("context_builders", "premise"), ("context_builders", "conclusion")}


def _without_tag(path: JsonPath) -> JsonPath:
    return path[:2] + path[3:] if path[:2] in _TAGGED else path


def _existing(path: JsonPath, data: JsonValue) -> JsonPath:
    """The part of a path that exists in the data; what is wrong with a key has a path beyond it."""
    inner: Any = data
    for depth, step in enumerate(path):
        try:
            inner = inner[step]
        except (KeyError, IndexError, TypeError):
            return path[:depth]
    return path


def _gathered(
    code: str, word: str, by_parent: dict[JsonPath, list[str]], advice: str
) -> Iterator[Problem]:
    for path, keys in by_parent.items():
        names = one_line(", ".join(repr(k) for k in keys), 400)
        plural = "s" if len(keys) > 1 else ""
        yield Problem(code, location(path), f"{word} key{plural} {names}", f"{advice} {names}")


def _problem(detail: ErrorDetails, place: str) -> Problem:
    kind, given = detail["type"], detail["input"]
    context = detail.get("ctx", {})
    if kind in _EXPECTED:
        expected = _EXPECTED[kind]
        return Problem("type", place, f"expected {expected}, found {describe(given)}")
    if kind == "literal_error":
        return _wrong_word(place, given, str(context["expected"]))
    if kind == "union_tag_invalid":
        return _wrong_word(f"{place}.kind", given["kind"], str(context["expected_tags"]))
    if kind in {"too_short", "string_too_short"}:
        return Problem(
            "min_length", place, "must not be empty" if _is_empty(given) else "too short"
        )
    if kind == "greater_than_equal":
        least = context["ge"]
        return Problem("minimum", place, f"must be at least {least}, found {describe(given)}")
    if kind == "finite_number":
        return Problem("non_finite_number", place, "must be a finite number")
    if kind.startswith(("date", "datetime")):
        return Problem("format", place, f"not a valid {kind.partition('_')[0]}: {describe(given)}")
    return Problem("invalid", place, one_line(detail["msg"]))


def _wrong_word(place: str, given: object, allowed: str) -> Problem:
    if not isinstance(given, str):
        return Problem("type", place, f"expected text, found {describe(given)}")
    several = " or " in allowed or ", " in allowed
    code, words = ("enum", "must be one of") if several else ("const", "must be")
    return Problem(code, place, f"{words} {allowed}, found {describe(given)}")


def _is_empty(value: object) -> bool:
    return isinstance(value, (str, list, tuple, dict)) and not value


def describe(value: object) -> str:
    """A short, printable account of a value for an error message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    return one_line(repr(value) if isinstance(value, str) else str(value))


def one_line(text: str, limit: int = 80) -> str:
    """Text for a message: control characters escaped, long text cut."""
    start = text[: limit + 1]
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in start)
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"
