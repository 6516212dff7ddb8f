"""Verifies code: the tests in one sandbox, the candidate in another, data between them.

The two share no interpreter, no user, no file and no process table: a candidate can answer what it
is asked, and nothing else. The verdict is the exit status of the side that holds the tests.
"""

import json
import os
import re
import threading
from typing import Final

from schemas.errors import ConfigError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result
from tasks.packs.timeouts import verifying_seconds
from tasks.sandbox.handing import python, scripts
from tasks.sandbox.inside.exits import BAD_TESTS, NOT_IMPORTED, PASSED
from tasks.sandbox.interface import Backend, Command, Limits, Outcome
from tasks.sandbox.reporting import facts, text

VERSION: Final = 1

_WORKER: Final = ("worker", "encoding", "link")
_TRUSTED: Final = ("trusted", "conversation", "proxies", "encoding", "link", "exits")
_DEFINED: Final = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)


def verify_code(
    backend: Backend, task: CompiledTask, candidate: Candidate, settings: Judging
) -> Result:
    """The result of a candidate that is not blank, for a row whose tests can be run.

    Raises:
        ConfigError: The tests are no Python.
        SandboxFault: The sandbox does not work.
    """
    limits = Limits(seconds=verifying_seconds(task, None, settings.profile))
    work = {
        "candidate": candidate.value,
        "tests": task.value("tests")["code"],
        "defined": sorted(_defined(task)),
    }
    trusted, worker = _run(backend, json.dumps(work).encode(), limits)
    if trusted.exit_code == BAD_TESTS:
        raise ConfigError("the tests are no Python", where="eval.tests.code", code="unusable_tests")
    metadata = {
        "isolation": "two_sandboxes",
        **facts(trusted),
        **({"extraction": candidate.extraction} if candidate.extraction else {}),
    }
    result = Result(task.id, "passed", metadata=metadata)
    result = result._replace(stdout=text(worker.stderr), stderr=text(trusted.stderr))
    if trusted.exit_code == PASSED:
        return result
    reason = "verifier_timeout" if trusted.timed_out else "tests_failed"
    phase = "import" if trusted.exit_code == NOT_IMPORTED else "tests"
    return result._replace(status="failed", reason=reason, phase=phase)


def _defined(task: CompiledTask) -> set[str]:
    """Names that the candidate was asked to define, builtins among them."""
    asked = (task.value("prompt"), task.value("starter_code"))
    return {name for shown in asked if isinstance(shown, str) for name in _DEFINED.findall(shown)}


def _run(backend: Backend, work: bytes, limits: Limits) -> tuple[Outcome, Outcome]:
    """Both sides, talking; when the tests have ended the candidate is ended too."""
    (to_worker, from_tests), (to_tests, from_worker) = os.pipe(), os.pipe()
    ends = (to_worker, from_tests, to_tests, from_worker)
    try:
        worker = backend.start(
            Command(
                python("worker"),
                # The side with the tests ends first, so that it is the one to say why.
                limits._replace(seconds=limits.seconds + 5),
                stdin=to_worker,
                stdout=from_worker,
                files=scripts(*_WORKER),
                spaces=("/work",),
                directory="/work",
            )
        )
        trusted = backend.start(
            Command(
                python("trusted", str(to_tests), str(from_tests)),
                limits,
                stdin=work,
                files=scripts(*_TRUSTED),
                descriptors=(to_tests, from_tests),
            )
        )
    finally:
        for end in ends:
            os.close(end)
    watched: list[Outcome] = []
    watcher = threading.Thread(target=lambda: watched.append(worker.collect()), daemon=True)
    watcher.start()
    try:
        outcome = trusted.collect()
    finally:
        worker.stop()
        watcher.join()
    return outcome, watched[0] if watched else Outcome(1)
