"""How a sample store gets its tables: named steps, in order, each recorded when it is done.

The list only grows. A step that was released never changes, so it writes its SQL out: the tables of
`store_tables` are those of the end. A store that knows a step which we do not know is from a later
program, and is left alone.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import sqlalchemy as sa

from schemas.errors import Unfinished
from tasks.storage.store_tables import facts, migrations

_TAKING_TURNS = 0x617373656E74
"""Number of the advisory lock: "assent" in ASCII."""


class Migration(NamedTuple):
    """One step."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS: Sequence[Migration] = (
    Migration(
        "0001-samples",
        (
            """
            CREATE TABLE samples (
                key TEXT NOT NULL PRIMARY KEY,
                status TEXT NOT NULL,
                provider TEXT NOT NULL,
                model TEXT NOT NULL,
                benchmark_id TEXT NOT NULL,
                epoch TEXT NOT NULL,
                prompt_hash TEXT NOT NULL,
                text TEXT NOT NULL,
                model_id TEXT,
                finish_reason TEXT,
                wall_time_ms FLOAT,
                usage TEXT NOT NULL,
                reasoning_tokens INTEGER,
                provider_request_id TEXT,
                error TEXT,
                created_at TEXT NOT NULL
            )
            """,
        ),
    ),
    Migration(
        "0002-leases",
        (
            """
            CREATE TABLE leases (
                key TEXT NOT NULL PRIMARY KEY,
                holder TEXT NOT NULL,
                expires_at DOUBLE PRECISION NOT NULL
            )
            """,
        ),
    ),
    Migration(
        "0003-verdicts",
        (
            """
            CREATE TABLE verdicts (
                key TEXT NOT NULL PRIMARY KEY,
                row_digest TEXT NOT NULL,
                candidate_digest TEXT NOT NULL,
                verifier_version TEXT NOT NULL,
                sandbox TEXT NOT NULL,
                status TEXT NOT NULL,
                content TEXT NOT NULL,
                created_at TEXT NOT NULL
            )
            """,
        ),
    ),
)
STORE_VERSION = len(MIGRATIONS)
"""Written into the store as well, so that programs that count versions refuse a later one."""


def is_current(connection: sa.Connection) -> bool:
    """Whether a store has had every step and no other; asks without writing.

    Raises:
        Unfinished: A later program wrote it.
    """
    inspector = sa.inspect(connection)
    if not (inspector.has_table(facts.name) and inspector.has_table(migrations.name)):
        return False
    return len(_done(connection)) == len(MIGRATIONS)


def bring_up(connection: sa.Connection) -> None:
    """Apply the steps that a store lacks, inside the given transaction.

    Raises:
        Unfinished: A later program wrote it.
    """
    if connection.dialect.name == "postgresql":
        # Creating what does not exist yet is no single step there: take turns.
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_TAKING_TURNS)))
    facts.create(connection, checkfirst=True)
    migrations.create(connection, checkfirst=True)
    if _version(connection) == "1" and not _names(connection):
        # Written before steps had names.
        _record(connection, MIGRATIONS[0])
    for step in MIGRATIONS[len(_done(connection)) :]:
        for statement in step.statements:
            connection.execute(sa.text(statement))
        _record(connection, step)
    connection.execute(facts.delete().where(facts.c.name == "version"))
    connection.execute(facts.insert().values(name="version", value=str(STORE_VERSION)))


def _done(connection: sa.Connection) -> list[str]:
    """Names of the steps that a store has had, in order."""
    version, done = _version(connection), _names(connection)
    known = [step.name for step in MIGRATIONS[: len(done)]]
    if done != known or version != (str(len(done)) if done else None):
        foreign = ", ".join(sorted(set(done) - set(known))) or f"version {version}"
        raise Unfinished(
            f"the sample store has {foreign}, this program knows version {STORE_VERSION}",
            fix="use the program version that wrote it",
            code="state_unusable",
        )
    return done


def _version(connection: sa.Connection) -> str | None:
    query = sa.select(facts.c.value).where(facts.c.name == "version")
    return connection.execute(query).scalar()


def _names(connection: sa.Connection) -> list[str]:
    return sorted(connection.execute(sa.select(migrations.c.name)).scalars())


def _record(connection: sa.Connection, step: Migration) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    connection.execute(migrations.insert().values(name=step.name, applied_at=now))
