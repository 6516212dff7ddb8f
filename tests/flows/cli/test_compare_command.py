"""`assent compare` as users and scripts call it."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.benchmarks import Raw, write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_bench, raw_eta

GOOD = [eta_item(str(i), "g", "ggggg") for i in range(40)]
BAD = [eta_item(str(i), "b", "bbbbb") for i in range(40)]


@pytest.fixture
def before(here: Path) -> str:
    return write_json(here / "before.json", raw_eta(GOOD))


@pytest.fixture
def after(here: Path) -> str:
    return write_json(here / "after.json", raw_eta(BAD, id="run-b"))


def test_two_runs_give_the_flat_document(assent: Assent, before: str, after: str) -> None:
    ran = assent("compare", before, after, "--format", "json")
    assert ran.code == 0
    jsonschema_rs.validate(stored("comparison-1.0"), ran.json)
    expected = {"run_a": "run-a", "run_b": "run-b", "n_items": 40, "mean_tv_distance": 1.0}
    assert {key: ran.json[key] for key in expected} == expected
    assert ran.json["tests"]["difference"]["value"] == -1.0


def test_several_runs_give_a_family(assent: Assent, before: str, after: str) -> None:
    ran = assent("compare", before, after, before, "--correction", "bh", "--format", "json")
    jsonschema_rs.validate(stored("comparisons-1.0"), ran.json)
    assert ran.json["correction"] == "benjamini-hochberg"
    assert [one["run_b"] for one in ran.json["comparisons"]] == ["run-b", "run-a"]


@pytest.mark.parametrize(
    ("first", "second", "outcome", "code"),
    [("before", "before", "pass", 0), ("before", "after", "fail", 1)],
)
def test_a_margin_that_is_broken_exits_1(
    assent: Assent, before: str, after: str, first: str, second: str, outcome: str, code: int
) -> None:
    paths = {"before": before, "after": after}
    ran = assent("compare", paths[first], paths[second], "--margin", "0.2")
    assert ran.code == code
    assert f"by less than 0.2: {outcome}" in ran.out


def test_the_text_names_what_differs_and_what_is_undefined(
    assent: Assent, here: Path, before: str, after: str
) -> None:
    empty = [eta_item(str(i), "a", "fff") for i in range(40)]
    other = write_json(
        here / "other.json", raw_eta(empty, model={"provider": "openai", "model_id": "n"})
    )
    ran = assent("compare", before, after, other)
    assert ran.code == 0
    assert "model_id differs: m and n" in ran.out
    assert "cross_run_kappa is undefined" in ran.out
    assert "no tests: no item has a reference" in ran.out
    assert "adjusted for 2 comparisons: holm" in ran.out


def test_the_same_command_prints_the_same(assent: Assent, before: str, after: str) -> None:
    options = ("--seed", "5", "--iterations", "200", "--format", "json")
    assert assent("compare", before, after, *options).out == (
        assent("compare", before, after, *options).out
    )


def test_the_panel_of_a_benchmark_can_be_named(
    assent: Assent, here: Path, before: str, after: str
) -> None:
    items = [{"id": str(i), "analyst_verdicts": ["bad"]} for i in range(40)]
    bench = write_json(here / "bench.json", raw_bench(items))
    ran = assent("compare", before, after, "--benchmark", bench, "--format", "json")
    assert ran.json["tests"]["difference"]["value"] == 1.0


def test_a_first_run_of_a_changed_benchmark_is_warned_of(
    assent: Assent, here: Path, after: str
) -> None:
    bench = write_json(here / "bench.json", raw_bench([{"id": str(i)} for i in range(40)]))
    first = write_json(here / "first.json", raw_eta(GOOD, benchmark_hash="sha256:0"))
    ran = assent("compare", first, after, "--benchmark", bench, "--format", "json")
    assert [(one["file"], one["code"]) for one in ran.json["warnings"]] == [
        (first, "hash_mismatch")
    ]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--correction", "magic"], "bad_option"),
        (["--reference", "analyst:nobody"], "unknown_reference"),
        (["--margin", "2"], "usage"),
    ],
)
def test_wrong_options_exit_2(
    assent: Assent, before: str, after: str, options: list[str], code: str
) -> None:
    ran = assent("compare", before, after, *options, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, code)


def test_one_run_alone_is_refused(assent: Assent, before: str) -> None:
    assert assent("compare", before).code == 2


def test_runs_that_cannot_be_compared_exit_2(assent: Assent, here: Path, before: str) -> None:
    other = write_json(here / "other.json", raw_eta(GOOD, paraphrase_variant=1))
    ran = assent("compare", before, other, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "not_comparable")


def run_with_settings(here: Path, run_id: str, **voting: str) -> str:
    """An evaluation and, in its place, the output document of its run."""
    spec: Raw = {
        "voting": {"parser": "final-answer"} | voting,
        "prompting": {"strip_tex": True},
        "sampling": {"epoch": ""},
    }
    document = {
        "metadata": {"run": {"id": run_id}},
        "results": {"details": {"run_spec": spec}},
    }
    for folder in ("evaluations", "outputs"):
        (here / folder / "bench").mkdir(parents=True, exist_ok=True)
    (here / "outputs" / "bench" / f"{run_id}.json").write_text(json.dumps(document))
    return write_json(here / "evaluations" / "bench" / f"{run_id}.json", raw_eta(GOOD, id=run_id))


def test_another_parser_is_found_in_the_output_documents(assent: Assent, here: Path) -> None:
    a, b = run_with_settings(here, "a"), run_with_settings(here, "b")
    assert assent("compare", a, b, "--format", "json").json["unchecked"] == []
    c = run_with_settings(here, "c", parser="first-match")
    ran = assent("compare", a, c, "--format", "json")
    assert ran.code == 2
    assert "parser" in ran.json["errors"][0]["message"]


def test_an_output_document_of_another_run_is_not_believed(assent: Assent, here: Path) -> None:
    a, b = run_with_settings(here, "a"), run_with_settings(here, "b", parser="first-match")
    (here / "outputs" / "bench" / "b.json").write_text('{"metadata": {"run": {"id": "x"}}}')
    ran = assent("compare", a, b, "--format", "json")
    assert (ran.code, ran.json["unchecked"]) == (0, ["parser", "strip_tex"])
