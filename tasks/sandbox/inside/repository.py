"""Builds the repository of a row, applies the patches in order, then becomes the tests.

Everything comes on standard input: a length, JSON of that length, and a git bundle. The bundle and
whatever in it does not belong to the base commit are gone before anything of the candidate runs.
What stopped the work, or that nothing did, is reported before the tests begin.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tasks.sandbox.inside.workspace import become, finish

INBOX = Path("/tmp/inbox")
SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.autocrlf": "false",
    "core.logAllRefUpdates": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "init.defaultBranch": "main",
    "init.templateDir": "",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "protocol.file.allow": "always",
    "submodule.recurse": "false",
    "user.name": "sandbox",
    "user.email": "sandbox@localhost",
}
VARIABLES = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


class Ran(NamedTuple):
    """How one git command ended."""

    ok: bool
    output: bytes
    errors: str
    timed_out: bool = False


class Stopped(Exception):
    """The work ends here, with a report."""

    def __init__(self, status: str, phase: str, reason: str, detail: str = "") -> None:
        super().__init__(phase)
        self.report = {"status": status, "phase": phase, "reason": reason, "detail": detail[-2000:]}


def main() -> None:
    """Do the steps, then be the tests."""
    stream = sys.stdin.buffer
    plan = json.loads(stream.read(int.from_bytes(stream.read(8), "big")))
    try:
        Steps(plan).run(stream.read())
    except Stopped as stopped:
        _end(stopped.report)
    finish({"phase": "checks"})
    become(plan["directory"], plan["command"])


class Steps:
    """The steps of a verification up to the tests."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.directory = Path(plan["directory"])

    def run(self, bundle: bytes) -> None:
        """All of them.

        Raises:
            Stopped: One did not succeed.
        """
        self._clone(bundle)
        head = self._must("base_commit", "rev-parse", "HEAD").output.decode().strip()
        if head != self.plan["base_commit"]:
            raise Stopped("failed", "base_commit", "base_commit_mismatch")
        if self.plan["patch"] is None:
            raise Stopped("refused", "candidate_policy", "")
        if self.plan["setup_patch"]:
            self._must("setup_patch", *_APPLY, data=self.plan["setup_patch"])
        self._must("verifier_baseline", "add", "--all")
        message = ("--quiet", "--no-verify", "--allow-empty", "--message=baseline")
        self._must("verifier_baseline", "commit", *message)
        before = self._untracked()
        self._apply_candidate()
        self._compare_paths(before)
        if self.plan["test_patch"]:
            self._apply_tests()

    def _clone(self, bundle: bytes) -> None:
        """The base commit and what came before it; nothing else of the bundle stays."""
        phase = "base_commit"
        INBOX.mkdir()
        (INBOX / "bundle").write_bytes(bundle)
        whole, settings = str(INBOX / "whole"), self._settings()
        self._must(phase, "init", "--quiet", "--bare", whole, inside=False)
        wanted = (str(INBOX / "bundle"), "HEAD:refs/heads/base")
        self._must(phase, "-C", whole, "fetch", "--quiet", *wanted, inside=False)
        self._must(phase, "init", "--quiet", str(self.directory), inside=False)
        for name, value in settings.items():
            self._must(phase, "config", name, value)
        source = ("fetch", "--quiet", "--no-tags", f"file://{whole}", "refs/heads/base")
        self._must(phase, *source)
        self._must(phase, "reset", "--quiet", "--hard", "FETCH_HEAD")
        for name in ("FETCH_HEAD", "ORIG_HEAD"):
            (self.directory / ".git" / name).unlink(missing_ok=True)
        shutil.rmtree(INBOX)

    def _settings(self) -> dict[str, str]:
        """What stays in the repository: who commits, and that nothing is recorded on the side."""
        kept = ("core.logAllRefUpdates", "user.name", "user.email", "gc.auto")
        return {name: SETTINGS[name] for name in kept}

    def _apply_candidate(self) -> None:
        ran = self._git(*_APPLY, data=self.plan["patch"])
        if not ran.ok:
            reason = "verifier_timeout" if ran.timed_out else "candidate_patch_failed"
            raise Stopped("failed", "candidate_patch", reason, ran.errors)

    def _compare_paths(self, before: set[str]) -> None:
        names = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD")
        tracked = set(_names(self._must("candidate_paths", *names).output))
        if tracked | (self._untracked() - before) != set(self.plan["changed"]):
            raise Stopped("failed", "candidate_policy", "candidate_patch_path_mismatch")

    def _untracked(self) -> set[str]:
        listed = self._must("candidate_paths", "ls-files", "--others", "-z")
        return set(_names(listed.output))

    def _apply_tests(self) -> None:
        ran = self._git(*_APPLY, data=self.plan["test_patch"])
        if ran.ok:
            return
        self._must("test_patch", "reset", "--quiet", "--hard")
        self._must("test_patch", "clean", "--quiet", "-ffdx")
        # Only a patch that would fit without the candidate is the candidate's fault.
        alone = self._git(*_APPLY, "--check", data=self.plan["test_patch"])
        raise Stopped(
            "failed" if alone.ok else "error", "test_patch", "test_patch_failed", ran.errors
        )

    def _must(self, phase: str, *words: str, data: str = "", inside: bool = True) -> Ran:
        ran = self._git(*words, data=data, inside=inside)
        if not ran.ok:
            raise Stopped("error", phase, f"{phase}_failed", ran.errors)
        return ran

    def _git(self, *words: str, data: str = "", inside: bool = True) -> Ran:
        settings = [part for pair in SETTINGS.items() for part in ("-c", "=".join(pair))]
        try:
            done = subprocess.run(
                ["git", *settings, *words],
                cwd=self.directory if inside else "/tmp",
                env={**os.environ, **VARIABLES},
                input=data.encode("utf-8", "surrogateescape"),
                capture_output=True,
                timeout=self.plan["step_seconds"],
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(False, b"", "timed out", timed_out=True)
        return Ran(done.returncode == 0, done.stdout, done.stderr.decode("utf-8", "replace"))


_APPLY = ("apply", "--binary", "--whitespace=nowarn")


def _names(listed: bytes) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]


def _end(report: dict[str, str]) -> NoReturn:
    finish(report)
    os._exit(0)
