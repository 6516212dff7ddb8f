"""Records of a run: one JSON object per attempt, and which of them a resumed run keeps."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from schemas.pack_task import REDACTED, CompiledTask, view
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Result
from tasks.packs.redaction import hidden_in

RunStatus = Literal["complete", "pending", "partial"]
PRODUCER_TIMEOUT: Final = "producer_timeout"


class Identity(NamedTuple):
    """What a record rests on; a resumed run keeps a record only when all of it is the same."""

    run_id: str
    pack_digest: str
    row_digest: str | None
    verifier_version: str | None


class Produced(NamedTuple):
    """What came back from a model or a harness beside the candidate."""

    stdout: str = ""
    stderr: str = ""
    metadata: Mapping[str, Any] = MappingProxyType({})
    timed_out: bool = False


NOTHING_ELSE: Final = Produced()


def make_record(
    identity: Identity,
    task: CompiledTask,
    candidate: Candidate | None,
    result: Result,
    produced: Produced = NOTHING_ELSE,
    *,
    sample: int = 0,
) -> dict[str, Any]:
    """One record; hidden values are not in it."""
    hidden = hidden_in(task)
    record: dict[str, Any] = {
        **identity._asdict(),
        "task_id": task.id,
        "benchmark_id": task.benchmark_id,
        "task_type": task.family,
        "sample": sample,
        "verification_status": result.status,
        **_artifact(candidate),
        "producer_stdout": hidden.without_texts(produced.stdout),
        "producer_stderr": hidden.without_texts(produced.stderr),
        "producer_metadata": hidden.without(dict(produced.metadata)),
        "verifier_stdout": hidden.without_texts(result.stdout),
        "verifier_stderr": hidden.without_texts(result.stderr),
        "verifier_metadata": hidden.without(_verifier_facts(result)),
        "resource_summary": [_summary(resource) for resource in view(task, "result")],
        "hidden_values": REDACTED,
    }
    if result.passed is not None:
        record |= {"passed": result.passed, "score": result.score}
    if produced.timed_out:
        record |= {
            "failure_reason": PRODUCER_TIMEOUT,
            "failure_phase": "producer",
            "failure_message": "no candidate came back in time",
        }
    return record


def timed_out(task: CompiledTask) -> Result:
    """The result of a row whose producer ran out of time: it failed, and counts as verified."""
    return Result(task.id, "failed", PRODUCER_TIMEOUT, "producer")


def _artifact(candidate: Candidate | None) -> dict[str, Any]:
    return {
        f"candidate_{field}": candidate.value if candidate and candidate.field == field else None
        for field in ("text", "patch", "workspace")
    }


def _verifier_facts(result: Result) -> dict[str, Any]:
    facts = {**result.metadata}
    if result.reason is not None:
        facts["reason"] = result.reason
    if result.phase is not None:
        facts["phase"] = result.phase
    if result.problem is not None:
        facts["error"] = {"type": result.problem.type, "message": result.problem.message}
    return facts


def _summary(resource: Any) -> dict[str, Any]:
    shown = {"name": resource.name, "visibility": resource.visibility, "kind": resource.kind}
    return shown | ({"redacted": True} if resource.redacted else {"value": resource.value})


def is_kept(record: Mapping[str, Any], wanted: Mapping[str, Identity]) -> bool:
    """Whether a resumed run keeps a record.

    It does when the record has a verdict and run, pack, row and verifier are still the same.
    """
    identity = wanted.get(str(record.get("task_id")))
    if identity is None or record.get("verification_status") not in ("passed", "failed"):
        return False
    return all(record.get(key) == value for key, value in identity._asdict().items())


def run_status(statuses: Iterable[str]) -> RunStatus:
    """How far a run has come: complete when every row has a verdict, or there are none."""
    found = list(statuses)
    verified = sum(status in ("passed", "failed") for status in found)
    if verified == len(found):
        return "complete"
    return "partial" if verified else "pending"


def run_summary(
    run_id: str, output_dir: str, output_path: str, statuses: Iterable[str]
) -> dict[str, Any]:
    """The summary of a run."""
    found = list(statuses)
    passed = found.count("passed")
    return {
        "run_id": run_id,
        "output_dir": output_dir,
        "output_path": output_path,
        "total": len(found),
        "verified": passed + found.count("failed"),
        "passed": passed,
        "errors": found.count("error"),
        "pending": found.count("pending"),
        "score_sum": float(passed),
        "status": run_status(found),
    }
