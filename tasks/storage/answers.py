"""Reads answers files."""

from collections.abc import Container
from pathlib import Path

from schemas.errors import InvalidFile
from tasks.packs.candidates import Candidate, read_answers
from tasks.storage.pack_files import read_lines


def load_answers(path: str, known: Container[str] | None) -> dict[str, Candidate]:
    """The candidates of an answers file; workspaces are found from its directory.

    Args:
        path: The file, one JSON object per line.
        known: Ids of the pack's rows; `None` when only some of them were read.

    Raises:
        UserError: It cannot be read.
        InvalidFile: Something in it is wrong; every problem is listed.
    """
    answers = read_answers(read_lines(Path(path)), known)
    if answers.problems:
        problems = [problem._replace(file=path) for problem in answers.problems]
        raise InvalidFile(f"{len(problems)} problems", file=path, problems=problems)
    return {
        task_id: _placed(candidate, Path(path).parent)
        for task_id, candidate in answers.candidates.items()
    }


def _placed(candidate: Candidate, base: Path) -> Candidate:
    if candidate.field != "workspace":
        return candidate
    try:
        place = (base / candidate.value).resolve()
        is_there = bool(candidate.value) and place.is_dir()
    except (OSError, ValueError):
        return candidate._replace(missing=True)
    return candidate._replace(value=str(place), missing=not is_there)
