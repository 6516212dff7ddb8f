"""YAML that people write by hand: one document, each key once, no tags, nothing that explodes.

`parse_yaml` reads text into values of JSON. Anchors are refused where `aliases` is false; where
they are allowed, what they stand for counts against a limit each time, because a few of them can
stand for gigabytes.
"""

import contextlib
import math
import re
from typing import Any, NamedTuple

import yaml

from schemas.errors import Problem
from schemas.problems import describe, one_line
from schemas.strict_json import location

MOST_BYTES = 1_000_000
MOST_VALUES = 200_000
_PLAIN = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_READABLE = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")}
_SURROGATE = re.compile("[\ud800-\udfff]")
_MERGE = "tag:yaml.org,2002:merge"

# The one in C reads the same language about ten times as fast; not every build of PyYAML has it.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Place = tuple[str | int, ...]


class YamlRules(NamedTuple):
    """What a document may hold."""

    deepest: int = 20
    aliases: bool = False


class _NotPlainYaml(Exception):
    """The text cannot be read; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def parse_yaml(raw: bytes, rules: YamlRules | None = None) -> tuple[Any, list[Problem]]:
    """The value of a YAML text, and what is wrong with its form."""
    rules = rules or YamlRules()
    problems: list[Problem] = []
    try:
        node = _compose(raw, rules)
        return _Reader(rules, problems).value(node, ()), problems
    except _NotPlainYaml as error:
        return None, [error.problem]


def _compose(raw: bytes, rules: YamlRules) -> yaml.Node:
    if len(raw) > MOST_BYTES:
        raise _NotPlainYaml(_broken(f"is larger than {MOST_BYTES} bytes"))
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
        _require_plain(text, rules)
        node = yaml.compose(text, Loader=_LOADER)
    except UnicodeDecodeError as error:
        raise _NotPlainYaml(_broken(f"is not UTF-8: byte {error.start} is wrong")) from None
    except yaml.YAMLError as error:
        raise _NotPlainYaml(_syntax(error)) from None
    if node is None:
        raise _NotPlainYaml(_broken("is empty"))
    return node


def _require_plain(text: str, rules: YamlRules) -> None:
    """Refuse what would make the value larger or deeper than its text looks."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if not rules.aliases and getattr(event, "anchor", None) is not None:
            line = _line(event)
            message = "anchors and aliases (& and *) are not allowed"
            raise _NotPlainYaml(Problem("yaml_alias", "$", message, "write the value out", line))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > rules.deepest:
                raise _NotPlainYaml(_broken("is nested too deeply", _line(event)))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Reader:
    """Turns nodes into values; what it has read counts, so that aliases cannot explode."""

    def __init__(self, rules: YamlRules, problems: list[Problem]) -> None:
        self.rules, self.problems, self.read = rules, problems, 0

    def value(self, node: yaml.Node, place: Place) -> Any:
        self.read += 1
        if self.read > MOST_VALUES or len(place) > self.rules.deepest:
            message = "its aliases stand for too much, or for themselves"
            fix = "write the values out"
            raise _NotPlainYaml(Problem("yaml_alias", "$", message, fix, _line(node)))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, place)
        if node.tag not in _PLAIN:
            self.problems.append(_tagged(node, place))
            return None
        if isinstance(node, yaml.SequenceNode):
            return [self.value(part, (*place, i)) for i, part in enumerate(node.value)]
        return self._mapping(node, place)

    def _mapping(self, node: yaml.Node, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == _MERGE and self.rules.aliases:
                merged = {**self._merged(value, place), **merged}
            elif not isinstance(key, yaml.ScalarNode) or _SURROGATE.search(key.value):
                where = location(place)
                problem = Problem("type", where, "a key must be text", "", _line(key))
                self.problems.append(problem)
            elif key.value in found:
                message = f"key {describe(key.value)} stands here twice"
                where, fix = location(place), "keep each key once"
                self.problems.append(Problem("duplicate_key", where, message, fix, _line(key)))
            else:
                found[key.value] = self.value(value, (*place, key.value))
        return {**merged, **found}

    def _merged(self, node: yaml.Node, place: Place) -> dict[str, Any]:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for part in parts:
            value = self.value(part, (*place, "<<"))
            if not isinstance(value, dict):
                message = "a merge key (<<) needs an alias of an object"
                self.problems.append(Problem("type", location(place), message, "", _line(part)))
            else:
                merged = {**value, **merged}
        return merged

    def _scalar(self, node: yaml.ScalarNode, place: Place) -> Any:
        if node.tag == "tag:yaml.org,2002:timestamp" and not node.style:
            return node.value  # a date without quotes is text to us
        if node.tag not in _READABLE:
            self.problems.append(_tagged(node, place))
            return None
        # Python refuses numbers of thousands of digits, and YAML lets people tag any text as one.
        with contextlib.suppress(ValueError, KeyError):
            value = yaml.constructor.SafeConstructor().construct_object(node)
            if _is_sound(value) or not self.rules.aliases:
                return value
        message = f"{describe(node.value)} is no such value"
        self.problems.append(Problem("type", location(place), message, "", _line(node)))
        return None


def _is_sound(value: object) -> bool:
    """Whether JSON can hold a scalar."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, str) or not _SURROGATE.search(value)


def _broken(message: str, line: int | None = None) -> Problem:
    return Problem("invalid_yaml", "$", message, "", line)


def _syntax(error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error)
    return _broken(f"is not YAML: {one_line(str(what))}", mark.line + 1 if mark else None)


def _tagged(node: yaml.Node, place: Place) -> Problem:
    message = f"tag {one_line(str(node.tag))} is not allowed"
    return Problem("invalid_yaml", location(place), message, "write a plain value", _line(node))


def _line(part: yaml.Node | yaml.Event) -> int | None:
    return part.start_mark.line + 1 if part.start_mark else None
