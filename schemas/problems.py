"""Translates what Pydantic found into located problems in our own words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
        match detail["type"]:
            case "missing":
                missing[resolve(detail["loc"][:-1], data)].append(str(detail["loc"][-1]))
            case "extra_forbidden":
                unknown[resolve(detail["loc"][:-1], data)].append(str(detail["loc"][-1]))
            case "union_tag_not_found":
                missing[resolve(detail["loc"], data)].append("kind")
            case _:
                found.append(_problem(detail, data))
    found += _gathered("required", "missing", missing, "add")
    found += _gathered("additional_property", "unknown", unknown, "remove or correct")
    return sort_problems(found)


def sort_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Outer places first, then by place and code."""

    def depth(place: str) -> int:
        return place.count(".") + place.count("[")

    return sorted(problems, key=lambda p: (depth(p.location), p.location, p.code))


def resolve(loc: Sequence[str | int], data: JsonValue) -> JsonPath:
    """The part of a Pydantic location that exists in the data: union tags do not."""
    if not loc:
        return ()
    head, rest = loc[0], loc[1:]
    without = resolve(rest, data)
    inner = _step(data, head)
    if inner is _NOWHERE:
        return without
    within: JsonPath = (head, *resolve(rest, inner))
    return within if len(within) >= len(without) else without


_NOWHERE: Any = object()


def _step(data: JsonValue, key: str | int) -> JsonValue:
    if isinstance(data, dict) and key in data:
        return data[str(key)]
    if isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
        return data[key]
    return _NOWHERE  # type: ignore[no-any-return]  # a sentinel, compared by identity


def _gathered(
    code: str, word: str, by_parent: dict[JsonPath, list[str]], advice: str
) -> Iterator[Problem]:
    for path, keys in by_parent.items():
        names = ", ".join(repr(k) for k in keys)
        plural = "s" if len(keys) > 1 else ""
        yield Problem(code, location(path), f"{word} key{plural} {names}", f"{advice} {names}")


def _problem(detail: ErrorDetails, data: JsonValue) -> Problem:
    kind, given = detail["type"], detail["input"]
    context = detail.get("ctx", {})
    place = location(resolve(detail["loc"], data))
    if kind in _EXPECTED:
        expected = _EXPECTED[kind]
        return Problem("type", place, f"expected {expected}, found {describe(given)}")
    if kind == "literal_error":
        return _wrong_word(place, given, str(context["expected"]))
    if kind == "union_tag_invalid":
        allowed = str(context["expected_tags"])
        return Problem(
            "enum", f"{place}.kind", f"must be one of {allowed}, found {describe(given)}"
        )
    if kind in {"too_short", "string_too_short"}:
        return Problem(
            "min_length", place, "must not be empty" if _is_empty(given) else "too short"
        )
    if kind == "greater_than_equal":
        return Problem("minimum", place, f"must be at least {context['ge']}, found {given!r}")
    if kind == "finite_number":
        return Problem("non_finite_number", place, "must be a finite number")
    if kind.startswith(("date", "datetime")):
        return Problem("format", place, f"not a valid {kind.partition('_')[0]}: {describe(given)}")
    return Problem("invalid", place, one_line(detail["msg"]))


def _wrong_word(place: str, given: object, allowed: str) -> Problem:
    if not isinstance(given, str):
        return Problem("type", place, f"expected text, found {describe(given)}")
    several = " or " in allowed
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
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return safe if len(safe) <= limit else f"{safe[: limit - 1]}…"
