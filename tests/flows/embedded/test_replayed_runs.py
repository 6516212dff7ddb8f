"""Runs on recorded replies: fixtures, run logs and our own tables."""

import asyncio
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.runs import (
    Desk,
    Json,
    benchmark,
    load,
    record,
    rows,
    samples,
    write_lines,
)


def read(result: Json) -> Json:
    kept = ("item_id", "status", "verdict", "good", "bad", "abstain", "n_failed")
    return [[row[key] for key in kept] for row in rows(result["artifacts"]["verdicts"])]


def replay(desk: Desk, records: list[Json], *args: str) -> Json:
    write_lines(desk.path / "replies.jsonl", records)
    return desk.evaluate("--max-failed", "1", *args, model="replay/replies.jsonl")


def test_samples_take_records_of_their_prompt_in_order_and_wrap_around(desk: Desk) -> None:
    desk.write(benchmark(2))
    texts = ["GOOD", "BAD", "ABSTAIN"]
    records = [record("claim 0 holds", text) for text in texts]
    records.insert(1, record("claim 1 holds", "only one"))
    drawn = samples(replay(desk, records))
    assert [drawn["i0", k] for k in range(5)] == ["GOOD", "BAD", "ABSTAIN", "GOOD", "BAD"]
    assert [drawn["i1", k] for k in range(5)] == ["only one"] * 5


def test_items_with_one_prompt_share_its_queue_in_file_order(desk: Desk) -> None:
    bench = benchmark(1)
    bench["items"] = [bench["items"][0] | {"id": name} for name in ("z", "a", "m")]
    desk.write(bench)
    records = [record("claim 0 holds", f"reply {k}") for k in range(5)]
    drawn = samples(replay(desk, records, "--n-samples", "2"))
    taken = {name: [drawn[name, k][-1] for k in range(2)] for name in ("z", "a", "m")}
    assert taken == {"z": ["0", "1"], "a": ["2", "3"], "m": ["4", "0"]}


def test_concurrency_moves_no_reply(desk: Desk) -> None:
    desk.write(benchmark(6))
    records = [record(f"claim {i} holds", f"{i}.{k}") for i in range(6) for k in range(5)]
    one = replay(desk, records, "--concurrency", "1")
    many = replay(desk, records, "--concurrency", "64")
    assert samples(one) == samples(many)


def test_recorded_replies_are_never_stored_and_every_one_counts_as_a_call(desk: Desk) -> None:
    desk.write(benchmark(2))
    records = [record(f"claim {i} holds", "GOOD") for i in range(2)]
    for _ in range(2):
        result = replay(desk, records)
        assert (result["calls"], result["reused"]) == (10, 0)
    assert not (desk.path / ".assent" / "samples.sqlite").exists()


def test_a_changed_recording_changes_the_run(desk: Desk) -> None:
    desk.write(benchmark(1))
    verdicts = [read(replay(desk, [record("claim 0 holds", t)]))[0][2] for t in ("GOOD", "BAD")]
    assert verdicts == ["good", "bad"]


def test_the_model_of_a_replay_is_the_first_one_recorded(desk: Desk) -> None:
    desk.write(benchmark(1))
    named = [
        record("claim 0 holds", "GOOD"),
        record("claim 0 holds", "GOOD", model_id="  "),
        record("claim 0 holds", "GOOD", model_id="m-1"),
    ]
    assert load(replay(desk, named)["evaluation"])["model"] == {
        "provider": "replay",
        "model_id": "m-1",
        "params": {"temperature": 1.0, "max_tokens": 1024, "stop": []},
    }
    unnamed = load(replay(desk, named[:2])["output"])
    assert unnamed["metadata"]["model"]["name"] == "replay-v1"


@pytest.fixture
def mixed(desk: Desk) -> Json:
    """A replayed run with ties, failures, clipped and unreadable replies, and its log."""
    desk.write(benchmark(5))
    records = [
        *(record("claim 0 holds", text) for text in ("GOOD", "BAD", "GOOD")),
        *(record("claim 1 holds", text) for text in ("GOOD", "BAD")),
        record("claim 2 holds", "thinking", finish_reason="length", reasoning_tokens=9),
        record("claim 3 holds", "BAD", usage={"input_tokens": 2, "other": 1}, wall_time_ms=7),
    ]
    return replay(desk, records, "--n-samples", "4", "--log", "run.log")


@pytest.mark.parametrize("source", ["table", "log"])
def test_what_a_run_left_behind_replays_to_the_same_verdicts(
    desk: Desk, mixed: Json, source: str
) -> None:
    path = mixed["artifacts"]["samples"] if source == "table" else "run.log"
    again = desk.evaluate("--max-failed", "1", "--n-samples", "4", model=f"replay/{path}")
    assert read(again) == read(mixed)
    assert samples(again) == samples(mixed)
    assert again["failed"] == mixed["failed"] == 4
    metrics = [load(run["output"])["results"]["metrics"] for run in (mixed, again)]
    assert metrics[0] == metrics[1]


def test_a_coin_run_replays_from_its_table(desk: Desk) -> None:
    desk.write(benchmark(8))
    first = desk.evaluate()
    again = desk.evaluate(model=f"replay/{first['artifacts']['samples']}")
    assert read(again) == read(first)


def test_a_recorded_failure_keeps_its_place_and_its_cause(desk: Desk, mixed: Json) -> None:
    again = desk.evaluate(
        "--max-failed", "1", "--n-samples", "4", model=f"replay/{mixed['artifacts']['samples']}"
    )
    causes = {row["error"] for row in rows(again["artifacts"]["samples"]) if row["error"]}
    assert causes == {row["error"] for row in rows(mixed["artifacts"]["samples"]) if row["error"]}


GOOD_LINE = '{"prompt_hash": "sha256:00", "text": "GOOD"}'


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        ("", "empty_recording", "holds no recorded reply"),
        ("\n  \n", "empty_recording", "holds no recorded reply"),
        ('{"event": "run.started"}\n', "empty_recording", "holds no recorded reply"),
        (f"{GOOD_LINE}\nnot json\n", "invalid_json", "line 2"),
        (f"\n\n{GOOD_LINE}\n{{\n", "invalid_json", "line 4"),
        ('{"text": "GOOD"}\n', "required", "line 1: missing key 'prompt_hash'"),
        ('{"prompt_hash": "x"}\n', "required", "line 1: missing key 'text'"),
        ("{}\n", "required", "line 1: missing keys 'prompt_hash', 'text'"),
        ("[]\n", "type", "line 1: expected an object"),
        ('"x"\n', "type", "line 1: expected an object"),
        ('{"prompt_hash": 3, "text": "x"}\n', "type", "line 1: expected text, found 3"),
        ('{"prompt_hash": "x", "text": null}\n', "type", "line 1: expected text, found null"),
        ('{"prompt_hash": "x", "text": "x", "usage": 3}\n', "type", "expected an object"),
        ('{"prompt_hash": "x", "text": "x", "wall_time_ms": "3"}\n', "type", "a number"),
        ('{"prompt_hash": "x", "text": "x", "wall_time_ms": true}\n', "type", "a number"),
        ('{"prompt_hash": "x", "text": "x", "reasoning_tokens": 1.5}\n', "type", "whole number"),
        ('{"prompt_hash": "x", "text": "x", "reasoning_tokens": 1e30}\n', "type", "whole number"),
        ('{"prompt_hash": "x", "text": "x", "model_id": 4}\n', "type", "expected text"),
        ('{"prompt_hash": "x", "text": "x", "text": "y"}\n', "duplicate_key", "text"),
        ('{"prompt_hash": "x", "text": "\\ud800"}\n', "invalid_json", "line 1"),
        ('{"event": "sample.completed", "prompt_hash": "x"}\n', "required", "'raw_response'"),
        ('{"event": "sample.failed", "prompt_hash": "x"}\n', "required", "'err'"),
    ],
    ids=lambda value: value[:60] if value and value[0] in "{[\n" else None,
)
def test_an_unusable_recording_is_refused_with_the_line(
    desk: Desk, content: str, code: str, message: str
) -> None:
    desk.write(benchmark(1))
    (desk.path / "replies.jsonl").write_text(content)
    outcome = desk.try_evaluate(model="replay/replies.jsonl")
    assert outcome.code == 2
    (error,) = outcome.json["errors"]
    assert (error["file"], error["code"]) == ("replies.jsonl", code)
    assert message in error["message"]
    assert desk.files() == set()


def test_every_bad_line_is_reported(desk: Desk) -> None:
    desk.write(benchmark(1))
    (desk.path / "replies.jsonl").write_text(f"{{}}\n{GOOD_LINE}\n3\nnope\n")
    errors = desk.try_evaluate(model="replay/replies.jsonl").json["errors"]
    assert [error["message"].split(":")[0] for error in errors] == ["line 1", "line 3", "line 4"]


def test_optional_keys_may_be_null_or_unknown(desk: Desk) -> None:
    desk.write(benchmark(1))
    nulls = {key: None for key in ("model_id", "finish_reason", "usage", "wall_time_ms")}
    result = replay(desk, [record("claim 0 holds", "GOOD", **nulls, raw={"a": 1}, request_id=3)])
    assert samples(result)["i0", 0] == "GOOD"


def test_counts_that_no_column_holds_are_left_to_the_raw_usage(desk: Desk) -> None:
    desk.write(benchmark(1))
    usage = {"input_tokens": 2**70, "output_tokens": "many"}
    result = replay(desk, [record("claim 0 holds", "GOOD", usage=usage)])
    row = rows(result["artifacts"]["samples"])[0]
    assert (row["input_tokens"], row["output_tokens"]) == (None, None)
    assert str(2**70) in row["usage_json"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("nowhere.jsonl", "no such file"), (".", "is a directory")],
)
def test_a_recording_that_cannot_be_read_is_refused(desk: Desk, name: str, reason: str) -> None:
    desk.write(benchmark(1))
    outcome = desk.try_evaluate(model=f"replay/{name}")
    assert (outcome.code, outcome.json["errors"][0]["message"]) == (2, reason)


def test_everything_after_the_first_slash_is_the_path(desk: Desk) -> None:
    desk.write(benchmark(1))
    folder = desk.path / "a dir" / "b"
    folder.mkdir(parents=True)
    write_lines(folder / "r.jsonl", [record("claim 0 holds", "GOOD")])
    for path in (f"{folder}/r.jsonl", "a dir/b/r.jsonl", "./a dir/../a dir/b/r.jsonl"):
        assert desk.evaluate(model=f"replay/{path}")["calls"] == 5


@pytest.mark.parametrize(
    "content",
    [b"PAR1 and nothing else", b"PAR1" + bytes(100) + b"PAR1"],
    ids=["cut", "garbage"],
)
def test_a_broken_table_is_refused(desk: Desk, content: bytes) -> None:
    desk.write(benchmark(1))
    Path("broken.parquet").write_bytes(content)
    outcome = desk.try_evaluate(model="replay/broken.parquet")
    assert (outcome.code, outcome.json["errors"][0]["code"]) == (2, "invalid_parquet")


def test_a_table_of_something_else_is_refused(desk: Desk) -> None:
    desk.write(benchmark(1))
    pq.write_table(pa.table({"item_id": ["a"]}), "other.parquet")
    outcome = desk.try_evaluate(model="replay/other.parquet")
    assert "columns error, prompt_hash, status, text" in outcome.json["errors"][0]["message"]
    assert outcome.code == 2


def test_a_replay_runs_inside_a_running_loop_too(desk: Desk) -> None:
    from flows.options import make_order
    from flows.pipelines import run_evaluation

    desk.write(benchmark(1))
    write_lines(desk.path / "replies.jsonl", [record("claim 0 holds", "GOOD")])

    async def notebook() -> int:
        order, _ = make_order(benchmark="bench.json", model="replay/replies.jsonl")
        return run_evaluation(order).calls

    assert asyncio.run(notebook()) == 5
