"""The records file of a run, `candidates.jsonl`: kept lines first, then one line per attempt."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from schemas.strict_json import NotStrictJson, parse
from tasks.storage.files import disk_errors, written_whole
from tasks.storage.pack_files import read_lines

FILE_NAME = "candidates.jsonl"


class RecordFile:
    """A records file that is open for more.

    Args:
        path: Where it is.
        keep: Which records of an earlier run stay; all others are dropped, and so is a last line
            that was cut off. Without it, the file begins anew.
    """

    def __init__(self, path: Path, keep: Callable[[Mapping[str, Any]], bool] | None = None) -> None:
        self.path, self.kept = path, dict[tuple[str, int], dict[str, Any]]()
        if keep is not None and path.exists():
            for record in read_records(path):
                if keep(record):
                    self.kept.setdefault((record["task_id"], record.get("sample", 0)), record)
        with written_whole(path) as file:
            for record in self.kept.values():
                file.write(record_line(record))
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        with disk_errors(self.path):
            self._file = self.path.open("ab")
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        if self._file is not None:
            with disk_errors(self.path):
                self._file.close()

    def write(self, record: Mapping[str, Any]) -> None:
        """Add one record; it is in the file when this returns.

        Raises:
            Unfinished: The disk is full or cannot be written to.
        """
        assert self._file is not None
        with disk_errors(self.path):
            self._file.write(record_line(record))
            self._file.flush()


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a file; lines that are none are passed over."""
    for line in read_lines(path):
        try:
            record = parse(line.data or b"")
        except NotStrictJson:
            continue
        if isinstance(record, dict) and isinstance(record.get("task_id"), str):
            yield record


def record_line(record: Mapping[str, Any]) -> bytes:
    """A record as it is written."""
    # ASCII, because a reply may hold half a surrogate pair, which has no UTF-8.
    return json.dumps(record, sort_keys=True, allow_nan=False).encode() + b"\n"
