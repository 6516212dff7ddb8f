"""Leases: one process at a time asks for a key, and nobody waits for the dead."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tasks.sampling.records import Record, Reply
from tasks.storage import leases
from tasks.storage.samples import MEMORY_URL, SampleStore, sqlite_url
from tasks.storage.store_tables import metadata

LABELS = {"provider": "control", "model": "coin", "benchmark_id": "b", "epoch": ""}
Opener = Callable[[], SampleStore]


def ok(key: str, text: str = "GOOD") -> Record:
    return Record(key, "sha256:0", "ok", Reply(text))


@pytest.fixture(
    params=[
        pytest.param("sqlite", id="sqlite"),
        pytest.param("postgresql", id="postgresql", marks=pytest.mark.needs("postgresql")),
    ]
)
def another(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store, each time as another process would."""
    is_postgres = request.param == "postgresql"
    url = sqlite_url(tmp_path / "s.sqlite")
    if is_postgres:
        url = request.getfixturevalue("postgres_url")
    opened = list[SampleStore]()

    def opening() -> SampleStore:
        opened.append(SampleStore(url, LABELS))
        return opened[-1]

    yield opening
    for store in opened:
        store.close()
    if is_postgres:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            metadata.drop_all(connection)
        engine.dispose()


def test_a_key_is_claimed_by_one_process(another: Opener) -> None:
    one, two = another(), another()
    assert one.claim(["a", "b"]) == ({"a", "b"}, set())
    assert two.claim(["b", "c"]) == ({"c"}, set())


def test_a_process_does_not_claim_a_key_twice(another: Opener) -> None:
    store = another()
    store.claim(["a"])
    assert store.claim(["a"]) == (set(), set())


def test_a_reply_that_came_meanwhile_is_seen_with_the_claim(another: Opener) -> None:
    one, two = another(), another()
    one.claim(["a"])
    one.add([ok("a")])
    assert two.claim(["a", "b"]) == ({"b"}, {"a"})
    assert two.claim(["a"]) == (set(), {"a"})


def test_a_failure_may_be_asked_again_by_others(another: Opener) -> None:
    one, two = another(), another()
    one.claim(["a"])
    one.add([Record("a", "sha256:0", "failed", Reply(""), "busy")])
    assert two.claim(["a"]) == ({"a"}, set())


def test_what_was_released_is_free(another: Opener) -> None:
    one, two = another(), another()
    one.claim(["a", "b"])
    one.add([ok("a")])
    one.release()
    one.release()
    assert two.claim(["b"]) == ({"b"}, set())


def test_a_lease_that_nobody_renews_runs_out(
    another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.2)
    dead, other = another(), another()
    dead.claim(["a", "b"])
    dead.add([ok("b")])
    assert other.claim(["a"]) == (set(), set())
    time.sleep(0.25)
    assert other.claim(["a"]) == ({"a"}, set())


def test_a_renewed_lease_lasts(another: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.3)
    one, two = another(), another()
    one.claim(["a"])
    for _ in range(3):
        time.sleep(0.15)
        one.renew()
    assert two.claim(["a"]) == (set(), set())


def test_who_lost_a_lease_neither_renews_nor_ends_that_of_another(
    another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick, third = another(), another(), another()
    with monkeypatch.context() as patch:
        patch.setattr(leases, "LEASE_SECONDS", 0.0)
        slow.claim(["a"])
    quick.claim(["a"])
    slow.renew()
    slow.release()
    assert third.claim(["a"]) == (set(), set())


def test_the_first_reply_wins_when_a_lease_was_lost(
    another: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, quick = another(), another()
    with monkeypatch.context() as patch:
        patch.setattr(leases, "LEASE_SECONDS", 0.0)
        slow.claim(["a"])
    quick.claim(["a"])
    quick.add([ok("a", "quick")])
    slow.add([ok("a", "slow")])
    assert slow.fetch(["a"])["a"].reply.text == "quick"


def test_a_store_in_memory_grants_everything() -> None:
    store = SampleStore(MEMORY_URL, LABELS)
    assert store.claim(["a"]) == ({"a"}, set())
    store.renew()
    store.release()
    store.close()


def test_reading_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = SampleStore(sqlite_url(path), LABELS)
    store.add([ok("a")])
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        assert store.answered(["a"]) == {"a"}
        assert store.fetch(["a"]) == {"a": ok("a")}
        SampleStore(sqlite_url(path)).close()
        assert time.monotonic() - started < 5
        writer.execute("ROLLBACK")
    store.close()
