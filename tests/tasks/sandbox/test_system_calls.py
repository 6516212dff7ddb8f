"""Which system calls a command in the sandbox is refused."""

import platform

import pytest

from tasks.sandbox.system_calls import MACHINES, call_filter
from tests.support.sandboxes import run_python

ASK = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {calls!r}.items():
    ctypes.set_errno(0)
    libc.syscall(number, 0, 0, 0, 0, 0)
    print(name, errno.errorcode.get(ctypes.get_errno(), "allowed"))
"""


@pytest.mark.needs("bubblewrap")
def test_every_call_of_the_list_is_refused_and_others_are_not() -> None:
    calls = MACHINES[platform.machine()].calls
    said = run_python(ASK.format(calls=calls)).stdout.decode().splitlines()
    assert dict(line.split() for line in said) == dict.fromkeys(calls, "EPERM")


@pytest.mark.needs("bubblewrap")
def test_a_process_cannot_trace_its_neighbour() -> None:
    code = """
import ctypes, os, time
child = os.fork()
if child == 0:
    time.sleep(60)
print(ctypes.CDLL(None).ptrace(16, child, 0, 0))
os.kill(child, 9)
"""
    assert run_python(code).stdout == b"-1\n"


def test_a_machine_whose_numbers_we_do_not_know_has_no_filter() -> None:
    assert call_filter("riscv64") is None


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_jumps_of_a_filter_end_at_one_of_its_two_answers(machine: str) -> None:
    program = call_filter(machine)
    assert program is not None
    steps = [program[at : at + 8] for at in range(0, len(program), 8)]
    last = len(steps) - 1
    for at, step in enumerate(steps[:-2]):
        yes, no = step[2], step[3]
        if step[0] != 0x20:
            targets = {at + 1 + yes, at + 1 + no} - {at + 1}
            assert targets == {last}, at
