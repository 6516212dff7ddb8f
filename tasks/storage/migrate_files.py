"""Writes migrated documents: nothing half-written, nothing overwritten."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from schemas.errors import Problem, Unfinished, UserError
from tasks.outputs.migration import Migrated, MigrationFailed, migrate, serialise
from tasks.storage.files import disk_errors, read_regular, write_whole
from tasks.storage.worktree import LEADS_OUT, leads_out


class Options(NamedTuple):
    """How files are migrated."""

    given: dict[str, str]
    fill_unknown: bool = False
    move: bool = False
    dry_run: bool = False


class FileResult(NamedTuple):
    """What became of one file."""

    path: str
    new_path: str | None
    outcome: str
    document: dict[str, Any] | None
    warnings: tuple[Problem, ...]
    error: MigrationFailed | None
    before: bytes = b""
    after: bytes | None = None

    @property
    def is_unfinished(self) -> bool:
        """Whether the disk refused what would have been right."""
        return isinstance(self.error, CannotWrite)


class CannotWrite(MigrationFailed):
    """The disk is full or refuses; nothing is wrong with the document."""


class Migrator:
    """Migrates the files of one repository, one after the other."""

    def __init__(self, root: Path, options: Options) -> None:
        self._root, self._options = root, options
        self._planned: dict[str, bytes] = {}

    def migrate(self, path: str, source: Path) -> FileResult:
        """Migrate one file; a failure is a result like any other."""
        try:
            data = self._data_of(source)
            migrated = migrate(
                data, path, given=self._options.given, fill_unknown=self._options.fill_unknown
            )
            written = data if migrated.outcome == "already_v1" else serialise(migrated.document)
            self._require_free(path, migrated, written)
            if not self._options.dry_run:
                self._write(path, source, migrated, data, written)
        except MigrationFailed as error:
            return FileResult(path, None, "failed", None, (), error)
        except Unfinished as error:
            return FileResult(path, None, "failed", None, (), CannotWrite(error.code, error.what))
        self._planned[migrated.new_path] = written
        outcome, document, new_path, warnings = migrated
        return FileResult(path, new_path, outcome, document, warnings, None, data, written)

    def _data_of(self, source: Path) -> bytes:
        if leads_out(self._root, source):
            raise MigrationFailed("unreadable", LEADS_OUT)
        try:
            return read_regular(source)
        except UserError as error:
            raise MigrationFailed("unreadable", error.what) from None

    def _require_free(self, path: str, migrated: Migrated, written: bytes) -> None:
        target = self._root / migrated.new_path
        if migrated.new_path == path:
            if migrated.outcome == "migrated" and target.is_symlink():
                raise MigrationFailed("target_exists", "is a link; name the file it leads to")
            return
        if leads_out(self._root, target.parent):
            message = f"the way to {migrated.new_path} leads out of the repository"
            raise MigrationFailed("target_exists", message)
        there = self._planned.get(migrated.new_path)
        if there is None and os.path.lexists(target):
            there = target.read_bytes() if target.is_file() and not target.is_symlink() else b""
        if there is not None and there != written:
            raise MigrationFailed("target_exists", f"{migrated.new_path} is another file")

    def _write(
        self, path: str, source: Path, migrated: Migrated, data: bytes, written: bytes
    ) -> None:
        if migrated.new_path == path and written == data:
            return
        target = self._root / migrated.new_path
        if not (target.is_file() and target.read_bytes() == written):
            self._require_unchanged(source, data)
            write_whole(target, written)
        if self._options.move and migrated.new_path != path:
            self._require_unchanged(source, data)
            with disk_errors(source):
                source.unlink()

    def _require_unchanged(self, source: Path, data: bytes) -> None:
        """Somebody may write to the file that we are about to replace."""
        if self._data_of(source) != data:
            raise MigrationFailed("file_changed", "it changed while it was read")
