"""Verifies patches on a real repository that is built from a git bundle inside the sandbox."""

import json
from typing import Any, Final

from schemas.errors import ConfigError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, failure, path_policy, policy_refusal
from tasks.packs.references import PackFiles
from tasks.packs.timeouts import verifying_seconds
from tasks.packs.verifiers.patch_policy import PatchDecision, decide
from tasks.sandbox.handing import python, scripts
from tasks.sandbox.interface import Backend, Command, Limits, Outcome, SandboxFault
from tasks.sandbox.places import require_free_place
from tasks.sandbox.reporting import facts, text

VERSION: Final = 1

DIRECTORY: Final = "/testbed"
# Our own steps are quick, yet not on a machine that is busy: a short limit is for the tests.
_STEP_SECONDS: Final = 30.0


def verify_patch(
    backend: Backend, task: CompiledTask, candidate: Candidate, settings: Judging, files: PackFiles
) -> Result:
    """The result of a patch that is not blank.

    Raises:
        ConfigError: The row cannot be verified.
        SandboxFault: The sandbox does not work.
    """
    repository = task.environment.get("repository")
    if not isinstance(repository, str):
        message = "without an image, a row needs a repository"
        where, fix = "environment", "add environment.repository, a git bundle"
        raise ConfigError(message, where=where, fix=fix, code="missing_repository")
    tests = task.value("tests")
    directory = str(tests.get("workdir") or task.environment.get("workdir") or DIRECTORY)
    require_free_place(directory, "environment.workdir")
    seconds = verifying_seconds(task, None, settings.profile)
    plan = _plan(task, decide(candidate.value, path_policy(task, settings.profile)), directory)
    header = json.dumps({**plan, "step_seconds": max(seconds, _STEP_SECONDS)}).encode()
    outcome = backend.start(
        Command(
            python("repository"),
            Limits(seconds=seconds, preparing_seconds=max(3 * seconds, 2 * _STEP_SECONDS)),
            stdin=len(header).to_bytes(8, "big") + header + files.read("public", repository),
            files=scripts("repository", "workspace"),
            spaces=(directory,),
            prepares=True,
        )
    ).collect()
    return _result(task, candidate, settings, outcome)


def _plan(task: CompiledTask, decision: PatchDecision, directory: str) -> dict[str, Any]:
    tests = task.value("tests")
    command = tests["command"]
    return {
        "base_commit": str(task.value("base_commit")).strip(),
        "patch": decision.patch if decision.reason is None else None,
        "changed": sorted(decision.changed),
        "setup_patch": _inline(tests.get("setup_patch")),
        "test_patch": _inline(tests.get("test_patch")),
        "command": ["sh", "-lc", command] if isinstance(command, str) else list(command),
        "directory": directory,
    }


def _inline(patch: Any) -> str | None:
    found = patch.get("patch") if isinstance(patch, dict) else patch
    return None if found is None else str(found)


def _result(
    task: CompiledTask, candidate: Candidate, settings: Judging, outcome: Outcome
) -> Result:
    try:
        report: dict[str, str] = json.loads(outcome.report)
    except ValueError:
        said = text(outcome.stderr)[-200:] or f"exit {outcome.exit_code}"
        raise SandboxFault(f"the repository was not built: {said}") from None
    if report.get("status") == "refused":
        refused = policy_refusal(task, candidate, settings)
        assert refused is not None
        return refused
    if report.get("status") == "error":
        message = f"the row's own step {report['phase']} does not succeed"
        fault = ConfigError(message, where="eval.tests", code="unusable_repository")
        return failure(task, report["reason"], fault)._replace(
            phase=report["phase"], stderr=report["detail"]
        )
    if report.get("status") == "failed":
        return Result(task.id, "failed", report["reason"], report["phase"], stderr=report["detail"])
    result = Result(task.id, "passed", metadata=facts(outcome))
    result = result._replace(stdout=text(outcome.stdout), stderr=text(outcome.stderr))
    if outcome.exit_code == 0:
        return result
    reason = "verifier_timeout" if outcome.timed_out else "tests_failed"
    return result._replace(status="failed", reason=reason, phase="checks")
