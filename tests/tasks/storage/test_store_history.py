"""What a store knows about earlier replies of a model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tasks.sampling.records import Record, Reply
from tasks.storage.database import Database
from tasks.storage.samples import SampleStore
from tasks.storage.store_history import History, read_history, read_usage
from tasks.storage.store_tables import metadata


@pytest.fixture(
    params=[
        pytest.param("sqlite", id="sqlite"),
        pytest.param("postgresql", id="postgresql", marks=pytest.mark.needs("postgresql")),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/s.sqlite"
        return
    found: str = request.getfixturevalue("postgres_url")
    yield found
    engine = sa.create_engine(found)
    with engine.begin() as connection:
        metadata.drop_all(connection)
    engine.dispose()


def reply(n: int, prompt: str, usage: dict[str, int], ms: float | None) -> Record:
    return Record(f"{n:064x}", prompt, "ok", Reply("GOOD", wall_time_ms=ms, usage=usage), None)


def fill(url: str, records: list[Record], model: str = "m") -> None:
    labels = {"provider": "vllm", "model": model, "benchmark_id": "b", "epoch": ""}
    store = SampleStore(url, labels)
    store.add(records)
    store.close()


def history(url: str) -> History:
    database = Database(url)
    try:
        return read_history(database, "vllm", "m")
    finally:
        database.close()


def test_means_and_medians_count_what_was_counted(url: str) -> None:
    fill(
        url,
        [
            reply(1, "p", {"input_tokens": 10, "output_tokens": 4}, 100.0),
            reply(2, "p", {"input_tokens": 12, "output_tokens": 8}, 900.0),
            reply(3, "q", {"input_tokens": 30}, 200.0),
            reply(4, "q", {}, None),
        ],
    )
    fill(url, [reply(5, "p", {"input_tokens": 999, "output_tokens": 999}, 9e9)], model="other")
    found = history(url)
    assert (found.output_tokens, found.n_output_tokens) == (6.0, 2)
    assert (found.wall_seconds, found.n_wall_seconds) == (0.2, 3)
    # 22 tokens of two requests of 40 characters each; q is not among the prompts.
    assert found.tokens_per_character({"p": 40, "r": 7}) == (22 / 80, 2)
    assert found.tokens_per_character({"r": 7}) is None


def test_a_store_without_replies_of_the_model_knows_nothing(url: str) -> None:
    fill(url, [reply(1, "p", {"input_tokens": 1}, 1.0)], model="other")
    assert history(url) == History()


def test_a_record_that_somebody_broke_does_not_count(url: str) -> None:
    fill(url, [reply(n, "p", {"output_tokens": 5}, 10.0) for n in range(3)])
    database = Database(url)
    broken = sa.text("UPDATE samples SET usage = '{' WHERE key = :key")
    with database.writing() as connection:
        connection.execute(broken, {"key": f"{1:064x}"})
    database.close()
    found = history(url)
    assert (found.output_tokens, found.n_output_tokens, found.n_wall_seconds) == (5.0, 2, 3)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", None, b"\xff", "[" * 100_000])
def test_broken_token_counts_are_none(text: object) -> None:
    assert read_usage(text) == {}


def test_token_counts_are_read_as_they_were_written() -> None:
    assert read_usage(json.dumps({"input_tokens": 3})) == {"input_tokens": 3}
