"""Carries out plans: all files of a component appear in a directory, or none does.

Nothing is ever written through a link: a candidate may have left one anywhere in the directory.
"""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from schemas.errors import MaterializationError
from tasks.packs.plans import Plan, PlannedFile
from tasks.packs.references import PackFiles
from tasks.storage.files import disk_errors


def materialise(plan: Plan, files: PackFiles, directory: Path) -> None:
    """Put every file of a plan in place below a directory, which is made when it is missing.

    Raises:
        MaterializationError: A link or another thing stands in the way, or a source is gone;
            nothing was written.
        Unfinished: The disk is full.
    """
    _require_room(plan, directory)
    with disk_errors(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=directory.parent, prefix=".materialise."))
        try:
            for file in plan.files:
                _write(staging / file.destination, _content(file, files), file.read_only)
            if os.path.lexists(directory):
                for file in plan.files:
                    _move(staging, directory, file.destination)
            else:
                staging.chmod(0o755)
                staging.rename(directory)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def _require_room(plan: Plan, directory: Path) -> None:
    """Look at every place before anything is written."""
    if os.path.lexists(directory) and not stat.S_ISDIR(directory.lstat().st_mode):
        raise MaterializationError("is no directory", where=str(directory), code="in_the_way")
    for file in plan.files:
        place = directory
        *parents, name = file.destination.split("/")
        for part in parents:
            place = place / part
            if os.path.lexists(place) and not stat.S_ISDIR(place.lstat().st_mode):
                raise _in_the_way(file.destination)
        place = place / name
        if os.path.lexists(place) and not stat.S_ISREG(place.lstat().st_mode):
            raise _in_the_way(file.destination)


def _in_the_way(destination: str) -> MaterializationError:
    message = "a link or another thing stands in the way"
    return MaterializationError(message, where=destination, fix="remove it", code="in_the_way")


def _content(file: PlannedFile, files: PackFiles) -> bytes:
    return files.read(file.lane, file.source) if file.content is None else file.content


def _write(path: Path, data: bytes, read_only: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o444 if read_only else 0o644)


def _move(staging: Path, directory: Path, destination: str) -> None:
    """Rename one file into its place, each directory on the way opened without following links."""
    *parents, name = destination.split("/")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(directory, flags)
    try:
        for part in parents:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
            try:
                inner = os.open(part, flags, dir_fd=handle)
            except OSError:
                raise _in_the_way(destination) from None
            os.close(handle)
            handle = inner
        os.rename(staging / destination, name, dst_dir_fd=handle)
    finally:
        os.close(handle)
