"""A directory of the host as an archive for a sandbox: links as links, nothing that is special."""

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from tasks.packs.plans import PlannedFile

MOST_ENTRIES: Final = 50_000
MOST_BYTES: Final = 256 * 2**20


class Archived(NamedTuple):
    """What could not be taken along, and whether it was all too much."""

    left_out: tuple[str, ...]
    too_large: bool = False


def archive(folder: str, into: IO[bytes], more: list[tuple[PlannedFile, bytes]]) -> Archived:
    """Write what is in a directory, then further files, as a tar archive."""
    left_out: list[str] = []
    entries = total = 0
    with tarfile.open(fileobj=into, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, handle in _entries(folder):
            member, file = _member(name, handle)
            entries, total = entries + 1, total + (member.size if member else 0)
            if entries > MOST_ENTRIES or total > MOST_BYTES:
                if file:
                    file.close()
                return Archived(tuple(left_out), too_large=True)
            if member is None:
                left_out.append(name)
                continue
            with file or io.BytesIO() as content:
                # A file that changes while it is read would spoil everything after it.
                tar.addfile(member, io.BytesIO(content.read(member.size).ljust(member.size, b"\0")))
        for planned, data in more:
            member = tarfile.TarInfo(planned.destination)
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    into.flush()
    into.seek(0)
    return Archived(tuple(left_out))


def _entries(folder: str) -> Iterator[tuple[str, Path]]:
    """Names and places, directories before what is in them."""
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted((*folders, *names)):
            place = Path(base, name)
            yield str(place.relative_to(folder)), place


def _member(name: str, place: Path) -> tuple[tarfile.TarInfo | None, IO[bytes] | None]:
    member = tarfile.TarInfo(name)
    try:
        found = place.lstat()
        member.mode = stat.S_IMODE(found.st_mode) & 0o777 | stat.S_IRUSR | stat.S_IWUSR
        if stat.S_ISDIR(found.st_mode):
            member.type, member.mode = tarfile.DIRTYPE, member.mode | stat.S_IXUSR
            return member, None
        if stat.S_ISLNK(found.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, str(place.readlink())
            return member, None
        if not stat.S_ISREG(found.st_mode):
            return None, None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.fdopen(os.open(place, flags), "rb")
    except OSError:
        return None, None
    member.size = os.fstat(file.fileno()).st_size
    return member, file
