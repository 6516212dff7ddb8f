"""The state directory: results of stages, and the default sample store."""

import hashlib
from contextlib import AbstractContextManager
from pathlib import Path

from schemas.documents import Document, StoredFile
from tasks.storage.files import disk_errors, sha256_of, write_whole


class Home:
    """One state directory (`.assent` unless moved)."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def records(self) -> Path:
        """Where the engine keeps its cache records."""
        return self.root / "results"

    @property
    def store(self) -> Path:
        """The default sample store."""
        return self.root / "samples.sqlite"

    def keep(self, stage: str, data: bytes, suffix: str) -> StoredFile:
        """Store bytes under their digest."""
        digest = hashlib.sha256(data).hexdigest()
        relative = f"stages/{stage}/{digest[:32]}{suffix}"
        target = self.root / relative
        if not (target.is_file() and sha256_of(target) == digest):
            with self.errors():
                target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, data)
        return StoredFile(path=relative, sha256=digest, size=len(data))

    def adopt(self, stage: str, temporary: Path, suffix: str) -> StoredFile:
        """Move a finished temporary file to its place by digest."""
        digest, size = sha256_of(temporary), temporary.stat().st_size
        relative = f"stages/{stage}/{digest[:32]}{suffix}"
        target = self.root / relative
        with self.errors():
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.replace(target)
        return StoredFile(path=relative, sha256=digest, size=size)

    def scratch(self) -> Path:
        """Directory for files in the making; on the same disk as their final place."""
        path = self.root / "scratch"
        with self.errors():
            path.mkdir(parents=True, exist_ok=True)
        return path

    def errors(self) -> AbstractContextManager[None]:
        """Turns what the disk refuses below the state directory into one line for people."""
        return disk_errors(self.root, fix="set ASSENT_HOME to a directory that you can write to")

    def locate(self, file: StoredFile) -> Path:
        """Where a stored file is."""
        return self.root / file.path

    def holds(self, document: Document) -> bool:
        """Whether every file of a document exists with its digest."""
        return all(self._is_intact(file) for file in document.files())

    def _is_intact(self, file: StoredFile) -> bool:
        path = self.locate(file)
        return (
            path.is_file() and path.stat().st_size == file.size and sha256_of(path) == file.sha256
        )
