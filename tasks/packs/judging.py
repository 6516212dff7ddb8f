"""Judges candidates: one result per row, whatever happens to it.

What needs no sandbox is decided here: texts, candidates that are blank, missing or of the wrong
kind, rows that cannot be verified, commands that the tester denies. The rest goes to a `Sandbox`;
without one it is an error, and is never run bare.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol

from schemas.errors import ConfigError, EvalError, MaterializationError, PathPolicyError, Problem
from schemas.pack import Profile
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import FIELD_OF, Candidate
from tasks.packs.fences import extract_code
from tasks.packs.redaction import hidden_in
from tasks.packs.verifiers import TEXT_FAMILIES, verifier_version, verify_text
from tasks.packs.verifiers.patch_policy import PHASE, PathPolicy, decide

Status = Literal["passed", "failed", "error", "pending"]
NO_SANDBOX: Final = "none"


class Judging(NamedTuple):
    """How candidates are judged."""

    profile: Profile = "target"
    deny_commands: tuple[str, ...] = ()
    disallow_dangerous_commands: bool = True
    extract_code: bool = False


class Result(NamedTuple):
    """What became of one row; `problem` says why there is no verdict."""

    task_id: str
    status: Status
    reason: str | None = None
    phase: str | None = None
    metadata: Mapping[str, Any] = MappingProxyType({})
    stdout: str = ""
    stderr: str = ""
    problem: Problem | None = None

    @property
    def passed(self) -> bool | None:
        """Whether it passed; `None` without a verdict."""
        return self.status == "passed" if self.status in ("passed", "failed") else None

    @property
    def score(self) -> float | None:
        """1.0, 0.0, or `None` without a verdict."""
        return None if self.passed is None else float(self.passed)


class Sandbox(Protocol):
    """Verifies what has to be run."""

    kind: str

    def version(self, task: CompiledTask, settings: Judging) -> str:
        """Name and version of the verifier of a row, as records keep it."""

    def verify(self, task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
        """The result of a row whose candidate has to be run.

        Raises:
            ConfigError: The row cannot be verified; or one of its two siblings.
        """


def judge_all(
    pairs: Iterable[tuple[CompiledTask, Candidate | None]],
    settings: Judging,
    sandbox: Sandbox | None = None,
) -> Iterator[Result]:
    """One result per pair, in order, as they are asked for."""
    return (judge(task, candidate, settings, sandbox) for task, candidate in pairs)


def judge(
    task: CompiledTask,
    candidate: Candidate | None,
    settings: Judging,
    sandbox: Sandbox | None = None,
) -> Result:
    """The result of one row."""
    if task.candidate_kind is None:
        return Result(task.id, "pending", "no_verifier")
    if candidate is None:
        return Result(task.id, "pending", "no_answer")
    if candidate.field != FIELD_OF[task.candidate_kind]:
        what = f"{task.family} takes a {FIELD_OF[task.candidate_kind]}, not a {candidate.field}"
        return failure(task, "wrong_candidate_kind", ConfigError(what, code="wrong_candidate_kind"))
    try:
        if task.family in TEXT_FAMILIES:
            return _judge_text(task, candidate, settings)
        candidate = prepared(task, candidate, settings)
        static = _STATIC[task.family](task, candidate, settings)
        if static is not None:
            return static
        if sandbox is None:
            return _judge_without_sandbox(task, candidate, settings)
        return _redacted(task, sandbox.verify(task, candidate, settings))
    except (ConfigError, MaterializationError, PathPolicyError) as error:
        return failure(task, None, error)


def _judge_without_sandbox(task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
    """What the text of a candidate alone decides; a sandbox first looks at the base commit."""
    refused = policy_refusal(task, candidate, settings) if task.family == "repo_patch" else None
    if refused is not None:
        return refused
    missing = ConfigError(
        "this row has to be run in a sandbox, which is not used here",
        fix="judge its answers with `assent pack score`",
        code="sandbox_unavailable",
    )
    return failure(task, "sandbox_unavailable", missing)


def _redacted(task: CompiledTask, result: Result) -> Result:
    """What ran beside hidden values may have printed them."""
    hidden = hidden_in(task)
    return result._replace(
        metadata=hidden.without(dict(result.metadata)),
        stdout=hidden.without_texts(result.stdout),
        stderr=hidden.without_texts(result.stderr),
    )


def version_of(task: CompiledTask, settings: Judging, sandbox: Sandbox | None) -> str | None:
    """Name and version of what judges a row; `None` when nothing does."""
    if task.family in TEXT_FAMILIES:
        return verifier_version(task.family, settings.profile)
    return None if sandbox is None or not task.candidate_kind else sandbox.version(task, settings)


def failure(task: CompiledTask, reason: str | None, error: EvalError) -> Result:
    """The result of a row that could not be judged: the pack's fault or the machine's."""
    problem = Problem(
        error.code,
        f"$.{error.where}" if error.where else "$",
        error.what,
        error.fix,
        task.line,
        type(error).__name__,
        task.id,
    )
    return Result(task.id, "error", reason or error.code, problem=problem)


def prepared(task: CompiledTask, candidate: Candidate, settings: Judging) -> Candidate:
    """The candidate that is run: code out of its fences, when that was asked for."""
    if task.candidate_kind != "code" or not settings.extract_code:
        return candidate
    found = extract_code(candidate.value)
    return candidate._replace(value=found.text, extraction=found.source)


def _judge_text(task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
    values = {name: resource.value for name, resource in task.resources.items()}
    verdict = verify_text(task.family, values, candidate.value, settings.profile)
    status: Status = "passed" if verdict.passed else "failed"
    return Result(task.id, status, verdict.reason, metadata=dict(verdict.metadata))


def _code_refusal(task: CompiledTask, candidate: Candidate, _: Judging) -> Result | None:
    if task.value("language", "python") != "python":
        raise ConfigError(
            "only python can be verified", where="input.language", code="unsupported_language"
        )
    tests = task.value("tests")
    code = tests.get("code")
    if tests.get("source") != "inline" or not isinstance(code, str) or not code.strip():
        raise ConfigError(
            "to be verified, tests need source inline and code",
            where="eval.tests",
            code="unusable_tests",
        )
    if not candidate.value.strip():
        return Result(task.id, "failed", "empty_candidate", metadata=_extraction(candidate))
    return None


def _patch_refusal(task: CompiledTask, candidate: Candidate, _: Judging) -> Result | None:
    if not candidate.value.strip():
        return Result(task.id, "failed", "empty_candidate_patch", "candidate_patch")
    return None


def policy_refusal(task: CompiledTask, candidate: Candidate, settings: Judging) -> Result | None:
    """The result of a patch that touches what it may not; `None` when it may be applied."""
    decision = decide(candidate.value, path_policy(task, settings.profile))
    if decision.reason is None:
        return None
    facts = {"denied_paths": list(decision.denied)}
    return Result(task.id, "failed", decision.reason, PHASE, facts)


def path_policy(task: CompiledTask, profile: Profile) -> PathPolicy:
    """Which paths a row lets a patch touch; the policy may stand in either of two places."""
    tests = task.value("tests") or {}
    rules = task.value("candidate_policy") or tests.get("candidate_policy") or {}
    return PathPolicy(
        tuple(rules.get("allow_paths", ())),
        tuple(rules.get("allow_sensitive_paths", ())),
        tuple(rules.get("patch_preserved_paths", ())),
        profile,
    )


def _terminal_refusal(task: CompiledTask, candidate: Candidate, settings: Judging) -> Result | None:
    if candidate.missing:
        return Result(task.id, "failed", "missing_workspace")
    needed = sorted({str(name).strip() for name in task.value("needed_commands") or ()})
    denied = [
        name
        for name in needed
        if name in settings.deny_commands or settings.disallow_dangerous_commands
    ]
    if not denied:
        return None
    facts = {"denied_commands": denied, "needed_commands": needed}
    return Result(task.id, "failed", "verifier_dangerous_command_denied", metadata=facts)


_STATIC: Final = {
    "code_completion": _code_refusal,
    "repo_patch": _patch_refusal,
    "terminal_task": _terminal_refusal,
}


def _extraction(candidate: Candidate) -> dict[str, Any]:
    return {"extraction": candidate.extraction} if candidate.extraction else {}
