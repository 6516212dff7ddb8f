"""A filter of system calls that no verification needs, as the kernel reads it.

Namespaces and lost capabilities already refuse most of these. The filter keeps the code behind them
out of reach as well, and takes away what they leave: tracing a neighbour, memory outside any
process, keys that outlive the sandbox.
"""

import errno
import platform
import struct
from typing import Final, NamedTuple

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | errno.EPERM
_X32: Final = 0x40000000

# The numbers from 424 on are the same on every machine.
_SHARED: Final = {
    **{"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427},
    **{"open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432},
    **{"fspick": 433, "pidfd_getfd": 438, "mount_setattr": 442, "memfd_secret": 447},
}
_X86_64: Final = {
    **{"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312},
    **{"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "memfd_create": 319},
    **{"add_key": 248, "request_key": 249, "keyctl": 250, "syslog": 103},
    **{"mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308},
    **{"kexec_load": 246, "init_module": 175, "delete_module": 176, "finit_module": 313},
}
_AARCH64: Final = {
    **{"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272},
    **{"bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "memfd_create": 279},
    **{"add_key": 217, "request_key": 218, "keyctl": 219, "syslog": 116},
    **{"mount": 40, "umount2": 39, "pivot_root": 41, "unshare": 97, "setns": 268},
    **{"kexec_load": 104, "init_module": 105, "delete_module": 106, "finit_module": 273},
}


class Machine(NamedTuple):
    """How the kernel names a machine, and the calls that are refused there."""

    audit: int
    calls: dict[str, int]


MACHINES: Final = {
    "x86_64": Machine(0xC000003E, {**_X86_64, **_SHARED}),
    "aarch64": Machine(0xC00000B7, {**_AARCH64, **_SHARED}),
}


def call_filter(machine: str | None = None) -> bytes | None:
    """The filter for a machine, else for this one; `None` where we know no numbers."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    numbers = sorted(known.calls.values())
    # Calls by the numbers of another machine, or of its 32-bit ways, would pass by ours.
    checks = len(numbers) + 1
    program = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 0, checks + 2, known.audit),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, checks, 0, _X32),
        *((_EQUAL, checks - 1 - at, 0, number) for at, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
