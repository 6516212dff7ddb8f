"""Regular files: read as they are, written whole or not at all."""

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Self

from schemas.errors import Unfinished, unreadable


def read_regular(path: str | Path) -> bytes:
    """The bytes of a regular file; links are followed.

    Raises:
        UserError: It is missing, unreadable, or a directory, pipe or device.
    """
    try:
        # Non-blocking, or opening a pipe that nobody writes to would hang.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise unreadable(path, _why(error)) from None
    # Looked at before it is wrapped: Python wraps no handle of a directory.
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise unreadable(path, "is a directory" if stat.S_ISDIR(mode) else "is not a regular file")
    with os.fdopen(handle, "rb") as file:
        try:
            return file.read()
        except OSError as error:
            raise unreadable(path, _why(error)) from None


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot be read: {reason}"


@contextlib.contextmanager
def disk_errors(place: Path, fix: str = "") -> Iterator[None]:
    """Turn what a disk refuses into one line for people.

    Raises:
        Unfinished: The disk is full or the place cannot be written to.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise Unfinished(
            f"cannot write {place}: {error.strerror or error}",
            fix="make room and run again: nothing that was paid for is lost" if full else fix,
            code="disk_full" if full else "unwritable",
        ) from error


class Publication:
    """Files that take their places together, in the order written, or not at all."""

    def __init__(self) -> None:
        self._written: dict[Path, Path] = {}
        self._made: list[Path] = []

    def __enter__(self) -> Self:
        return self

    @contextlib.contextmanager
    def file(self, path: Path) -> Iterator[IO[bytes]]:
        """A file to write to; it appears at `path` when everything went well."""
        with disk_errors(path):
            self._make(path.parent)
            prefix = f".{path.name[:40]}."
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".part")
            self._written[path] = Path(name)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())

    def _make(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir(exist_ok=True)
            self._made.append(one)
        folder.mkdir(exist_ok=True)  # says so when something else stands there

    def content(self, path: Path) -> Path:
        """Where the content of a written file is until it takes its place."""
        return self._written[path]

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for path, temporary in self._written.items():
                    _put_in_place(temporary, path)
        finally:
            for temporary in self._written.values():
                temporary.unlink(missing_ok=True)
            for folder in reversed(self._made):
                # Only what is empty goes: nothing was published there, by us or by others.
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _put_in_place(temporary: Path, path: Path) -> None:
    with disk_errors(path):
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        _sync_directory(path.parent)


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, that takes its place at `path` only when everything went well.

    Raises:
        Unfinished: The disk is full or the place cannot be written to.
    """
    with Publication() as publication, publication.file(path) as file:
        yield file


def write_whole(path: Path, data: bytes) -> None:
    """Write a whole file, durably."""
    with written_whole(path) as file:
        file.write(data)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
