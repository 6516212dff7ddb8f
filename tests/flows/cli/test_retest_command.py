"""`assent retest` as users and scripts call it."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.benchmarks import Raw, write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_bench, raw_eta

FIRST = [eta_item(f"i{k}", letter, letter * 5) for k, letter in enumerate("ggggbbbb")]
SECOND = [eta_item(f"i{k}", letter, letter * 5) for k, letter in enumerate("ggaabbab")]


@pytest.fixture
def first(here: Path) -> str:
    return write_json(here / "first.json", raw_eta(FIRST))


@pytest.fixture
def second(here: Path) -> str:
    return write_json(here / "second.json", raw_eta(SECOND, id="run-b"))


def test_unstable_verdicts_are_a_finding_and_no_failure(
    assent: Assent, first: str, second: str
) -> None:
    ran = assent("retest", first, second, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    jsonschema_rs.validate(stored("retest-1.0"), ran.json)
    expected: Raw = {
        "schema_version": "1.0",
        "benchmark_id": "bench",
        "run_a_id": "run-a",
        "run_b_id": "run-b",
        "n_items": 8,
        "n_agreements": 5,
        "n_disagreements": 3,
        "flip_rate": 0.375,
        "test_retest_kappa": 1.0,
        "kappa_three_class_band": "unstable",
    }
    assert {key: ran.json[key] for key in expected} == expected


def test_the_text_shows_intervals_flips_and_what_was_left_out(
    assent: Assent, here: Path, first: str
) -> None:
    missing = eta_item("i1", "a", "fffff")
    items = [missing if one["id"] == "i1" else one for one in SECOND]
    other = write_json(here / "other.json", raw_eta([*items, eta_item("z", "g")], id="run-b"))
    ran = assent("retest", first, other)
    assert ran.code == 0
    assert "i1: good → missing" in ran.out
    assert "i2: good → abstain" in ran.out
    assert "0 between good and bad, 3 to or from abstain" in ran.out
    assert "missing: 0 items in a, 1 in b" in ran.out
    assert "only in b, left out: z" in ran.out
    assert "not known of both runs: parser, strip_tex, prompt_id" in ran.out


def test_an_undefined_kappa_is_shown_with_its_reason(assent: Assent, here: Path) -> None:
    good = [eta_item(str(k), "g", "ggggg") for k in range(4)]
    a, b = (write_json(here / f"{name}.json", raw_eta(good, id=name)) for name in "ab")
    ran = assent("retest", a, b)
    assert ran.code == 0
    assert "undefined: all used one and the same class" in ran.out
    assert "unstable" not in ran.out


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"model": {"provider": "openai", "model_id": "n"}}, "not_comparable"),
        (
            {"model": {"provider": "openai", "model_id": "m", "params": {"temperature": 0}}},
            "not_comparable",
        ),
        ({"benchmark_id": "other"}, "benchmark_mismatch"),
    ],
)
def test_other_models_parameters_and_benchmarks_exit_2(
    assent: Assent, here: Path, first: str, changes: Raw, code: str
) -> None:
    other = write_json(here / "other.json", raw_eta(SECOND, id="run-b", **changes))
    ran = assent("retest", first, other, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, code)


def test_a_benchmark_that_is_not_theirs_exits_2(
    assent: Assent, here: Path, first: str, second: str
) -> None:
    bench = write_json(here / "bench.json", raw_bench([{"id": "i0"}], id="other"))
    ran = assent("retest", first, second, "--benchmark", bench, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "benchmark_mismatch")


def test_curtailed_runs_and_one_run_twice_are_warned_of(assent: Assent, here: Path) -> None:
    # Three of five settle the verdict.
    settled = raw_eta([eta_item("i", "g", "ggg")], endorsement_config={"n_samples": 5})
    short = write_json(here / "short.json", settled)
    ran = assent("retest", short, short, "--format", "json")
    codes = [one["code"] for one in ran.json["warnings"]]
    assert (ran.code, codes) == (0, ["curtailed", "curtailed", "same_draws"])


def test_runs_of_one_epoch_are_told_by_their_output_documents(assent: Assent, here: Path) -> None:
    paths = [_published(here, name, epoch) for name, epoch in (("a", ""), ("b", ""), ("c", "x"))]
    ran = assent("retest", paths[0], paths[1], "--format", "json")
    assert [one["code"] for one in ran.json["warnings"]] == ["same_draws"]
    ran = assent("retest", paths[0], paths[2], "--format", "json")
    assert (ran.json["warnings"], ran.json["unchecked"]) == ([], [])


def test_another_template_is_found_in_the_output_documents(assent: Assent, here: Path) -> None:
    a = _published(here, "a", "")
    b = _published(here, "b", "x", "clinical-coherence-v1:coherence:thin-v1")
    ran = assent("retest", a, b, "--format", "json")
    assert ran.code == 2
    assert "clinical-coherence-v1" in ran.json["errors"][0]["message"]


def _published(
    here: Path, run_id: str, epoch: str, prompt: str = "framework-default-v1:coherence:thin-v1"
) -> str:
    """An evaluation and, in its place, the output document of its run."""
    details: Raw = {
        "run_spec": {
            "voting": {"parser": "final-answer"},
            "prompting": {"strip_tex": True},
            "sampling": {"epoch": epoch},
        },
        "provenance": {"prompts": {"prompt_id": prompt}},
    }
    document = {"metadata": {"run": {"id": run_id}}, "results": {"details": details}}
    for folder in ("evaluations", "outputs"):
        (here / folder / "bench").mkdir(parents=True, exist_ok=True)
    (here / "outputs" / "bench" / f"{run_id}.json").write_text(json.dumps(document))
    form = {"question_form": "coherence"}
    evaluation = raw_eta(FIRST, id=run_id, endorsement_config=form)
    return write_json(here / "evaluations" / "bench" / f"{run_id}.json", evaluation)
