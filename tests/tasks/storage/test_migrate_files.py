"""Files that change or vanish while they are migrated."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.outputs.migration import MigrationFailed
from tasks.storage.migrate_files import FileResult, Migrator, Options
from tests.support.output_documents import legacy, valid
from tests.support.repository import as_bytes, write_file


class Restless(type(Path())):  # type: ignore[misc]  # the class of paths on this system
    """A path at which something happens whenever it has been opened so many times."""

    after: int
    happens: Callable[[Path], object]
    opened = 0

    def __fspath__(self) -> str:
        # What is asked to open a file asks this first.
        if self.opened == self.after:
            self.happens(Path(str(self)))
        self.opened += 1
        return str(self)


def restless(path: Path, after: int, happens: Callable[[Path], object]) -> Path:
    found = Restless(path)
    found.after, found.happens = after, happens
    return found


def migrate(root: Path, path: str, source: Path, *, move: bool = True) -> FileResult:
    return Migrator(root, Options({}, move=move)).migrate(path, source)


def changed(path: Path) -> None:
    write_file(path, legacy(metrics={"acc": 0.75}))


def code_of(result: FileResult) -> str | None:
    return result.error.code if isinstance(result.error, MigrationFailed) else None


@pytest.mark.parametrize("place", ["results/run.json", "outputs/run.json"])
def test_a_change_is_never_lost_whenever_it_comes(tmp_path: Path, place: str) -> None:
    codes = []
    for after in range(12):
        root = tmp_path / str(after)
        path = write_file(root / place, legacy())
        result = migrate(root, place, restless(path, after, changed))
        codes.append(code_of(result))
        if codes[-1] == "file_changed":
            assert path.read_bytes() == as_bytes(legacy(metrics={"acc": 0.75}))
        else:
            assert (result.outcome, path.exists()) == ("migrated", place.startswith("outputs"))
    assert {None, "file_changed"} == set(codes)


def test_a_file_that_vanishes_is_a_failure_of_its_own(tmp_path: Path) -> None:
    result = migrate(tmp_path, "results/run.json", tmp_path / "results" / "run.json")
    assert (result.outcome, code_of(result)) == ("failed", "unreadable")


def test_a_good_file_in_a_good_place_is_not_touched(tmp_path: Path) -> None:
    path = write_file(tmp_path / "outputs" / "run.json", valid())
    before = path.stat()
    assert migrate(tmp_path, "outputs/run.json", path).outcome == "already_v1"
    assert path.stat() == before
