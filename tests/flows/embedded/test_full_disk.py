"""Disks that are full or refuse: one line, exit 3, and the next run goes on."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.runs import Desk, Outcome, benchmark

ASSENT = str(Path(sys.executable).parent / "assent")
SMALL_BYTES = 1024 * 1024


class SmallDisk:
    """A directory with little room: a disk of its own or, where mounting fails, a limit."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        self.is_mounted = mount("-t", "tmpfs", "-o", f"size={SMALL_BYTES}", "tmpfs", str(place))
        self._limit = resource.RLIM_INFINITY if self.is_mounted else SMALL_BYTES

    def fill(self) -> None:
        self._limit = resource.RLIM_INFINITY if self.is_mounted else 512
        with (self.place / "filler").open("wb", buffering=0) as file, suppress(OSError):
            while self.is_mounted:
                file.write(bytes(4096))

    def make_room(self) -> None:
        self._limit = resource.RLIM_INFINITY
        (self.place / "filler").unlink(missing_ok=True)
        if self.is_mounted:
            assert mount("-o", "remount,size=200m", str(self.place))

    def limit_files(self) -> None:
        """For a process that is about to start."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._limit, resource.RLIM_INFINITY))

    def close(self) -> None:
        if self.is_mounted:
            subprocess.run(["umount", "-l", str(self.place)], check=True)


def mount(*args: str) -> bool:
    try:
        return subprocess.run(["mount", *args], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallDisk]:
    """A directory that is soon full."""
    disk = SmallDisk(tmp_path_factory.mktemp("disks") / "small")
    try:
        yield disk
    finally:
        disk.close()


def run(disk: SmallDisk, home: Path, *args: str) -> Outcome:
    command = [ASSENT, "evaluate", "bench.json", "--model", "control/coin", "--engine", "embedded"]
    done = subprocess.run(
        [*command, "--format", "json", "--quiet", *args],
        env=os.environ | {"ASSENT_HOME": str(home)},
        preexec_fn=disk.limit_files,
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def contents(place: Path) -> dict[str, bytes]:
    found = (path for path in place.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def test_a_full_disk_stops_the_run_with_one_line_and_the_next_one_goes_on(
    desk: Desk, small_disk: SmallDisk
) -> None:
    desk.write(benchmark(40))
    home = small_disk.place / "home"
    full = run(small_disk, home, "--n-samples", "100")
    assert full.code == 3, full
    (error,) = full.json["errors"]
    assert error["message"].startswith("the sample store sqlite:///")
    assert "\n" not in error["message"]
    assert (full.err, desk.files()) == ("", set())
    small_disk.make_room()
    done = run(small_disk, home, "--n-samples", "100")
    assert done.code == 0, done
    assert done.json["reused"] > 0
    assert done.json["calls"] + done.json["reused"] == 4000


def test_a_full_disk_while_publishing_leaves_the_former_run_untouched(
    desk: Desk, small_disk: SmallDisk
) -> None:
    desk.write(benchmark(40))
    options = ("--output-dir", str(small_disk.place), "--run-id", "r1")
    assert run(small_disk, desk.path / "home", *options).code == 0
    before = contents(small_disk.place)
    small_disk.fill()
    full = run(small_disk, desk.path / "home", *options)
    assert full.code == 3, full
    assert full.json["errors"][0]["message"].startswith("cannot write ")
    small_disk.make_room()
    assert contents(small_disk.place) == before


@pytest.mark.parametrize("home", ["occupied/home", "occupied", "/proc/assent"])
def test_a_state_directory_that_cannot_be_made_is_exit_3(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    desk.write(benchmark(1))
    (desk.path / "occupied").write_text("a file where a directory is needed")
    monkeypatch.setenv("ASSENT_HOME", home)
    outcome = desk.try_evaluate()
    assert outcome.code == 3, outcome
    (error,) = outcome.json["errors"]
    assert "ASSENT_HOME" in error["fix"]
    assert desk.files() == {"occupied"}


def test_a_store_that_is_no_database_is_exit_3(desk: Desk) -> None:
    desk.write(benchmark(1))
    (desk.path / ".assent").mkdir()
    (desk.path / ".assent" / "samples.sqlite").write_text("this is not a database" * 100)
    outcome = desk.try_evaluate()
    assert (outcome.code, outcome.json["errors"][0]["code"]) == (3, "state_unusable")
    assert "samples.sqlite" in outcome.json["errors"][0]["message"]


@pytest.mark.parametrize(
    "options",
    [("-o", "file/eta.json"), ("--log", "file/run.log"), ("--output-dir", "file/out")],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_exit_3_and_publishes_nothing(
    desk: Desk, options: tuple[str, str]
) -> None:
    desk.write(benchmark(1))
    (desk.path / "file").write_text("a file where a directory is needed")
    outcome = desk.try_evaluate(*options)
    assert (outcome.code, outcome.json["errors"][0]["code"]) == (3, "unwritable")
    assert desk.files() == {"file"}
