"""Sweeps in this process: figures, sharing of draws, names, failures, exit codes."""

import json
from pathlib import Path

import pytest

from flows.suites import choose_suite
from flows.sweeping import Plan, plan_sweep, run_sweep
from schemas.published import stored
from tests.support.runs import Desk, Json, Outcome, benchmark, load, record, write_lines

EMBEDDED = ("--engine", "embedded", "--format", "json")


def sweep(
    desk: Desk, *args: str, model: str = "control/coin", bench: str = "bench.json"
) -> Outcome:
    return desk.run("sweep", bench, "--model", model, *EMBEDDED, *args)


def swept(desk: Desk, *args: str, model: str = "control/coin") -> Json:
    done = sweep(desk, *args, model=model)
    assert done.code == 0, done.err + done.out
    return done.json


def plan(model: str, *models: str, benchmarks: tuple[str, ...] = ("bench.json",)) -> Plan:
    suite = choose_suite(
        suite=None,
        benchmarks=benchmarks,
        models=(model, *models),
        vary={"n_samples": [1, 2]},
        name="t",
    )
    return plan_sweep(suite)


def block(desk: Desk, run_id: str) -> Path:
    """Put a directory where the evaluation of a run shall go: that run cannot be published."""
    place = desk.path / "evaluations" / "small" / f"{run_id}.json"
    place.mkdir(parents=True)
    return place


def test_the_document_has_a_row_per_value_and_its_file_fits_its_schema(desk: Desk) -> None:
    printed = swept(desk, "--vary", "n_samples=3,5", "--name", "t")
    assert set(printed) == {"id", "document", "calls", "reused", "sweeps", "failures"}
    [found] = printed["sweeps"]
    assert [row["value"] for row in found["rows"]] == ["3", "5"]
    head = [found[key] for key in ("parameter", "benchmark_id", "provider", "model_id")]
    assert head == ["n_samples", "small", "control", "coin"]
    for row in found["rows"]:
        assert row["n_total"] == 4
        assert load(row["eta_path"])["id"] == row["run_id"] == f"t-n_samples={row['value']}"
    assert printed["document"] == "studies/t.json"
    written = load("studies/t.json")
    assert set(written) == set(stored("sweep-1.0")["properties"])
    assert written["sweeps"] == printed["sweeps"]


def test_figures_range_and_agreement_of_a_case_worked_by_hand(desk: Desk) -> None:
    # The panel: i0 and i1 are ties (abstain), i2 is good, i3 is bad. The model is tied on i2.
    replies = {0: ["GOOD"], 1: ["ABSTAIN"], 2: ["GOOD", "BAD"], 3: ["BAD"]}
    write_lines(
        desk.path / "replies.jsonl",
        [record(f"claim {i} holds", text) for i, texts in replies.items() for text in texts],
    )
    options = ("--vary", "tie_break=good,bad,abstain", "--n-samples", "2")
    [found] = swept(desk, *options, model="replay/replies.jsonl")["sweeps"]
    good, bad, abstain = found["rows"]
    # good: right on i2 and i3; bad: one of two, as by chance; abstain: only i3 is left.
    assert [row["kappa_c"] for row in (good, bad, abstain)] == [1.0, 0.0, None]
    assert [row["n_kappa_c"] for row in (good, bad, abstain)] == [2, 2, 1]
    assert [row["n_agreement"] for row in (good, bad, abstain)] == [3, 2, 2]
    assert [row["coverage"] for row in (good, bad, abstain)] == [0.75, 0.75, 0.5]
    assert "kappa_c" in abstain["reasons"]
    assert "kappa_c" not in good["reasons"]
    assert (found["kappa_c_range"], found["n_kappa_c_range"]) == (1.0, 2)
    assert found["stability_verdict"] == "substantive variation"


def test_one_value_has_no_range_and_says_why(desk: Desk) -> None:
    [found] = swept(desk, "--vary", "n_samples=3")["sweeps"]
    assert found["kappa_c_range"] is None
    assert "fewer than two" in found["kappa_c_range_reason"]
    assert found["stability_verdict"].startswith("undefined")


@pytest.mark.parametrize(
    ("vary", "calls"),
    [
        pytest.param(("n_samples=3,5,9",), 4 * 9, id="as many as the largest n"),
        pytest.param(("n_samples=9,5,3",), 4 * 9, id="in whatever order"),
        pytest.param(("tie_break=abstain,good,bad,first",), 4 * 5, id="one run for all ties"),
        pytest.param(("n_samples=3,9", "tie_break=good,bad"), 4 * 9, id="across parameters"),
        pytest.param(("temperature=0,1",), 2 * 4 * 5, id="temperatures share nothing"),
    ],
)
def test_values_that_need_the_same_draws_share_them(
    desk: Desk, vary: tuple[str, ...], calls: int
) -> None:
    options = [part for text in vary for part in ("--vary", text)]
    assert swept(desk, *options)["calls"] == calls


def test_a_second_sweep_asks_nobody_and_writes_an_equal_document(desk: Desk) -> None:
    options = ("--vary", "n_samples=3,5", "--name", "t")
    swept(desk, *options)
    before = Path("studies/t.json").read_bytes()
    assert swept(desk, *options)["calls"] == 0
    assert Path("studies/t.json").read_bytes() == before


def test_a_value_means_what_the_option_of_an_evaluation_means(desk: Desk) -> None:
    [found] = swept(desk, "--vary", "temperature=0.25,0.5")["sweeps"]
    alone = desk.evaluate("--temperature", "0.5")
    assert alone["calls"] == 0
    assert found["rows"][1]["kappa_f"] == alone["metrics"]["fleiss_kappa"]
    assert load(found["rows"][0]["eta_path"])["model"]["params"]["temperature"] == 0.25


def test_each_benchmark_model_and_parameter_is_a_sweep(desk: Desk) -> None:
    desk.write(benchmark(2, id="other"), "other.json")
    args = ("other.json", "--model", "control/always-good", "--vary", "n_samples=1,2")
    printed = swept(desk, *args, "--vary", "tie_break=good", "--name", "t")
    found = [(s["benchmark_id"], s["model_id"], s["parameter"]) for s in printed["sweeps"]]
    assert found == [
        (bench, model, parameter)
        for bench in ("small", "other")
        for model in ("coin", "always-good")
        for parameter in ("n_samples", "tie_break")
    ]
    ids = [row["run_id"] for s in printed["sweeps"] for row in s["rows"]]
    assert len(set(ids)) == 2 * 2 * 3
    assert "t-other-control_always-good-n_samples=2" in ids


def test_names_that_look_alike_do_not_collide(desk: Desk) -> None:
    desk.write(benchmark(3), "other.json")
    replies = [record(f"claim {i} holds", "GOOD") for i in range(4)]
    for name in ("a b.jsonl", "a_b.jsonl"):
        write_lines(desk.path / name, replies)
    planned = plan("replay/a b.jsonl", "replay/a_b.jsonl", benchmarks=("bench.json", "other.json"))
    assert len({cell.run_id.lower() for cell in planned.cells}) == 8
    result = run_sweep(planned)
    assert result.failures == ()
    assert len({row.eta_path for found in result.sweeps for row in found.rows}) == 8


def test_a_long_name_still_gives_run_ids_that_can_be_files(desk: Desk) -> None:
    printed = swept(desk, "--vary", "n_samples=1,2", "--name", "n" * 200)
    ids = [row["run_id"] for row in printed["sweeps"][0]["rows"]]
    assert len(set(ids)) == 2
    assert all(len(run_id) <= 200 for run_id in ids)


def test_another_epoch_is_another_study(desk: Desk) -> None:
    options = ("--vary", "n_samples=3", "--name", "t")
    swept(desk, *options)
    printed = swept(desk, *options, "--epoch", "night/2")
    assert (printed["id"], printed["calls"]) == ("t-night_2", 12)
    assert {path.name for path in Path("studies").iterdir()} == {"t.json", "t-night_2.json"}


def test_an_option_takes_precedence_over_the_suite(desk: Desk) -> None:
    Path("s.yaml").write_text(
        "name: s\nbenchmarks: [bench.json]\nmodels: [control/coin]\nvary: {tie_break: [good]}\n"
        "settings: {n_samples: 2, temperature: 0.5}\n"
    )
    done = desk.run("sweep", "s.yaml", *EMBEDDED, "--n-samples", "7", "--name", "mine")
    assert (done.code, done.json["id"], done.json["calls"]) == (0, "mine", 28)
    settings = load("studies/mine.json")["settings"]
    assert (settings["n_samples"], settings["temperature"]) == (7, 0.5)


def test_every_common_setting_reaches_the_runs(desk: Desk) -> None:
    settings = {
        "n_samples": 2,
        "temperature": 0.5,
        "tie_break": "first",
        "max_tokens": 7,
        "seed": 3,
        "parser": "first-match",
        "question_form": "coherence",
        "strip_tex": False,
        "epoch": "e",
    }
    suite: Json = {"name": "s", "benchmarks": ["bench.json"], "models": ["control/coin"]}
    suite |= {"vary": {"paraphrase_variant": [0]}, "settings": settings}
    Path("s.yaml").write_text(json.dumps(suite))
    assert desk.run("sweep", "s.yaml", *EMBEDDED).code == 0
    output = load("outputs/small/s-e-paraphrase_variant=0.json")
    spec = output["results"]["details"]["run_spec"]
    assert spec["prompting"]["strip_tex"] is False
    assert spec["prompting"]["question_form"] == "coherence"
    assert spec["voting"] == {"parser": "first-match", "tie_break": "first"}
    params = spec["sampling"]["params"]
    assert (params["temperature"], params["max_tokens"], params["seed"]) == (0.5, 7, 3)
    assert (spec["sampling"]["n_samples"], spec["sampling"]["epoch"]) == (2, "e")


def test_the_text_has_a_table_and_a_verdict_per_sweep(desk: Desk) -> None:
    done = desk.run(
        *("sweep", "bench.json", "--model", "control/coin", "--engine", "embedded"),
        *("--vary", "n_samples=3,5", "--vary", "tie_break=good,bad"),
    )
    assert done.code == 0
    assert done.out.count("verdict: ") == 2
    assert "n_samples: small x control/coin" in done.out
    assert done.err.startswith("engine: embedded\n")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--vary", "max_tokens=1,2"), "unknown_parameter"),
        (("--vary", "n_samples=0,3"), "bad_option"),
        (("--vary", "n_samples=3,3"), "bad_option"),
        (("--vary", "n_samples=3,x"), "bad_option"),
        (("--vary", "n_samples=3", "--vary", "n-samples=5"), "bad_option"),
        (("--vary", "temperature=0.5,-1"), "bad_option"),
        (("--vary", "temperature=nan"), "bad_option"),
        (("--vary", "tie_break=good,coin"), "bad_option"),
        (("--vary", "paraphrase_variant=-1"), "bad_option"),
        (("--vary", "paraphrase_variant=0,7"), "unknown_variant"),
        (("--vary", "n_samples=3", "--n-samples", "0"), "bad_option"),
        (("--vary", "n_samples=3", "--concurrency", "0"), "bad_option"),
        (("--vary", "n_samples=3", "--model", "control/dice"), "unknown_model"),
        (("--vary", "n_samples=3", "--model", "replay/gone.jsonl"), "unreadable"),
        (("--vary", "n_samples=3", "--name", "a/b"), "bad_run_id"),
        (("--vary", "n_samples=3", "--name", "metrics"), "bad_run_id"),
        (("gone.json", "--vary", "n_samples=3"), "unreadable"),
        (("bench.json", "--vary", "n_samples=3"), "bad_option"),
        (("suite.yaml", "--vary", "n_samples=3"), "usage"),
        ((), "usage"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_what_cannot_succeed_is_refused_before_any_call(
    desk: Desk, args: tuple[str, ...], code: str
) -> None:
    done = sweep(desk, *args)
    assert done.code == 2
    assert [error["code"] for error in done.json["errors"]] == [code]
    assert desk.files() == set()
    assert not (desk.path / ".assent").exists()


def test_a_name_that_another_study_has_is_refused(desk: Desk) -> None:
    swept(desk, "--vary", "n_samples=3", "--name", "t")
    done = sweep(desk, "--vary", "n_samples=3", "--name", "t", "--temperature", "0.5")
    assert (done.code, done.json["errors"][0]["code"]) == (2, "run_id_taken")


def test_a_run_that_fails_does_not_stop_the_others(desk: Desk) -> None:
    block(desk, "t-n_samples=5")
    done = sweep(desk, "--vary", "n_samples=3,5,9", "--name", "t")
    assert done.code == 1
    [found] = done.json["sweeps"]
    assert [row["value"] for row in found["rows"]] == ["3", "9"]
    assert found["n_kappa_c_range"] <= 2
    [failure] = done.json["failures"]
    assert (failure["run_id"], failure["reason"]) == ("t-n_samples=5", "unwritable")
    assert load("studies/t.json")["failures"] == done.json["failures"]
    notes = done.err.splitlines()
    assert notes[-2:] == ["1 of 3 runs failed:", f"t-n_samples=5: {failure['message']}"]


def test_after_a_failure_was_mended_only_the_missing_run_is_new(desk: Desk) -> None:
    place = block(desk, "t-n_samples=9")
    options = ("--vary", "n_samples=3,9", "--name", "t")
    assert sweep(desk, *options).code == 1
    place.rmdir()
    printed = swept(desk, *options)
    assert (printed["calls"], printed["failures"]) == (0, [])


def test_a_recording_that_vanishes_fails_its_own_runs_only(desk: Desk) -> None:
    replies = [record(f"claim {i} holds", "GOOD") for i in range(4)]
    recording = write_lines(desk.path / "replies.jsonl", replies)
    planned = plan("replay/replies.jsonl", "control/coin")
    recording.unlink()
    result = run_sweep(planned)
    assert {failure.model for failure in result.failures} == {"replay/replies.jsonl"}
    assert [len(found.rows) for found in result.sweeps] == [0, 2]
    assert not result.is_clean


def test_too_many_failed_samples_are_a_finding(desk: Desk) -> None:
    write_lines(desk.path / "replies.jsonl", [record("claim 0 holds", "GOOD")])
    done = sweep(desk, "--vary", "n_samples=1,2", "--name", "t", model="replay/replies.jsonl")
    assert done.code == 1
    [found] = done.json["sweeps"]
    assert [(row["n_failed"], row["n_missing"]) for row in found["rows"]] == [(3, 3), (6, 3)]
    assert done.json["failures"] == []
    assert "t-n_samples=1: 3 samples failed, too many" in done.err
