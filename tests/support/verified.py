"""One row of a pack on disk, verified in the sandbox of this machine."""

from pathlib import Path

from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.sandbox.verifying import LocalSandbox
from tasks.storage.packs import open_pack


def verify_row(
    pack: Path, *, workspace: str | None = None, patch: str = "", dangerous: bool = False
) -> Result:
    opened = open_pack(str(pack), None, "target")
    candidate = (
        Candidate("patch", patch) if workspace is None else Candidate("workspace", workspace)
    )
    settings = Judging(disallow_dangerous_commands=not dangerous)
    return judge(opened.tasks(None)[0], candidate, settings, LocalSandbox(opened.files))
