"""What a command in the sandbox can reach, use and leave behind."""

import secrets
import sys
from pathlib import Path

import pytest

from tasks.sandbox.interface import MIB, File, Limits
from tests.support.sandboxes import run, run_python

pytestmark = pytest.mark.needs("bubblewrap")


def test_a_command_has_its_exit_code_its_input_and_its_output() -> None:
    outcome = run("sh", "-c", "cat; echo oops >&2; exit 7", stdin=b"hello")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (7, b"hello", b"oops\n")
    assert (outcome.timed_out, outcome.exceeded, outcome.truncated) == (False, None, ())


def test_the_environment_holds_three_variables_and_none_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_SECRET", "x")
    said = run_python("import os; print(sorted(os.environ))").stdout.decode()
    # Python itself sets LC_CTYPE where the locale is C; ours is C.UTF-8.
    assert said.strip() == "['HOME', 'LANG', 'PATH', 'PWD']"


def test_nothing_of_the_host_is_there_but_system_directories(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    places = [str(tmp_path), str(Path.cwd()), str(Path(__file__)), "/root", "/etc/shadow"]
    said = run_python(f"import os; print([p for p in {places!r} if os.path.exists(p)])")
    assert said.stdout == b"[]\n"
    links = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
    own = ("dev", "etc", "home", "opt", "proc", "tmp", "usr")
    there = (*own, *(name for name in links if Path("/", name).exists()))
    assert run("sh", "-c", "echo /*").stdout.decode().split() == sorted(f"/{n}" for n in there)


def test_python_is_of_our_version() -> None:
    said = run("python3", "-c", "import sys; print(*sys.version_info[:2])").stdout
    assert said.decode().split() == [str(part) for part in sys.version_info[:2]]


def test_no_directory_of_the_path_can_be_written_to() -> None:
    code = "import os; print([p for p in os.environ['PATH'].split(':') if os.access(p, os.W_OK)])"
    assert run_python(code).stdout == b"[]\n"


def test_a_command_is_no_root_and_has_no_capabilities() -> None:
    said = run("sh", "-c", "id -u; grep -E '^(Cap|NoNewPrivs)' /proc/self/status").stdout.decode()
    user, *lines = said.splitlines()
    assert int(user) != 0
    values = dict(line.split(":\t") for line in lines)
    assert values.pop("NoNewPrivs") == "1"
    assert values == dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), "0" * 16)


def test_a_command_inherits_only_its_three_streams() -> None:
    said = run_python("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])")
    assert said.stdout == b"[0, 1, 2]\n"


def test_a_file_that_is_handed_in_can_be_read_and_not_changed() -> None:
    file = File("/opt/assent/in/word", b"hidden")
    script = "cat /opt/assent/in/word; chmod 777 /opt/assent/in/word; echo x > /opt/assent/in/word"
    outcome = run("sh", "-c", script, files=(file,))
    assert outcome.stdout == b"hidden"
    assert outcome.exit_code != 0


def test_a_command_that_takes_too_long_ends_with_124_and_keeps_its_output() -> None:
    script = "trap '' TERM INT HUP; echo begun; while :; do :; done"
    outcome = run("sh", "-c", script, limits=Limits(seconds=0.5))
    assert (outcome.exit_code, outcome.timed_out, outcome.stdout) == (124, True, b"begun\n")


def test_output_above_the_cap_is_cut_and_said_to_be() -> None:
    outcome = run("head", "-c", "300000", "/dev/zero", limits=Limits(output_bytes=100_000))
    assert (len(outcome.stdout), outcome.truncated, outcome.exit_code) == (100_000, ("stdout",), 0)


def test_a_process_that_asks_for_too_much_memory_does_not_get_it() -> None:
    code = "\ntry:\n    bytearray(80 * 2**20)\nexcept MemoryError:\n    print('no')\n"
    assert run_python(code, limits=Limits(memory_bytes=64 * MIB)).stdout == b"no\n"


def test_processes_that_take_too_much_memory_together_are_stopped() -> None:
    code = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        kept = b"x" * (50 * 2**20)
        time.sleep(60)
time.sleep(60)
"""
    outcome = run_python(code, limits=Limits(memory_bytes=100 * MIB))
    assert (outcome.exit_code, outcome.exceeded) == (137, "memory")
    assert outcome.limits["memory"] == "polled"


def test_space_is_bounded() -> None:
    script = "head -c 3000000 /dev/zero > /tmp/a"
    assert run("sh", "-c", script, limits=Limits(space_bytes=2 * MIB)).exit_code != 0
    assert run("sh", "-c", script, limits=Limits(space_bytes=8 * MIB)).exit_code == 0


def test_the_number_of_processes_is_bounded_for_each_command_by_itself() -> None:
    code = """
import os, time
made = 0
while made < 100:
    try:
        if os.fork() == 0:
            time.sleep(60)
    except OSError:
        break
    made += 1
print(made)
"""
    limits = Limits(processes=20)
    first, second = (int(run_python(code, limits=limits).stdout) for _ in range(2))
    # The first process of the sandbox counts too.
    assert first == second
    assert 15 <= first < 20


def test_when_a_command_has_ended_no_process_of_it_is_left() -> None:
    mark = f"7{secrets.randbelow(10**8):08}"
    script = f"(setsid sleep {mark} >/dev/null 2>&1 &); exec >&- 2>&-; exit 0"
    assert run("sh", "-c", script).exit_code == 0
    assert _command_lines(mark) == []
    assert run("sh", "-c", f"sleep {mark}", limits=Limits(seconds=0.5)).timed_out
    assert _command_lines(mark) == []


def _command_lines(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found
