"""Columns of plain values as Arrow arrays.

`pyarrow.array` would do it too, but looks at every value several times, and imports pandas wherever
that is installed, which takes longer than a small run.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

LONGEST_COLUMN_BYTES = 2**31 - 1


class TooLong(ValueError):
    """A column of texts that one array cannot hold; fewer rows fit."""


def column(values: Sequence[Any], kind: pa.DataType) -> "pa.Array[Any]":
    """An array of texts, whole numbers, numbers or truth values; None is null.

    Raises:
        TooLong: The texts together are too long for one array.
    """
    missing = values.count(None)
    valid = _bits([value is not None for value in values]) if missing else None
    buffers = [valid, *_FILLED[kind](values)]
    return pa.Array.from_buffers(kind, len(values), buffers, missing)


def _bits(values: Sequence[Any]) -> pa.Buffer:
    flags = np.fromiter(map(bool, values), bool, len(values))
    return pa.py_buffer(np.packbits(flags, bitorder="little").tobytes())


def _texts(values: Sequence[str | None]) -> list[pa.Buffer]:
    parts = [value.encode() if value else b"" for value in values]
    ends = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=ends[1:])
    if ends[-1] > LONGEST_COLUMN_BYTES:
        raise TooLong
    return [pa.py_buffer(ends.astype(np.int32).tobytes()), pa.py_buffer(b"".join(parts))]


def _numbers(dtype: type[Any]) -> Callable[[Sequence[Any]], list[pa.Buffer]]:
    def fill(values: Sequence[Any]) -> list[pa.Buffer]:
        numbers = (0 if value is None else value for value in values)
        return [pa.py_buffer(np.fromiter(numbers, dtype, len(values)).tobytes())]

    return fill


_FILLED: dict[pa.DataType, Callable[[Sequence[Any]], list[pa.Buffer]]] = {
    pa.string(): _texts,
    pa.int64(): _numbers(np.int64),
    pa.float64(): _numbers(np.float64),
    pa.bool_(): lambda values: [_bits(values)],
}
