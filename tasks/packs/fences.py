"""Code inside a longer reply: the last fenced block that may be Python."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)")
_TAGS: Final = frozenset({"", "python", "py"})


class Extract(NamedTuple):
    """The code as text, and where it came from: `fenced_block` or `whole_reply`."""

    text: str
    source: str


def extract_code(reply: str) -> Extract:
    """The last fenced block tagged python, py or not at all; else the whole reply.

    A fence that is never closed runs to the end, as in a reply that was cut off.
    """
    last = None
    for tag, code in _blocks(reply):
        if tag in _TAGS:
            last = code
    return Extract(reply, "whole_reply") if last is None else Extract(last, "fenced_block")


def _blocks(reply: str) -> Iterator[tuple[str, str]]:
    mark, tag = "", ""
    kept: list[str] = []
    for line in reply.splitlines(keepends=True):
        fence = _FENCE.fullmatch(line.rstrip())
        if mark:
            if fence and fence[1].startswith(mark) and not fence[2]:
                yield tag, "".join(kept)
                mark = ""
            else:
                kept.append(line)
        elif fence:
            mark, kept = fence[1], []
            tag = (fence[2].split() or [""])[0].lower()
    if mark:
        yield tag, "".join(kept)
