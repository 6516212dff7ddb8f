"""`assent metrics` on evaluation files."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from schemas.published import stored
from tasks.benchmarks import benchmark_hash
from tests.support.benchmarks import benchmark, tiny_benchmark, tiny_evaluation, write_json
from tests.support.command import Assent

VERDICTS = {"G": "good", "B": "bad", "-": "abstain"}
KAPPA = "cohens_kappa[consensus]"


def vote(good: int, bad: int, abstain: int, verdict: str) -> dict[str, Any]:
    return {"good": good, "bad": bad, "abstain": abstain, "verdict": verdict}


def item(name: str, analysts: str, model: str, **changes: Any) -> dict[str, Any]:
    plain = {
        "id": name,
        "premises": ["p"],
        "conclusions": ["q"],
        "analyst_verdicts": [VERDICTS[letter] for letter in analysts],
        "model_verdict": VERDICTS[model],
    }
    return plain | changes


def evaluation(rows: list[str], **changes: Any) -> dict[str, Any]:
    """One item per row of letters: the analysts' verdicts, then the model's."""
    items = [item(f"i{place}", row[:-1], row[-1]) for place, row in enumerate(rows)]
    return tiny_evaluation(**{"items": items} | changes)


def benchmark_for(eta: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The benchmark that an evaluation could come from; `items` adds keys by item id."""
    extra = changes.pop("item_changes", {})
    items = [
        {key: value for key, value in one.items() if key not in {"model_verdict", "majority_vote"}}
        | extra.get(one["id"], {})
        for one in eta["items"]
    ]
    return tiny_benchmark(**{"items": items} | changes)


@pytest.fixture
def six(here: Path) -> str:
    """One analyst, six items, with votes of five samples."""
    votes = [(5, 0, 0), (0, 5, 0), (2, 3, 0), (3, 2, 0), (5, 0, 0), (1, 4, 0)]
    rows = ["GG", "BB", "GB", "BG", "GG", "BB"]
    items = [
        item(f"i{i}", row[0], row[1], majority_vote=vote(*tally, VERDICTS[row[1]]))
        for i, (row, tally) in enumerate(zip(rows, votes, strict=True))
    ]
    return write_json(here / "six.json", tiny_evaluation(items=items))


def test_margins_weigh_under_keys_of_their_own(assent: Assent, six: str) -> None:
    overall = assent("metrics", six, "--weight-by-margin", "--format", "json").json["overall"]
    assert overall[KAPPA] == pytest.approx(1 / 3)
    assert overall["fleiss_kappa"] == pytest.approx(1 / 3)
    assert overall["cohens_kappa[consensus,margin-weighted]"] == pytest.approx(0.79798, abs=5e-6)
    assert overall["fleiss_kappa[margin-weighted]"] == pytest.approx(0.79798, abs=5e-6)


def test_a_weighted_number_and_its_interval_belong_together(assent: Assent, six: str) -> None:
    ran = assent("metrics", six, "--weight-by-margin", "--ci", "--format", "json")
    overall = ran.json["overall"]
    for key in ("fleiss_kappa", "fleiss_kappa[margin-weighted]"):
        assert overall[f"{key}_ci"]["lo"] <= overall[key] <= overall[f"{key}_ci"]["hi"]
    assert overall["fleiss_kappa_ci"] != overall["fleiss_kappa[margin-weighted]_ci"]


def test_two_analysts_and_a_model_give_the_figures_worked_by_hand(
    assent: Assent, here: Path
) -> None:
    rows = ["GGG", "GGB", "G-B", "BBG", "BGB", "--G"]
    path = write_json(here / "eta.json", evaluation(rows))
    overall = assent("metrics", path, "--format", "json").json["overall"]
    assert overall["coverage"] == 1
    assert overall["coverage_per_analyst"] == pytest.approx([5 / 6, 4 / 6])
    assert overall["n_substantive"] == 4
    assert overall[KAPPA] == pytest.approx(-0.5)
    assert overall["fleiss_kappa"] == pytest.approx(-1 / 35)
    assert overall["inter_analyst_fleiss"] == pytest.approx(7 / 15)
    assert overall["raw_agreement[consensus]"] == pytest.approx(1 / 4)
    assert overall["chance"][KAPPA] == pytest.approx(1 / 2)
    assert overall["under_powered"] is True


def test_subsampling_gives_the_published_intervals(assent: Assent, here: Path) -> None:
    rows = ["GG" if i % 2 == 0 else "BB" for i in range(12)]
    rows[3] = rows[7] = "BG"
    path = write_json(here / "eta.json", evaluation(rows))
    options = ("--ci", "--ci-method", "subsampling", "--format", "json")
    overall = assent("metrics", path, *options).json["overall"]
    expected = {"lo": 0.203354, "hi": 0.910461}
    assert {end: round(overall[f"{KAPPA}_ci"][end], 6) for end in expected} == expected
    assert overall["fleiss_kappa_ci"]["lo"] == pytest.approx(0.147231, abs=5e-7)
    assert overall["fleiss_kappa_ci"]["hi"] == pytest.approx(0.918621, abs=5e-7)
    assert overall["fleiss_kappa_ci"]["method"] == "subsampling"
    assert overall["fleiss_kappa_ci"]["iterations"] == 1000


def test_an_interval_that_cannot_be_found_is_null_with_a_reason(assent: Assent, six: str) -> None:
    ran = assent("metrics", six, "--ci", "--ci-method", "subsampling", "--format", "json")
    assert ran.code == 0
    overall = ran.json["overall"]
    assert overall[f"{KAPPA}_ci"] is None
    assert overall["reasons"][f"{KAPPA}_ci"] == "subsampling needs 10 items, there are 6"


@pytest.mark.parametrize("method", ["dirichlet", "bootstrap", "two-level"])
def test_every_interval_names_its_method_and_repeats_itself(
    assent: Assent, six: str, method: str
) -> None:
    args = ("metrics", six, "--ci", "--ci-method", method, "--ci-iterations", "200")
    once, again, other = (
        assent(*args, "--ci-seed", seed, "--format", "json").json["overall"][f"{KAPPA}_ci"]
        for seed in ("7", "7", "8")
    )
    assert once == again
    assert once["method"].startswith(method)
    assert once["iterations"] == 200
    assert other["method"].startswith(method)


def test_metrics_with_parts_are_one_document(assent: Assent, here: Path) -> None:
    eta = evaluation(["GG", "BB", "GB"])
    for one, tags in zip(eta["items"], (["a"], ["a", "b"], []), strict=True):
        one["tags"] = tags
    path = write_json(here / "eta.json", eta)
    ran = assent("metrics", path, "--by-tag", "a", "--by-tag", "none", "--format", "json")
    first, empty = ran.json["cells"]
    assert (first["by"], first["value"], first["n"], first["n_substantive"]) == ("tag", "a", 2, 2)
    assert first["m_counts"] == first["r_counts"] == {"good": 1, "bad": 1, "abstain": 0}
    assert (first[KAPPA], first["under_powered"]) == (1.0, True)
    assert (empty["n"], empty[KAPPA]) == (0, None)
    assert empty["reasons"][KAPPA] == "there are no items"
    assert [warning["code"] for warning in ran.json["warnings"]] == ["empty_part"]
    assert ran.code == 0


@pytest.fixture
def designed(here: Path) -> tuple[str, str]:
    """An evaluation and its benchmark, with targets, factors, panels and variations."""
    eta = evaluation(["GGG", "BBB", "GBG", "BBG"])
    target = {"X": ["q", "p"], "A": ["q"]}
    raw = benchmark_for(
        eta,
        factors={"size": ["small", "large", "huge"], "tone": ["dry"]},
        analysts=[{"id": "a1", "panel": "north"}, {"id": "a2", "panel": "south"}],
        item_changes={
            "i0": {"rsr_target": target, "factor_levels": {"size": "small", "tone": "dry"}},
            "i1": {"rsr_target": target, "factor_levels": {"size": "large"}, "variation": "base"},
            "i2": {"factor_levels": {"size": "large"}},
        },
    )
    return write_json(here / "eta.json", eta), write_json(here / "bench.json", raw)


def test_targets_factors_panels_and_variations_are_measured_apart(
    assent: Assent, designed: tuple[str, str]
) -> None:
    eta, bench = designed
    wanted = ("--by-rsr-target", '{"A": ["q"], "X": ["p", "q", "p"]}', "--by-factor", "size")
    whole = ("--by-factor-cell", "--by-panel", "--by-variation")
    ran = assent("metrics", eta, "--benchmark", bench, *wanted, *whole, "--format", "json")
    shown = [(c["by"], c.get("name"), c["value"], c["n"]) for c in ran.json["cells"]]
    assert shown == [
        ("rsr_target", None, {"X": ["p", "q"], "A": ["q"]}, 2),
        ("factor", "size", "small", 1),
        ("factor", "size", "large", 2),
        ("factor", "size", "huge", 0),
        ("factor_cell", None, {"size": "small", "tone": "dry"}, 1),
        ("factor_cell", None, {"size": "large"}, 2),
        ("panel", None, "north", 4),
        ("panel", None, "south", 4),
        ("variation", None, "base", 1),
    ]
    # North says G B G B, the model G B G G; south says G B B B.
    north, south = (cell for cell in ran.json["cells"] if cell["by"] == "panel")
    assert north[KAPPA] == pytest.approx(1 / 2)
    assert south[KAPPA] == pytest.approx(1 - (2 / 4) / (3 / 4 * 3 / 4 + 1 / 4 * 1 / 4))
    # Pluralities G B G B and G B B B.
    assert ran.json["panels"]["cross_panel_kappa"] == pytest.approx(1 / 2)
    assert ran.json["panels"] == ran.json["overall"]["panels"]
    Draft202012Validator(stored("metrics-report-1.0")).validate(ran.json)


def test_another_wording_is_a_part(assent: Assent, here: Path) -> None:
    eta = write_json(here / "a.json", evaluation(["GG", "BB"]))
    other = write_json(here / "b.json", evaluation(["GB", "BB"], id="r2", paraphrase_variant=1))
    ran = assent("metrics", eta, "--by-variant", other, "--format", "json")
    (cell,) = ran.json["cells"]
    assert (cell["by"], cell["name"], cell["value"], cell[KAPPA]) == ("variant", "r2", 1, 0.0)


@pytest.mark.parametrize(
    ("profile", "codes"), [("0.17", []), ("0.5", []), (None, ["hash_mismatch"])]
)
def test_an_evaluation_of_other_content_is_warned_about(
    assent: Assent, here: Path, profile: Any, codes: list[str]
) -> None:
    raw = benchmark_for(evaluation(["GGG"]))
    stated = benchmark_hash(benchmark(**raw), profile) if profile else "sha256:" + "0" * 64
    eta = write_json(here / "eta.json", evaluation(["GGG"], benchmark_hash=stated))
    bench = write_json(here / "bench.json", raw)
    ran = assent("metrics", eta, "--benchmark", bench, "--format", "json")
    assert ([w["code"] for w in ran.json["warnings"]], ran.code) == (codes, 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--by-rsr-target", "{}"], "not an RSR target"),
        (["--by-rsr-target", '{"X": [1], "A": []}'], "not an RSR target"),
        (["--by-factor", "size"], "need the benchmark"),
        (["--cluster-by", "ladder"], "need the benchmark"),
        (["--benchmark", "bench.json", "--by-factor", "colour"], "unknown factor 'colour'"),
        (["--benchmark", "other.json"], "not of 'other'"),
        (["--reference", "analyst:zoe"], "unknown reference"),
        (["--ci-iterations", "0"], "--ci-iterations"),
        (["--by-variant", "nowhere.json"], "no such file"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(
    assent: Assent, here: Path, designed: tuple[str, str], args: list[str], message: str
) -> None:
    write_json(here / "other.json", tiny_benchmark(id="other"))
    ran = assent("metrics", designed[0], *args)
    assert (ran.code, ran.out, len(ran.lines)) == (2, "", 1)
    assert message in ran.err


def test_an_evaluation_that_is_not_of_the_format_lists_its_problems(
    assent: Assent, here: Path
) -> None:
    path = write_json(here / "eta.json", tiny_evaluation(items=[{"id": "x"}], colour="red"))
    ran = assent("metrics", path, "--format", "json")
    assert ran.code == 2
    assert {"required", "additional_property"} == {e["code"] for e in ran.json["errors"]}


def test_a_call_that_failed_is_missing_and_no_abstention(assent: Assent, here: Path) -> None:
    failed = {
        "sample_index": 0,
        "raw_response": "",
        "parsed_verdict": "abstain",
        "parse_status": "sample_failed",
    }
    items = [
        item("i0", "G", "G"),
        item("i1", "B", "-", samples=[failed | {"provider_error": "503"}]),
        # As the first generation wrote it: the failure counts as a vote to abstain.
        item("i2", "B", "-", samples=[failed], majority_vote=vote(0, 0, 1, "abstain")),
    ]
    path = write_json(here / "eta.json", tiny_evaluation(items=items))
    overall = assent("metrics", path, "--format", "json").json["overall"]
    assert (overall["n"], overall["n_missing"]) == (3, 2)
    assert overall["coverage"] == pytest.approx(1 / 3)
    assert overall["coverage_judged"] == 1.0


def test_unjudged_samples_show_what_they_could_have_changed(assent: Assent, here: Path) -> None:
    def sample(place: int, verdict: str, status: str = "ok") -> dict[str, Any]:
        return {
            "sample_index": place,
            "raw_response": "…",
            "parsed_verdict": verdict,
            "parse_status": status,
        }

    unread = [sample(place, "abstain", "unparseable") for place in (1, 2)]
    items = [item(f"i{i}", *row) for i, row in enumerate(["GG", "BB", "GG", "BB"])]
    # One reply says good and two cannot be read: they abstain in the vote and carry it.
    items.append(item("i4", "G", "-", samples=[sample(0, "good"), *unread]))
    path = write_json(here / "eta.json", tiny_evaluation(items=items))
    overall = assent("metrics", path, "--format", "json").json["overall"]
    assert overall["n_unjudged_samples"] == 2
    assert overall[KAPPA] == 1.0
    assert overall[f"{KAPPA}_bounds"] == {
        # Were both bad: 1 - (1/5) / (3/5 * 3/5 + 2/5 * 2/5).
        "lowest": pytest.approx(1 - 1 / 5 / (13 / 25)),
        "highest": 1.0,
        "n_open": 1,
    }
    assert overall["coverage_judged_bounds"] == {"lowest": 0.8, "highest": 1.0, "n_open": 1}
    kappas = {policy: figures[KAPPA] for policy, figures in overall["policies"].items()}
    assert kappas == {"leave_out": 1.0, "wrong": pytest.approx(1 - 5 / 13), "abstain": 1.0}
    covered = {
        policy: figures["coverage_judged"] for policy, figures in overall["policies"].items()
    }
    assert covered == {"leave_out": 1.0, "wrong": 1.0, "abstain": 0.8}
    assert "0.615 to 1.000" in assent("metrics", path).out


def test_an_item_without_samples_is_taken_at_its_word(assent: Assent, here: Path) -> None:
    path = write_json(here / "eta.json", evaluation(["GG", "B-"]))
    overall = assent("metrics", path, "--format", "json").json["overall"]
    assert (overall["n_missing"], overall["coverage_judged"]) == (0, 1 / 2)


def test_metrics_and_panels_follow_the_consensus_rule_stated_for_each(
    assent: Assent, here: Path
) -> None:
    # (G, -, -) is good for the consensus, and an abstention for a panel's plurality.
    eta = evaluation(["G--GG", "BBBBB"])
    panels = [{"id": f"a{i}", "panel": "p" if i < 3 else "q"} for i in range(4)]
    bench = write_json(here / "bench.json", benchmark_for(eta, analysts=panels))
    path = write_json(here / "eta.json", eta)
    shown = assent("metrics", path, "--benchmark", bench, "--format", "json").json
    assert shown["overall"]["n_substantive"] == 2
    assert shown["overall"]["ns"]["panels.cross_panel_kappa"] == 1


def test_kappa_and_ac1_far_apart_are_warned_about(assent: Assent, here: Path) -> None:
    path = write_json(here / "eta.json", evaluation(["GG"] * 20 + ["GB", "BG"]))
    ran = assent("metrics", path, "--format", "json")
    (warning,) = ran.json["warnings"]
    assert warning["code"] == "prevalence"
    assert ran.json["overall"]["gwet_ac1[consensus]"] > 0.8
    assert ran.json["overall"][KAPPA] < 0


def test_items_of_one_target_widen_the_interval(assent: Assent, here: Path) -> None:
    eta = evaluation(["GG", "GG", "GG", "BB", "BB", "BB", "GB", "GB", "GB"] * 2)
    targets = {
        one["id"]: {
            "rsr_target": {"X": [["p"], ["q"], []][place // 3 % 3], "A": [["p"], []][place // 9]}
        }
        for place, one in enumerate(eta["items"])
    }
    raw = benchmark_for(eta, analysts=[{"id": "a1"}], item_changes=targets)
    bench, path = write_json(here / "bench.json", raw), write_json(here / "eta.json", eta)
    args = ("metrics", path, "--benchmark", bench, "--ci", "--format", "json")
    alone, together = (
        assent(*args, *more).json["overall"][f"{KAPPA}_ci"]
        for more in ((), ("--cluster-by", "rsr_target"))
    )
    assert together["hi"] - together["lo"] > 1.2 * (alone["hi"] - alone["lo"])


def test_items_of_one_ladder_widen_the_interval_in_parts_too(assent: Assent, here: Path) -> None:
    eta = evaluation(["GG", "GG", "GG", "BB", "BB", "BB", "GB", "GB", "GB"] * 2)
    for one in eta["items"]:
        one["tags"] = ["all"]
    ladders = {f"i{place}": {"ladder": f"l{place // 3}"} for place in range(17)}
    raw = benchmark_for(eta, analysts=[{"id": "a1"}], item_changes=ladders)
    bench, path = write_json(here / "bench.json", raw), write_json(here / "eta.json", eta)
    args = ("metrics", path, "--benchmark", bench, "--ci", "--by-tag", "all", "--format", "json")
    together = assent(*args, "--cluster-by", "ladder").json
    alone = assent(*args).json
    (cell,) = together["cells"]
    assert cell[f"{KAPPA}_ci"] == together["overall"][f"{KAPPA}_ci"]
    assert cell[f"{KAPPA}_ci"]["lo"] < alone["overall"][f"{KAPPA}_ci"]["lo"]


def test_the_text_shows_value_interval_and_count(assent: Assent, six: str) -> None:
    ran = assent("metrics", six, "--ci", "--by-tag", "none")
    (line,) = [line for line in ran.out.splitlines() if f"  {KAPPA} " in line and "0.333" in line]
    assert "(dirichlet)" in line
    assert line.split()[-2:] == ["6", "0.500"]
    assert "undefined: there are no items" in ran.out
    assert "warning: no item has the tag 'none'" in ran.err


def test_csv_is_in_long_form(assent: Assent, six: str) -> None:
    ran = assent("metrics", six, "--ci", "--by-tag", "none", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert list(rows[0]) == [
        "scope", "cell", "metric", "value", "n", "low", "high", "method", "reason",
    ]  # fmt: skip
    by_name = {(row["scope"], row["metric"]): row for row in rows}
    kappa, empty = by_name["overall", KAPPA], by_name["tag", KAPPA]
    assert float(kappa["value"]) == pytest.approx(1 / 3)
    assert (kappa["n"], kappa["method"]) == ("6", "dirichlet")
    assert (empty["cell"], empty["value"], empty["reason"]) == ("none", "", "there are no items")


def test_csv_holds_panels_policies_and_bounds(assent: Assent, here: Path) -> None:
    failed = {
        "sample_index": 0,
        "raw_response": "",
        "parsed_verdict": "abstain",
        "parse_status": "sample_failed",
        "provider_error": "503",
    }
    eta = evaluation(["GGG", "BBB", "GB-"])
    eta["items"][2]["samples"] = [failed]
    panels = [{"id": "a1", "panel": "north"}, {"id": "a2", "panel": "south"}]
    raw = benchmark_for(eta, analysts=panels)
    for one in raw["items"]:
        one.pop("samples", None)
    bench, path = write_json(here / "bench.json", raw), write_json(here / "eta.json", eta)
    ran = assent("metrics", path, "--benchmark", bench, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    places = {(row["scope"], row["cell"], row["metric"]): row for row in rows}
    assert places["panel", "", "cross_panel_kappa"]["n"] == "3"
    assert places["panel", "north", "inter_analyst_fleiss"]["reason"] == "fewer than two raters"
    assert places["policy", "leave_out", "coverage_judged"]["value"] == "1.0"
    assert places["policy", "abstain", "coverage_judged"]["n"] == "3"
    bounds = places["bounds", "", "coverage_judged"]
    assert float(bounds["low"]) == pytest.approx(2 / 3)
    assert (bounds["high"], bounds["method"]) == ("1.0", "all completions")


def test_a_number_without_bounds_says_why_in_every_format(assent: Assent, here: Path) -> None:
    eta = evaluation(["GGG", "BBB", "GBG"])
    eta["items"][2]["samples"] = [
        {
            "sample_index": place,
            "raw_response": "…",
            "parsed_verdict": verdict,
            "parse_status": status,
        }
        for place, (verdict, status) in enumerate([("good", "ok"), ("abstain", "unparseable")])
    ]
    path = write_json(here / "eta.json", eta)
    key, reason = "fleiss_kappa[margin-weighted]", "its weights would move with the samples, too"
    command = ("metrics", path, "--weight-by-margin", "--format")
    overall = assent(*command, "json").json["overall"]
    assert overall[f"{key}_bounds"] is None
    assert overall["reasons"][f"{key}_bounds"] == reason
    assert overall["gwet_ac1_three_class_bounds"]["n_open"] == 1
    found = csv.DictReader(io.StringIO(assent(*command, "csv").out))
    (row,) = [one for one in found if (one["scope"], one["metric"]) == ("bounds", key)]
    assert (row["low"], row["high"], row["reason"]) == ("", "", reason)
    (line,) = [one for one in assent(*command, "markdown").out.splitlines() if f"| {key} |" in one]
    assert reason in line


def test_markdown_holds_the_same_table(assent: Assent, six: str) -> None:
    ran = assent("metrics", six, "--format", "markdown")
    assert "| metric | value | 95 % interval | n | chance |" in ran.out
    assert f"| {KAPPA} | 0.333 | - | 6 | 0.500 |" in ran.out


def unexplained(block: dict[str, Any]) -> list[str]:
    """Keys of a block that are null without a reason."""
    return [key for key, value in block.items() if value is None and key not in block["reasons"]]


@pytest.mark.parametrize(
    "rows",
    [[], [""], ["G"], ["GG"], ["--", "--"], ["GGG"] * 12, ["GB", "BG"], ["G-B", "B-G"] * 6],
    ids=["no items", "no analysts", "one analyst", "one item", "all abstain", "one class",
         "opposed", "an analyst who abstains"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["dirichlet", "bootstrap", "subsampling", "two-level"])
def test_whatever_is_undefined_has_a_reason(
    assent: Assent, here: Path, rows: list[str], method: str
) -> None:
    eta = evaluation([row for row in rows if row]) if rows != [""] else evaluation(["G"])
    if rows == [""]:
        eta["items"][0]["analyst_verdicts"] = []
    path = write_json(here / "eta.json", eta)
    options = ("--ci", "--ci-method", method, "--ci-iterations", "50", "--weight-by-margin")
    for format_ in ("text", "markdown", "csv", "json"):
        ran = assent("metrics", path, *options, "--by-tag", "x", "--format", format_)
        assert ran.code == 0
    for block in (ran.json["overall"], *ran.json["cells"]):
        assert unexplained(block) == []
    Draft202012Validator(stored("metrics-report-1.0")).validate(ran.json)


def test_names_of_strangers_cannot_steer_the_terminal(assent: Assent, here: Path) -> None:
    eta = evaluation(["GG", "BB"])
    eta["items"][0]["tags"] = ["evil\x1b[31m"]
    path = write_json(here / "eta.json", eta)
    for format_ in ("text", "markdown", "csv", "json"):
        ran = assent("metrics", path, "--by-tag", "evil\x1b[31m", "--format", format_)
        assert ran.code == 0
    assert json.loads(ran.out)["cells"][0]["value"] == "evil\x1b[31m"
