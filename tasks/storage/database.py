"""The database behind the sample store: SQLite in a file or in memory, or PostgreSQL.

SQLite runs with a write-ahead log: readers never wait. A transaction that writes takes the write
lock at once, because the upgrade of a read lock can fail.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import SQLAlchemyError

from schemas.errors import Unfinished, UserError
from tasks.storage.store_migrations import bring_up, is_current

BUSY_SECONDS = 30
CONNECT_SECONDS = 10
MEMORY_URL = "sqlite://"
_BEGIN = "assent_begin"

_CLOCKS = {
    False: "((julianday('now') - 2440587.5) * 86400.0)",
    True: "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}

_DRIVERS = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


class Database:
    """An open store, brought up to the present tables.

    Args:
        url: SQLAlchemy URL.
    """

    def __init__(self, url: str) -> None:
        self._engine = _connect(url)
        self._durable = self._engine.execution_options(**{_BEGIN: "durable"})
        self._passing = self._engine.execution_options(**{_BEGIN: "passing"})
        try:
            with self.reading() as connection:
                current = is_current(connection)
            if not current:
                with self.writing() as connection:
                    bring_up(connection)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @property
    def is_postgres(self) -> bool:
        """Whether this is PostgreSQL, not SQLite."""
        return self._engine.dialect.name == "postgresql"

    @property
    def dialect(self) -> sa.Dialect:
        """How statements are written for it."""
        return self._engine.dialect

    @property
    def now(self) -> sa.ColumnElement[float]:
        """The database's own clock, in seconds since 1970: processes need not agree on theirs."""
        return sa.literal_column(_CLOCKS[self.is_postgres], sa.Double)

    @property
    def is_private(self) -> bool:
        """Whether nobody else can ever see it: it lives in memory."""
        return not self.is_postgres and isinstance(self._engine.pool, sa.StaticPool)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that only reads, and on SQLite waits for nobody.

        Raises:
            Unfinished: The store cannot be used.
        """
        with self._errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sa.Connection]:
        """A transaction that writes, all or nothing.

        Args:
            durable: Whether it has to survive a loss of power once committed.

        Raises:
            Unfinished: The store cannot be used, for example because the disk is full.
        """
        engine = self._durable if durable else self._passing
        with self._errors(), engine.begin() as connection:
            yield connection

    def listed(self) -> sa.Select[Any]:
        """The values of the parameter `keys`, a JSON list (see `as_list`), as a column `value`."""
        keys = sa.bindparam("keys", type_=sa.Text)
        if self.is_postgres:
            each = sa.func.json_array_elements_text(sa.cast(keys, postgresql.JSON))
            return sa.select(each.column_valued("value"))
        return sa.select(sa.func.json_each(keys).table_valued("value").c.value)

    def give_back_space(self) -> None:
        """Shrink a SQLite file to what it holds; PostgreSQL sees to that itself."""
        if self.is_postgres:
            return
        with self._errors():
            connection = self._engine.raw_connection()
            try:
                for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    connection.cursor().execute(statement)
            except sqlite3.Error as error:
                raise sa.exc.DBAPIError(None, None, error) from error
            finally:
                connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise _unusable(self._engine.url, error) from error


class Prepared:
    """A statement compiled once: SQLAlchemy would compile one with ON CONFLICT at every use.

    Args:
        database: Where it runs.
        statement: The statement.
        names: The parameters that each use gives.
    """

    def __init__(self, database: Database, statement: Any, names: Iterable[str]) -> None:
        given = list(names)
        compiled = statement.compile(dialect=database.dialect, column_keys=given)
        self._sql = str(compiled)
        self._fixed = {k: v for k, v in compiled.params.items() if k not in given}
        self._order: list[str] | None = compiled.positiontup

    def run(self, connection: sa.Connection, row: dict[str, Any]) -> sa.CursorResult[Any]:
        """Run it once."""
        return connection.exec_driver_sql(self._sql, self._filled(row))

    def run_all(self, connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
        """Run it for every row."""
        connection.exec_driver_sql(self._sql, [self._filled(row) for row in rows])

    def _filled(self, row: dict[str, Any]) -> Any:
        filled = self._fixed | row
        return filled if self._order is None else tuple(filled[name] for name in self._order)


def as_list(keys: Iterable[str]) -> dict[str, Any]:
    """Keys as the parameter of `Database.listed`."""
    return {"keys": json.dumps(list(keys))}


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite store in a file."""
    return str(sa.URL.create("sqlite", database=str(path)))


def exists(url: str) -> bool:
    """Whether there is a store to open; a server is only asked when it is opened."""
    parsed = _parse(url)
    if parsed.get_backend_name() == "postgresql":
        return True
    return bool(parsed.database) and Path(str(parsed.database)).exists()


def _parse(url: str) -> sa.URL:
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
    return parsed.set(drivername=_DRIVERS[parsed.drivername])


def _connect(url: str) -> sa.Engine:
    parsed = _parse(url)
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
        begin = connection.get_execution_options().get(_BEGIN)
        if begin is None:
            connection.exec_driver_sql("BEGIN")
            return
        # In a write-ahead log, NORMAL keeps a transaction whole and spares the wait for the disk.
        level = "FULL" if begin == "durable" else "NORMAL"
        if connection.info.get(_BEGIN) != level:
            connection.exec_driver_sql(f"PRAGMA synchronous={level}")
            connection.info[_BEGIN] = level
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
