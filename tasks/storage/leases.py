"""Leases: who is asking for which key right now, so that two processes pay once.

A lease is short, runs by the clock of the database, and is renewed while its call is running. A
holder that dies blocks nobody for longer. Leases save money and decide nothing: when one is lost
all the same, the first reply is kept.

Rows are always locked in the order of their keys, so that processes never wait in a circle.
"""

import uuid
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from tasks.sampling.claims import Claim
from tasks.storage.database import Database
from tasks.storage.store_tables import leases, samples

LEASE_SECONDS = 5.0


class Leases:
    """The leases of one process on a shared store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = uuid.uuid4().hex
        self._held: set[str] = set()
        self._now = database.now

    def take(self, keys: list[str]) -> Claim:
        """Lease those keys that have no reply and that nobody holds, not even this process."""
        taken = self._held_now(keys)
        free = sorted(key for key in keys if key not in taken and key not in self._held)
        if not free:
            return Claim(set(), self._answered(keys))
        with self._database.writing(durable=False) as connection:
            connection.execute(self._upsert(), self._rows(free))
            # Looked up after the lease was taken: a reply that came in between is seen.
            query = (
                sa.select(leases.c.key, samples.c.status)
                .join_from(leases, samples, samples.c.key == leases.c.key, isouter=True)
                .where(leases.c.key.in_(free), leases.c.holder == self._holder)
            )
            found = {row.key: row.status for row in connection.execute(query)}
            answered = {key for key, status in found.items() if status == "ok"}
            if answered:
                self.drop(connection, answered)
        mine = found.keys() - answered
        self._held |= mine
        rest = [key for key in keys if key not in mine and key not in answered]
        return Claim(mine, answered | (self._answered(rest) if rest else set()))

    def renew(self) -> None:
        """Hold on to everything that is held, for another while."""
        if not self._held:
            return
        update = (
            leases.update()
            .where(leases.c.key == sa.bindparam("leased"), leases.c.holder == sa.bindparam("by"))
            .values(expires_at=self._now + LEASE_SECONDS)
        )
        with self._database.writing(durable=False) as connection:
            connection.execute(update, self._named(self._held))

    def release(self) -> None:
        """Give up everything that is held."""
        if self._held:
            with self._database.writing(durable=False) as connection:
                self.drop(connection, self._held)
            self._held = set()

    def drop(self, connection: sa.Connection, keys: Iterable[str]) -> None:
        """End leases of this process inside a transaction."""
        delete = leases.delete().where(
            leases.c.key == sa.bindparam("leased"), leases.c.holder == sa.bindparam("by")
        )
        if rows := self._named(keys):
            connection.execute(delete, rows)

    def forget(self, keys: Iterable[str]) -> None:
        """Note that the leases of some keys have ended."""
        self._held.difference_update(keys)

    def _held_now(self, keys: list[str]) -> set[str]:
        query = sa.select(leases.c.key).where(
            leases.c.key.in_(keys), leases.c.expires_at > self._now
        )
        with self._database.reading() as connection:
            return set(connection.execute(query).scalars())

    def _answered(self, keys: list[str]) -> set[str]:
        query = sa.select(samples.c.key).where(samples.c.key.in_(keys), samples.c.status == "ok")
        with self._database.reading() as connection:
            return set(connection.execute(query).scalars())

    def _upsert(self) -> Any:
        insert = (postgresql.insert if self._database.is_postgres else sqlite.insert)(leases)
        until = self._now + LEASE_SECONDS
        return insert.values(expires_at=until).on_conflict_do_update(
            index_elements=[leases.c.key],
            set_={"holder": insert.excluded.holder, "expires_at": until},
            where=leases.c.expires_at <= self._now,
        )

    def _rows(self, keys: list[str]) -> list[dict[str, str]]:
        return [{"key": key, "holder": self._holder} for key in keys]

    def _named(self, keys: Iterable[str]) -> list[dict[str, str]]:
        return [{"leased": key, "by": self._holder} for key in sorted(keys)]
