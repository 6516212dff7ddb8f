"""Lines of a rows file: split at LF, CRLF and CR only, numbered from 1, read one at a time."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAX_LINE_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line that is not blank; `data` is None when it is longer than we read."""

    number: int
    data: bytes | None


def split_lines(chunks: Iterable[bytes], most_bytes: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """The lines that are not blank, without the space around them.

    One byte order mark at the very beginning is dropped. A line that is too long is not kept in
    memory. Separators that only Unicode knows stay inside the line: JSON strings may hold them.
    """
    number = 1
    for data in _raw_lines(chunks, most_bytes):
        if data is None:
            yield Line(number, None)
        else:
            kept = trimmed(data.removeprefix(_BOM) if number == 1 else data)
            if kept:
                yield Line(number, kept)
        number += 1


def trimmed(data: bytes) -> bytes:
    """A line without the space around it, of any kind that Unicode knows."""
    kept = data.strip()
    if not kept or (kept[:1] == b"{" and kept[-1:] == b"}"):
        return kept
    try:
        return kept.decode("utf-8").strip().encode("utf-8")
    except UnicodeDecodeError:
        return kept  # the reader says where it is wrong


def _raw_lines(chunks: Iterable[bytes], most_bytes: int) -> Iterator[bytes | None]:
    """Every line, blank ones too, None for one that is too long."""
    rest: list[bytes] = []
    size, after_cr = 0, False
    for chunk in chunks:
        if after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            after_cr = False
        if not chunk:
            continue
        after_cr = chunk[-1:] == b"\r"
        first, *others = _split(chunk)
        rest, size = _grown(rest, size, first, most_bytes)
        for part in others:
            yield _joined(rest, size, most_bytes)
            rest, size = _grown([], 0, part, most_bytes)
    if size:
        yield _joined(rest, size, most_bytes)


def _split(chunk: bytes) -> list[bytes]:
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return chunk.split(b"\n")


def _grown(rest: list[bytes], size: int, part: bytes, most_bytes: int) -> tuple[list[bytes], int]:
    size += len(part)
    return ([] if size > most_bytes else [*rest, part]), size


def _joined(rest: list[bytes], size: int, most_bytes: int) -> bytes | None:
    return None if size > most_bytes else b"".join(rest)
