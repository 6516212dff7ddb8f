"""The files of a pack on disk: found, looked at, and read; never changed."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from schemas.errors import unreadable
from schemas.pack import Manifest
from schemas.pack_task import Lane
from tasks.packs.lines import Line, split_lines
from tasks.packs.paths import safe_path
from tasks.packs.references import Found
from tasks.storage.files import read_regular

MANIFESTS = ("manifest.yaml", "manifest.yml")
ROWS = "tasks.jsonl"
_CHUNK = 1 << 20


class PackPlaces(NamedTuple):
    """Where the parts of a pack are."""

    manifest: Path
    rows: Path

    @property
    def base(self) -> Path:
        """The directory that asset roots start from."""
        return self.manifest.parent


def locate_pack(argument: str, tasks: str | None = None) -> PackPlaces:
    """The manifest and the rows that an argument names: a directory, or a manifest.

    Raises:
        UserError: There is no such directory or manifest.
    """
    path = Path(argument)
    manifest = path
    if os.path.isdir(path):  # noqa: PTH112 - never raises
        found = [path / name for name in MANIFESTS if os.path.lexists(path / name)]
        if not found:
            names = " or ".join(MANIFESTS)
            raise unreadable(argument, f"is a directory without {names}")
        manifest = found[0]
    return PackPlaces(manifest, Path(tasks) if tasks else manifest.parent / ROWS)


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a rows file, read as they are asked for.

    Raises:
        UserError: It is missing, unreadable, or no regular file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        read_regular(path)  # says why
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise unreadable(path, "is not a regular file")
    with os.fdopen(handle, "rb") as file:
        yield from split_lines(iter(lambda: file.read(_CHUNK), b""))


class PackFolder:
    """The asset roots of a pack; what was looked at once is remembered."""

    def __init__(self, base: Path, manifest: Manifest) -> None:
        self.base = base
        roots = manifest.asset_roots
        self.roots: dict[Lane, Path] = {
            "public": base / str(safe_path(roots.public)),
            "eval": base / str(safe_path(roots.eval)),
        }
        self._seen: dict[tuple[Lane, str], Found] = {}

    def outside(self) -> list[Lane]:
        """Roots that a link takes out of the pack's directory."""
        base = self.base.resolve()
        return [
            lane for lane, root in self.roots.items() if not root.resolve().is_relative_to(base)
        ]

    def overlapping(self) -> bool:
        """Whether a link makes one root lie in the other."""
        public, hidden = (root.resolve() for root in self.roots.values())
        return public.is_relative_to(hidden) or hidden.is_relative_to(public)

    def look(self, lane: Lane, path: str) -> Found:
        """What lies at a normalised path below a root."""
        key = (lane, path)
        if key not in self._seen:
            self._seen[key] = self._look(lane, path)
        return self._seen[key]

    def read(self, lane: Lane, path: str) -> bytes:
        """The bytes of a regular file below a root."""
        return read_regular(self.roots[lane] / path)

    def _look(self, lane: Lane, path: str) -> Found:
        root, place = self.roots[lane], self.roots[lane] / path
        try:
            mode = place.lstat().st_mode
        except (OSError, ValueError):
            return Found("missing")
        if not place.resolve().is_relative_to(root.resolve()):
            return Found("outside")
        if stat.S_ISLNK(mode) or place.resolve() != root.resolve() / path:
            return Found("link")
        if stat.S_ISREG(mode):
            return self._with_digest(lane, (path,), "file")
        if not stat.S_ISDIR(mode):
            return Found("special")
        return self._directory(lane, path)

    def _directory(self, lane: Lane, path: str) -> Found:
        root, files = self.roots[lane], []
        for folder, names, leaves in os.walk(root / path):
            for name in (*names, *leaves):
                entry = Path(folder, name)
                mode = entry.lstat().st_mode
                if stat.S_ISLNK(mode):
                    return Found("linked")
                if stat.S_ISREG(mode):
                    files.append(entry.relative_to(root).as_posix())
                elif not stat.S_ISDIR(mode):
                    return Found("special")
        return self._with_digest(lane, tuple(sorted(files)), "directory")

    def _with_digest(self, lane: Lane, files: tuple[str, ...], state: str) -> Found:
        digest = hashlib.sha256()
        for name in files:
            try:
                with (self.roots[lane] / name).open("rb") as file:
                    content = hashlib.file_digest(file, "sha256").digest()
            except OSError:
                return Found("missing")
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + content)
        return Found("file" if state == "file" else "directory", files, digest.hexdigest())


def read_manifest(places: PackPlaces) -> bytes:
    """The bytes of the manifest.

    Raises:
        UserError: It cannot be read.
    """
    return read_regular(places.manifest)
