"""What a result says about the run of a command."""

from typing import Any

from tasks.sandbox.interface import Outcome


def facts(outcome: Outcome) -> dict[str, Any]:
    """The end of a command, and who kept its limits."""
    found: dict[str, Any] = {"exit_code": outcome.exit_code, "limits": dict(outcome.limits)}
    if outcome.timed_out:
        found["timed_out"] = True
    if outcome.exceeded:
        found["exceeded"] = outcome.exceeded
    if outcome.truncated:
        found["truncated"] = list(outcome.truncated)
    return found


def text(data: bytes) -> str:
    """What was printed, readable whatever it was."""
    return data.decode("utf-8", "replace")
