"""Verifies rows in the sandbox of this machine."""

from typing import Final

from schemas.errors import ConfigError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, failure, policy_refusal
from tasks.packs.references import PackFiles
from tasks.sandbox import code_completion, repo_patch, terminal_task
from tasks.sandbox.finding import find_sandbox
from tasks.sandbox.interface import Backend, SandboxFault

_VERSIONS: Final = {
    "code_completion": code_completion.VERSION,
    "repo_patch": repo_patch.VERSION,
    "terminal_task": terminal_task.VERSION,
}

_WITH_FILES: Final = {
    "repo_patch": repo_patch.verify_patch,
    "terminal_task": terminal_task.verify_workspace,
}


class LocalSandbox:
    """What judges rows that have to be run; a row that names an image is not among them."""

    def __init__(self, files: PackFiles, backend: Backend | None = None) -> None:
        self.files = files
        found = find_sandbox()
        self.backend, self.reason = backend or found.backend, found.reason
        self.kind = "none" if self.backend is None else self.backend.kind

    def version(self, task: CompiledTask, settings: Judging) -> str:
        """Name and version of the verifier of a row, as records keep it."""
        return f"{task.family}/{settings.profile}/{_VERSIONS[task.family]}"

    def verify(self, task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
        """The result of a row whose candidate has to be run.

        Raises:
            ConfigError: The row cannot be verified; or one of its two siblings.
        """
        why = self._obstacle(task)
        if why is not None or self.backend is None:
            # The text of a patch can be judged anywhere; a sandbox looks at the base commit first.
            is_patch = task.family == "repo_patch"
            refused = policy_refusal(task, candidate, settings) if is_patch else None
            return refused or _unavailable(task, why or self.reason)
        try:
            if task.family == "code_completion":
                return code_completion.verify_code(self.backend, task, candidate, settings)
            verify = _WITH_FILES[task.family]
            return verify(self.backend, task, candidate, settings, self.files)
        except SandboxFault as fault:
            return _unavailable(task, f"the sandbox does not work: {fault}")

    def _obstacle(self, task: CompiledTask) -> str | None:
        """Why a row cannot be run here."""
        if task.environment.get("image") is not None:
            return "rows with an image cannot be run yet"
        return None if self.backend else f"there is no sandbox here: {self.reason}"


def _unavailable(task: CompiledTask, why: str) -> Result:
    return failure(task, "sandbox_unavailable", ConfigError(why, code="sandbox_unavailable"))
