r"""Labels of choices: "B", "(b)", "Answer: B", `\boxed{B}`, "B. Oslo".

A letter is always a letter: label B means the second choice, whatever the choices say.
"""

import re
from typing import Final, NamedTuple

_PREFIX: Final = "final answer|answer|choice|option"
_COMPAT: Final = re.compile(
    rf"\s*+(?:{_PREFIX})?+\s*+(?:is)?+\s*+[:\-]?+\s*+[(\[]?+([A-Za-z])[)\].:]?+\s*+"
)
_TARGET: Final = re.compile(
    rf"(?:(?:{_PREFIX})(?!\w))?+\s*+(?:is(?!\w))?+\s*+[:\-]?+\s*+[(\[]?+([a-z])[)\].:]?+",
    re.IGNORECASE | re.ASCII,
)
_LABELLED: Final = re.compile(
    r"[(\[]?+([A-Za-z])[*_`]*+\s*+(?:[)\]]\s*+[.:\-]?+|[.:\-])[*_`]*+\s*+"
)
_WRAPPING: Final = frozenset("*_`$")
_AFTER: Final = _WRAPPING | {"."}
_BOX: Final = "\\boxed{"


class Labelled(NamedTuple):
    """A label, and the text that follows it."""

    choice: int
    text: str


def compat_label(text: str, n_choices: int) -> int | None:
    """The index of the choice whose label a whole text is."""
    return _index(_COMPAT.fullmatch(text), n_choices)


def label(text: str, n_choices: int) -> int | None:
    """The index of the choice whose label a whole unwrapped text is, in either case."""
    return _index(_TARGET.fullmatch(text), n_choices)


def labelled(text: str, n_choices: int) -> Labelled | None:
    """The label that an unwrapped text begins with, and what follows its delimiter."""
    found = _LABELLED.match(text)
    index = _index(found, n_choices)
    return None if found is None or index is None else Labelled(index, text[found.end() :])


def _index(found: re.Match[str] | None, n_choices: int) -> int | None:
    index = ord(found[1].upper()) - ord("A") if found else n_choices
    return index if index < n_choices else None


def unwrapped(text: str) -> str:
    r"""A text without blanks, emphasis, `$` and `\boxed{…}` around it, nor full stops after it."""
    start, end = 0, len(text)
    before = None
    while before != (start, end):
        before = start, end
        start, end = _without_wrapping(text, start, end)
        if text.startswith(_BOX, start, end) and text[end - 1] == "}":
            start, end = start + len(_BOX), end - 1
    return text[start:end]


def _without_wrapping(text: str, start: int, end: int) -> tuple[int, int]:
    # By position, because cutting copies the text, and wrappings may be as many as characters.
    while start < end and (text[start] in _WRAPPING or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] in _AFTER or text[end - 1].isspace()):
        end -= 1
    return start, end
