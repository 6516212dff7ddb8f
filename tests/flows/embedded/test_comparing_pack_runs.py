"""`assent compare` on the documents that `assent pack run` leaves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.packs import row, write_pack
from tests.support.runs import Desk, Outcome, write_lines

Run = Callable[..., str]


@pytest.fixture
def run_pack(desk: Desk) -> Run:
    """Runs a pack whose rows `short` and `why` the model `echo` passes and fails."""
    made = [
        # Echo repeats the question, and with it the answer.
        row("short_answer", id="short", input__question="Say 3."),
        row("free_response", id="why"),
        row("multiple_choice", id="choice"),
    ]
    write_pack(desk.path / "p", made)

    def call(run_id: str, *args: str) -> str:
        words = args or ("--model", "control/echo")
        ran = desk.run("pack", "run", "p", "--engine", "embedded", "--run-id", run_id, *words)
        assert ran.code == 0, ran.err
        return f"outputs/bars/{run_id}.json"

    return call


def answers(desk: Desk, **texts: str) -> tuple[str, str]:
    write_lines(
        desk.path / "a.jsonl", [{"task_id": name, "text": text} for name, text in texts.items()]
    )
    return "--answers", "a.jsonl"


def refused(ran: Outcome) -> tuple[int, str]:
    return ran.code, ran.json["errors"][0]["code"]


def test_two_pack_runs_are_compared_row_by_row(desk: Desk, run_pack: Run) -> None:
    a = run_pack("a", "--model", "control/always-good", "--n-samples", "3")
    b = run_pack("b", *answers(desk, why="gravity", choice="Oslo"))
    ran = desk.run("compare", a, b, "--format", "json")
    assert ran.code == 0, ran.err
    jsonschema_rs.validate(stored("pack-comparison-1.0"), ran.json)
    assert (ran.json["kind"], ran.json["pack_id"], ran.json["n_rows"]) == ("pack", "bars", 3)
    assert ran.json["attempts_a"]["failed"] == 9
    assert ran.json["attempts_b"] == {
        **{"passed": 1, "failed": 1, "errors": 0, "pending": 1},
        "rows_unjudged": 1,
    }
    assert ran.json["changed_rows"] == [
        {"row_id": "why", "passed_a": 0, "judged_a": 3, "passed_b": 1, "judged_b": 1}
    ]
    assert ran.json["tests"]["difference"]["value"] == 0.5
    assert ran.json["differences"].keys() == {"provider", "model_id", "n_samples"}


def test_several_pack_runs_give_a_family_and_a_broken_margin_exits_1(
    desk: Desk, run_pack: Run
) -> None:
    # Three rows would leave it undecided.
    names = [f"t{k}" for k in range(10)]
    write_pack(desk.path / "p", [row("short_answer", id=name) for name in names])
    right = answers(desk, **dict.fromkeys(names, "3"))
    a, b = run_pack("a", *right), run_pack("b", "--model", "control/always-good")
    ran = desk.run("compare", a, b, a, "--margin", "0.1", "--format", "json")
    jsonschema_rs.validate(stored("pack-comparisons-1.0"), ran.json)
    assert [one["run_b"] for one in ran.json["comparisons"]] == ["b", "a"]
    assert ran.json["comparisons"][0]["tests"]["difference"]["value"] == -1.0
    outcomes = [one["tests"]["non_inferiority"]["outcome"] for one in ran.json["comparisons"]]
    assert (outcomes[0], ran.code) == ("fail", 1)


def test_the_text_shows_attempts_tests_and_rows_left_out(desk: Desk, run_pack: Run) -> None:
    a, b = run_pack("a"), run_pack("b", "--model", "control/always-good", "--items", "short")
    ran = desk.run("compare", a, b)
    assert ran.code == 0, ran.err
    assert "1 rows in both" in ran.out
    assert "share of attempts that pass: a 1.000, b 0.000 on 1 rows" in ran.out
    assert "short: 1 of 1 passed → 0 of 1" in ran.out
    assert "only in a, left out: why, choice" in ran.out
    assert "model_id differs: echo and always-good" in ran.out


def test_a_pack_that_was_edited_in_between_is_refused(desk: Desk, run_pack: Run) -> None:
    a = run_pack("a")
    write_pack(desk.path / "p", [row("short_answer", id="short", eval__accepted_answers=[4])])
    b = run_pack("b")
    assert refused(desk.run("compare", a, b, "--format", "json")) == (2, "not_comparable")


def test_another_profile_is_refused(desk: Desk, run_pack: Run) -> None:
    a, b = run_pack("a"), run_pack("b", "--model", "control/echo", "--profile", "compat")
    ran = desk.run("compare", a, b, "--format", "json")
    assert refused(ran) == (2, "not_comparable")
    assert "profile ('target' and 'compat')" in ran.json["errors"][0]["message"]


def test_an_evaluation_and_a_pack_run_are_refused(desk: Desk, run_pack: Run) -> None:
    a = run_pack("a")
    (desk.path / "eta.json").write_text('{"id": "r", "items": []}')
    ran = desk.run("compare", "eta.json", a, "--format", "json")
    assert refused(ran) == (2, "not_comparable")
    assert "a pack run and an evaluation cannot be compared" in ran.json["errors"][0]["message"]


@pytest.mark.parametrize("options", [("--benchmark", "b.json"), ("--reference", "plurality")])
def test_options_of_evaluations_are_refused(
    desk: Desk, run_pack: Run, options: tuple[str, str]
) -> None:
    a = run_pack("a")
    ran = desk.run("compare", a, a, *options, "--format", "json")
    assert refused(ran) == (2, "bad_option")


def test_documents_of_other_runs_and_edited_ones_are_refused(desk: Desk, run_pack: Run) -> None:
    a = run_pack("a")
    document = json.loads((desk.path / a).read_text())
    other = Path(desk.path / "other.json")
    changes: list[tuple[Callable[[Any], Any], str]] = [
        (lambda d: d["results"]["details"]["provenance"].pop("pack"), "not_a_pack_run"),
        (lambda d: d["results"]["cases"][0].update(n_passed=2**70), "not_a_pack_run"),
        (lambda d: d["results"]["cases"][0].update(id="why"), "duplicate_id"),
    ]
    for change, code in changes:
        edited = json.loads(json.dumps(document))
        change(edited)
        other.write_text(json.dumps(edited))
        assert refused(desk.run("compare", a, "other.json", "--format", "json")) == (2, code)
