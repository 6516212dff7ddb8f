"""Whether an answer occurs in a reply as words of its own, in linear time."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from tasks.packs.verifiers.scripts import is_spaced_letter

_SHORT: Final = 64
_WORD: Final = re.compile(r"\w")

Edge = Callable[[str, str], bool]
"""Whether a word may end between two neighbouring characters: the answer's, then the other."""


def occurs(answer: str, text: str) -> bool:
    """Whether the answer stands in the text, cut out of no word of a script written with spaces."""
    return _occurs(answer, text, _may_end_between)


def occurs_compat(answer: str, text: str) -> bool:
    """Whether the answer stands in the text with no word character directly around it."""
    return _occurs(answer, text, lambda _, other: _WORD.match(other) is None)


def _may_end_between(own: str, other: str) -> bool:
    return not (is_spaced_letter(own) and is_spaced_letter(other))


def _occurs(answer: str, text: str, is_edge: Edge) -> bool:
    if not answer:
        return False
    for start in _starts(answer, text):
        end = start + len(answer)
        before = start == 0 or is_edge(answer[0], text[start - 1])
        if before and (end == len(text) or is_edge(answer[-1], text[end])):
            return True
    return False


def _starts(answer: str, text: str) -> Iterator[int]:
    """Where the answer begins in the text, overlapping occurrences included."""
    start = text.find(answer)
    while start >= 0:
        yield start
        if len(answer) > _SHORT:
            # To start over after each occurrence costs the length of the answer every time.
            yield from _further_starts(answer, text, start)
            return
        start = text.find(answer, start + 1)


def _further_starts(answer: str, text: str, first: int) -> Iterator[int]:
    """The occurrences after the first one, by the method of Knuth, Morris and Pratt (1977)."""
    borders = _borders(answer)
    matched = borders[-1]
    for at in range(first + len(answer), len(text)):
        while matched and answer[matched] != text[at]:
            matched = borders[matched - 1]
        if answer[matched] == text[at]:
            matched += 1
        if matched == len(answer):
            yield at - len(answer) + 1
            matched = borders[-1]


def _borders(answer: str) -> list[int]:
    """For each prefix, the length of its longest proper prefix that is also its end."""
    borders, matched = [0], 0
    for char in answer[1:]:
        while matched and answer[matched] != char:
            matched = borders[matched - 1]
        if answer[matched] == char:
            matched += 1
        borders.append(matched)
    return borders
