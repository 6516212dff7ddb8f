"""`assent store`: counts, checks, copies and deletes what was paid for."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tasks.storage.store_tables import metadata
from tests.support.runs import Desk, Json, benchmark, rows, samples

STORE = Path(".assent/samples.sqlite")


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    monkeypatch.chdir(tmp_path)
    for name in ("ASSENT_STORE", "ASSENT_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, capsys)


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A desk with 12 samples of one model and 8 of another."""
    desk.write()
    desk.evaluate("--n-samples", "3")
    desk.evaluate("--n-samples", "2", "--epoch", "may", model="control/always-good")
    return desk


def store(desk: Desk, *args: str, code: int = 0) -> Json:
    outcome = desk.run("store", *args, "--format", "json")
    assert outcome.code == code, outcome.err + outcome.out
    return outcome.json


def change(statement: str, *values: object) -> None:
    with closing(sqlite3.connect(STORE)) as connection, connection:
        connection.execute(statement, values)


def test_stats_count_by_kind(used: Desk) -> None:
    found = store(used, "stats")
    assert found["samples"] == 20
    assert found["size_bytes"] > 0
    assert found["oldest"] <= found["newest"]
    shared = {"provider": "control", "benchmark": "small", "status": "ok"}
    assert found["groups"] == [
        {**shared, "model": "always-good", "epoch": "may", "samples": 8},
        {**shared, "model": "coin", "epoch": "", "samples": 12},
    ]
    text = used.run("store", "stats")
    assert "20 samples" in text.out
    assert "8  ok      control/always-good  small  epoch may" in text.out


def test_without_a_store_nothing_is_there_and_nothing_is_made(desk: Desk) -> None:
    empty: Json = {"samples": 0, "size_bytes": 0, "oldest": None, "newest": None, "groups": []}
    assert store(desk, "stats") == empty
    assert store(desk, "verify") == {"checked": 0, "bad": []}
    assert store(desk, "prune", "--older-than", "1") == {"pruned": 0, "dry_run": False}
    refused = store(desk, "export", "x.jsonl", code=2)
    assert [error["code"] for error in refused["errors"]] == ["nothing_to_export"]
    assert "no sample store yet" in desk.run("store", "stats").err
    assert list(desk.path.iterdir()) == []


def test_a_sound_store_is_verified(used: Desk) -> None:
    assert store(used, "verify") == {"checked": 20, "bad": []}
    assert used.run("store", "verify").out == "20 records checked, 0 bad\n"


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("usage = '{'", "usage is not JSON"),
        ("usage = '[]'", "usage is not an object"),
        ("usage = x'ff'", "usage is not UTF-8"),
        ("status = 'maybe'", "status is 'maybe'"),
        ("status = 'failed'", "failed without a cause"),
        ("text = CAST(x'fffe' AS TEXT)", "text is not UTF-8"),
        ("reasoning_tokens = 'many'", "reasoning_tokens is not a number"),
    ],
)
def test_a_record_that_cannot_be_used_is_named(used: Desk, damage: str, problem: str) -> None:
    with closing(sqlite3.connect(STORE)) as connection:
        (key,) = connection.execute("SELECT max(key) FROM samples").fetchone()
    change(f"UPDATE samples SET {damage} WHERE key = ?", key)
    found = store(used, "verify", code=1)
    assert found == {"checked": 20, "bad": [{"key": key, "problem": problem}]}


def test_a_key_that_is_none_is_named(used: Desk) -> None:
    change("UPDATE samples SET key = 'nonsense' WHERE key = (SELECT max(key) FROM samples)")
    outcome = used.run("store", "verify")
    assert outcome.code == 1
    assert outcome.out == "nonsense: key is not a SHA-256\n20 records checked, 1 bad\n"


def test_a_file_that_is_no_store_cannot_be_used(desk: Desk) -> None:
    STORE.parent.mkdir()
    STORE.write_bytes(b"no database" * 1000)
    for command in (["stats"], ["verify"], ["export", "x.jsonl"], ["prune", "--older-than", "1"]):
        errors = store(desk, *command, code=3)["errors"]
        assert [error["code"] for error in errors] == ["state_unusable"]


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_an_export_can_be_replayed(used: Desk, name: str) -> None:
    first = used.evaluate("--n-samples", "3")
    assert store(used, "export", name, "--model", "control/coin") == {"file": name, "exported": 12}
    again = used.evaluate("--n-samples", "3", model=f"replay/{name}")
    assert again["failed"] == 0
    replies = (sorted(samples(run).items()) for run in (first, again))
    votes = [{(item, text) for (item, _), text in found} for found in replies]
    assert votes[0] == votes[1]


def test_an_exported_failure_is_replayed_as_one(used: Desk) -> None:
    change("UPDATE samples SET status = 'failed', text = '', error = 'busy'")
    for name in ("x.jsonl", "x.parquet"):
        store(used, "export", name, "--model", "control/coin")
        again = used.evaluate("--n-samples", "3", model=f"replay/{name}", code=1)
        assert again["failed"] == 12
        table = rows(again["artifacts"]["samples"])
        assert {row["error"] for row in table} == {"busy"}


def test_an_export_says_where_each_sample_is_from(used: Desk) -> None:
    store(used, "export", "x.jsonl", "--epoch", "may", "--benchmark", "small")
    lines = [json.loads(line) for line in Path("x.jsonl").read_text().splitlines()]
    assert {(line["provider"], line["model"], line["epoch"]) for line in lines} == {
        ("control", "always-good", "may")
    }
    assert [line["prompt_hash"] for line in lines] == sorted(line["prompt_hash"] for line in lines)
    store(used, "export", "x.parquet", "--epoch", "may")
    keys = [row["request_key"] for row in rows("x.parquet")]
    assert keys == [line["request_key"] for line in lines]


@pytest.mark.parametrize("name", ["x.csv", "x"])
def test_an_export_to_another_kind_of_file_is_refused(used: Desk, name: str) -> None:
    errors = store(used, "export", name, code=2)["errors"]
    assert [error["code"] for error in errors] == ["bad_option"]
    assert not Path(name).exists()


def test_an_export_that_fails_leaves_the_old_file(used: Desk) -> None:
    Path("x.jsonl").write_text("old")
    change("UPDATE samples SET usage = '{' WHERE key = (SELECT max(key) FROM samples)")
    assert used.run("store", "export", "x.jsonl").code == 3
    assert Path("x.jsonl").read_text() == "old"
    assert store(used, "export", "y.jsonl", "--benchmark", "none", code=2)["errors"]
    assert {path.name for path in used.path.glob("*.jsonl")} == {"x.jsonl"}


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--model", "control/coin"), 8),
        (("--model", "control/coin", "--epoch", "may"), 20),
        (("--benchmark", "small"), 0),
        (("--benchmark", "other"), 20),
        (("--older-than", "1"), 20),
        (("--older-than", "0"), 0),
    ],
)
def test_pruning_deletes_what_every_option_names(
    used: Desk, options: tuple[str, ...], left: int
) -> None:
    for dry_run in (True, False):
        more = ["--dry-run"] if dry_run else []
        assert store(used, "prune", *options, *more) == {"pruned": 20 - left, "dry_run": dry_run}
        assert store(used, "stats")["samples"] == (20 if dry_run else left)


def test_what_was_pruned_is_paid_again(used: Desk) -> None:
    used.run("store", "prune", "--model", "control/coin")
    assert used.evaluate("--n-samples", "3")["calls"] == 12
    kept = used.evaluate("--n-samples", "2", "--epoch", "may", model="control/always-good")
    assert kept["calls"] == 0


def test_pruning_gives_the_space_back(desk: Desk) -> None:
    desk.write(benchmark(40))
    desk.evaluate("--n-samples", "50")
    before = STORE.stat().st_size
    outcome = desk.run("store", "prune", "--older-than", "0")
    assert outcome.out == "2000 samples deleted\n"
    assert STORE.stat().st_size < before / 4


def test_pruning_everything_by_accident_is_refused(used: Desk) -> None:
    assert [error["code"] for error in store(used, "prune", code=2)["errors"]] == ["usage"]
    assert store(used, "stats")["samples"] == 20


@pytest.mark.parametrize("model", ["coin", "control/", "/coin", ""])
def test_a_model_without_its_provider_is_refused(used: Desk, model: str) -> None:
    errors = store(used, "prune", "--model", model, code=2)["errors"]
    assert [error["code"] for error in errors] == ["bad_model"]


@pytest.fixture
def empty_postgres(postgres_url: str) -> Iterator[str]:
    """A PostgreSQL without our tables."""
    engine = sa.create_engine(postgres_url)
    with engine.begin() as connection:
        metadata.drop_all(connection)
    yield postgres_url
    with engine.begin() as connection:
        metadata.drop_all(connection)
    engine.dispose()


@pytest.mark.needs("postgresql")
def test_a_store_on_postgresql_is_looked_after_alike(
    desk: Desk, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_STORE", empty_postgres)
    desk.write()
    desk.evaluate("--n-samples", "3")
    assert store(desk, "stats")["samples"] == 12
    assert store(desk, "stats")["size_bytes"] > 0
    assert store(desk, "verify") == {"checked": 12, "bad": []}
    assert store(desk, "export", "x.jsonl")["exported"] == 12
    assert store(desk, "prune", "--benchmark", "small")["pruned"] == 12
    assert store(desk, "stats")["samples"] == 0
