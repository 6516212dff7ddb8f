"""What every sandbox offers: a command with its files and limits, and how it ended."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, Protocol

MIB: Final = 2**20
TIMED_OUT: Final = 124
KILLED: Final = 137

Enforcement = Literal["kernel", "polled", "none"]


class Limits(NamedTuple):
    """What one command may use; memory and processes are those of all its processes together."""

    seconds: float = 30.0
    preparing_seconds: float = 30.0
    processes: int = 256
    memory_bytes: int = 1024 * MIB
    output_bytes: int = 16 * MIB
    space_bytes: int = 512 * MIB


class File(NamedTuple):
    """A file that the command can read and nobody in the sandbox can change."""

    place: str
    data: bytes


class Command(NamedTuple):
    """What is run.

    `stdin` is bytes, or a descriptor. `spaces` are empty directories to write to; those in `frozen`
    hold only `files`. A command that `prepares` finds a descriptor in the variable ASSENT_REPORT;
    its own time begins when that is closed, and what it wrote there is kept.
    """

    argv: Sequence[str]
    limits: Limits = Limits()
    stdin: bytes | int = b""
    stdout: int | None = None
    files: Sequence[File] = ()
    spaces: Sequence[str] = ()
    frozen: Sequence[str] = ()
    directory: str = "/"
    environment: Mapping[str, str] = {}
    descriptors: Sequence[int] = ()
    capabilities: Sequence[str] = ()
    prepares: bool = False


class Outcome(NamedTuple):
    """How a command ended; `exceeded` names the limit for which it was stopped."""

    exit_code: int
    stdout: bytes = b""
    stderr: bytes = b""
    report: bytes = b""
    timed_out: bool = False
    prepared: bool = True
    exceeded: str | None = None
    truncated: tuple[str, ...] = ()
    limits: Mapping[str, Enforcement] = {}


class Running(Protocol):
    """A command that was started."""

    def collect(self) -> Outcome:
        """Wait for the end, or bring it about; nothing of the command is left afterwards."""

    def stop(self) -> None:
        """Make it end now; it still has to be collected."""


class Backend(Protocol):
    """One way to confine commands."""

    kind: str

    def start(self, command: Command) -> Running:
        """Start a command.

        Raises:
            SandboxFault: The sandbox itself does not work.
        """


class SandboxFault(Exception):
    """The sandbox does not work here; never the fault of what was to be run."""
