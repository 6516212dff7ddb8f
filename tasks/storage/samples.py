"""The sample store: request key to sample, on SQLite or PostgreSQL.

A reply is written once and never replaced. A failure is kept with its cause and gives way to the
reply that a later run gets.
"""

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from tasks.sampling.claims import Claim
from tasks.sampling.records import Record, Reply
from tasks.storage.database import MEMORY_URL, Database, Prepared, as_list, sqlite_url
from tasks.storage.leases import Leases
from tasks.storage.store_history import read_usage
from tasks.storage.store_tables import samples

__all__ = ["MEMORY_URL", "SampleStore", "sqlite_url"]


class SampleStore:
    """All samples ever paid for, by request key.

    Args:
        url: SQLAlchemy URL.
        labels: What new samples are labelled with: provider, model, benchmark_id, epoch.
    """

    def __init__(self, url: str, labels: dict[str, str] | None = None) -> None:
        self._labels = labels or {}
        self._database = Database(url)
        self._leases = None if self._database.is_private else Leases(self._database)
        names = [column.name for column in samples.columns]
        self._insert = Prepared(self._database, _upsert(self._database), names)
        found = samples.c.key.in_(self._database.listed())
        self._answered = sa.select(samples.c.key).where(found, samples.c.status == "ok")
        self._found = sa.select(samples).where(found)

    def close(self) -> None:
        """Let go of all connections."""
        self._database.close()

    def answered(self, keys: list[str]) -> set[str]:
        """Those of the keys that have a reply."""
        with self._database.reading() as connection:
            return set(connection.scalars(self._answered, as_list(keys)))

    def fetch(self, keys: list[str]) -> dict[str, Record]:
        """The records of some keys; keys without one are absent."""
        with self._database.reading() as connection:
            rows = connection.execute(self._found, as_list(keys)).mappings()
            return {row["key"]: _record(row) for row in rows}

    def claim(self, keys: list[str]) -> Claim:
        """Take keys for this process alone, as far as nobody has answered or taken them."""
        return self._leases.take(keys) if self._leases else Claim(set(keys), set())

    def renew(self) -> None:
        """Keep what was claimed and has no record yet."""
        if self._leases:
            self._leases.renew()

    def release(self) -> None:
        """Let others have what was claimed and has no record yet."""
        if self._leases:
            self._leases.release()

    def add(self, records: list[Record]) -> None:
        """Keep records durably, all or none; their keys are no longer claimed.

        Raises:
            Unfinished: The store cannot be written, for example because the disk is full.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if not records:
            return
        # In order of their keys: two writers that lock the same rows then never wait in a circle.
        ordered = sorted(records, key=lambda record: record.key)
        rows = [_row(record) | self._labels | {"created_at": now} for record in ordered]
        failed = {record.key for record in records if record.status == "failed"}
        with self._database.writing() as connection:
            self._insert.run_all(connection, rows)
            if self._leases and failed:
                self._leases.drop(connection, failed)
        if self._leases:
            self._leases.settle({record.key for record in records} - failed, failed)


def _upsert(database: Database) -> Any:
    insert = (postgresql.insert if database.is_postgres else sqlite.insert)(samples)
    fresh = {c.name: insert.excluded[c.name] for c in samples.columns if c.name != "key"}
    return insert.on_conflict_do_update(
        index_elements=[samples.c.key], set_=fresh, where=samples.c.status == "failed"
    )


def _row(record: Record) -> dict[str, Any]:
    reply = record.reply
    return {
        "key": record.key,
        "status": record.status,
        "prompt_hash": record.prompt_hash,
        "text": reply.text,
        "model_id": reply.model_id,
        "finish_reason": reply.finish_reason,
        "wall_time_ms": reply.wall_time_ms,
        "usage": json.dumps(reply.usage, sort_keys=True),
        "reasoning_tokens": reply.reasoning_tokens,
        "provider_request_id": reply.provider_request_id,
        "error": record.error,
    }


def _record(row: sa.RowMapping) -> Record:
    reply = Reply(
        text=row["text"],
        model_id=row["model_id"],
        finish_reason=row["finish_reason"],
        wall_time_ms=row["wall_time_ms"],
        usage=read_usage(row["usage"]),
        reasoning_tokens=row["reasoning_tokens"],
        provider_request_id=row["provider_request_id"],
    )
    return Record(row["key"], row["prompt_hash"], row["status"], reply, row["error"])
