"""Parquet tables whose columns are defined by the row models of `schemas/tables.py`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import IO, Any, Literal, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.base import Frozen
from schemas.documents import StoredFile
from tasks.storage.columns import TooLong, column
from tasks.storage.home import Home
from tasks.storage.scratch import working_directory

TABLE_VERSION = "2"
BATCH_ROWS = 1024

# Arrow's own allocator keeps what it was given: 40 MB of a small run.
pa.set_memory_pool(pa.system_memory_pool())

_ARROW_TYPES: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}


def arrow_schema(row: type[Frozen]) -> pa.Schema:
    """The Arrow schema of a row model."""
    fields = []
    for name, field in row.model_fields.items():
        kind, nullable = _plain_type(field.annotation)
        fields.append(pa.field(name, _ARROW_TYPES[kind], nullable=nullable))
    return pa.schema(fields)


def _plain_type(annotation: Any) -> tuple[type, bool]:
    if get_origin(annotation) in (Union, UnionType):
        inner = next(a for a in get_args(annotation) if a is not NoneType)
        return _plain_type(inner)[0], True
    if get_origin(annotation) is Literal:
        return type(get_args(annotation)[0]), False
    return annotation, False


def write_table(
    home: Home, stage: str, row: type[Frozen], rows: Iterable[Mapping[str, Any]]
) -> tuple[StoredFile, int]:
    """Stream rows into a table of the state directory; its place and the number of rows."""
    schema = arrow_schema(row)
    with home.errors(), working_directory(home.scratch()) as folder:
        temporary = folder / "table.parquet"
        count = write_parquet_to(temporary, schema, rows)
        return home.adopt(stage, temporary, ".parquet"), count


def write_parquet_to(
    target: Path | IO[bytes], schema: pa.Schema, rows: Iterable[Mapping[str, Any]]
) -> int:
    """Stream rows into a Parquet file; the number of rows."""
    count = 0
    remaining = iter(rows)
    with pq.ParquetWriter(target, schema, compression="zstd") as writer:
        while batch := list(islice(remaining, BATCH_ROWS)):
            _write(writer, schema, batch)
            count += len(batch)
    return count


def _write(writer: pq.ParquetWriter, schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> None:
    try:
        columns = [column([row[field.name] for row in rows], field.type) for field in schema]
    except TooLong:
        half = len(rows) // 2
        if not half:
            raise
        _write(writer, schema, rows[:half])
        _write(writer, schema, rows[half:])
    else:
        writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a table, in order, without loading it whole."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            yield from batch.to_pylist()


def copy_with_metadata(source: Path, target: IO[bytes], metadata: Mapping[str, str]) -> None:
    """Copy a table into an open file, adding file metadata."""
    with pq.ParquetFile(source) as file:
        schema = file.schema_arrow.with_metadata(dict(metadata))
        with pq.ParquetWriter(target, schema, compression="zstd") as writer:
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                table = pa.Table.from_batches([batch])
                writer.write_table(table.replace_schema_metadata(schema.metadata))
