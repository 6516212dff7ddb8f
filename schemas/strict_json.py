"""The one strict reader of JSON: bytes in, a value or located problems out.

Stricter than `json.loads`: UTF-8 only, no byte order mark, no repeated keys, no NaN, no number
beyond the range of a double, no half surrogate pairs, at most `MAX_DEPTH` levels of nesting.

The standard library's scanner does the reading. Only when it or one of the cheap checks around
it objects does `schemas.json_scanner` read again, slowly, to find out what is wrong and where.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import NoReturn

from schemas.errors import Problem
from schemas.json_scanner import (
    MAX_DEPTH,
    BrokenJson,
    ExactFloat,
    JsonValue,
    NonFinite,
    Repeated,
    Scan,
    clipped,
    escaped,
    integer,
    scan,
)

__all__ = [
    "MAX_DEPTH",
    "ExactFloat",
    "JsonValue",
    "NotStrictJson",
    "exact_decimal",
    "line_of",
    "location",
    "parse",
]

MAX_KEY_SHOWN = 100
"""Longest key written out in a location; longer ones are clipped."""

_MAX_KEYS_NAMED = 10
_BOM = "\ufeff"
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")
_OBJECT = re.compile(r"\{[ \t\n\r]*")
_ARRAY = re.compile(r"\[[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD]")
_ALL_DIGITS_ALIKE = bytes.maketrans(b"0123456789E", b"0000000000e")
_OVERFLOWS = (b"e000", b"e+000", b"0" * 200)


class NotStrictJson(ValueError):
    """The bytes are no strict JSON; `problems` says what and where."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        """One line for people: the first problem, and how many more there are."""
        first, *more = self.problems
        rest = f" (and {len(more)} more)" if more else ""
        return f"{first.location}: {first.message}{rest}"


def parse(data: bytes, *, allow_bom: bool = False, exact: bool = False) -> JsonValue:
    """Return the value of a whole strict JSON document.

    Anything else raises `NotStrictJson`, either with one `invalid_json` problem or with all the
    `non_finite_number` and `duplicate_key` problems in order of position.
    With `allow_bom`, one leading byte order mark is dropped. With `exact`, fractions are
    `ExactFloat` and keep their decimal text.
    """
    text = _decoded(data, allow_bom=allow_bom)
    with suppress(ValueError, RecursionError):
        return _read_fast(data, text, exact=exact)
    return _read_slowly(text, exact=exact)


def exact_decimal(number: int | float) -> Decimal:
    """The number as it was written, where that is known."""
    if isinstance(number, int):
        return Decimal(number)
    return Decimal(number.text if isinstance(number, ExactFloat) else repr(number))


def location(path: Sequence[str | int]) -> str:
    """Say where a value stands, from `$` down: `$.items[3]['odd key']`."""
    return "$" + "".join(f"[{s}]" if isinstance(s, int) else _key_location(s) for s in path)


def line_of(data: bytes, path: Sequence[str | int]) -> int | None:
    """Return the line, from 1, where the value at `path` starts; None when there is none.

    What follows the value is not looked at.
    """
    try:
        text = data.decode("utf-8").removeprefix(_BOM)
        offset = _offset_of(text, path)
    except (ValueError, RecursionError):
        return None
    return text.count("\n", 0, offset) + 1


def _decoded(data: bytes, *, allow_bom: bool) -> str:
    kept = data.removeprefix(_BOM.encode()) if allow_bom else data
    if kept.startswith(_BOM.encode()):
        fix = "save the text as UTF-8 without a byte order mark"
        raise _invalid("", BrokenJson(0, "the text starts with a byte order mark", fix))
    try:
        return kept.decode("utf-8")
    except UnicodeDecodeError as error:
        before = kept[: error.start].decode("utf-8")
        problem = f"byte 0x{kept[error.start]:02x} is not UTF-8"
        invalid = _invalid(before, BrokenJson(len(before), problem, "save the text as UTF-8"))
    raise invalid


def _read_fast(data: bytes, text: str, *, exact: bool = False) -> JsonValue:
    """Return the value, or raise ValueError or RecursionError when a closer look is needed."""
    # Only a long run of digits or an exponent of three digits can leave the range of a double
    # (200 digits with exponent 99 stay inside); a call for every number would double the time.
    digits_alike = data.translate(_ALL_DIGITS_ALIKE)
    may_overflow = any(part in digits_alike for part in _OVERFLOWS)
    decoder = _CHECKING_NUMBERS if may_overflow else _TRUSTING_NUMBERS
    if exact:
        decoder = _EXACT_NUMBERS
    value: JsonValue = decoder.decode(text)
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise ValueError("too deep")
    if b"\\u" in data and _SURROGATE_ESCAPE.search(data):
        # A half pair cannot be encoded, and the C encoder visits strings faster than we could.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _depth(value: JsonValue) -> int:
    levels, level = 0, [value] if isinstance(value, list | dict) else []
    while level:
        levels += 1
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is list or type(child) is dict
        ]
    return levels


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("repeated key")
    return members


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("beyond the range of a double")
    return number


def _exact_float(text: str) -> ExactFloat:
    number = ExactFloat(text)
    if math.isinf(number):
        raise ValueError("beyond the range of a double")
    return number


def _finite_integer(digits: str) -> int:
    number = integer(digits)
    if isinstance(number, float):
        raise ValueError("beyond the range of a double")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_TRUSTING_NUMBERS = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_CHECKING_NUMBERS = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=_finite_float,
    parse_int=_finite_integer,
)
_EXACT_NUMBERS = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=_exact_float,
    parse_int=_finite_integer,
)
# Text for integers, because Python refuses to convert very long ones.
_SKIMMING = json.JSONDecoder(parse_int=str)


def _read_slowly(text: str, *, exact: bool = False) -> JsonValue:
    """Return the value, or raise the reasons why it cannot be had.

    There is a value after all when the caller had left too little stack for the fast reading.
    """
    try:
        result = scan(text, exact=exact)
    except BrokenJson as error:
        invalid = _invalid(text, error)
    else:
        if not result.findings:
            return result.value
        invalid = NotStrictJson(tuple(_problems(text, result)))
    raise invalid


def _invalid(text: str, broken: BrokenJson) -> NotStrictJson:
    line = text.count("\n", 0, broken.offset) + 1
    column = broken.offset - text.rfind("\n", 0, broken.offset)
    message = f"line {line}, column {column}: {broken.message}"
    return NotStrictJson((Problem("invalid_json", "$", message, broken.fix, line),))


def _problems(text: str, result: Scan) -> Iterator[Problem]:
    findings = sorted(result.findings, key=lambda finding: finding.offset)
    offsets = {f.offset for f in findings} | {f.again for f in findings if isinstance(f, Repeated)}
    lines = _lines(text, sorted(offsets))
    for finding in findings[:-1]:
        yield _problem(finding, lines)
    last = _problem(findings[-1], lines)
    more = f"; {result.left_out} further problems are not listed" if result.left_out else ""
    yield last._replace(message=last.message + more)


def _lines(text: str, offsets: Sequence[int]) -> dict[int, int]:
    """Count the line of each offset; they are sorted, so that the text is counted only once."""
    lines, line, counted = {}, 1, 0
    for offset in offsets:
        line += text.count("\n", counted, offset)
        counted = offset
        lines[offset] = line
    return lines


def _problem(finding: NonFinite | Repeated, lines: dict[int, int]) -> Problem:
    where, line = location(finding.path), lines[finding.offset]
    if isinstance(finding, NonFinite):
        message = f"{clipped(finding.text)} is not a finite number"
        fix = "write a number between -1.79e308 and 1.79e308, or null"
        return Problem("non_finite_number", where, message, fix, line)
    named = ", ".join(f"'{clipped(key)}'" for key in finding.keys[:_MAX_KEYS_NAMED])
    unnamed = len(finding.keys) - _MAX_KEYS_NAMED
    more = f" and {unnamed} more" if unnamed > 0 else ""
    message = f"repeated keys: {named}{more} (first repeated on line {lines[finding.again]})"
    return Problem("duplicate_key", where, message, "keep each key once", line)


def _key_location(key: str) -> str:
    shown = key if len(key) <= MAX_KEY_SHOWN else key[: MAX_KEY_SHOWN - 3] + "..."
    if _PLAIN_KEY.fullmatch(shown):
        return f".{shown}"
    quoted = escaped(shown.replace("\\", "\\\\").replace("'", "\\'"))
    return f"['{quoted}']"


def _offset_of(text: str, path: Sequence[str | int]) -> int:
    """Find where the value at `path` starts; a ValueError when there is none."""
    offset = _past(_SPACE, text, 0)
    for step in path:
        if isinstance(step, str):
            offset = _member(text, offset, step)
        else:
            offset = _element(text, offset, step)
    _end_of(text, offset)
    return offset


def _member(text: str, offset: int, key: str) -> int:
    offset = _past(_OBJECT, text, offset)
    while True:
        name, offset = _SKIMMING.raw_decode(text, offset)
        offset = _past(_COLON, text, offset)
        if name == key:
            return offset
        offset = _past(_COMMA, text, _end_of(text, offset))


def _element(text: str, offset: int, index: int) -> int:
    if index < 0:
        raise ValueError("no such element")
    offset = _past(_ARRAY, text, offset)
    for _ in range(index):
        offset = _past(_COMMA, text, _end_of(text, offset))
    return offset


def _end_of(text: str, offset: int) -> int:
    return _SKIMMING.raw_decode(text, offset)[1]


def _past(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    if match is None:
        raise ValueError("something else stands here")
    return match.end()
