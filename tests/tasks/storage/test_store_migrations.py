"""Named steps bring every store to the present tables, and leave later ones alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from schemas.errors import Unfinished
from tasks.sampling.records import Record, Reply
from tasks.storage.database import Database, sqlite_url
from tasks.storage.samples import SampleStore
from tasks.storage.store_migrations import MIGRATIONS
from tasks.storage.store_tables import metadata

FIRST_RELEASE = """
CREATE TABLE assent_store (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name));
CREATE TABLE samples (
    key TEXT NOT NULL, status TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
    benchmark_id TEXT NOT NULL, epoch TEXT NOT NULL, prompt_hash TEXT NOT NULL,
    text TEXT NOT NULL, model_id TEXT, finish_reason TEXT, wall_time_ms FLOAT,
    usage TEXT NOT NULL, reasoning_tokens INTEGER, provider_request_id TEXT, error TEXT,
    created_at TEXT NOT NULL, PRIMARY KEY (key)
);
INSERT INTO assent_store VALUES ('version', '1');
INSERT INTO samples VALUES (
    'k', 'ok', 'control', 'coin', 'b', '', 'sha256:0', 'GOOD', 'm', 'stop', 1.5, '{"n": 1}', 2,
    'r', NULL, '2026-01-01T00:00:00.000+00:00'
);
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as the first program wrote it."""
    path = tmp_path / "s.sqlite"
    run(path, FIRST_RELEASE)
    return path


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def open_and_close(path: Path) -> None:
    Database(sqlite_url(path)).close()


def steps(path: Path) -> list[object]:
    return [name for (name,) in ask(path, "SELECT name FROM assent_migrations ORDER BY name")]


def test_steps_are_in_the_order_of_their_names() -> None:
    names = [step.name for step in MIGRATIONS]
    assert names == sorted(set(names))
    assert names[:2] == ["0001-samples", "0002-leases"]


def test_a_new_store_has_had_every_step(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    open_and_close(path)
    assert steps(path) == [step.name for step in MIGRATIONS]
    assert ask(path, "SELECT * FROM assent_store") == [("version", str(len(MIGRATIONS)))]


def columns(inspector: sa.Inspector) -> dict[str, dict[str, bool]]:
    return {
        table: {column["name"]: column["nullable"] for column in inspector.get_columns(table)}
        for table in inspector.get_table_names()
    }


def declared() -> dict[str, dict[str, bool]]:
    return {
        table.name: {column.name: bool(column.nullable) for column in table.columns}
        for table in metadata.tables.values()
    }


@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
def test_the_steps_end_in_the_declared_tables(tmp_path: Path, *, is_old: bool) -> None:
    path = tmp_path / "s.sqlite"
    if is_old:
        run(path, FIRST_RELEASE)
    open_and_close(path)
    engine = sa.create_engine(sqlite_url(path))
    assert columns(sa.inspect(engine)) == declared()
    engine.dispose()


@pytest.mark.needs("postgresql")
def test_the_steps_end_in_the_declared_tables_on_postgresql(postgres_url: str) -> None:
    Database(postgres_url).close()
    engine = sa.create_engine(postgres_url)
    found = columns(sa.inspect(engine))
    with engine.begin() as connection:
        metadata.drop_all(connection)
    engine.dispose()
    assert found == declared()


def test_an_old_store_keeps_what_it_holds(old: Path) -> None:
    store = SampleStore(sqlite_url(old))
    reply = Reply("GOOD", "m", "stop", 1.5, {"n": 1}, 2, "r")
    assert store.fetch(["k"]) == {"k": Record("k", "sha256:0", "ok", reply)}
    assert store.claim(["k", "new"]) == ({"new"}, {"k"})
    store.close()
    assert steps(old) == [step.name for step in MIGRATIONS]


def test_opening_a_store_again_changes_nothing(old: Path) -> None:
    open_and_close(old)
    before = ask(old, "SELECT * FROM assent_migrations")
    open_and_close(old)
    assert ask(old, "SELECT * FROM assent_migrations") == before


def test_a_step_that_fails_leaves_the_store_as_it_was(old: Path) -> None:
    run(old, "CREATE TABLE leases (mine TEXT)")
    before = ask(old, "SELECT name, sql FROM sqlite_master ORDER BY name")
    with pytest.raises(Unfinished, match="leases already exists"):
        open_and_close(old)
    assert ask(old, "SELECT name, sql FROM sqlite_master ORDER BY name") == before
    assert ask(old, "SELECT value FROM assent_store") == [("1",)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("INSERT INTO assent_migrations VALUES ('9999-later', '')", "9999-later"),
        ("UPDATE assent_store SET value = '99'", "version 99"),
        ("UPDATE assent_store SET value = 'x'", "version x"),
    ],
    ids=["step", "version", "nonsense"],
)
def test_a_store_of_a_later_program_is_refused(tmp_path: Path, change: str, named: str) -> None:
    path = tmp_path / "s.sqlite"
    open_and_close(path)
    run(path, change)
    with pytest.raises(Unfinished, match=named) as caught:
        open_and_close(path)
    assert caught.value.code == "state_unusable"


@pytest.mark.parametrize("version", ["3", "0", "x"])
def test_an_unknown_version_without_named_steps_is_refused(old: Path, version: str) -> None:
    run(old, f"UPDATE assent_store SET value = '{version}'")
    with pytest.raises(Unfinished, match=f"version {version}"):
        open_and_close(old)
    assert ask(old, "SELECT count(*) FROM samples") == [(1,)]
