"""Verifies rows in the sandbox of this machine."""

from typing import Final

from schemas.errors import ConfigError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, failure
from tasks.packs.references import PackFiles
from tasks.sandbox import code_completion, terminal_task
from tasks.sandbox.finding import find_sandbox
from tasks.sandbox.interface import Backend, SandboxFault

_VERSIONS: Final = {
    "code_completion": code_completion.VERSION,
    "terminal_task": terminal_task.VERSION,
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
        return f"{task.family}/{_VERSIONS.get(task.family, 0)}/{settings.profile}"

    def verify(self, task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
        """The result of a row whose candidate has to be run.

        Raises:
            ConfigError: The row cannot be verified; or one of its two siblings.
        """
        if task.environment.get("image") is not None:
            return _unavailable(task, "rows with an image cannot be run yet")
        if self.backend is None:
            return _unavailable(task, f"there is no sandbox here: {self.reason}")
        try:
            if task.family == "code_completion":
                return code_completion.verify_code(self.backend, task, candidate, settings)
            if task.family == "terminal_task":
                return terminal_task.verify_workspace(
                    self.backend, task, candidate, settings, self.files
                )
            return _unavailable(task, f"{task.family} cannot be run yet")
        except SandboxFault as fault:
            return _unavailable(task, f"the sandbox does not work: {fault}")


def _unavailable(task: CompiledTask, why: str) -> Result:
    return failure(task, "sandbox_unavailable", ConfigError(why, code="sandbox_unavailable"))
