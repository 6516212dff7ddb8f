"""Regular files: read as they are, written whole or not at all."""

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

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
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            raise unreadable(path, f"is {kind}")
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
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, that takes its place at `path` only when everything went well.

    Raises:
        Unfinished: The disk is full or the place cannot be written to.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part"
        )
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        temporary = None
        _sync_directory(path.parent)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise Unfinished(
            f"cannot write {path}: {error.strerror or error}",
            fix="make room and run again: nothing that was paid for is lost" if full else "",
            code="disk_full" if full else "unwritable",
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


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
