"""Finds a text in whatever a program left behind, also where it is packed or split over pages."""

import base64
import gzip
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

SQLITE = b"SQLite format 3\0"


def holders(root: Path, text: str) -> list[str]:
    """Files below a directory that hold a text, plainly or in base64, by relative path."""
    plain = text.encode()
    # Where the text begins inside a longer one decides which of three forms it takes.
    packed = [base64.b64encode(b" " * skip + plain)[4 if skip else 0 : -4] for skip in range(3)]
    forms = [plain, *packed]
    # All bytes first: whoever opens a database may tidy up the files beside it.
    files = {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    found = []
    for path, raw in files.items():
        contents = [raw, *_unpacked(path, raw)]
        if any(form in content for form in forms for content in contents):
            found.append(str(path.relative_to(root)))
    return found


def _unpacked(path: Path, raw: bytes) -> Iterator[bytes]:
    """What can be read out of a file beside its bytes."""
    if raw.startswith(SQLITE):
        yield from _rows(path)
    elif raw.startswith(b"PAR1"):
        file = pq.ParquetFile(path)
        yield repr([file.schema_arrow.metadata, file.read().to_pylist()]).encode()
    elif raw.startswith(b"\x1f\x8b"):
        yield gzip.decompress(raw)


def _rows(path: Path) -> Iterator[bytes]:
    connection = sqlite3.connect(path)
    try:
        connection.text_factory = bytes
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in tables.fetchall():
            for row in connection.execute(f'SELECT * FROM "{name.decode()}"'):
                yield b"\0".join(v if isinstance(v, bytes) else str(v).encode() for v in row)
    finally:
        connection.close()
