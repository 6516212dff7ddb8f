"""`assent pack run` as a plain call: answers, models, budgets, selections, and the files left."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.sampling.records import CallFailed
from tests.support.packs import row, write_pack
from tests.support.runs import Desk, Outcome, Scripted, differences, load, rows, write_lines

Use = Callable[[Scripted], Scripted]

CHOICE = (
    "Which?\n\nA. Lagos\nB. Oslo\nC. Quito\n\n"
    'End your reply with a line "Answer: X", where X is the letter of your choice.'
)
SHORT = (
    'How many?\n\nEnd your reply with a line "Answer: ..." that holds the answer and nothing else.'
)


def reply(user: str, text: str) -> dict[str, Any]:
    return {"prompt_hash": f"sha256:{hashlib.sha256(user.encode()).hexdigest()}", "text": text}


@pytest.fixture
def pack(desk: Desk) -> Path:
    """Three rows of text families, in two groups."""
    made = [
        row("multiple_choice", id="a", metadata={"topic": "towns", "level": 1}),
        row("short_answer", id="b", metadata={"topic": "towns", "level": 2}),
        row("free_response", id="c", metadata={"topic": "physics"}),
    ]
    return write_pack(desk.path / "p", made)


def run(desk: Desk, *args: str) -> Outcome:
    return desk.run("pack", "run", "p", "--engine", "embedded", "--format", "json", *args)


def statuses(outcome: Outcome) -> list[tuple[str, str, str | None]]:
    return [(r["task_id"], r["status"], r["reason"]) for r in outcome.json["results"]]


RIGHT = {"Which?": ["Answer: A"], "How many?": ["It is 3."], "Why?": ["Because of gravity."]}


def test_a_model_is_asked_about_every_row_and_judged(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    model = use_provider(Scripted(RIGHT | {"How many?": ["Answer: 7"]}))
    ran = run(desk, "--model", "control/coin", "--run-id", "r")
    assert ran.code == 0, ran.err
    assert statuses(ran) == [("a", "passed", None), ("b", "failed", None), ("c", "passed", None)]
    summary = ran.json["summary"]
    assert (summary["total"], summary["passed"], summary["failed"]) == (3, 2, 1)
    assert summary["score"] == pytest.approx(2 / 3)
    assert (ran.json["calls"], ran.json["reused"], ran.json["failed"]) == (3, 0, 0)
    assert {request.user for request in model.asked} >= {CHOICE, SHORT}
    assert len({request.system for request in model.asked}) == 1
    assert ran.json["evaluation"] is None


def test_the_results_of_answers_are_those_of_score(desk: Desk, pack: Path) -> None:
    write_lines(
        desk.path / "a.jsonl",
        [{"task_id": "c", "text": "gravity"}, {"task_id": "a", "text": "Oslo"}],
    )
    ran = run(desk, "--answers", "a.jsonl", "--by", "topic")
    scored = desk.run(
        *("pack", "score", "p", "--answers", "a.jsonl", "--by", "topic", "--format", "json")
    )
    assert ran.code == scored.code == 0
    results = [{k: v for k, v in r.items() if k != "sample"} for r in ran.json["results"]]
    assert results == scored.json["results"]
    assert ran.json["summary"] == scored.json["summary"]
    assert ran.json["measures"] == scored.json["measures"]
    assert (ran.json["calls"], ran.json["reused"]) == (0, 0)
    assert statuses(ran)[1] == ("b", "pending", "no_answer")


def test_a_rerun_asks_nobody_and_writes_the_same_bytes_but_for_times(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    first = run(desk, "--model", "control/coin", "--run-id", "r")
    before = load(first.json["output"])
    records = Path(first.json["artifacts"]["candidates"]).read_bytes()
    second = run(desk, "--model", "control/coin", "--run-id", "r")
    assert (second.json["calls"], second.json["reused"]) == (0, 3)
    changed = differences(before, load(second.json["output"]))
    assert changed <= {"$.metadata.run.started_at", "$.metadata.run.finished_at"}
    assert Path(second.json["artifacts"]["candidates"]).read_bytes() == records


def test_more_samples_draw_only_the_missing_ones(desk: Desk, pack: Path, use_provider: Use) -> None:
    use_provider(Scripted(RIGHT))
    assert run(desk, "--model", "control/coin", "--n-samples", "2").json["calls"] == 6
    third = run(desk, "--model", "control/coin", "--n-samples", "3").json
    assert (third["calls"], third["reused"], len(third["results"])) == (3, 6, 9)


def test_repeated_attempts_give_pass_at_k_and_pass_hat_k(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    # a passes 1 of 2, b and c 2 of 2: pass@1 = 5/6, pass@2 = 1, pass^2 = 2/3.
    use_provider(Scripted(RIGHT | {"Which?": ["A", "B"]}))
    ran = run(desk, "--model", "control/coin", "--n-samples", "2", "--concurrency", "1")
    metrics = ran.json["metrics"]
    assert metrics["pass_at_1"] == pytest.approx(5 / 6)
    assert metrics["pass_at_2"] == 1
    assert metrics["pass_hat_2"] == pytest.approx(2 / 3)
    assert [r["sample"] for r in ran.json["results"]] == [0, 1, 0, 1, 0, 1]


def test_a_failed_call_is_no_wrong_answer(desk: Desk, pack: Path, use_provider: Use) -> None:
    use_provider(Scripted(RIGHT | {"How many?": [CallFailed("no such thing")]}))
    ran = run(desk, "--model", "control/coin", "--max-failed", "1", "--run-id", "r")
    assert ran.code == 0
    assert statuses(ran)[1] == ("b", "pending", "sample_failed")
    assert ran.json["summary"]["score"] == 1.0
    assert (ran.json["failed"], ran.json["summary"]["failed"]) == (1, 0)
    cases = {case["id"]: case for case in load(ran.json["output"])["results"]["cases"]}
    assert (cases["b"]["status"], cases["b"]["n_failed_samples"]) == ("missing", 1)
    assert (cases["a"]["status"], cases["a"]["score"]) == ("judged", 1.0)


def test_too_many_failed_calls_exit_1_and_say_so_in_the_document(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT | {"How many?": [CallFailed("no such thing")]}))
    ran = run(desk, "--model", "control/coin")
    assert ran.code == 1
    assert load(ran.json["output"])["results"]["status"] == "error"
    use_provider(Scripted(RIGHT))
    again = run(desk, "--model", "control/coin")
    assert (again.code, again.json["calls"]) == (0, 1)


def test_the_output_document_has_one_case_per_row_and_names_what_it_rests_on(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    ran = run(desk, "--model", "control/coin", "--run-id", "r", "--n-samples", "2")
    assert ran.json["output"] == "outputs/bars/r.json"
    document = load(ran.json["output"])
    assert [case["id"] for case in document["results"]["cases"]] == ["a", "b", "c"]
    assert {case["n_samples"] for case in document["results"]["cases"]} == {2}
    provenance = document["results"]["details"]["provenance"]
    assert len(provenance["pack"]["sha256"]) == 64
    assert provenance["prompts"]["rendering_version"] == 1
    assert provenance["verdicts"]["profile"] == "target"
    assert provenance["verdicts"]["verifiers"] == [
        "free_response/target/1",
        "multiple_choice/target/1",
        "short_answer/target/1",
    ]
    assert desk.run("outputs", "check").code == 0
    roles = [artifact["role"] for artifact in document["results"]["artifacts"]]
    assert roles == ["prompts", "samples", "verdicts", "metrics", "candidates"]


def test_the_tables_say_what_became_of_rows_and_samples(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT | {"Which?": ["B"]}))
    ran = run(desk, "--model", "control/coin", "--by", "topic", "--group-by", "topic")
    tables = {
        name: rows(path) for name, path in ran.json["artifacts"].items() if name != "candidates"
    }
    assert [p["user"] for p in tables["prompts"]][:2] == [CHOICE, SHORT]
    assert [s["result"] for s in tables["samples"]] == ["failed", "passed", "passed"]
    assert [v["score"] for v in tables["verdicts"]] == [0.0, 1.0, 1.0]
    assert json.loads(tables["verdicts"][0]["metadata_json"]) == {"topic": "towns", "level": 1}
    rates = {(m["scope"], m["cell"]): m["value"] for m in tables["metrics"]}
    assert rates["topic", "towns"] == 0.5
    assert rates["family", "free_response"] == 1.0
    assert ran.json["measures"]["n_groups"] == 2


def test_records_hold_one_line_per_row_and_sample(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    ran = run(desk, "--model", "control/coin", "--n-samples", "2", "--run-id", "r")
    path = Path(ran.json["artifacts"]["candidates"])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert path == Path("outputs/artifacts/r/candidates.jsonl")
    assert [(r["task_id"], r["sample"]) for r in lines] == [
        (task, sample) for task in "abc" for sample in (0, 1)
    ]
    assert {r["run_id"] for r in lines} == {"r"}
    assert all(list(r) == sorted(r) for r in lines)
    assert lines[0]["candidate_text"] == "Answer: A"
    hidden = [r for r in lines[0]["resource_summary"] if r["visibility"] != "public"]
    assert hidden == [{"kind": "json", "name": "answer", "redacted": True, "visibility": "hidden"}]


def test_rows_that_have_to_be_run_are_errors_and_exit_3(desk: Desk, use_provider: Use) -> None:
    made = [
        row("code_completion", id="code"),
        row("terminal_task", id="term"),
        row("multiple_choice", id="mc"),
        {"id": "tool", "family": "tool_call", "input": {"q": "?"}, "eval": {}},
    ]
    write_pack(desk.path / "p", made)
    model = use_provider(Scripted({"Write f.": ["```python\ndef f(): return 1\n```"]} | RIGHT))
    ran = run(desk, "--model", "control/coin", "--run-id", "r")
    assert ran.code == 3
    assert statuses(ran) == [
        ("code", "error", "sandbox_unavailable"),
        ("term", "error", "sandbox_unavailable"),
        ("mc", "passed", None),
        ("tool", "pending", "no_verifier"),
    ]
    assert ran.json["summary"]["score"] == 1.0
    assert len(model.asked) == 2  # nobody pays for rows that a reply cannot answer
    assert ran.json["results"][0]["error"]["code"] == "sandbox_unavailable"
    assert desk.run("show", "r", "term").code == 0
    assert desk.run("show", "r", "code").code == 0


def test_code_of_a_model_is_taken_out_of_its_fence_17(desk: Desk, use_provider: Use) -> None:
    write_pack(desk.path / "p", [row("code_completion", id="code")])
    use_provider(Scripted({"Write f.": ["Here:\n```python\n\n```\nDone."]}))
    ran = run(desk, "--model", "control/coin")
    assert statuses(ran) == [("code", "failed", "empty_candidate")]
    assert ran.json["results"][0]["metadata"] == {"extraction": "fenced_block"}
    write_lines(desk.path / "a.jsonl", [{"task_id": "code", "text": "```\n\n```"}])
    plain = run(desk, "--answers", "a.jsonl")
    assert statuses(plain) == [("code", "error", "sandbox_unavailable")]
    asked = run(desk, "--answers", "a.jsonl", "--extract-code")
    assert statuses(asked) == [("code", "failed", "empty_candidate")]


@pytest.mark.parametrize("who", [("--harness", "touch ran"), ("--config", "t.yaml")])
def test_a_harness_is_refused_with_the_reason_and_never_run(
    desk: Desk, pack: Path, who: tuple[str, str]
) -> None:
    (desk.path / "t.yaml").write_text(TESTER)
    ran = run(desk, *who)
    assert ran.code == 3
    assert [error["code"] for error in ran.json["errors"]] == ["sandbox_unavailable"]
    assert not (desk.path / "ran").exists()
    assert not (desk.path / "outputs").exists()


TESTER = """\
schema_version: "0.2"
run: {id: tested, output_dir: elsewhere}
benchmark: {manifest: p/manifest.yaml, tasks: p/tasks.jsonl}
harness: {type: command, config: {command: touch ran}}
verification: {deny_commands: [chroot], disallow_dangerous_commands: false}
"""


def test_a_tester_file_names_pack_run_place_and_policy_of_a_model_run(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    (desk.path / "t.yaml").write_text(TESTER)
    fixed = ("--engine", "embedded", "--format", "json")
    ran = desk.run("pack", "run", "--config", "t.yaml", "--model", "control/coin", *fixed)
    assert ran.code == 0, ran.out
    assert ran.json["output"] == "elsewhere/outputs/bars/tested.json"
    judging = load(ran.json["output"])["results"]["details"]["run_spec"]["judging"]
    assert judging["deny_commands"] == ["chroot"]
    assert judging["disallow_dangerous_commands"] is False


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), "usage"),
        (("--model", "control/coin", "--answers", "a.jsonl"), "usage"),
        (("--model", "control/coin", "--harness", "x"), "usage"),
        (("--answers", "a.jsonl", "--n-samples", "2"), "usage"),
        (("--answers", "a.jsonl", "--dry-run"), "usage"),
        (("--answers", "nowhere.jsonl"), "unreadable"),
        (("--config", "nowhere.yaml"), "unreadable"),
        (("--config", "bad.yaml"), "const"),
        (("--config", "t.yaml"), "usage"),
        (("--model", "coin"), "bad_model"),
        (("--model", "control/nobody"), "unknown_model"),
        (("--model", "control/coin", "--n-samples", "0"), "bad_option"),
        (("--model", "control/coin", "--items", "z"), "unknown_item"),
        (("--model", "control/coin", "--run-id", "a/b"), "bad_run_id"),
        (
            ("--model", "openai/x", "--max-cost", "1", "--base-url", "http://127.0.0.1:1/v1"),
            "unknown_price",
        ),
    ],
    ids=" ".join,
)
def test_wrong_options_exit_2_and_write_nothing(
    desk: Desk, pack: Path, options: tuple[str, ...], code: str
) -> None:
    write_lines(desk.path / "a.jsonl", [{"task_id": "a", "text": "A"}])
    (desk.path / "bad.yaml").write_text(TESTER.replace('"0.2"', '"9"'))
    write_pack(desk.path / "q", [row(id="x")])
    (desk.path / "t.yaml").write_text(TESTER.replace("p/", "q/"))
    ran = run(desk, *options)
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["errors"][0]["code"] == code
    assert not (desk.path / "outputs").exists()


def test_a_pack_with_wrong_rows_exits_2_before_anybody_is_asked(
    desk: Desk, use_provider: Use
) -> None:
    write_pack(desk.path / "p", [row(id="a"), row(id="b", eval__answer=9), row(id="a")])
    model = use_provider(Scripted(RIGHT))
    ran = run(desk, "--model", "control/coin")
    assert ran.code == 2
    assert [(e["line"], e["code"]) for e in ran.json["errors"]] == [
        (2, "unknown_choice"),
        (3, "duplicate_id"),
    ]
    assert model.asked == []


def test_the_budget_stops_the_run_and_the_next_one_goes_on(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    ran = run(desk, "--model", "control/coin", "--max-calls", "2")
    assert (ran.code, ran.json["stopped"], ran.json["output"]) == (3, "max_calls", None)
    assert not (desk.path / "outputs").exists()
    again = run(desk, "--model", "control/coin")
    assert (again.json["calls"], again.json["reused"]) == (1, 2)


def test_the_first_rows_and_named_rows_share_the_draws_of_the_whole(
    desk: Desk, use_provider: Use
) -> None:
    write_pack(desk.path / "p", [row(id=name) for name in ("z", "y", "x")])
    use_provider(Scripted(RIGHT))
    first = run(desk, "--model", "control/coin", "--limit", "2")
    assert statuses(first) == [("z", "passed", None), ("y", "passed", None)]
    named = run(desk, "--model", "control/coin", "--items", "x", "--items", "z")
    assert (named.json["calls"], named.json["reused"]) == (1, 1)
    assert load(named.json["output"])["metadata"]["tags"] == ["pack", "partial"]
    assert run(desk, "--model", "control/coin").json["calls"] == 0


def test_recorded_replies_are_found_by_the_rendered_prompt(desk: Desk, pack: Path) -> None:
    write_lines(desk.path / "r.jsonl", [reply(CHOICE, "A"), reply(SHORT, "Answer: 3.5")])
    options = ("--model", "replay/r.jsonl", "--items", "a", "--items", "b")
    assert statuses(run(desk, *options)) == [("a", "passed", None), ("b", "passed", None)]


def test_a_run_id_of_other_settings_is_refused(desk: Desk, pack: Path, use_provider: Use) -> None:
    use_provider(Scripted(RIGHT))
    assert run(desk, "--model", "control/coin", "--run-id", "r").code == 0
    ran = run(desk, "--model", "control/coin", "--run-id", "r", "--profile", "compat")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "run_id_taken")


def test_the_command_of_a_document_repeats_the_run(
    desk: Desk, pack: Path, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    options = ("--n-samples", "2", "--by", "topic", "--limit", "2", "--seed", "7", "--top-p", "0.5")
    first = run(desk, "--model", "control/coin", *options)
    command = load(first.json["output"])["metadata"]["run"]["command"].split()
    assert command[0] == "assent"
    again = desk.run(*command[1:], "--engine", "embedded", "--format", "json")
    assert (again.json["calls"], again.json["reused"]) == (0, 4)
    assert again.json["measures"] == first.json["measures"]


def test_runs_and_show_tell_of_pack_runs(desk: Desk, pack: Path, use_provider: Use) -> None:
    use_provider(Scripted(RIGHT))
    run(desk, "--model", "control/coin", "--run-id", "r")
    assert "pass rate 1.000" in desk.run("runs").out
    [listed] = desk.run("runs", "--format", "json").json["runs"]
    assert (listed["kind"], listed["pass_rate"], listed["kappa"]) == ("pack", 1.0, None)
    assert "1 of 1 passed" in desk.run("show", "r").out
    shown = desk.run("show", "r", "a", "--format", "json").json
    assert shown["prompt"]["user"] == CHOICE
    assert [(s["text"], s["result"]) for s in shown["samples"]] == [("Answer: A", "passed")]
    assert "[0] passed" in desk.run("show", "r", "a").out


def test_a_dry_run_counts_calls_and_writes_nothing(desk: Desk, pack: Path) -> None:
    ran = run(desk, "--model", "control/coin", "--n-samples", "4", "--dry-run")
    assert (ran.json["samples"], ran.json["calls_needed"]) == (12, 12)
    assert not (desk.path / ".assent").exists()
    assert not (desk.path / "outputs").exists()


def test_an_edited_row_is_judged_anew_and_asked_only_when_its_prompt_changed(
    desk: Desk, use_provider: Use
) -> None:
    use_provider(Scripted(RIGHT))
    write_pack(desk.path / "p", [row(id="a"), row("short_answer", id="b")])
    assert run(desk, "--model", "control/coin").json["summary"]["passed"] == 2
    write_pack(desk.path / "p", [row(id="a", eval__answer=1), row("short_answer", id="b")])
    ran = run(desk, "--model", "control/coin")
    assert (ran.json["calls"], statuses(ran)[0]) == (0, ("a", "failed", None))


def test_numbers_beyond_64_bits_in_metadata_are_carried_along(
    desk: Desk, use_provider: Use
) -> None:
    write_pack(desk.path / "p", [row(id="a", metadata={"n": 10**30, "x": 0.1})])
    use_provider(Scripted(RIGHT))
    ran = run(desk, "--model", "control/coin", "--by", "n")
    assert ran.code == 0, ran.err
    cells = load(ran.json["output"])["results"]["details"]["measures"]["cells"]
    assert cells[1]["value"] == 10**30
