"""Problems of packs: which of the three errors, where, and never a hidden value."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.errors import ConfigError, MaterializationError, PathPolicyError, Problem
from schemas.pack_values import kind_of
from schemas.problems import JsonPath, one_line, sort_problems
from schemas.strict_json import location

ERRORS = {kind.__name__: kind for kind in (ConfigError, MaterializationError, PathPolicyError)}


def config(code: str, path: JsonPath, message: str, fix: str = "") -> Problem:
    """The pack, a row or a setting is wrong."""
    return Problem(code, location(path), message, fix, type="ConfigError")


def material(code: str, path: JsonPath, message: str, fix: str = "") -> Problem:
    """A resource cannot be put in place."""
    return Problem(code, location(path), message, fix, type="MaterializationError")


def policy(code: str, path: JsonPath, message: str, fix: str = "") -> Problem:
    """A destination is not allowed."""
    return Problem(code, location(path), message, fix, type="PathPolicyError")


def caution(code: str, path: JsonPath, message: str, fix: str = "") -> Problem:
    """Something that looks like a mistake and may stand."""
    return Problem(code, location(path), message, fix)


def raise_first(problems: Iterable[Problem]) -> None:
    """Raise the first problem as the error it is.

    Raises:
        ConfigError: Or one of its two siblings.
    """
    for problem in problems:
        error = ERRORS[problem.type or "ConfigError"]
        raise error(problem.message, where=problem.location, fix=problem.fix, code=problem.code)


def model_problems(error: ValidationError, data: object, path: JsonPath = ()) -> list[Problem]:
    """What a model refused, without the values; missing and unknown keys at their parent."""
    gathered: dict[tuple[str, JsonPath], list[str]] = {}
    found = []
    for detail in error.errors(include_url=False, include_input=True):
        steps = tuple(s for s in detail["loc"] if s not in _TAGS)
        if detail["type"] in _KEYS:
            key = (detail["type"], (*path, *steps[:-1]))
            gathered.setdefault(key, []).append(str(steps[-1]))
        else:
            found.append(_problem(detail, (*path, *_existing(steps, data))))
    for (kind, place), keys in gathered.items():
        names = one_line(", ".join(repr(key) for key in sorted(keys)), 400)
        plural = "s" if len(keys) > 1 else ""
        if kind == "missing":
            found.append(config("required", place, f"missing key{plural} {names}", f"add {names}"))
        else:
            message, fix = f"unknown key{plural} {names}", f"remove or correct {names}"
            found.append(config("additional_property", place, message, fix))
    return sort_problems(found)


# Pydantic puts the chosen shape of a union into its paths.
_TAGS = ("<command>", "<file>", "<codex>", "<claude_code>")
_KEYS = ("missing", "extra_forbidden")
_EXPECTED = {
    "list_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
}
_OWN = {"type", "min_length", "minimum", "non_finite_number", "enum", "const", "format"}


def _existing(steps: JsonPath, data: Any) -> JsonPath:
    """The part of a path that the data has."""
    for depth, step in enumerate(steps):
        if isinstance(data, Mapping) and step in data:
            data = data[str(step)]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return steps[:depth]
    return steps


def _problem(detail: ErrorDetails, path: JsonPath) -> Problem:
    kind = detail["type"]
    if kind in _EXPECTED:
        expected, given = _EXPECTED[kind], kind_of(detail["input"])
        return config("type", path, f"expected {expected}, found {given}")
    if kind == "literal_error":
        return config("enum", path, f"must be {detail['ctx']['expected']}")
    if kind == "too_short":
        return config("min_length", path, "must not be empty")
    if kind in _OWN:
        code = kind
        return config(code, path, detail["msg"])
    if kind == "union_tag_not_found":
        return config("enum", path, "needs a known type: command, codex or claude_code")
    return config("invalid", path, "is not as the format demands")
