"""Failures are data with a cause: never a verdict, never final, never hidden."""

from collections.abc import Callable

import pytest

from tasks.sampling.records import CallFailed
from tests.support.runs import (
    Desk,
    Json,
    Script,
    Scripted,
    benchmark,
    load,
    record,
    rows,
    write_lines,
)

UseProvider = Callable[[Scripted], Scripted]


def by_item(result: Json, table: str) -> dict[str, Json]:
    return {row["item_id"]: row for row in rows(result["artifacts"][table])}


def test_a_failed_sample_is_reported_then_asked_again_then_replaced(
    desk: Desk, use_provider: UseProvider
) -> None:
    desk.write(benchmark(3))
    failing: Script = {"claim 1": [CallFailed("the line was cut"), "GOOD"], "claim": ["GOOD"]}
    use_provider(Scripted(failing))
    options = ("--n-samples", "2", "--max-failed", "1")
    first = desk.evaluate(*options)
    assert (first["calls"], first["failed"]) == (6, 1)
    table = rows(first["artifacts"]["samples"])
    failed = [row for row in table if row["status"] == "failed"]
    assert [(row["item_id"], row["error"], row["text"]) for row in failed] == [
        ("i1", "the line was cut", "")
    ]

    again = use_provider(Scripted({"claim 1": ["BAD"]}))
    second = desk.evaluate(*options)
    assert (second["calls"], second["reused"], second["failed"]) == (1, 5, 0)
    assert [request.key for request in again.asked] == [failed[0]["request_key"]]

    third = desk.evaluate(*options)
    assert (third["calls"], third["reused"]) == (0, 6)
    replaced = [row["text"] for row in rows(third["artifacts"]["samples"])]
    assert sorted(replaced) == ["BAD", "GOOD", "GOOD", "GOOD", "GOOD", "GOOD"]


def test_a_sample_that_fails_again_stays_failed_with_its_newest_cause(
    desk: Desk, use_provider: UseProvider
) -> None:
    desk.write(benchmark(1))
    options = ("--n-samples", "1", "--max-failed", "1")
    for cause in ("busy", "down"):
        use_provider(Scripted({"claim": [CallFailed(cause)]}))
        result = desk.evaluate(*options)
        assert (result["calls"], result["reused"], result["failed"]) == (1, 0, 1)
        assert rows(result["artifacts"]["samples"])[0]["error"] == cause


def one_missing(desk: Desk) -> Json:
    """A run on three items of which the last has no recorded reply."""
    desk.write(benchmark(3))
    replies = [record("claim 0 holds", "GOOD"), record("claim 1 holds", "BAD")]
    write_lines(desk.path / "replies.jsonl", replies)
    return desk.evaluate("--max-failed", "1", model="replay/replies.jsonl")


def test_an_item_without_a_usable_sample_is_missing_in_our_documents(desk: Desk) -> None:
    result = one_missing(desk)
    verdict = by_item(result, "verdicts")["i2"]
    assert (verdict["status"], verdict["verdict"], verdict["n_failed"]) == ("missing", None, 5)
    document = load(result["output"])
    case = document["results"]["cases"][2]
    assert (case["status"], case["verdict"], case["agrees"]) == ("missing", None, None)
    assert (case["entropy"], case["margin"]) == (None, None)
    metrics = document["results"]["metrics"]
    assert (metrics["n_items"], metrics["n_judged"], metrics["n_missing"]) == (3, 2, 1)
    assert metrics["coverage_judged"] == 1.0
    assert metrics["coverage"] == pytest.approx(2 / 3)
    assert metrics["n_failed_samples"] == 5
    assert result["metrics"]["n_missing"] == 1
    provenance = document["results"]["details"]["provenance"]
    assert (provenance["samples"]["n_failed"], provenance["verdicts"]["n_missing"]) == (5, 1)


def test_an_item_without_a_usable_sample_abstains_by_nobody_in_the_evaluation(desk: Desk) -> None:
    item = load(one_missing(desk)["evaluation"])["items"][2]
    assert item["model_verdict"] == "abstain"
    assert item["majority_vote"] == {
        "good": 0,
        "bad": 0,
        "abstain": 0,
        "verdict": "abstain",
        "tie_broken": False,
    }
    for sample in item["samples"]:
        assert sample["parse_status"] == "sample_failed"
        assert sample["raw_response"] == ""
        assert sample["provider_error"].startswith("no recorded reply for prompt sha256:")


def test_a_run_without_any_usable_sample_has_no_agreement_to_report(desk: Desk) -> None:
    desk.write(benchmark(2))
    write_lines(desk.path / "replies.jsonl", [record("something else", "GOOD")])
    result = desk.evaluate("--max-failed", "1", model="replay/replies.jsonl")
    document = load(result["output"])["results"]
    assert "coverage_judged" not in document["metrics"]
    assert "cohens_kappa_consensus" not in document["metrics"]
    assert document["details"]["undefined"].keys() >= {
        "coverage_judged",
        "cohens_kappa_consensus",
        "mean_entropy_judged",
    }
    shown = desk.run("show", result["run_id"])
    assert (shown.code, shown.out.count("missing")) == (0, 3)  # two items, and n_missing


@pytest.mark.parametrize(
    ("reply", "status", "verdict"),
    [
        ({"text": "GOOD", "finish_reason": "stop"}, "ok", "good"),
        ({"text": "verdict: BAD", "finish_reason": "length"}, "ok", "bad"),
        ({"text": "Let me think", "finish_reason": "length"}, "budget_clipped", "abstain"),
        ({"text": "Let me think", "finish_reason": "max_tokens"}, "budget_clipped", "abstain"),
        ({"text": "Let me think", "finish_reason": "stop"}, "unparseable", "abstain"),
        ({"text": "", "finish_reason": None}, "unparseable", "abstain"),
        (None, "sample_failed", "abstain"),
    ],
    ids=[
        "ok",
        "read though clipped",
        "clipped",
        "clipped by tokens",
        "unreadable",
        "empty",
        "failed",
    ],
)
def test_every_sample_says_how_it_was_read(
    desk: Desk, reply: Json, status: str, verdict: str
) -> None:
    desk.write(benchmark(1))
    claim = "claim 0 holds" if reply else "another claim"
    write_lines(desk.path / "replies.jsonl", [record(claim, **(reply or {"text": "GOOD"}))])
    options = ("--n-samples", "1", "--max-failed", "1")
    result = desk.evaluate(*options, model="replay/replies.jsonl")
    row = rows(result["artifacts"]["samples"])[0]
    read = None if status == "sample_failed" else verdict
    assert (row["parse_status"], row["parsed_verdict"]) == (status, read)
    sample = load(result["evaluation"])["items"][0]["samples"][0]
    assert (sample["parse_status"], sample["parsed_verdict"]) == (status, verdict)
    counted = by_item(result, "verdicts")["i0"]
    assert (counted["n_failed"], counted["n_unparseable"], counted["n_clipped"]) == (
        int(status == "sample_failed"),
        int(status == "unparseable"),
        int(status == "budget_clipped"),
    )


def test_too_many_failures_end_in_exit_1_with_all_files_written(desk: Desk) -> None:
    desk.write(benchmark(2))
    write_lines(desk.path / "replies.jsonl", [record("claim 0 holds", "GOOD")])
    outcome = desk.try_evaluate("--max-failed", "0.4", model="replay/replies.jsonl")
    assert outcome.code == 1
    assert "--max-failed" in outcome.err
    result = outcome.json
    document = load(result["output"])["results"]
    assert document["status"] == "error"
    assert document["error"] == {
        "message": "5 of 10 samples failed (50.0%), more than --max-failed 0.4 allows",
        "type": "TooManyFailedSamples",
    }
    assert len(load(result["evaluation"])["items"]) == 2
    assert all(rows(path) for path in result["artifacts"].values())


def test_as_many_failures_as_allowed_pass(desk: Desk) -> None:
    desk.write(benchmark(2))
    write_lines(desk.path / "replies.jsonl", [record("claim 0 holds", "GOOD")])
    result = desk.evaluate("--max-failed", "0.5", model="replay/replies.jsonl")
    assert load(result["output"])["results"]["status"] == "ok"


def test_a_bug_in_a_provider_keeps_its_traceback_and_the_answers_so_far(
    desk: Desk, use_provider: UseProvider
) -> None:
    desk.write(benchmark(3))
    broken = use_provider(Scripted({"claim 2": [ZeroDivisionError("a bug")], "claim": ["GOOD"]}))
    options = ("--n-samples", "1", "--concurrency", "1")
    outcome = desk.try_evaluate(*options)
    assert outcome.code == 70
    assert "ZeroDivisionError: a bug" in outcome.err
    assert "ExceptionGroup" not in outcome.err
    assert broken.closed == 1
    mended = use_provider(Scripted({"claim": ["GOOD"]}))
    assert desk.evaluate(*options)["reused"] == 2
    assert [request.item_id for request in mended.asked] == ["i2"]
