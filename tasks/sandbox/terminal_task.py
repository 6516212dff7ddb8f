"""Verifies workspaces: a checker looks at a copy of what the candidate left.

The copy lives in the memory of the sandbox, so the host's directory cannot change. What belongs to
the evaluation is mounted read-only, where no file of the candidate can stand in its place.
"""

import json
import posixpath
import tempfile
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from schemas.errors import ConfigError, MaterializationError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result
from tasks.packs.plans import PlannedFile, plan_for
from tasks.packs.references import PackFiles
from tasks.packs.timeouts import verifying_seconds
from tasks.sandbox.archives import Archived, archive
from tasks.sandbox.handing import python, scripts
from tasks.sandbox.interface import Backend, Command, File, Limits, Outcome, SandboxFault
from tasks.sandbox.places import require_free_place
from tasks.sandbox.reporting import facts, text

VERSION: Final = 1

WORKSPACE: Final = "/workspace"
EVALUATOR: Final = "/opt/securebench/evaluator"
RESERVED: Final = "securebench"
MOST_FILES: Final = 200
CAPABILITIES: Final = {"chroot": "CAP_SYS_CHROOT"}


class Checker(NamedTuple):
    """What is run, where, and with which files of the evaluation."""

    argv: tuple[str, ...]
    directory: str
    files: tuple[File, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})


def verify_workspace(
    backend: Backend, task: CompiledTask, candidate: Candidate, settings: Judging, files: PackFiles
) -> Result:
    """The result of a workspace that is a directory.

    Raises:
        ConfigError: The row cannot be verified; or one of its two siblings.
        SandboxFault: The sandbox does not work.
    """
    target = str(task.environment.get("workdir") or WORKSPACE)
    require_free_place(target, "environment.workdir")
    planned = [
        (file, files.read(file.lane, file.source) if file.content is None else file.content)
        for file in plan_for(task, "test_sandbox", files).files
    ]
    mounted = [(file, data) for file, data in planned if _is_mounted(file)]
    if len(mounted) > MOST_FILES:
        message = f"{len(mounted)} files for one checker are more than {MOST_FILES}"
        raise MaterializationError(message, code="too_many_files")
    checker = _checker(task, target, files)
    with tempfile.TemporaryFile() as packed:
        found = archive(candidate.value, packed, [p for p in planned if not _is_mounted(p[0])])
        if found.too_large:
            return Result(task.id, "failed", "candidate_too_large")
        outcome = backend.start(
            Command(
                python("workspace", target, checker.directory, *checker.argv),
                _limits(task, settings),
                stdin=packed.fileno(),
                files=(
                    *scripts("workspace", "pytest_checker"),
                    *checker.files,
                    *(File(f"{target}/{file.destination}", data) for file, data in mounted),
                ),
                spaces=(target,),
                frozen=(f"{target}/{RESERVED}",),
                environment=checker.environment,
                capabilities=tuple(CAPABILITIES[n] for n in task.value("needed_commands") or ()),
                prepares=True,
            )
        ).collect()
    return _result(task, outcome, found)


def _is_mounted(file: PlannedFile) -> bool:
    """A file that the candidate was free to change is taken from its workspace, if it is there."""
    return file.read_only or file.destination.startswith(f"{RESERVED}/")


def _limits(task: CompiledTask, settings: Judging) -> Limits:
    seconds = verifying_seconds(task, None, settings.profile)
    return Limits(seconds=seconds, preparing_seconds=max(2 * seconds, 30.0))


def _checker(task: CompiledTask, target: str, files: PackFiles) -> Checker:
    checker = task.value("checker")
    if "command" in checker:
        command = checker["command"]
        argv = ("sh", "-lc", command) if isinstance(command, str) else tuple(command)
        return Checker(argv, posixpath.join(target, checker.get("workdir") or target))
    place = str(checker["path"])
    folder = posixpath.dirname(place)
    names = files.look("eval", folder or place).files
    handed = tuple(
        File(f"{EVALUATOR}/{posixpath.relpath(name, folder or '.')}", files.read("eval", name))
        for name in names
    )
    if len(handed) > MOST_FILES:
        message = f"{len(handed)} files beside the checker are more than {MOST_FILES}"
        raise MaterializationError(message, where="eval.checker.path", code="too_many_files")
    script = f"{EVALUATOR}/{posixpath.basename(place)}"
    kinds = {"pytest": python("pytest_checker", script), "script": ("bash", script)}
    if checker["source"] not in kinds:
        raise ConfigError("unknown source", where="eval.checker.source", code="unusable_checker")
    variables = {"SECUREBENCH_WORKSPACE": target, "SECUREBENCH_EVALUATOR": EVALUATOR}
    return Checker(kinds[checker["source"]], target, handed, {**variables, "TEST_DIR": EVALUATOR})


def _result(task: CompiledTask, outcome: Outcome, found: Archived) -> Result:
    try:
        report: dict[str, Any] = json.loads(outcome.report)
    except ValueError:
        raise SandboxFault(
            f"the workspace was not unpacked: {text(outcome.stderr)[-200:]}"
        ) from None
    metadata = facts(outcome)
    for name, names in (("left_out", list(found.left_out)), ("replaced", report["skipped"])):
        if names:
            metadata[name] = names[:100]
    result = Result(
        task.id,
        "passed",
        metadata=metadata,
        stdout=text(outcome.stdout),
        stderr=text(outcome.stderr),
    )
    if outcome.exit_code == 0:
        return result
    reason = "verifier_timeout" if outcome.timed_out else "checker_failed"
    return result._replace(status="failed", reason=reason, phase="checker")
