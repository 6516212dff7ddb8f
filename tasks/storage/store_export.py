"""Samples as a file that `--model replay/FILE` reads.

A line or row per sample: what replay needs, and what the store knows beside it. Failures are
written as failures, so that a replayed run votes alike.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa

from schemas.base import Frozen
from schemas.errors import Unfinished, UserError
from tasks.storage.database import Database
from tasks.storage.files import written_whole
from tasks.storage.store_care import Selection
from tasks.storage.store_check import problem_of
from tasks.storage.store_tables import samples
from tasks.storage.tables import arrow_schema, write_parquet_to

BATCH_ROWS = 1000
Row = dict[str, Any]


class ExportRow(Frozen):
    """One sample of the store."""

    request_key: str
    prompt_hash: str
    status: str
    text: str
    model_id: str | None
    finish_reason: str | None
    wall_time_ms: float | None
    usage_json: str
    reasoning_tokens: int | None
    provider_request_id: str | None
    error: str | None
    provider: str
    model: str
    benchmark_id: str
    epoch: str
    created_at: str


def export(database: Database, selection: Selection, path: Path) -> int:
    """Write the selected samples to a file, whole or not at all; how many they were.

    Raises:
        UserError: The file is neither JSON lines nor Parquet, or nothing is selected.
        Unfinished: The file cannot be written, or a record cannot be used.
    """
    write = writer_for(path)
    # The order in which replay hands them out, and the same for every export.
    order = (samples.c.prompt_hash, samples.c.created_at, samples.c.key)
    query = sa.select(samples).where(selection.condition()).order_by(*order)
    with database.reading() as connection:
        found = connection.execute(query.execution_options(yield_per=BATCH_ROWS))
        rows = (_sound(row) for row in found.mappings())
        first = next(rows, None)
        if first is None:
            raise nothing_to_export()
        with written_whole(path) as file:
            return write(file, _all(first, rows))


def writer_for(path: Path) -> Callable[[IO[bytes], Iterator[Row]], int]:
    """How to write a file of this name.

    Raises:
        UserError: It ends neither in .jsonl nor in .parquet.
    """
    found = {".jsonl": _write_lines, ".parquet": _write_parquet}.get(path.suffix)
    if found is None:
        raise UserError(
            f"cannot export to {str(path)!r}",
            where="FILE",
            fix="name a file that ends in .jsonl or .parquet",
            code="bad_option",
        )
    return found


def nothing_to_export() -> UserError:
    """The error for a selection without samples."""
    return UserError(
        "the store holds no such sample",
        fix="assent store stats shows what it holds",
        code="nothing_to_export",
    )


def _sound(row: sa.RowMapping) -> Row:
    problem = problem_of(row)
    if problem is not None:
        raise Unfinished(
            f"the record {row['key']} cannot be used: {problem}",
            fix="assent store verify lists all such records",
            code="state_unusable",
        )
    return dict(row)


def _all(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _write_lines(file: IO[bytes], rows: Iterator[Row]) -> int:
    count = 0
    for row in rows:
        file.write(json.dumps(_line(row), ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def _line(row: Row) -> Row:
    known = {"request_key": row.pop("key"), **row, "usage": json.loads(row["usage"])}
    if row["status"] == "ok":
        return {name: value for name, value in known.items() if value is not None}
    # As a run log has it: a line without an event would be a reply.
    del known["text"]
    failed = {"event": "sample.failed", "err": row["error"] or "", **known}
    return {name: value for name, value in failed.items() if value is not None}


def _write_parquet(file: IO[bytes], rows: Iterator[Row]) -> int:
    renamed = ({"request_key": row["key"], "usage_json": row["usage"], **row} for row in rows)
    return write_parquet_to(file, arrow_schema(ExportRow), renamed)
