"""Gold answers: what a pack itself says is right, as candidates."""

from typing import Any

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate


def gold_candidate(task: CompiledTask) -> Candidate | None:
    """The candidate that must pass; `None` when the row names none."""
    match task.family:
        case "multiple_choice":
            return _text(_choice(task))
        case "short_answer":
            return _text(_written(task.value("accepted_answers")[0]))
        case "free_response":
            return _text(_statement(task))
        case "code_completion":
            solution = task.value("reference_solution") or task.value("canonical_solution")
            return _text(solution)
        case "repo_patch":
            patch = task.value("gold_patch")
            return Candidate("patch", patch) if patch else None
        case _:
            return None


def empty_candidate(task: CompiledTask) -> Candidate | None:
    """The candidate that must not pass; `None` for a family without one."""
    if task.candidate_kind in ("text", "code"):
        return Candidate("text", "")
    return Candidate("patch", "") if task.candidate_kind == "patch" else None


def _text(text: Any) -> Candidate | None:
    return Candidate("text", text) if isinstance(text, str) and text else None


def _choice(task: CompiledTask) -> str:
    """The label of a choice given by its index; other answers as they are written."""
    answer = task.value("answer")
    first = answer[0] if isinstance(answer, list) else answer
    if isinstance(first, str):
        return first
    return chr(ord("A") + int(first)) if 0 <= first < 26 else _written(first)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else str(getattr(value, "text", value))


def _statement(task: CompiledTask) -> str | None:
    """The first accepted answer of the rubric, else the reference answer."""
    rubric = task.value("rubric")
    accepted = rubric.get("accepted_answers") if isinstance(rubric, dict) else None
    if isinstance(accepted, list) and accepted and isinstance(accepted[0], str):
        return accepted[0]
    reference = task.value("reference_answer")
    return reference if isinstance(reference, str) else None
