"""Candidates: what is judged, and how an answers file names them."""

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from schemas.errors import Problem
from schemas.pack_families import CandidateKind
from schemas.problems import one_line
from schemas.strict_json import NotStrictJson, parse
from tasks.packs.lines import MAX_LINE_BYTES, Line

Field = Literal["text", "patch", "workspace"]
FIELDS: Final[tuple[Field, ...]] = ("text", "patch", "workspace")
FIELD_OF: Final[Mapping[CandidateKind, Field]] = {
    "text": "text",
    "code": "text",
    "patch": "patch",
    "workspace": "workspace",
}
"""Under which name an answers file gives a candidate of each kind."""


class Candidate(NamedTuple):
    """One candidate: a text, a patch, or the path of a workspace.

    `missing` is true of a workspace that is no directory; `extraction` says what was taken out of
    a longer reply, and is null for a candidate as it came.
    """

    field: Field
    value: str
    missing: bool = False
    extraction: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of kind and content; a workspace is known by its path only."""
        content = self.value.encode("utf-8", "surrogatepass")
        return hashlib.sha256(f"{self.field}\0".encode() + content).hexdigest()


class Answers(NamedTuple):
    """The candidates of an answers file by task id, and what is wrong with it."""

    candidates: dict[str, Candidate]
    problems: tuple[Problem, ...]


MOST_PROBLEMS: Final = 1000


def read_answers(lines: Iterable[Line], known: Container[str] | None) -> Answers:
    """Every answer of a file, and every problem with its line.

    Args:
        lines: The lines that are not blank.
        known: Ids of the pack's rows; `None` when only some of them were read.
    """
    candidates: dict[str, Candidate] = {}
    line_of: dict[str, int] = {}
    problems: list[Problem] = []
    for line in lines:
        if len(problems) >= MOST_PROBLEMS:
            break
        answer = _read(line)
        if isinstance(answer, Problem):
            problems.append(answer)
            continue
        task_id, candidate = answer
        first = line_of.setdefault(task_id, line.number)
        if first != line.number:
            problems.append(_repeated(task_id, line.number, first))
        elif known is not None and task_id not in known:
            problems.append(_unknown(task_id, line.number))
        else:
            candidates[task_id] = candidate
    return Answers(candidates, tuple(problems))


def _read(line: Line) -> tuple[str, Candidate] | Problem:
    if line.data is None:
        return _broken(line, f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB")
    try:
        raw = parse(line.data)
    except NotStrictJson as error:
        first = error.problems[0]
        return _broken(line, first.message, first.location, first.fix)
    if not isinstance(raw, dict):
        return _broken(line, "each line must be one JSON object")
    task_id = raw.get("task_id")
    if not isinstance(task_id, str):
        return _broken(line, "an answer needs the text task_id")
    given = [field for field in FIELDS if field in raw]
    if len(given) != 1 or not isinstance(raw[given[0]], str):
        return _broken(line, "an answer holds exactly one of text, patch, workspace, as text")
    return task_id, Candidate(given[0], str(raw[given[0]]))


def _broken(line: Line, message: str, location: str = "$", fix: str = "") -> Problem:
    fix = fix or 'write {"task_id": …, "text": …} on each line'
    return Problem("invalid_json", location, message, fix, line.number, type="ConfigError")


def _repeated(task_id: str, line: int, first: int) -> Problem:
    message = f"task {one_line(repr(task_id))} has an answer on line {first} already"
    return Problem(
        "duplicate_answer", "$.task_id", message, "keep one", line, "ConfigError", task_id
    )


def _unknown(task_id: str, line: int) -> Problem:
    message = f"the pack has no row {one_line(repr(task_id))}"
    return Problem(
        "unknown_task", "$.task_id", message, "correct or drop it", line, "ConfigError", task_id
    )


def pairs(
    tasks: Iterable[Any], candidates: Mapping[str, Candidate]
) -> Iterator[tuple[Any, Candidate | None]]:
    """Every task with its candidate, if it has one."""
    return ((task, candidates.get(task.id)) for task in tasks)
