"""Results as machines read them; hidden values are not in them."""

from typing import Any

from tasks.packs.judging import Result


def result_object(result: Result) -> dict[str, Any]:
    """One result."""
    shown = {
        "task_id": result.task_id,
        "status": result.status,
        "passed": result.passed,
        "score": result.score,
        "reason": result.reason,
        "phase": result.phase,
        "metadata": dict(result.metadata),
    }
    problem = result.problem
    if problem is None:
        return shown
    error = {
        "file": problem.file,
        "code": problem.code,
        "location": problem.location,
        "message": problem.message,
        "fix": problem.fix or None,
        "type": problem.type,
        "line": problem.line,
        "task_id": problem.task_id,
    }
    return {**shown, "error": error}
