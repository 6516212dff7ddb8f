"""How long things may take: the first limit that is set, in the order of the format."""

from collections.abc import Mapping
from typing import Any, Final

from schemas.pack_task import CompiledTask

DEFAULTS: Final[Mapping[str, float]] = {
    "code_completion": 30,
    "repo_patch": 300,
    "terminal_task": 300,
}
OVERALL: Final = 3
"""The limit holds for each command; a whole verification may take this many times as long."""


def producing_seconds(
    task: CompiledTask, harness: float | None = None, call: float | None = None
) -> float | None:
    """How long a harness may take for one row; `None` for as long as it likes.

    The caller's word comes first; otherwise the smaller one of the row's and the harness's.
    """
    if call is not None:
        return call
    limits = [limit for limit in (_environment(task), harness) if limit is not None]
    return min(limits, default=None)


def verifying_seconds(
    task: CompiledTask, call: float | None = None, profile: str = "target"
) -> float:
    """How long one command of a verification may take.

    The caller's word, then that of the tests or the checker, then the row's, then the family's;
    in the `compat` profile the row's counts for terminal_task alone.
    """
    own = (task.value("tests") or task.value("checker") or {}).get("timeout_seconds")
    own = None if task.family == "code_completion" else own
    row = _environment(task) if profile == "target" or task.family == "terminal_task" else None
    set_ = (limit for limit in (call, own, row) if limit is not None)
    return float(next(set_, DEFAULTS[task.family]))


def _environment(task: CompiledTask) -> float | None:
    limit: Any = task.environment.get("timeout_seconds")
    return None if limit is None else float(limit)
