"""What attacks leave behind, and what they do to the rows beside them."""

import os
import tempfile
from pathlib import Path

import pytest

from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging
from tasks.sandbox.scoring import judge_in_parallel
from tests.attacks.corpus import attacks
from tests.support.scored_rows import NoFiles, compiled, row

pytestmark = pytest.mark.needs("bubblewrap")
EXHAUSTING = ("fork-bomb", "memory", "disk", "endless-loop", "output-flood")
HONEST = "def twice(x):\n    return x + x\n"


def manifest() -> tuple[set[str], set[str], set[str], set[str]]:
    """Our descendants, the mounts, and the files of temporary and shared directories."""
    mounts = set(Path("/proc/self/mountinfo").read_text().splitlines())
    temporary = {str(path) for path in Path(tempfile.gettempdir()).iterdir() if _is_ours(path)}
    shared = {str(path) for path in Path("/dev/shm").iterdir() if _is_ours(path)}
    return _descendants(os.getpid()), mounts, temporary, shared


def _is_ours(path: Path) -> bool:
    """Other programs use these directories too; sandboxes of root have ids from 2,000,000 on."""
    try:
        owner = path.lstat().st_uid
    except FileNotFoundError:
        return False
    return owner >= 2_000_000 or path.name.startswith("assent")


def _descendants(pid: int) -> set[str]:
    found = set[str]()
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            found |= {child, *_descendants(int(child))}
    return found


def test_rows_beside_an_exhausting_one_keep_their_verdict_and_nothing_is_left() -> None:
    before = manifest()
    hostile = [attack for attack in attacks() if attack.name in EXHAUSTING]
    assert len(hostile) == len(EXHAUSTING)
    pairs = []
    for attack in hostile:
        limit = {"timeout_seconds": 3}
        pairs.append(
            (
                compiled(row("code_completion", attack.name, environment=limit)),
                Candidate("text", attack.source),
            )
        )
        pairs.append((compiled(row("code_completion", "honest")), Candidate("text", HONEST)))
    results = judge_in_parallel(pairs, Judging(), NoFiles(), workers=4)
    assert [result.status for result in results] == ["failed", "passed"] * len(hostile)
    assert manifest() == before
