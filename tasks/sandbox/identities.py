"""User ids for sandboxes of a caller who is root: real ones, without rights, one per sandbox.

A process of root escapes the limit on processes, and owns whatever root owns. Limits per user
are shared by everything that runs under one id, hence a new id each time.
"""

import itertools
import os
from pathlib import Path
from typing import Final

_FIRST: Final = 2_000_000
_PER_PROCESS: Final = 1_000
_PROCESSES: Final = 400_000
_FIRST_IN_SMALL_RANGE: Final = 40_000
_SMALL_RANGE: Final = 20_000

_turns = itertools.count()


def new_identity() -> int | None:
    """An id that no other sandbox of this machine has now; `None` when we are no root."""
    if os.geteuid() != 0:
        return None
    turn = next(_turns) % _PER_PROCESS
    number = (os.getpid() % _PROCESSES) * _PER_PROCESS + turn
    if _is_known(_FIRST + _PROCESSES * _PER_PROCESS):
        return _FIRST + number
    # Root of a container that was given the usual 65,536 ids only.
    return _FIRST_IN_SMALL_RANGE + number % _SMALL_RANGE


def _is_known(identity: int) -> bool:
    """Whether an id exists in the user namespace we are in."""
    try:
        lines = Path("/proc/self/uid_map").read_text().splitlines()
        ranges = [tuple(map(int, line.split())) for line in lines]
    except (OSError, ValueError):
        return False
    return any(inside <= identity < inside + count for inside, _, count in ranges)
