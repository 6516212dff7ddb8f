"""The part of a reply that announces the answer: what follows "answer is", on the last line."""

import re
from collections import deque
from typing import Final, NamedTuple

from tasks.packs.verifiers.preparing import last_line


class Announcements(NamedTuple):
    """The patterns that find an announcement in a line, one for each profile."""

    leftmost: re.Pattern[str]
    whole_word: re.Pattern[str]


def _announcements(compat_words: str, target_words: str) -> Announcements:
    return Announcements(
        # Inside longer words too; "is" may be the beginning of a word.
        re.compile(rf"(?:{compat_words})\s*+(?:is)?+\s*+[:\-]?+\s*+(?=.)", re.IGNORECASE),
        re.compile(
            rf"(?<!\w)(?:{target_words})(?!\w)\s*+(?:is(?!\w)\s*+)?+"
            r"(?:[:=]|-(?![\d.]))?+\s*+(?=.)",
            re.IGNORECASE,
        ),
    )


# "answer" alone finds what follows "final answer" as well.
OF_ANSWERS: Final = _announcements("final answer|answer", "answer")
OF_CHOICES: Final = _announcements("final answer|answer|choice|option", "answer|choice|option")


def compat_focus(text: str, words: Announcements) -> str:
    """What follows the leftmost keyword of the last line; the whole line when nothing does."""
    line = last_line(text)
    found = words.leftmost.search(line)
    return line[found.end() :] if found else line


def focus(text: str, words: Announcements) -> str:
    """What follows the last whole keyword that has something after it; else the last line."""
    line = last_line(text)
    found = deque(words.whole_word.finditer(line), maxlen=1)
    return line[found[0].end() :] if found else line
