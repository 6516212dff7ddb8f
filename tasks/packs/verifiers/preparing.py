"""What is done to a text before it is compared, in either profile; all in linear time."""

import re
import unicodedata
from itertools import groupby
from typing import Final

_STRIPPED: Final = " \t\r\n\"'`.,;:"
_INVISIBLE: Final = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_LONGEST_RUN: Final = 32

# Characters that can stand in a run of combining marks once they are decomposed: marks are no word
# characters, and the two half-width sound marks of Kana are the only exception.
_MANY_MARKS: Final = re.compile(rf"(?:[^\w\x00-\x7f]|[\uff9e\uff9f]){{{_LONGEST_RUN},}}")

_UNITED_STATES: Final = ("u.s.", "united states")


def normalised(text: str) -> str:
    """N of the `compat` profile: lower case, single spaces, no punctuation at the ends."""
    return _tidied(text.lower())


def folded(text: str) -> str:
    """N* of the `target` profile: as N, after NFKC and full case folding."""
    return _tidied(visible(text).casefold())


def normalised_statement(text: str) -> str:
    """N for free responses, where `u.s.` reads `united states`."""
    return _tidied(text.lower().replace(*_UNITED_STATES))


def folded_statement(text: str) -> str:
    """N* for free responses, where `u.s.` reads `united states`."""
    return _tidied(visible(text).casefold().replace(*_UNITED_STATES))


def visible(text: str) -> str:
    """The NFKC form of a text without the characters that nobody sees."""
    return text if text.isascii() else _nfkc(text).translate(_INVISIBLE)


def last_line(text: str) -> str:
    """The last line that is not blank, trimmed; empty when there is none."""
    lines = text.rstrip().splitlines()
    return lines[-1].strip() if lines else ""


def _tidied(text: str) -> str:
    return " ".join(text.split()).strip(_STRIPPED)


def _nfkc(text: str) -> str:
    # The standard library brings marks into their order by insertion, which takes quadratic time
    # on a long run of them; it has nothing to do on a run that is in order already.
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(_in_order, text))


def _in_order(run: re.Match[str]) -> str:
    decomposed = "".join(unicodedata.normalize("NFKD", char) for char in run[0])
    return "".join(
        "".join(sorted(chars, key=unicodedata.combining) if marks else chars)
        for marks, chars in groupby(decomposed, key=lambda char: unicodedata.combining(char) > 0)
    )
