"""How much memory a process and all that came of it use, as the system tells us."""

import os
from collections.abc import Iterator
from pathlib import Path


def used_bytes(pid: int, limit: int) -> int:
    """Bytes in use; what processes share counts once, if it matters for the limit."""
    pids = list(_family(pid))
    quick = sum(map(_resident, pids))
    # The exact figure is dear; the quick one counts shared pages for every process, and so is
    # never too small.
    return quick if quick <= limit else sum(map(_proportional, pids))


def _family(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        at = waiting.pop()
        yield at
        try:
            for thread in Path(f"/proc/{at}/task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
        except (OSError, ValueError):
            continue


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except StopIteration:
        return 0
    except OSError:
        return _resident(pid)
