"""Finds a sandbox that works here: by running something in it, not by finding its program."""

import functools
import sys
from typing import Final, NamedTuple

from tasks.sandbox.bubblewrap import Bubblewrap, find_tools
from tasks.sandbox.interface import Backend, Command, Limits, SandboxFault

_QUESTION: Final = (
    "import os,sys;"
    "print(sys.version_info[0],sys.version_info[1],os.getuid()!=0,"
    "os.path.exists('/root/.') or os.path.exists('/home/sandbox/..//root'),"
    "open('/proc/self/status').read().split('CapEff:')[1].split()[0])"
)


class Found(NamedTuple):
    """A sandbox, or why there is none."""

    backend: Backend | None
    reason: str = ""


@functools.cache
def find_sandbox() -> Found:
    """The sandbox of this machine, tried once per process."""
    if sys.platform != "linux":
        return Found(None, "code is run on Linux only, where bubblewrap can confine it")
    try:
        backend = Bubblewrap(find_tools())
        require_confinement(backend)
    except SandboxFault as fault:
        return Found(None, str(fault))
    return Found(backend)


def require_confinement(backend: Backend) -> None:
    """Run something in a sandbox and look whether it was confined.

    Raises:
        SandboxFault: It was not, or did not run at all.
    """
    command = Command(("python3", "-I", "-c", _QUESTION), Limits(seconds=20.0))
    outcome = backend.start(command).collect()
    wanted = f"{sys.version_info[0]} {sys.version_info[1]} True False 0000000000000000"
    said = outcome.stdout.decode("utf-8", "replace").strip()
    if outcome.exit_code != 0 or said != wanted:
        why = outcome.stderr.decode("utf-8", "replace").strip()[-300:]
        raise SandboxFault(f"a trial command did not run confined: {why or said!r}")
