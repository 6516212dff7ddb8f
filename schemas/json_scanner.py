"""The slow reading of a JSON text: it knows where everything stands and what is wrong with it.

`schemas.strict_json` comes here only when the fast reading met something odd. Containers are
followed with a stack of our own, so no nesting can exhaust the interpreter's; scalars are read
by the standard library, so both readings agree on what a string or a number is.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn, Self, TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 200
"""Deepest nesting we read: far more than people write, far below the recursion limit of 1000
that later readers of the value depend on."""

MAX_FINDINGS = 1000
"""Findings kept; without a bound, long paths times many findings outgrow the text itself."""

_BEYOND_SPACE = re.compile(r"[^ \t\n\r]")
_WORD = re.compile(r"\w{1,20}|.", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CLOSERS = {"{": "}", "[": "]"}
_CUT_OFF = "the text looks cut off: restore its end"


class BrokenJson(ValueError):
    """The text is no JSON document we read; `offset` is where that shows."""

    def __init__(self, offset: int, message: str, fix: str) -> None:
        super().__init__(offset, message, fix)
        self.offset, self.message, self.fix = offset, message, fix


class NonFinite(NamedTuple):
    """A number that no double can hold, or NaN."""

    offset: int
    path: Path
    text: str


class Repeated(NamedTuple):
    """An object that has the same key more than once; `again` is where that first shows."""

    offset: int
    path: Path
    keys: tuple[str, ...]
    again: int


class Scan(NamedTuple):
    """The value, and what is wrong with it in spite of sound syntax."""

    value: JsonValue
    findings: tuple[NonFinite | Repeated, ...]
    left_out: int


def scan(text: str, *, exact: bool = False) -> Scan:
    """Return the value of `text` and everything found wrong with it.

    With `exact`, fractions are `ExactFloat`. Broken syntax, half a surrogate pair and nesting
    beyond `MAX_DEPTH` raise `BrokenJson`.
    """
    return _Scanner(text, _EXACT_SCALAR if exact else _SCALAR).run()


def escaped(text: str) -> str:
    """`text` with everything that does not print written as a backslash escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def clipped(text: str, limit: int = 40) -> str:
    """At most `limit` characters of `text`, escaped."""
    shown = escaped(text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def integer(digits: str) -> int | float:
    """Return the integer, or an infinity when it is beyond the range of a double."""
    # Shorter ones always fit, and Python refuses to convert very long ones at all.
    if len(digits) > 308 and math.isinf(float(digits)):
        return math.inf
    return int(digits)


class ExactFloat(float):
    """A float that remembers the decimal text it was read from."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """The float nearest to the text."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Keep the text when crossing a process boundary."""
        return type(self), (self.text,)


_SCALAR = json.JSONDecoder(parse_int=integer)
_EXACT_SCALAR = json.JSONDecoder(parse_int=integer, parse_float=ExactFloat)


class _Frame:
    """An open container: `key` is the one whose value is being read."""

    __slots__ = ("again", "key", "offset", "repeated", "value")

    def __init__(self, value: "list[JsonValue] | dict[str, JsonValue]", offset: int) -> None:
        self.value, self.offset, self.key = value, offset, ""
        self.repeated: dict[str, None] = {}
        self.again = offset


class _Scanner:
    def __init__(self, text: str, scalars: json.JSONDecoder) -> None:
        self.text, self.at, self.scalars = text, 0, scalars
        self.stack: list[_Frame] = []
        self.findings: list[NonFinite | Repeated] = []
        self.left_out = 0

    def run(self) -> Scan:
        self._skip_space()
        value = self._first_value()
        while self.stack:
            value = self._value_after(value)
        self._skip_space()
        if self.at < len(self.text):
            self._expected("the end of the text", "remove what follows the document")
        return Scan(value, tuple(self.findings), self.left_out)

    def _first_value(self) -> JsonValue:
        """Open containers up to the first complete value: a scalar or an empty container."""
        while (opener := self.text[self.at : self.at + 1]) in _CLOSERS:
            self._push(opener)
            if self._take(_CLOSERS[opener]):
                return self._pop()
            if opener == "{":
                self._read_key()
        return self._read_scalar()

    def _value_after(self, value: JsonValue) -> JsonValue:
        """Store `value` in the innermost container and go on to the next complete value."""
        frame = self.stack[-1]
        if isinstance(frame.value, dict):
            frame.value[frame.key] = value
            closer = "}"
        else:
            frame.value.append(value)
            closer = "]"
        if self._take(","):
            if closer == "}":
                self._read_key()
            return self._first_value()
        if not self._take(closer):
            fix = "separate entries by commas and close every bracket"
            self._expected(f"',' or '{closer}'", fix)
        return self._pop()

    def _push(self, opener: str) -> None:
        if len(self.stack) == MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels"
            raise BrokenJson(self.at, problem, "flatten the document")
        self.stack.append(_Frame({} if opener == "{" else [], self.at))
        self.at += 1
        self._skip_space()

    def _pop(self) -> JsonValue:
        frame = self.stack.pop()
        if frame.repeated:
            keys = tuple(frame.repeated)
            self._note(Repeated(frame.offset, (), keys, frame.again))
        return frame.value

    def _read_key(self) -> None:
        start = self.at
        if self.text[start : start + 1] != '"':
            fix = "write keys in double quotes, and no comma after the last entry"
            self._expected("a key in double quotes", fix)
        frame, key = self.stack[-1], str(self._read_scalar())
        if not self._take(":"):
            self._expected("':'", "put a colon between the key and its value")
        if key in frame.value:
            frame.again = frame.again if frame.repeated else start
            frame.repeated[key] = None
        frame.key = key

    def _read_scalar(self) -> JsonValue:
        start = self.at
        try:
            value, self.at = self.scalars.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            self._explain(error.pos)
        if isinstance(value, str):
            self._check_pairs(value, start)
        elif isinstance(value, float) and not math.isfinite(value):
            self._note(NonFinite(start, (), self.text[start : self.at]))
        return value  # type: ignore[no-any-return]  # the decoder's stub says Any

    def _check_pairs(self, string: str, start: int) -> None:
        if not string.isascii() and (lone := _SURROGATE.search(string)):
            problem = f"the string holds {escaped(lone[0])}, half of a surrogate pair"
            raise BrokenJson(start, problem, "write the whole pair or remove the half")

    def _explain(self, offset: int) -> NoReturn:
        if self.text[self.at : self.at + 1] != '"':
            kinds = "an object, an array, a string in double quotes, a number, true, false or null"
            self._expected("a value", f"write {kinds}, and no comma after the last entry")
        char = self.text[offset : offset + 1]
        if offset == self.at:
            raise BrokenJson(offset, "the string is never closed", "close it by a double quote")
        if char < " ":
            problem = f"control character '{escaped(char)}' inside a string"
            raise BrokenJson(offset, problem, r"write it as an escape such as \n or \u0007")
        fix = r"write a backslash as \\, and four hexadecimal digits after \u"
        raise BrokenJson(offset, "unknown backslash escape inside a string", fix)

    def _expected(self, what: str, fix: str) -> NoReturn:
        word = _WORD.match(self.text, self.at)
        if word is None:
            found = "the end of the text" if self.text.strip() else "no text at all"
            raise BrokenJson(self.at, f"expected {what}, found {found}", _CUT_OFF)
        raise BrokenJson(self.at, f"expected {what}, found '{clipped(word[0])}'", fix)

    def _note(self, finding: NonFinite | Repeated) -> None:
        if len(self.findings) == MAX_FINDINGS:
            self.left_out += 1
            return
        self.findings.append(finding._replace(path=_path(self.stack)))

    def _skip_space(self) -> None:
        beyond = _BEYOND_SPACE.search(self.text, self.at)
        self.at = beyond.start() if beyond else len(self.text)

    def _take(self, char: str) -> bool:
        """Step over `char` and the space around it, if it comes next."""
        self._skip_space()
        if self.text[self.at : self.at + 1] != char:
            return False
        self.at += 1
        self._skip_space()
        return True


def _path(stack: Sequence[_Frame]) -> Path:
    return tuple(f.key if isinstance(f.value, dict) else len(f.value) for f in stack)
