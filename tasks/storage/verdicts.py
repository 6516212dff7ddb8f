"""The store of verdicts on candidates of packs, beside the samples in one database."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from tasks.packs.judging import Result
from tasks.packs.stored_judging import VerdictKey
from tasks.storage.database import Database
from tasks.storage.store_tables import verdicts


class VerdictStore:
    """All verdicts, by what they depend on.

    Args:
        url: SQLAlchemy URL.
    """

    def __init__(self, url: str) -> None:
        self._database = Database(url)

    def close(self) -> None:
        """Let go of all connections."""
        self._database.close()

    def fetch(self, keys: Sequence[VerdictKey]) -> dict[VerdictKey, Result]:
        """The verdicts of some keys, as far as there are any; their `task_id` is empty."""
        by_digest = {key.digest: key for key in keys}
        query = sa.select(verdicts).where(verdicts.c.key.in_(by_digest))
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings()
            return {by_digest[row["key"]]: _result(row) for row in rows}

    def add(self, found: Sequence[tuple[VerdictKey, Result]]) -> None:
        """Keep verdicts; the first one of a key stays. Errors and pending rows are not kept.

        Raises:
            Unfinished: The store cannot be written.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = [
            _row(key, result) | {"created_at": now}
            for key, result in found
            if result.passed is not None
        ]
        if not rows:
            return
        # In order of their keys: two writers that lock the same rows then never wait in a circle.
        rows.sort(key=lambda row: row["key"])
        insert = postgresql.insert if self._database.is_postgres else sqlite.insert
        with self._database.writing() as connection:
            connection.execute(insert(verdicts).on_conflict_do_nothing(), rows)


def _row(key: VerdictKey, result: Result) -> dict[str, str]:
    content = {
        "reason": result.reason,
        "phase": result.phase,
        "metadata": dict(result.metadata),
        "stdout": result.stdout,
        "stderr": result.stderr,
    }
    return {
        "key": key.digest,
        **key._asdict(),
        "status": result.status,
        "content": json.dumps(content, sort_keys=True),
    }


def _result(row: sa.RowMapping) -> Result:
    return Result("", row["status"], **json.loads(row["content"]))
