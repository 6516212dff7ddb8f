"""What a sample store holds, and how to make it hold less."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from tasks.storage.database import Database
from tasks.storage.store_tables import leases, samples

_GROUPED = ("provider", "model", "benchmark_id", "epoch", "status")


class Selection(NamedTuple):
    """Which samples are meant; what is not given does not matter."""

    benchmark: str | None = None
    provider: str | None = None
    model: str | None = None
    epoch: str | None = None
    older_than_days: float | None = None

    def condition(self) -> sa.ColumnElement[bool]:
        """The selection as SQL."""
        wanted = {
            samples.c.benchmark_id: self.benchmark,
            samples.c.provider: self.provider,
            samples.c.model: self.model,
            samples.c.epoch: self.epoch,
        }
        found = [column == value for column, value in wanted.items() if value is not None]
        if self.older_than_days is not None:
            oldest = datetime.now(UTC) - timedelta(days=self.older_than_days)
            found.append(samples.c.created_at < oldest.isoformat(timespec="milliseconds"))
        return sa.and_(sa.true(), *found)


class Group(NamedTuple):
    """How many samples there are of one kind."""

    provider: str
    model: str
    benchmark: str
    epoch: str
    status: str
    samples: int


class Stats(NamedTuple):
    """What a store holds."""

    samples: int = 0
    size_bytes: int = 0
    oldest: str | None = None
    newest: str | None = None
    groups: tuple[Group, ...] = ()


def read_stats(database: Database) -> Stats:
    """Counts by kind, size on disk, and the times of the oldest and newest sample."""
    grouped = [samples.c[name] for name in _GROUPED]
    counts = sa.select(*grouped, sa.func.count()).group_by(*grouped).order_by(*grouped)
    times = sa.select(sa.func.min(samples.c.created_at), sa.func.max(samples.c.created_at))
    with database.reading() as connection:
        groups = tuple(Group(*row) for row in connection.execute(counts))
        oldest, newest = connection.execute(times).one()
        size = connection.execute(sa.text(_SIZES[database.is_postgres])).scalar_one()
    return Stats(sum(group.samples for group in groups), int(size), oldest, newest, groups)


_SIZES = {
    False: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    True: "SELECT pg_total_relation_size('samples') + pg_total_relation_size('leases')",
}


def count(database: Database, selection: Selection) -> int:
    """How many samples are selected."""
    query = sa.select(sa.func.count()).select_from(samples).where(selection.condition())
    with database.reading() as connection:
        return int(connection.execute(query).scalar_one())


def prune(database: Database, selection: Selection) -> int:
    """Delete the selected samples for good, and give back their space; how many they were."""
    with database.writing() as connection:
        deleted = connection.execute(samples.delete().where(selection.condition())).rowcount
        # Left behind by processes that were killed and never came back.
        yesterday = database.now - timedelta(days=1).total_seconds()
        connection.execute(leases.delete().where(leases.c.expires_at < yesterday))
    if deleted:
        database.give_back_space()
    return deleted
