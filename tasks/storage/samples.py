"""The sample store: request key to sample, on SQLite or PostgreSQL.

A reply is written once and never replaced. A failure is kept with its cause and gives way to the
reply that a later run gets.
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from schemas.errors import Unfinished, UserError
from tasks.sampling.records import Record, Reply

STORE_VERSION = 1
BUSY_SECONDS = 30
_PREPARING = 0x617373656E74
"""Number of the advisory lock: "assent" in ASCII."""
CONNECT_SECONDS = 10

_metadata = sa.MetaData()

_facts = sa.Table(
    "assent_store",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

_samples = sa.Table(
    "samples",
    _metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("benchmark_id", sa.Text, nullable=False),
    sa.Column("epoch", sa.Text, nullable=False),
    sa.Column("prompt_hash", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("model_id", sa.Text),
    sa.Column("finish_reason", sa.Text),
    sa.Column("wall_time_ms", sa.Float),
    sa.Column("usage", sa.Text, nullable=False),
    sa.Column("reasoning_tokens", sa.Integer),
    sa.Column("provider_request_id", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.Text, nullable=False),
)


class SampleStore:
    """All samples ever paid for, by request key.

    Args:
        url: SQLAlchemy URL.
        labels: What new samples are labelled with: provider, model, benchmark_id, epoch.
    """

    def __init__(self, url: str, labels: dict[str, str] | None = None) -> None:
        self._labels = labels or {}
        self._engine = _connect(url)
        try:
            with self._errors():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def answered(self, keys: list[str]) -> set[str]:
        """Those of the keys that have a reply."""
        query = sa.select(_samples.c.key).where(_samples.c.key.in_(keys), _samples.c.status == "ok")
        with self._errors(), self._engine.connect() as connection:
            return set(connection.execute(query).scalars())

    def fetch(self, keys: list[str]) -> dict[str, Record]:
        """The records of some keys; keys without one are absent."""
        query = sa.select(_samples).where(_samples.c.key.in_(keys))
        with self._errors(), self._engine.connect() as connection:
            return {row["key"]: _record(row) for row in connection.execute(query).mappings()}

    def add(self, records: list[Record]) -> None:
        """Keep records durably, all or none.

        Raises:
            Unfinished: The store cannot be written, for example because the disk is full.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        # In order of their keys: two writers that lock the same rows then never wait in a circle.
        ordered = sorted(records, key=lambda record: record.key)
        rows = [_row(record) | self._labels | {"created_at": now} for record in ordered]
        with self._errors(), self._engine.begin() as connection:
            connection.execute(self._upsert(), rows)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise _unusable(self._engine.url, error) from error

    def _upsert(self) -> Any:
        postgres = self._engine.dialect.name == "postgresql"
        insert = (postgresql.insert if postgres else sqlite.insert)(_samples)
        fresh = {c.name: insert.excluded[c.name] for c in _samples.columns if c.name != "key"}
        return insert.on_conflict_do_update(
            index_elements=[_samples.c.key], set_=fresh, where=_samples.c.status == "failed"
        )

    def _prepare(self) -> None:
        with self._engine.begin() as connection:
            if self._engine.dialect.name == "postgresql":
                # Creating what does not exist yet is no single step there: take turns.
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_PREPARING)))
            _metadata.create_all(connection)
            query = sa.select(_facts.c.value).where(_facts.c.name == "version")
            found = connection.execute(query).scalar()
            if found is None:
                values = {"name": "version", "value": str(STORE_VERSION)}
                connection.execute(_facts.insert().values(**values))
            elif found != str(STORE_VERSION):
                raise Unfinished(
                    f"the sample store has version {found}, this program reads {STORE_VERSION}",
                    fix="use the program version that wrote it",
                    code="state_unusable",
                )


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite store in a file."""
    return str(sa.URL.create("sqlite", database=str(path)))


MEMORY_URL = "sqlite://"

_DRIVERS = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


def _connect(url: str) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except (SQLAlchemyError, ValueError):
        # Without its cause, which may quote the URL and so a password.
        raise UserError(
            "the sample store's URL cannot be read",
            where="ASSENT_STORE",
            fix="for example postgresql://user@host/database",
            code="bad_settings",
        ) from None
    if parsed.drivername not in _DRIVERS:
        raise UserError(
            f"a sample store cannot live on {parsed.drivername!r}",
            where="ASSENT_STORE",
            fix="use sqlite or postgresql",
            code="bad_settings",
        )
    parsed = parsed.set(drivername=_DRIVERS[parsed.drivername])
    if parsed.get_backend_name() == "postgresql":
        patience = {"connect_timeout": CONNECT_SECONDS}
        return sa.create_engine(parsed, pool_pre_ping=True, connect_args=patience)
    memory = parsed.database in {None, "", ":memory:"}
    # In a notebook the loop runs in a thread of its own: the one connection goes with it.
    engine = (
        sa.create_engine(parsed, poolclass=sa.StaticPool, connect_args={"check_same_thread": False})
        if memory
        else sa.create_engine(parsed)
    )
    _harden_sqlite(engine)
    return engine


def _harden_sqlite(engine: sa.Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        for pragma in (f"busy_timeout={BUSY_SECONDS * 1000}", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")
        _switch_to_wal(connection)

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # Taking the write lock at once avoids the upgrade of a read lock, which can fail.
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _switch_to_wal(connection: Any) -> None:
    """Ask for the write-ahead log; SQLite answers at once, whatever the busy timeout says."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


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
        usage=json.loads(row["usage"]),
        reasoning_tokens=row["reasoning_tokens"],
        provider_request_id=row["provider_request_id"],
    )
    return Record(row["key"], row["prompt_hash"], row["status"], reply, row["error"])


def _unusable(url: sa.URL, error: SQLAlchemyError) -> Unfinished:
    cause = (str(getattr(error, "orig", None) or error).splitlines() or ["no reason given"])[0]
    for secret in (url.password, url.query.get("password")):
        cause = cause.replace(str(secret), "***") if secret else cause
    place = url.set(query={}).render_as_string(hide_password=True)
    return Unfinished(
        f"the sample store {place} cannot be used: {cause}",
        fix="what it holds is kept; mend the cause and run again",
        code="state_unusable",
    )
