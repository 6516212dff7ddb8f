"""Files appear whole or not at all, alone or together."""

import errno
import os
from pathlib import Path

import pytest

from schemas.documents import CheckedBenchmark, StoredFile
from schemas.errors import Unfinished, UserError
from tasks.storage.files import Publication, read_regular, write_whole, written_whole
from tasks.storage.home import Home


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


class Broken(Exception):
    pass


@pytest.mark.parametrize("error", [Broken(), KeyboardInterrupt()], ids=["error", "interruption"])
def test_a_writer_that_fails_midway_leaves_the_old_file_and_no_other(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")

    def write_half() -> None:
        with written_whole(path) as file:
            file.write(b"half of the new")
            raise error

    with pytest.raises(type(error)):
        write_half()
    assert path.read_text() == "old"
    assert listing(tmp_path) == ["a.json"]


def test_nobody_sees_a_file_before_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.json"
    with written_whole(path) as file:
        file.write(b"new")
        assert not path.exists()
        assert [name.endswith(".part") for name in listing(path.parent)] == [True]
    assert path.read_text() == "new"
    assert listing(path.parent) == ["a.json"]


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EIO, "unwritable")],
)
def test_what_the_disk_refuses_is_one_line(tmp_path: Path, number: int, code: str) -> None:
    path = tmp_path / "a.json"
    with pytest.raises(Unfinished) as caught, written_whole(path):
        raise OSError(number, os.strerror(number))
    assert caught.value.code == code
    assert str(path) in caught.value.what
    assert listing(tmp_path) == []


def test_several_files_take_their_places_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with Publication() as publication:
        for path in (one, two):
            with publication.file(path) as file:
                file.write(path.name.encode())
        assert publication.content(one).read_bytes() == b"one"
        assert not one.exists()
    assert (one.read_text(), two.read_text()) == ("one", "two")
    assert listing(tmp_path) == ["one", "two"]


def test_a_failure_at_the_last_file_withholds_them_all(tmp_path: Path) -> None:
    one = tmp_path / "one"
    one.write_text("old")

    def write_one_and_fail() -> None:
        with Publication() as publication:
            with publication.file(one) as file:
                file.write(b"new")
            with publication.file(tmp_path / "two"):
                raise Broken

    with pytest.raises(Broken):
        write_one_and_fail()
    assert one.read_text() == "old"
    assert listing(tmp_path) == ["one"]


def test_a_publication_that_fails_leaves_no_empty_directory(tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()

    def publish() -> None:
        with Publication() as publication:
            with publication.file(tmp_path / "outputs" / "artifacts" / "r" / "t.parquet") as file:
                file.write(b"table")
            raise Broken

    with pytest.raises(Broken):
        publish()
    assert listing(tmp_path) == ["outputs"]


def test_a_publication_that_fails_leaves_directories_that_others_use(tmp_path: Path) -> None:
    def publish() -> None:
        with Publication() as publication:
            with publication.file(tmp_path / "artifacts" / "r" / "t.parquet") as file:
                file.write(b"table")
            (tmp_path / "artifacts" / "other").mkdir()
            raise Broken

    with pytest.raises(Broken):
        publish()
    assert listing(tmp_path) == ["artifacts", "other"]


def test_a_directory_in_the_way_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(Unfinished, match="cannot write"):
        write_whole(tmp_path / "a", b"x")
    assert listing(tmp_path) == ["a"]


def test_a_long_name_leaves_room_for_its_temporary_file(tmp_path: Path) -> None:
    write_whole(tmp_path / ("é" * 120), b"x")
    assert len(listing(tmp_path)) == 1


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("missing", "no such file"),
        ("directory", "is a directory"),
        ("pipe", "is not a regular file"),
        ("nul", "cannot be read: embedded null byte"),
        ("loop", "cannot be read: Too many levels of symbolic links"),
        ("long", "cannot be read: File name too long"),
    ],
)
def test_only_regular_files_are_read(tmp_path: Path, kind: str, reason: str) -> None:
    path = tmp_path / "x"
    match kind:
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "nul":
            path = Path(f"{path}\0")
        case "loop":
            path.symlink_to(path)
        case "long":
            path = tmp_path / ("x" * 300)
    with pytest.raises(UserError) as caught:
        read_regular(path)
    assert (caught.value.what, caught.value.code) == (reason, "unreadable")


def test_a_file_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    with pytest.raises(UserError, match="no permission to read it"):
        read_regular(tmp_path / "x")


def test_a_file_that_fails_while_it_is_read_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_regular("/proc/self/mem")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("content")
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path / "b") == b"content"


def checked(file: StoredFile) -> CheckedBenchmark:
    return CheckedBenchmark(
        file=file,
        source_sha256="",
        benchmark_id="b",
        benchmark_hash="",
        n_items=0,
        n_variants=1,
        plugins=(),
    )


@pytest.mark.parametrize("harm", ["none", "edited", "longer", "gone"])
def test_a_home_holds_a_document_while_its_files_are_as_they_were(
    tmp_path: Path, harm: str
) -> None:
    home = Home(tmp_path / "home")
    file = home.keep("stage", b"content", ".json")
    match harm:
        case "edited":
            home.locate(file).write_bytes(b"CONTENT")
        case "longer":
            home.locate(file).write_bytes(b"content!")
        case "gone":
            home.locate(file).unlink()
    assert home.holds(checked(file)) == (harm == "none")
    assert home.keep("stage", b"content", ".json") == file
    assert home.holds(checked(file))


def test_what_is_kept_already_is_not_written_again(tmp_path: Path) -> None:
    home = Home(tmp_path)
    place = home.locate(home.keep("stage", b"content", ".json"))
    before = place.stat().st_ino
    home.keep("stage", b"content", ".json")
    assert place.stat().st_ino == before
