"""Opens packs: what commands, stages and verifiers start from."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from schemas.errors import InvalidFile, Problem, UserError
from schemas.pack import Manifest, Profile
from schemas.pack_task import CompiledTask
from tasks.packs.faults import config
from tasks.packs.manifests import check_manifest
from tasks.packs.reading import ReadRow, RowReader
from tasks.packs.rows import Options
from tasks.storage.pack_files import PackFolder, PackPlaces, locate_pack, read_lines, read_manifest

MOST_PROBLEMS_RAISED = 1000


class Pack:
    """An opened pack: its manifest is sound, its rows are read as they are asked for."""

    def __init__(
        self,
        places: PackPlaces,
        manifest: Manifest,
        options: Options,
        warnings: tuple[Problem, ...] = (),
    ) -> None:
        self.places, self.manifest, self.options = places, manifest, options
        self.warnings = warnings
        self.files = PackFolder(places.base, manifest)

    def rows(self, limit: int | None = None) -> Iterator[ReadRow]:
        """Every row in order, sound or not.

        Raises:
            UserError: The rows file cannot be read.
        """
        reader = RowReader(self.manifest, self.files, self.options, str(self.places.manifest))
        rows = str(self.places.rows)
        for found in reader.read(read_lines(self.places.rows), limit):
            yield found._replace(
                errors=tuple(p._replace(file=rows) for p in found.errors),
                warnings=tuple(p._replace(file=rows) for p in found.warnings),
            )

    def tasks(self, limit: int | None = None) -> list[CompiledTask]:
        """The tasks of a pack without errors.

        Raises:
            InvalidFile: Some row is wrong; every problem is listed.
        """
        found = list(self.rows(limit))
        problems = list(islice((p for row in found for p in row.errors), MOST_PROBLEMS_RAISED))
        if problems:
            raise invalid(str(self.places.rows), problems)
        return [row.task for row in found if row.task is not None]

    def digest(self) -> str:
        """SHA-256 over the manifest, the rows, and every file below the two asset roots."""
        total = hashlib.sha256(b"assent pack 1\0")
        for place in (self.places.manifest, self.places.rows):
            total.update(_file_digest(place))
        for root in self.files.roots.values():
            for path in _tree(root):
                name = path.relative_to(root).as_posix().encode("utf-8", "surrogateescape")
                total.update(len(name).to_bytes(4, "big") + name + _file_digest(path))
            total.update(b"\0")
        return total.hexdigest()


class OpenedPack(NamedTuple):
    """The pack when its manifest is sound, and everything that was found in that."""

    pack: Pack | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def try_pack(places: PackPlaces, options: Options) -> OpenedPack:
    """Open a pack, or say what is wrong with its manifest.

    Raises:
        UserError: A file cannot be read.
    """
    checked = check_manifest(read_manifest(places), strict=options.strict)
    name = str(places.manifest)
    warnings = tuple(p._replace(file=name) for p in checked.warnings)
    errors, pack = list(checked.errors), None
    if checked.value is not None:
        pack = Pack(places, checked.value, options, warnings)
        message = "a link takes the root out of the pack's directory"
        for lane in pack.files.outside():
            path, fix = ("asset_roots", lane), "put the directory itself there"
            errors.append(config("link_in_assets", path, message, fix))
        if pack.files.overlapping():
            message = "a link makes one root lie in the other, which would show what is hidden"
            errors.append(config("root_overlap", ("asset_roots",), message, "keep them apart"))
    located = tuple(p._replace(file=name) for p in errors)
    return OpenedPack(None if errors else pack, located, warnings)


def open_pack(
    argument: str,
    tasks: str | None = None,
    profile: Profile = "target",
    *,
    strict: bool = False,
) -> Pack:
    """The pack that a directory or a manifest names.

    Raises:
        UserError: It is not there or cannot be read.
        InvalidFile: Its manifest is wrong; every problem is listed.
    """
    places = locate_pack(argument, tasks)
    opened = try_pack(places, Options(profile, strict))
    if opened.pack is None:
        raise invalid(str(places.manifest), opened.errors)
    return opened.pack


def invalid(file: str, problems: Sequence[Problem]) -> InvalidFile:
    """The error for a pack that cannot be used."""
    return InvalidFile(f"{len(problems)} problems", file=file, problems=problems)


def _tree(root: Path) -> Iterator[Path]:
    """Regular files below a root in a fixed order; links and other things are passed over."""
    for folder, names, leaves in os.walk(root):
        names.sort()
        for name in sorted(leaves):
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def _file_digest(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise UserError(reason, where=str(path), code="unreadable") from None
