"""Our own scripts as files of a sandbox."""

from importlib.resources import files
from typing import Final

from tasks.sandbox.interface import File

PLACE: Final = "/opt/assent/lib"
_PACKAGE: Final = "tasks.sandbox.inside"


def python(name: str, *arguments: str) -> tuple[str, ...]:
    """How a script is run: nothing of its surroundings is read before it."""
    start = f"import sys; sys.path.insert(0, {PLACE!r}); from {_PACKAGE} import {name}"
    return ("python3", "-I", "-B", "-c", f"{start}; del sys.path[0]; {name}.main()", *arguments)


def scripts(*names: str) -> tuple[File, ...]:
    """Scripts of `inside`, to be handed to a sandbox."""
    folder = files(_PACKAGE)
    return tuple(
        File(
            f"{PLACE}/{_PACKAGE.replace('.', '/')}/{name}.py", (folder / f"{name}.py").read_bytes()
        )
        for name in names
    )
