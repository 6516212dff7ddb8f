"""Values of old result files: read without loss, and turned into what v1 asks for."""

import datetime
import json
import math
import re
import shlex
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

from schemas.strict_json import NotStrictJson, parse

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ZONED = re.compile(r"(Z|[+-]\d{2}:\d{2})$")
_MILLISECONDS_ABOVE = 1e11


class NonFinite(float):
    """A number that JSON cannot hold, with the text that stood in the file."""

    text: str

    def __new__(cls, text: str) -> "NonFinite":
        """Keep the text beside the number."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_legacy(data: bytes) -> Any:
    """A document as old tools wrote it: strict, except that NaN and Infinity are let in.

    Raises:
        NotStrictJson: It cannot be read even so.
    """
    try:
        return parse(data)
    except NotStrictJson as error:
        if any(problem.code != "non_finite_number" for problem in error.problems):
            raise
    return json.loads(
        data, parse_constant=NonFinite, parse_float=_number(float), parse_int=_number(int)
    )


def _number(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        return NonFinite(text) if abs(float(text)) == float("inf") else kind(text)

    return read


class Converted(NamedTuple):
    """A value in the form of v1, and whether its time zone had to be assumed."""

    value: Any
    assumed_utc: bool = False


def is_empty(value: object) -> bool:
    """Whether a value says nothing."""
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def is_number(value: object) -> bool:
    """Whether a value can be a metric: booleans are no numbers."""
    return isinstance(value, (int, float)) and not isinstance(value, (bool, NonFinite))


def as_text(value: object) -> Converted | None:
    """Text, or the decimal text of a number."""
    if isinstance(value, str):
        return Converted(value) if value.strip() else None
    if is_number(value):
        return Converted(format(Decimal(str(value)), "f"))
    return None


def as_time(value: object) -> Converted | None:
    """A timestamp from text or from seconds or milliseconds since 1970."""
    if is_number(value):
        assert isinstance(value, (int, float))
        return _from_epoch(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    text = f"{text}T00:00:00" if _DATE.fullmatch(text) else text
    text = f"{text[:10]}T{text[11:]}" if text[10:11] == " " else text
    return Converted(text) if _ZONED.search(text) else Converted(f"{text}Z", assumed_utc=True)


def _from_epoch(value: float) -> Converted | None:
    per_unit = 10**6 if abs(value) > _MILLISECONDS_ABOVE else 10**9
    seconds, nanoseconds = divmod(math.floor(Decimal(str(value)) * per_unit), 10**9)
    try:
        whole = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return None
    fraction = f".{nanoseconds:09}".rstrip("0.")
    return Converted(f"{whole:%Y-%m-%dT%H:%M:%S}{fraction}Z")


def as_command(value: object) -> Converted | None:
    """A command line; a list of words is quoted for the shell."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return Converted(shlex.join(value))
    return as_text(value)


def as_object(value: object) -> Converted | None:
    """An object that is not empty."""
    return Converted(dict(value)) if isinstance(value, dict) and value else None


def as_flag(value: object) -> Converted | None:
    """True or false."""
    return Converted(value) if isinstance(value, bool) else None


def as_tags(value: object) -> Converted | None:
    """A list of labels."""
    if not isinstance(value, list) or not value:
        return None
    texts = [as_text(tag) for tag in value]
    found = [text.value for text in texts if text is not None]
    return Converted(found) if len(found) == len(value) else None


def without_non_finite(value: Any) -> Any:
    """The same value with numbers that JSON cannot hold written as text."""
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, list):
        return [without_non_finite(part) for part in value]
    if isinstance(value, dict):
        return {key: without_non_finite(part) for key, part in value.items()}
    return value
