"""The sample store, on SQLite and on a real PostgreSQL."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from schemas.errors import EvalError, Unfinished, UserError
from tasks.sampling.records import Record, Reply
from tasks.storage.samples import MEMORY_URL, SampleStore, sqlite_url
from tasks.storage.store_tables import metadata

LABELS = {"provider": "control", "model": "coin", "benchmark_id": "b", "epoch": ""}
ROOT = Path(__file__).parents[3]


def ok(key: str, text: str = "GOOD") -> Record:
    return Record(key, f"sha256:{key}", "ok", Reply(text, "m", "stop", 1.5, {"n": 1}, 2, "r"))


def failed(key: str, cause: str = "busy") -> Record:
    return Record(key, f"sha256:{key}", "failed", Reply(""), cause)


@pytest.fixture(
    params=[
        pytest.param("sqlite", id="sqlite"),
        pytest.param("memory", id="memory"),
        pytest.param("postgresql", id="postgresql", marks=pytest.mark.needs("postgresql")),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of an empty store."""
    match request.param:
        case "sqlite":
            yield sqlite_url(tmp_path / "samples.sqlite")
        case "memory":
            yield MEMORY_URL
        case "postgresql":
            place: str = request.getfixturevalue("postgres_url")
            yield place
            forget(place)


def forget(url: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        metadata.drop_all(connection)
    engine.dispose()


@pytest.fixture
def store(url: str) -> Iterator[SampleStore]:
    opened = SampleStore(url, LABELS)
    yield opened
    opened.close()


def test_an_empty_store_answers_nothing(store: SampleStore) -> None:
    assert store.answered(["a"]) == set()
    assert store.fetch(["a"]) == {}
    assert store.answered([]) == set()


def test_what_was_added_comes_back_as_it_was(store: SampleStore) -> None:
    records = [ok("a"), failed("b"), ok("c", "ünïcode \n [x] \U0001f600 " * 1000)]
    store.add(records)
    assert store.fetch(["a", "b", "c", "d"]) == {record.key: record for record in records}


def test_only_replies_count_as_answers(store: SampleStore) -> None:
    store.add([ok("a"), failed("b")])
    assert store.answered(["a", "b", "c"]) == {"a"}


def test_a_failure_gives_way_to_a_reply(store: SampleStore) -> None:
    store.add([failed("a")])
    store.add([ok("a")])
    assert store.fetch(["a"]) == {"a": ok("a")}


def test_a_failure_gives_way_to_a_newer_failure(store: SampleStore) -> None:
    store.add([failed("a", "busy")])
    store.add([failed("a", "down")])
    assert store.fetch(["a"])["a"].error == "down"


def test_a_reply_never_gives_way_to_a_failure(store: SampleStore) -> None:
    store.add([ok("a")])
    store.add([failed("a")])
    assert store.fetch(["a"]) == {"a": ok("a")}


def test_the_first_reply_wins(store: SampleStore) -> None:
    store.add([ok("a", "first")])
    store.add([ok("a", "second")])
    assert store.fetch(["a"])["a"].reply.text == "first"


def test_one_batch_may_hold_a_key_twice(store: SampleStore) -> None:
    store.add([failed("a"), ok("a", "first"), ok("a", "second")])
    assert store.fetch(["a"])["a"].reply.text == "first"


def test_a_batch_is_kept_as_a_whole_or_not_at_all(store: SampleStore) -> None:
    broken = replace(ok("b"), status=None)  # type: ignore[arg-type]  # what no store accepts
    with pytest.raises(Unfinished):
        store.add([ok("a"), broken])
    assert store.fetch(["a", "b"]) == {}


def test_many_keys_are_looked_up_at_once(store: SampleStore) -> None:
    names = [f"k{i}" for i in range(500)]
    store.add([ok(name) for name in names])
    assert store.answered(names) == set(names)
    assert store.fetch(names).keys() == set(names)


def test_a_store_remembers_who_was_asked(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "s.sqlite")
    store = SampleStore(url, LABELS | {"epoch": "monday"})
    store.add([ok("a")])
    store.close()
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        query = sa.text("SELECT provider, model, benchmark_id, epoch FROM samples")
        assert connection.execute(query).one() == ("control", "coin", "b", "monday")
    engine.dispose()


SECRET = "s3cr3t-p4ss"


@pytest.mark.parametrize(
    "url",
    [
        f"nonsense {SECRET}",
        f"mysql://u:{SECRET}@localhost/d",
        f"postgresql+asyncpg://u:{SECRET}@localhost/d",
        f"postgresql+psycopg2://u:{SECRET}@localhost/d",
        f"postgresql+nosuch://u:{SECRET}@localhost/d",
        f"postgresql://u:{SECRET}@localhost:port/d",
        f"sqlite+aiosqlite:///{SECRET}",
        "",
    ],
)
def test_a_url_that_is_no_store_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(UserError) as caught:
        SampleStore(url)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.where == "ASSENT_STORE"
    assert "postgresql" in caught.value.fix


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_an_unreachable_server_is_named_without_the_password(scheme: str) -> None:
    with pytest.raises(Unfinished) as caught:
        SampleStore(f"{scheme}://u:{SECRET}@127.0.0.1:1/d")
    assert SECRET not in str(caught.value)
    assert "postgresql+psycopg://u:***@127.0.0.1:1/d" in str(caught.value)


@pytest.mark.parametrize(
    "query", [f"password={SECRET}", f"{SECRET}=1&password={SECRET}"], ids=["hidden", "quoted"]
)
def test_a_password_among_the_options_is_not_printed_either(query: str) -> None:
    with pytest.raises(Unfinished) as caught:
        SampleStore(f"postgresql://127.0.0.1:1/d?{query}")
    assert SECRET not in str(caught.value)


@pytest.mark.needs("postgresql")
def test_a_wrong_password_is_not_printed(postgres_url: str) -> None:
    url = sa.make_url(postgres_url).set(password=SECRET)
    with pytest.raises(Unfinished, match="password authentication failed") as caught:
        SampleStore(url.render_as_string(hide_password=False))
    assert SECRET not in str(caught.value)


def test_a_store_in_a_directory_that_does_not_exist_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(Unfinished, match="unable to open database file"):
        SampleStore(sqlite_url(tmp_path / "nowhere" / "s.sqlite"))


def test_a_store_that_breaks_while_it_is_read_is_no_bug(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = SampleStore(sqlite_url(path), LABELS)
    engine = sa.create_engine(sqlite_url(path))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE samples"))
    engine.dispose()
    for use in (lambda: store.answered(["a"]), lambda: store.fetch(["a"])):
        with pytest.raises(Unfinished, match="no such table"):
            use()
    with pytest.raises(EvalError):
        store.add([ok("a")])
    store.close()


def test_sqlite_is_durable_and_shared(tmp_path: Path) -> None:
    store = SampleStore(sqlite_url(tmp_path / "s.sqlite"))
    with store._database.reading() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        }
    store.close()
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 30000}


WRITER = """
import sys
from tasks.sampling.records import Record, Reply
from tasks.storage.samples import SampleStore

url, name = sys.argv[1:]
store = SampleStore(url, {"provider": "p", "model": "m", "benchmark_id": "b", "epoch": ""})
print("ready", flush=True)
sys.stdin.readline()
numbers = range(2000) if name == "up" else range(1999, -1, -1)
for start in range(0, 2000, 50):
    store.add([
        Record(f"k{n}", "h", "ok" if (n + (name == "up")) % 2 else "failed", Reply(name), None)
        for n in list(numbers)[start : start + 50]
    ])
    store.answered([f"k{n}" for n in range(500)])
store.close()
"""


def test_two_processes_writing_the_same_keys_at_once_lose_nothing(url: str) -> None:
    if url == MEMORY_URL:
        return
    command = [sys.executable, "-c", WRITER, url]
    writers = [
        subprocess.Popen(
            [*command, name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("up", "down")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    endings = [writer.communicate("go\n", timeout=60) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], endings
    store = SampleStore(url)
    found: dict[str, Record] = {}
    for start in range(0, 2000, 500):
        found |= store.fetch([f"k{n}" for n in range(start, start + 500)])
    store.close()
    assert {(key, record.status) for key, record in found.items()} == {
        (f"k{n}", "ok") for n in range(2000)
    }


def at_once(*works: Callable[[], None]) -> None:
    """Run functions in threads that begin together; the first error is raised."""
    start = threading.Barrier(len(works))

    def begin(work: Callable[[], None]) -> None:
        start.wait()
        work()

    with ThreadPoolExecutor(len(works)) as pool:
        for outcome in [pool.submit(begin, work) for work in works]:
            outcome.result()


def test_many_may_open_a_new_store_at_once(url: str) -> None:
    stores = list[SampleStore]()
    at_once(*[lambda: stores.append(SampleStore(url))] * 8)
    for store in stores:
        assert store.answered(["a"]) == set()
        store.close()


def test_writers_of_the_same_keys_in_opposite_order_do_not_block_each_other(url: str) -> None:
    if url == MEMORY_URL:
        return
    records = [failed(f"k{n}") for n in range(300)]
    stores = [SampleStore(url, LABELS) for _ in range(2)]

    def write(store: SampleStore, batch: list[Record]) -> None:
        for _ in range(10):
            store.add(batch)

    at_once(
        lambda: write(stores[0], records),
        lambda: write(stores[1], records[::-1]),
    )
    for store in stores:
        assert len(store.fetch([record.key for record in records])) == 300
        store.close()


def test_a_record_whose_token_counts_cannot_be_read_still_has_its_reply(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "s.sqlite")
    store = SampleStore(url, LABELS)
    store.add([ok("a")])
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE samples SET usage = '{broken'"))
    engine.dispose()
    assert (store.fetch(["a"])["a"].reply.text, store.fetch(["a"])["a"].reply.usage) == ("GOOD", {})
    store.close()
