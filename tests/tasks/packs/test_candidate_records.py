"""Records of candidates: their keys, redaction, resuming, and how far a run has come."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.packs.records import (
    Identity,
    Produced,
    is_kept,
    make_record,
    run_status,
    run_summary,
    timed_out,
)
from tasks.packs.redaction import hidden_in
from tasks.storage.pack_records import RecordFile, read_records
from tests.support.scored_rows import compiled, row

TASK = compiled(row("multiple_choice"))
IDENTITY = Identity("run-1", "pack", TASK.row_digest, "multiple_choice/target/1")


def record(task: CompiledTask = TASK, text: str = "B", **changes: Any) -> dict[str, Any]:
    candidate = Candidate("text", text)
    return make_record(IDENTITY, task, candidate, judge(task, candidate, Judging())) | changes


def test_a_record_has_every_key_9() -> None:
    made = record()
    assert {key: made[key] for key in ("run_id", "task_id", "benchmark_id", "task_type")} == {
        "run_id": "run-1",
        "task_id": "t",
        "benchmark_id": "p",
        "task_type": "multiple_choice",
    }
    assert (made["verification_status"], made["passed"], made["score"]) == ("passed", True, 1.0)
    assert (made["candidate_text"], made["candidate_patch"], made["candidate_workspace"]) == (
        "B",
        None,
        None,
    )
    assert made["hidden_values"] == "[redacted]"
    assert made["resource_summary"] == [
        {"name": "question", "visibility": "public", "kind": "text", "value": "which?"},
        {"name": "choices", "visibility": "public", "kind": "json", "value": ["Lagos", "Oslo"]},
        {"name": "answer", "visibility": "hidden", "kind": "json", "redacted": True},
    ]
    assert "failure_reason" not in made


def test_a_pending_record_has_no_score_9() -> None:
    made = make_record(IDENTITY, TASK, None, judge(TASK, None, Judging()))
    assert made["verification_status"] == "pending"
    assert made.keys().isdisjoint({"passed", "score"})
    assert made["verifier_metadata"] == {"reason": "no_answer"}


def test_a_producer_that_runs_out_of_time_has_failed_9() -> None:
    made = make_record(IDENTITY, TASK, None, timed_out(TASK), Produced(timed_out=True))
    assert (made["verification_status"], made["score"]) == ("failed", 0.0)
    assert (made["failure_reason"], made["failure_phase"]) == ("producer_timeout", "producer")


@pytest.mark.parametrize(
    ("answer", "value", "kept"),
    [
        pytest.param(1, True, True, id="FIX-25-hidden-1-is-not-true"),
        pytest.param(1, 1.0, True, id="FIX-25-hidden-1-is-not-1.0"),
        pytest.param(1, 1, False, id="FIX-25-hidden-1-is-1"),
        pytest.param(0, False, True, id="FIX-25-hidden-0-is-not-false"),
        pytest.param("Oslo", "Oslo", False, id="FIX-25-equal-text"),
        pytest.param("Oslo", "Oslo!", True, id="FIX-25-short-text-inside-another"),
        pytest.param(["Oslo"], {"deep": ["Oslo"]}, False, id="FIX-25-deep-inside"),
        pytest.param([0, 1], [0, 1], False, id="FIX-25-equal-list"),
        pytest.param([0, 1], [False, True], True, id="FIX-25-list-that-only-seems-equal"),
    ],
)
def test_values_of_metadata_are_compared_with_their_types(
    answer: Any, value: Any, kept: bool
) -> None:
    hidden = hidden_in(compiled(row("multiple_choice", eval={"answer": answer})))
    assert (hidden.without({"field": value}) == {"field": value}) is kept


def test_fields_with_the_name_of_a_hidden_resource_go_fix_25() -> None:
    hidden = hidden_in(TASK)
    assert hidden.without({"answer": "anything", "question": "which?", "x": {"answer": 3}}) == {
        "answer": "[redacted]",
        "question": "which?",
        "x": {"answer": "[redacted]"},
    }


def test_long_hidden_texts_go_from_what_was_printed_fix_25() -> None:
    secret, short = "hush-77312", "hush-77"
    task = compiled(row("short_answer", eval={"accepted_answers": [secret, short]}))
    result = Result("t", "failed", stdout=f"got {secret}{secret}, {short}", stderr=secret)
    made = make_record(
        IDENTITY, task, Candidate("text", secret), result, Produced(f"<{secret}>", secret)
    )
    assert made["verifier_stdout"] == f"got [redacted][redacted], {short}"
    assert made["producer_stdout"] == "<[redacted]>"
    assert made["candidate_text"] == secret
    assert secret not in json.dumps(made | {"candidate_text": ""})


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        pytest.param({}, True, id="FIX-26-same"),
        pytest.param({"verification_status": "failed"}, True, id="FIX-26-failed-is-a-verdict"),
        pytest.param({"verification_status": "pending"}, False, id="FIX-26-pending"),
        pytest.param({"verification_status": "error"}, False, id="FIX-26-error"),
        pytest.param({"run_id": "other"}, False, id="FIX-26-other-run"),
        pytest.param({"pack_digest": "other"}, False, id="FIX-26-other-pack"),
        pytest.param({"row_digest": "other"}, False, id="FIX-26-other-row"),
        pytest.param({"verifier_version": "other"}, False, id="FIX-26-other-verifier"),
        pytest.param({"task_id": "gone"}, False, id="FIX-26-row-that-is-gone"),
    ],
)
def test_a_resumed_run_keeps_only_verdicts_on_the_same_things(
    change: dict[str, Any], kept: bool
) -> None:
    assert is_kept(record(**change), {"t": IDENTITY}) is kept


def test_a_records_file_is_resumed_without_a_torn_line_fix_26(tmp_path: Path) -> None:
    path = tmp_path / "out" / "candidates.jsonl"
    with RecordFile(path) as file:
        file.write(record())
        file.write(record(task_id="u", verification_status="error"))
        assert len(list(read_records(path))) == 2
    with path.open("ab") as torn:
        torn.write(b'{"task_id": "v", "run')
    wanted = {"t": IDENTITY, "u": IDENTITY, "v": IDENTITY}
    with RecordFile(path, lambda found: is_kept(found, wanted)) as file:
        assert list(file.kept) == [("t", 0)]
        file.write(record(task_id="u", text="\ud800"))
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["task_id"] for line in lines] == ["t", "u"]
    assert list(json.loads(lines[0])) == sorted(json.loads(lines[0]))


def test_a_new_run_begins_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    path.write_text("old\n")
    RecordFile(path)
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        pytest.param([], "complete", id="s9-nothing-to-do"),
        pytest.param(["passed", "failed"], "complete", id="s9-all-verified"),
        pytest.param(["pending", "error"], "pending", id="s9-none-verified"),
        pytest.param(["passed", "pending"], "partial", id="s9-some-verified"),
    ],
)
def test_the_summary_says_how_far_a_run_has_come(statuses: list[str], status: str) -> None:
    assert run_status(statuses) == status
    summary = run_summary("r", "out", "out/candidates.jsonl", statuses)
    assert summary["score_sum"] == float(statuses.count("passed"))
    assert (summary["total"], summary["status"]) == (len(statuses), status)
