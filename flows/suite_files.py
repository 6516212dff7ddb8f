"""Suite files: from YAML to a checked value.

The YAML is the plain part that people write by hand: no anchors (a few of them can stand for
gigabytes), no tags, one document, each key once.
"""

import contextlib
from typing import Any

import yaml
from pydantic import ValidationError

from schemas.errors import InvalidFile, Problem
from schemas.problems import describe, one_line, problems_of
from schemas.strict_json import location
from schemas.sweep import Suite
from tasks.storage.files import read_regular

_MOST_BYTES = 1_000_000
_DEEPEST = 20
_PLAIN = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_READABLE = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")}

Place = tuple[str | int, ...]


class _NotPlainYaml(Exception):
    """The text cannot be read; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_suite(path: str) -> Suite:
    """The suite of a file.

    Raises:
        UserError: The file cannot be read.
        InvalidFile: It is no suite; every problem is listed.
    """
    data, problems = _parse(read_regular(path))
    if not problems:
        try:
            return Suite.model_validate(data)
        except ValidationError as error:
            problems = problems_of(error, data)
    raise InvalidFile(f"{path} is not a valid suite", file=path, problems=problems)


def _parse(raw: bytes) -> tuple[Any, list[Problem]]:
    """The value of a YAML text, and what is wrong with its form."""
    problems: list[Problem] = []
    try:
        return _value(_compose(raw), (), problems), problems
    except _NotPlainYaml as error:
        return None, [error.problem]


def _compose(raw: bytes) -> yaml.Node:
    if len(raw) > _MOST_BYTES:
        raise _NotPlainYaml(_broken(f"is larger than {_MOST_BYTES} bytes"))
    try:
        text = raw.decode("utf-8")
        _require_plain(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise _NotPlainYaml(_broken(f"is not UTF-8: byte {error.start} is wrong")) from None
    except yaml.YAMLError as error:
        raise _NotPlainYaml(_syntax(error)) from None
    if node is None:
        raise _NotPlainYaml(_broken("is empty"))
    return node


def _require_plain(text: str) -> None:
    """Refuse what would make the value larger or deeper than its text looks."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if getattr(event, "anchor", None) is not None:
            line = _line(event)
            message = "anchors and aliases (& and *) are not allowed"
            raise _NotPlainYaml(Problem("yaml_alias", "$", message, "write the value out", line))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                raise _NotPlainYaml(_broken("is nested too deeply", _line(event)))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _broken(message: str, line: int | None = None) -> Problem:
    return Problem("invalid_yaml", "$", message, "", line)


def _syntax(error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error)
    return _broken(f"is not YAML: {one_line(str(what))}", mark.line + 1 if mark else None)


def _value(node: yaml.Node, place: Place, problems: list[Problem]) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, place, problems)
    if node.tag not in _PLAIN:
        problems.append(_tagged(node, place))
        return None
    if isinstance(node, yaml.SequenceNode):
        return [_value(part, (*place, i), problems) for i, part in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            problems.append(Problem("type", location(place), "a key must be text", "", _line(key)))
        elif key.value in found:
            message = f"key {describe(key.value)} stands here twice"
            problems.append(
                Problem("duplicate_key", location(place), message, "keep each key once", _line(key))
            )
        else:
            found[key.value] = _value(value, (*place, key.value), problems)
    return found


def _scalar(node: yaml.ScalarNode, place: Place, problems: list[Problem]) -> Any:
    if node.tag == "tag:yaml.org,2002:timestamp" and node.style is None:
        return node.value  # a date without quotes is text to us
    if node.tag not in _READABLE:
        problems.append(_tagged(node, place))
        return None
    # Python refuses numbers of thousands of digits, and YAML lets people tag any text as one.
    with contextlib.suppress(ValueError, KeyError):
        return yaml.constructor.SafeConstructor().construct_object(node)
    problems.append(
        Problem(
            "type", location(place), f"{describe(node.value)} is no such value", "", _line(node)
        )
    )
    return None


def _tagged(node: yaml.Node, place: Place) -> Problem:
    message = f"tag {one_line(str(node.tag))} is not allowed"
    return Problem("invalid_yaml", location(place), message, "write a plain value", _line(node))


def _line(part: yaml.Node | yaml.Event) -> int | None:
    return part.start_mark.line + 1 if part.start_mark else None
