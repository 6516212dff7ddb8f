"""Curtailed voting: fewer calls, the same verdicts."""

import pytest

from tests.support.runs import Desk, Json, benchmark, load, record, rows, samples, write_lines


def verdicts(result: Json) -> dict[str, str]:
    return {row["item_id"]: row["verdict"] for row in rows(result["artifacts"]["verdicts"])}


def undrawn(result: Json) -> dict[str, int]:
    return {row["item_id"]: row["n_undrawn"] for row in rows(result["artifacts"]["verdicts"])}


@pytest.mark.parametrize("n_samples", ["1", "4", "5", "8"])
@pytest.mark.parametrize("tie_break", ["abstain", "good", "bad", "first"])
def test_the_verdicts_are_those_of_the_full_vote(
    desk: Desk, n_samples: str, tie_break: str
) -> None:
    desk.write(benchmark(40))
    options = ("--n-samples", n_samples, "--tie-break", tie_break)
    short = desk.evaluate("--curtail", *options)
    full = desk.evaluate(*options)
    assert verdicts(short) == verdicts(full)
    assert short["calls"] + sum(undrawn(short).values()) == 40 * int(n_samples)
    assert (full["reused"], full["calls"]) == (short["calls"], 40 * int(n_samples) - short["calls"])
    assert (short["calls"] < full["calls"] + full["reused"]) == (n_samples != "1")


def test_an_item_is_asked_until_its_verdict_is_settled_and_no_further(desk: Desk) -> None:
    desk.write(benchmark(3))
    replies = {"0": "G G G B B", "1": "G B G B G", "2": "B B G B G"}
    words = {"G": "GOOD", "B": "BAD"}
    lines = [
        record(f"claim {claim} holds", words[said])
        for claim, all_said in replies.items()
        for said in all_said.split()
    ]
    model = f"replay/{write_lines(desk.path / 'replies.jsonl', lines)}"
    short = desk.evaluate("--curtail", model=model)
    assert undrawn(short) == {"i0": 2, "i1": 0, "i2": 1}
    assert verdicts(short) == {"i0": "good", "i1": "good", "i2": "bad"}
    assert sorted(samples(short)) == [
        *(("i0", k) for k in range(3)),
        *(("i1", k) for k in range(5)),
        *(("i2", k) for k in range(4)),
    ]


def test_what_was_not_drawn_is_not_failed_and_is_told(desk: Desk) -> None:
    desk.write(benchmark(2))
    short = desk.evaluate("--curtail", model="control/always-good")
    assert (short["calls"], short["failed"]) == (6, 0)
    document = load(short["output"])
    assert [case["n_undrawn"] for case in document["results"]["cases"]] == [2, 2]
    assert document["results"]["metrics"]["n_undrawn_samples"] == 4
    assert document["results"]["details"]["run_spec"]["sampling"]["curtail"] is True


def test_a_curtailed_run_again_asks_nobody(desk: Desk) -> None:
    desk.write(benchmark(10))
    first = desk.evaluate("--curtail")
    second = desk.evaluate("--curtail")
    assert (second["calls"], second["reused"]) == (0, first["calls"])
    assert samples(second) == samples(first)


def test_figures_that_need_every_draw_say_why_they_are_undefined(desk: Desk) -> None:
    desk.write(benchmark(10))
    details = load(desk.evaluate("--curtail")["output"])["results"]["details"]
    full = load(desk.evaluate()["output"])["results"]
    of_votes = {"mean_entropy_judged", "mean_margin_judged", "n_tie_broken"}
    assert of_votes <= full["metrics"].keys()
    assert {"--curtail" in details["undefined"][name] for name in of_votes} == {True}


@pytest.mark.parametrize("command", ["metrics", "structure", "compare"])
def test_studies_of_a_curtailed_run_say_so(desk: Desk, command: str) -> None:
    desk.write(benchmark(10))
    short, full = desk.evaluate("--curtail")["evaluation"], desk.evaluate()["evaluation"]
    further = {"metrics": [], "structure": ["--benchmark", "bench.json"], "compare": [full]}
    noticed = desk.run(command, short, *further[command], "--format", "json").json["warnings"]
    assert [one["code"] for one in noticed] == ["curtailed"]
    whole = desk.run("metrics", full, "--format", "json").json["warnings"]
    assert "curtailed" not in [one["code"] for one in whole]


def test_bounds_of_a_curtailed_run_hold_what_the_undrawn_samples_could_have_said(
    desk: Desk,
) -> None:
    desk.write(benchmark(2))
    replies = {"0": "G G B ? G", "1": "B B B B B"}
    words = {"G": "GOOD", "B": "BAD", "?": "perhaps"}
    lines = [
        record(f"claim {claim} holds", words[said])
        for claim, all_said in replies.items()
        for said in all_said.split()
    ]
    model = f"replay/{write_lines(desk.path / 'replies.jsonl', lines)}"
    short = desk.evaluate("--curtail", "--n-samples", "4", model=model)
    assert undrawn(short) == {"i0": 0, "i1": 1}
    full = desk.evaluate("--n-samples", "4", model=model)
    names = ("bounds", "policies")
    of_short, of_full = (load(r["output"])["results"]["details"] for r in (short, full))
    assert [of_short[name] for name in names] == [of_full[name] for name in names]
