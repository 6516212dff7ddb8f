"""The Python that commands in a sandbox use: of the version that runs us, and readable to them."""

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

SYSTEM = Path("/usr")


class Interpreter(NamedTuple):
    """An interpreter, and the directory to be shown for it; none when the system's holds it."""

    program: str
    prefix: str | None


def find_interpreter(identity: int | None) -> Interpreter | None:
    """The interpreter for a user id, `None` standing for our own; `None` when there is none."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    own = Path(sys.base_prefix).resolve() / "bin" / name
    if own.is_relative_to(SYSTEM):
        return Interpreter(str(own), None)
    if identity is None or _is_open(own):
        return Interpreter(str(own), str(own.parent.parent)) if own.exists() else None
    for place in (SYSTEM / "bin" / name, SYSTEM / "local/bin" / name):
        if place.exists() and place.resolve().is_relative_to(SYSTEM) and os.access(place, os.X_OK):
            return Interpreter(str(place), None)
    return None


def _is_open(program: Path) -> bool:
    """Whether everybody may run it, every directory on the way included."""
    try:
        ways = (program.resolve(), *program.resolve().parents)
        return all(way.stat().st_mode & stat.S_IXOTH for way in ways)
    except OSError:
        return False
