"""Directories of processes that were killed are removed, those of living ones are not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.storage.scratch import UNLOCKED_SECONDS, remove_abandoned, working_directory

HOLD = """
import sys, time
from pathlib import Path
from tasks.storage.scratch import working_directory
with working_directory(Path(sys.argv[1])) as folder:
    (folder / "table.parquet").write_bytes(b"half")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that works in a directory of its own."""
    root = Path(__file__).resolve().parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=root
    )


def test_what_a_killed_process_left_is_removed_by_the_next_one(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    assert holder.stdout is not None
    with holder:
        folder = Path(holder.stdout.readline().strip())
        with working_directory(tmp_path):
            assert (folder / "table.parquet").exists()
        holder.send_signal(signal.SIGKILL)
    assert folder.exists()
    with working_directory(tmp_path) as own:
        assert list(tmp_path.iterdir()) == [own]
    assert list(tmp_path.iterdir()) == []


def test_a_directory_of_the_same_process_is_left_alone(tmp_path: Path) -> None:
    with working_directory(tmp_path) as first, working_directory(tmp_path) as second:
        assert first != second
        remove_abandoned(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([first, second])


def test_a_directory_without_a_lock_is_removed_when_it_is_old(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.mkdir()
    old.mkdir()
    long_ago = time.time() - UNLOCKED_SECONDS - 10
    os.utime(old, (long_ago, long_ago))
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [new]


def test_links_and_files_are_not_touched(tmp_path: Path) -> None:
    scratch, elsewhere = tmp_path / "scratch", tmp_path / "elsewhere"
    scratch.mkdir()
    elsewhere.mkdir()
    (elsewhere / ".lock").touch()
    (scratch / "link").symlink_to(elsewhere)
    (scratch / "file").touch()
    remove_abandoned(scratch)
    assert len(list(scratch.iterdir())) == 2
    assert elsewhere.exists()
