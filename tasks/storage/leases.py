"""Leases: who is asking for which key right now, so that two processes pay once.

A lease is short, runs by the clock of the database, and is renewed while its call is running. A
holder that dies blocks nobody for longer. Leases save money and decide nothing: when one is lost
all the same, the first reply is kept.

Rows are always locked in the order of their keys, so that processes never wait in a circle. Keys
travel as one parameter, a JSON list, so that every statement is compiled once.
"""

import uuid
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from tasks.sampling.claims import Claim
from tasks.storage.database import Database, Prepared, as_list
from tasks.storage.store_tables import leases, samples

LEASE_SECONDS = 5.0
# Older leases were left behind by processes that were killed.
FORGOTTEN_SECONDS = 3600.0


class Leases:
    """The leases of one process on a shared store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = uuid.uuid4().hex
        self._held: set[str] = set()
        self._over: set[str] = set()
        listed = database.listed()
        self._taken = sa.select(leases.c.key).where(
            leases.c.key.in_(listed), leases.c.expires_at > database.now
        )
        self._answered = sa.select(samples.c.key).where(
            samples.c.key.in_(listed), samples.c.status == "ok"
        )
        self._lease = Prepared(database, _lease_statement(database), ("keys", "by", "seconds"))
        mine = (
            sa.select(leases.c.key)
            .where(leases.c.holder == sa.bindparam("by"), leases.c.key.in_(listed))
            .order_by(leases.c.key)
            .with_for_update()
            .cte("mine")
        )
        until = database.now + sa.bindparam("seconds", type_=sa.Double)
        is_mine = leases.c.key.in_(sa.select(mine.c.key))
        self._renewal = leases.update().where(is_mine).values(expires_at=until)
        self._end = leases.delete().where(is_mine)
        forgotten = (
            sa.select(leases.c.key)
            .where(leases.c.expires_at < database.now - FORGOTTEN_SECONDS)
            .with_for_update(skip_locked=True)
            .cte("forgotten")
        )
        self._tidying = leases.delete().where(leases.c.key.in_(sa.select(forgotten.c.key)))

    def take(self, keys: list[str]) -> Claim:
        """Lease those keys that have no reply and that nobody holds, not even this process."""
        with self._database.reading() as connection:
            taken = set(connection.scalars(self._taken, as_list(keys)))
            free = [key for key in keys if key not in taken and key not in self._held]
            if not free:
                return Claim(set(), set(connection.scalars(self._answered, as_list(keys))))
        with self._database.writing(durable=False) as connection:
            wanted = as_list(free) | {"by": self._holder, "seconds": LEASE_SECONDS}
            mine = set(self._lease.run(connection, wanted).scalars())
            # Looked up after the lease was taken: a reply that came in between is seen.
            answered = set(connection.scalars(self._answered, as_list(keys)))
            if superfluous := mine & answered:
                self.drop(connection, superfluous)
        mine -= answered
        self._held |= mine
        return Claim(mine, answered)

    def renew(self) -> None:
        """Hold on to everything that is held, for another while; clear away what was answered."""
        if not self._held and not self._over:
            return
        held = as_list(self._held) | {"by": self._holder, "seconds": LEASE_SECONDS}
        with self._database.writing(durable=False) as connection:
            self.drop(connection, self._over)
            connection.execute(self._renewal, held)
        self._over = set()

    def release(self) -> None:
        """Give up everything that is held, and sweep up after processes that were killed."""
        with self._database.writing(durable=False) as connection:
            self.drop(connection, self._held | self._over)
            connection.execute(self._tidying)
        self._held, self._over = set(), set()

    def drop(self, connection: sa.Connection, keys: Iterable[str]) -> None:
        """End leases of this process inside a transaction."""
        if keys := sorted(keys):
            connection.execute(self._end, as_list(keys) | {"by": self._holder})

    def settle(self, answered: Iterable[str], failed: Iterable[str]) -> None:
        """Note that keys have records. Those of replies are in nobody's way, and wait a little."""
        self._over.update(answered)
        self._held.difference_update(answered)
        self._held.difference_update(failed)


def _lease_statement(database: Database) -> Any:
    """Takes the listed keys that nobody holds, or nobody any more; returns those it got."""
    insert = (postgresql.insert if database.is_postgres else sqlite.insert)(leases)
    listed = database.listed().subquery()
    rows = sa.select(
        listed.c.value,
        sa.bindparam("by", type_=sa.Text),
        database.now + sa.bindparam("seconds", type_=sa.Double),
    ).order_by(listed.c.value)
    return (
        insert.from_select(["key", "holder", "expires_at"], rows)
        .on_conflict_do_update(
            index_elements=[leases.c.key],
            set_={"holder": insert.excluded.holder, "expires_at": insert.excluded.expires_at},
            where=leases.c.expires_at <= database.now,
        )
        .returning(leases.c.key)
    )
