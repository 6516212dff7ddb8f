"""Names that point at nothing, and what may have been meant."""

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from schemas.errors import Problem
from schemas.problems import one_line
from schemas.strict_json import location

# Comparing names is slow, and a hostile file has many: only so much of it is done.
_MOST_SUGGESTIONS = 20
_MOST_NAMES = 1_000
_LONGEST_NAME = 100


class Unknown(NamedTuple):
    """A name that is not declared."""

    code: str
    path: tuple[str | int, ...]
    what: str
    name: str
    known: Collection[str]


def explain(findings: Iterable[Problem | Unknown]) -> Iterator[Problem]:
    """Findings as problems; the first unknown names come with the nearest known one."""
    left = _MOST_SUGGESTIONS
    for finding in findings:
        if isinstance(finding, Problem):
            yield finding
        else:
            near = _nearest(finding.name, finding.known) if left > 0 else None
            left -= 1
            yield Problem(
                finding.code,
                location(finding.path),
                f"unknown {finding.what} {one_line(repr(finding.name))}",
                f"did you mean {near!r}?" if near else "declare it, or correct the name",
            )


def _nearest(name: str, known: Collection[str]) -> str | None:
    if len(known) > _MOST_NAMES or len(name) > _LONGEST_NAME:
        return None
    return next(iter(difflib.get_close_matches(name, known, n=1)), None)
