"""Directories for files in the making, and what killed processes left of theirs.

Whoever works in one holds a lock on a file in it. The system lets go of the lock when the process
ends, however it ends: a directory whose lock can be had belongs to nobody.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

LOCK = ".lock"
# A directory without a lock may be a moment old, and its owner about to lock it.
UNLOCKED_SECONDS = 24 * 3600.0


@contextlib.contextmanager
def working_directory(scratch: Path) -> Iterator[Path]:
    """A directory of one's own below `scratch`; gone afterwards, or with the next one."""
    remove_abandoned(scratch)
    with tempfile.TemporaryDirectory(dir=scratch) as folder, _locked(Path(folder)):
        yield Path(folder)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    unlocked = folder / f"{LOCK}.new"
    with unlocked.open("xb") as lock:
        # Where locks are not supported the directory just stays after a kill, for a day.
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Under its name only once it is locked: nobody ever finds it free.
            unlocked.rename(folder / LOCK)
        yield


def remove_abandoned(scratch: Path) -> None:
    """Remove what processes left behind that are no longer there."""
    for folder in scratch.iterdir():
        with contextlib.suppress(OSError):
            if folder.is_dir() and not folder.is_symlink() and _is_abandoned(folder):
                shutil.rmtree(folder)


def _is_abandoned(folder: Path) -> bool:
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime > UNLOCKED_SECONDS
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
