"""Whether every record of a sample store can be used."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import sqlalchemy as sa

from tasks.storage.database import Database
from tasks.storage.store_tables import samples

BATCH_ROWS = 1000
_TEXTS = (
    *("key", "status", "usage", "prompt_hash"),
    *("text", "model_id", "finish_reason", "provider_request_id", "error"),
)
_KEY = re.compile(r"[0-9a-f]{64}")


class Bad(NamedTuple):
    """A record that cannot be used, and why."""

    key: str
    problem: str


class Checked(NamedTuple):
    """What a check of all records found."""

    checked: int = 0
    bad: tuple[Bad, ...] = ()


def verify(database: Database) -> Checked:
    """Read every record as a run would, and say which cannot be used."""
    checked, bad = 0, list[Bad]()
    query = sa.select(samples).order_by(samples.c.key).execution_options(yield_per=BATCH_ROWS)
    with database.reading() as connection, _undecoded(connection):
        for row in connection.execute(query).mappings():
            checked += 1
            problem = problem_of(row)
            if problem is not None:
                key = row["key"]
                name = key.decode(errors="replace") if isinstance(key, bytes) else str(key)
                bad.append(Bad(name, problem))
    return Checked(checked, tuple(bad))


@contextmanager
def _undecoded(connection: sa.Connection) -> Iterator[None]:
    """Have SQLite, which takes anything for a text, hand texts over as bytes.

    One odd record must not hide the others.
    """
    raw: Any = connection.connection.dbapi_connection
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        raw.text_factory = bytes
    try:
        yield
    finally:
        if is_sqlite:
            raw.text_factory = str


def problem_of(row: sa.RowMapping) -> str | None:
    """What is wrong with a record; None when a run can use it."""
    texts = dict[str, str | None]()
    for name in _TEXTS:
        value = row[name]
        try:
            texts[name] = value.decode() if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            return f"{name} is not UTF-8"
        if not isinstance(texts[name], str | None):
            return f"{name} is not text"
    for name in ("wall_time_ms", "reasoning_tokens"):
        if not isinstance(row[name], float | int | None):
            return f"{name} is not a number"
    return next((wrong for check in _CHECKS if (wrong := check(texts))), None)


def _wrong_key(texts: dict[str, str | None]) -> str | None:
    return None if _KEY.fullmatch(texts["key"] or "") else "key is not a SHA-256"


def _wrong_status(texts: dict[str, str | None]) -> str | None:
    if texts["status"] not in {"ok", "failed"}:
        return f"status is {texts['status']!r}"
    return "failed without a cause" if texts["status"] == "failed" and not texts["error"] else None


def _wrong_usage(texts: dict[str, str | None]) -> str | None:
    try:
        usage = json.loads(texts["usage"] or "")
    except (ValueError, RecursionError):
        return "usage is not JSON"
    return None if isinstance(usage, dict) else "usage is not an object"


def _missing(texts: dict[str, str | None]) -> str | None:
    missing = [name for name in ("text", "prompt_hash") if texts[name] is None]
    return f"{missing[0]} is missing" if missing else None


_CHECKS: tuple[Callable[[dict[str, str | None]], str | None], ...] = (
    _wrong_key,
    _wrong_status,
    _missing,
    _wrong_usage,
)
