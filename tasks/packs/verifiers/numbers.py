r"""Numbers in texts, compared exactly in decimals.

A numeric token is an optional sign, digits (plain, or in comma groups of three) and optionally a
fraction and an exponent; or a fraction alone (`.5`). It is taken as long as it can be, and then
counts only if no letter, digit, underscore or fraction slash touches it: "1.5km" holds no number,
not even 1. Texts are expected in their NFKC form.
"""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Final, NamedTuple

from schemas.errors import ConfigError
from tasks.packs.verifiers.preparing import visible

_MINUS: Final = "\u2212"
_SLASH: Final = "\u2044"
_SIGNS: Final = f"+\\-{_MINUS}"
_WHOLE: Final = r"\d{1,3}(?:,\d{3}(?!\d))++|\d++"
_EXPONENT: Final = rf"(?:[eE][{_SIGNS}]?\d++)?+"
_UNSIGNED: Final = rf"(?:(?:{_WHOLE})(?:\.\d++)?+|(?<![^\W_])(?<!\.)\.\d++){_EXPONENT}"
_TOKEN: Final = re.compile(rf"(?P<sign>[{_SIGNS}])?+(?P<number>{_UNSIGNED})")
_LITERAL: Final = re.compile(rf"[{_SIGNS}]?+{_UNSIGNED}")
_LEADING_ZERO: Final = re.compile(rf"[{_SIGNS}]?0[\d,]")
_TOUCHING: Final = re.compile(rf"[\w{_SLASH}]")

_FARTHEST_TOKEN: Final = 10**8
"""Exponent beyond which a token is as good as there: no answer comes near, no reply is as long."""

_FARTHEST_ANSWER: Final = 10_000


class Range(NamedTuple):
    """The numbers that one answer allows, both ends included."""

    low: Decimal
    high: Decimal

    def holds(self, number: Decimal) -> bool:
        """Whether a number is allowed; comparing decimals is exact whatever their exponents."""
        return self.low <= number <= self.high


def allowed(answer: object, tolerance: object) -> Range | None:
    """The numbers that a numeric answer allows; `None` for an answer that is text.

    Raises:
        ConfigError: The answer or the tolerance is no number that can be compared.
    """
    number = _literal(answer) if isinstance(answer, str) else exact(answer)
    if number is None:
        return None
    distance = Decimal(0) if tolerance is None else exact(tolerance)
    if distance < 0:
        raise ConfigError("the tolerance is below 0", where="tolerance", code="minimum")
    wide = Context(prec=4 * _FARTHEST_ANSWER + number_of_digits(number) + 10)
    return Range(wide.subtract(number, distance), wide.add(number, distance))


def exact(number: object) -> Decimal:
    """The decimal that a JSON number was written as.

    Raises:
        ConfigError: It is no finite number, or one with an absurd exponent.
    """
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        raise ConfigError("expected a number", code="type")
    # A reader may keep the text of a fraction; the shortest one that gives the float, otherwise.
    text = getattr(number, "text", repr(number)) if isinstance(number, float) else number
    decimal = Decimal(text)
    if not decimal.is_finite() or _is_far(decimal):
        raise ConfigError("the number is too large or too small to compare", code="minimum")
    return decimal


def number_of_digits(number: Decimal) -> int:
    """How many digits a number was written with."""
    return len(number.as_tuple().digits)


def tokens(text: str) -> Iterator[Decimal]:
    """The numbers of a text in their order."""
    for found in _TOKEN.finditer(text):
        start, end = found.span("number")
        if end < len(text) and _TOUCHING.match(text[end]):
            continue
        signed = found["sign"] is not None and _takes_sign(text, found.start())
        first = found.start() if signed else start
        if first > 0 and _TOUCHING.match(text[first - 1]):
            continue
        yield _decimal(found[0] if signed else found["number"])


def _takes_sign(text: str, at: int) -> bool:
    """Whether a sign belongs to the number after it; after a word or a bracket it subtracts."""
    before = text[at - 1] if at else ""
    return not before or not (
        before.isalnum() or before == "_" or unicodedata.category(before) == "Pe"
    )


def _literal(text: str) -> Decimal | None:
    """The number that a whole text is, unless superfluous zeros make it a name such as 007."""
    plain = visible(text).strip()
    if not _LITERAL.fullmatch(plain) or _LEADING_ZERO.match(_in_ascii(plain)):
        return None
    number = _decimal(plain)
    return None if _is_far(number) else number


def _is_far(number: Decimal) -> bool:
    return abs(number.adjusted()) > _FARTHEST_ANSWER or number_of_digits(number) > _FARTHEST_ANSWER


def _decimal(literal: str) -> Decimal:
    plain = _in_ascii(literal).replace(",", "").replace(_MINUS, "-").lower()
    mantissa, _, exponent = plain.partition("e")
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    size = _FARTHEST_TOKEN if len(digits) > 8 else int(digits)
    return Decimal(f"{mantissa}e{'-' if exponent.startswith('-') else ''}{size}")


def _in_ascii(literal: str) -> str:
    if literal.isascii():
        return literal
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in literal)
