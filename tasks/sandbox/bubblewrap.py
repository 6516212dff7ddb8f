"""Confines commands with bubblewrap: namespaces and mounts of their own, no daemon.

A caller who is root first becomes a user without rights: a namespace alone gives root's files a
new name, not a new owner, and root is not bound by the limit on processes.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from tasks.sandbox.identities import new_identity
from tasks.sandbox.interface import MIB, Command, File, Limits, SandboxFault
from tasks.sandbox.interpreter import Interpreter, find_interpreter
from tasks.sandbox.processes import Process
from tasks.sandbox.system_calls import call_filter

PROGRAMS: Final = "/opt/assent/bin"
HOME: Final = "/home/sandbox"
PATH: Final = f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SETTINGS: Final = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d")
_ADDRESS_SPACE: Final = 4
_FILE_LIMITS: Final = ("--core=0:0", "--nofile=1024:1024")
_HOME_BYTES: Final = 64 * MIB


class Tools(NamedTuple):
    """The programs of the machine that confining needs."""

    bwrap: str
    prlimit: str


class Bubblewrap:
    """The sandbox of Linux machines; made by `find_sandbox`, which tries it first."""

    kind = "bubblewrap"

    def __init__(self, tools: Tools) -> None:
        self.tools = tools

    def start(self, command: Command) -> Process:
        """Start a command.

        Raises:
            SandboxFault: The sandbox does not work here.
        """
        identity = new_identity()
        interpreter = find_interpreter(identity)
        if interpreter is None:
            raise SandboxFault("no interpreter of our version that an ordinary user may run")
        with ExitStack() as stack:
            spawned = _Descriptors(stack, command)
            argv = [
                *(self.tools.bwrap, *spawned.flags),
                *arguments(command, interpreter, spawned.files),
                *("--", self.tools.prlimit, *_limit_flags(command.limits), "--"),
                *command.argv,
            ]
            user = {} if identity is None else {"user": identity, "group": identity}
            try:
                process = subprocess.Popen(  # type: ignore[call-overload]
                    argv,
                    stdin=spawned.stdin,
                    stdout=subprocess.PIPE if command.stdout is None else command.stdout,
                    stderr=subprocess.PIPE,
                    pass_fds=spawned.passed,
                    env={},
                    cwd="/",
                    start_new_session=True,
                    **user,
                    **({} if identity is None else {"extra_groups": []}),
                )
            except (OSError, subprocess.SubprocessError) as error:
                raise SandboxFault(f"bubblewrap cannot be started: {error}") from None
            info, report = spawned.keep()
        return Process(process, command, info, report)


class _Descriptors:
    """The descriptors that one sandbox is given; ours are closed with the stack."""

    def __init__(self, stack: ExitStack, command: Command) -> None:
        self._stack = stack
        self._info, self.info_write = self._pipe()
        passed = [self.info_write, *command.descriptors]
        self._report: int | None = None
        if command.prepares:
            self._report, write = self._pipe()
            self.report_write = write
            passed.append(write)
        self.flags: tuple[str, ...] = ("--info-fd", str(self.info_write))
        calls = call_filter()
        if calls is not None:
            passed.append(self._filled(calls))
            self.flags = (*self.flags, "--seccomp", str(passed[-1]))
        files = (*command.files, *_identity_files())
        self.files = [(file.place, self._filled(file.data)) for file in files]
        passed += [descriptor for _, descriptor in self.files]
        if command.prepares:
            self.files.append(("", self.report_write))
        self.stdin = (
            command.stdin if isinstance(command.stdin, int) else self._filled(command.stdin)
        )
        self.passed = tuple(passed)

    def keep(self) -> tuple[int, int | None]:
        """Our ends of the pipes, which outlive the stack."""
        return os.dup(self._info), None if self._report is None else os.dup(self._report)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        for end in ends:
            self._stack.callback(os.close, end)
        return ends

    def _filled(self, data: bytes) -> int:
        # A file without a name: nothing of it is on a disk, or left when we are killed.
        descriptor = os.memfd_create("assent", os.MFD_CLOEXEC)
        self._stack.callback(os.close, descriptor)
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor


def arguments(
    command: Command, interpreter: Interpreter, files: Sequence[tuple[str, int]]
) -> list[str]:
    """How bubblewrap is called, up to the command; a file without a place is the report."""
    report = [descriptor for place, descriptor in files if not place]
    size = str(command.limits.space_bytes)
    built = [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
        *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"),
        *("--setenv", "PATH", PATH, "--setenv", "HOME", HOME, "--setenv", "LANG", "C.UTF-8"),
        *_system(interpreter),
        *("--proc", "/proc", "--dev", "/dev", "--size", str(_HOME_BYTES), "--tmpfs", "/dev/shm"),
        *("--remount-ro", "/dev", "--size", size, "--tmpfs", "/tmp"),
        *("--size", str(_HOME_BYTES), "--tmpfs", HOME),
    ]
    for space in command.spaces:
        built += ["--size", size, "--tmpfs", space]
    for space in command.frozen:
        built += ["--size", size, "--tmpfs", space]
    for place, descriptor in files:
        if place:
            built += ["--perms", "0444", "--ro-bind-data", str(descriptor), place]
    for space in command.frozen:
        built += ["--remount-ro", space]
    for name, value in command.environment.items():
        built += ["--setenv", name, value]
    for name in command.capabilities:
        built += ["--cap-add", name]
    if report:
        built += ["--setenv", "ASSENT_REPORT", str(report[0])]
    return [*built, "--remount-ro", "/", "--chdir", command.directory]


def _system(interpreter: Interpreter) -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in _SYSTEM_LINKS:
        place = Path("/", name)
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), str(place))
        elif place.is_dir():
            yield from ("--ro-bind", str(place), str(place))
    for name in _SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    if interpreter.prefix is not None:
        yield from ("--ro-bind", interpreter.prefix, interpreter.prefix)
    for name in ("python", "python3", Path(interpreter.program).name):
        yield from ("--symlink", interpreter.program, f"{PROGRAMS}/{name}")


def _identity_files() -> tuple[File, ...]:
    """Programs such as git want to know who they are run by; ids inside are those outside."""
    # Which id that is makes no difference to anybody, so any name that is not there will do.
    return (
        File(
            "/etc/passwd",
            f"root:x:0:0::/nonexistent:/bin/false\nsandbox:x:65534:65534::{HOME}:/bin/sh\n".encode(),
        ),
        File("/etc/group", b"root:x:0:\nsandbox:x:65534:\n"),
    )


def _limit_flags(limits: Limits) -> tuple[str, ...]:
    memory = limits.memory_bytes
    pairs = {
        "nproc": limits.processes,
        "data": memory,
        "as": _ADDRESS_SPACE * memory,
        "fsize": limits.space_bytes,
    }
    return (*(f"--{name}={most}:{most}" for name, most in pairs.items()), *_FILE_LIMITS)


def find_tools() -> Tools:
    """The programs that confining needs.

    Raises:
        SandboxFault: One is missing.
    """
    found = {name: shutil.which(name, path="/usr/bin:/bin") for name in Tools._fields}
    missing = [name for name, place in found.items() if place is None]
    if missing:
        raise SandboxFault(f"{' and '.join(missing)} missing (Debian: bubblewrap, util-linux)")
    return Tools(*(str(found[name]) for name in Tools._fields))
