"""`assent structure`, `assent monotonicity` and `assent audit` as users and scripts call them."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.benchmarks import Raw, write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_bench, raw_eta

ROLE = {"rsr_target": {"X": ["p"], "A": ["q"]}}
BASE = {"id": "base", "tags": ["base-inference"]} | ROLE
LADDER: Raw = {"ladder": "l", "monotonicity_step": {"family": "f", "tier": "p", "tier_index": 0}}
HIGHER: Raw = {"ladder": "l", "monotonicity_step": {"family": "f", "tier": "q", "tier_index": 1}}
CLEAN = [eta_item("base", "g", "ggg"), eta_item("i", "g", "ggg")]
BROKEN = [eta_item("base", "g", "ggg"), eta_item("i", "b", "bbf")]


@pytest.fixture
def bench_path(here: Path) -> str:
    items = [BASE | LADDER, {"id": "i", "tags": ["supporter"]} | ROLE | HIGHER]
    return write_json(here / "bench.json", raw_bench(items, ordinal_families={"f": ["p", "q"]}))


@pytest.mark.parametrize(
    ("items", "code"), [(CLEAN, 0), (BROKEN, 1)], ids=["nothing found", "something found"]
)
@pytest.mark.parametrize("command", ["structure", "monotonicity", "audit"])
def test_the_exit_code_says_whether_something_was_found(
    assent: Assent, here: Path, bench_path: str, command: str, items: list[Raw], code: int
) -> None:
    path = write_json(here / "eta.json", raw_eta(items))
    benchmark = [] if command == "audit" else ["--benchmark", bench_path]
    ran = assent(command, path, *benchmark)
    assert (ran.code, ran.err) == (code, "")
    assert "run-a" in ran.out


@pytest.mark.parametrize("command", ["structure", "monotonicity", "audit"])
def test_the_json_is_one_document_of_its_published_schema(
    assent: Assent, here: Path, bench_path: str, command: str
) -> None:
    path = write_json(here / "eta.json", raw_eta(BROKEN))
    benchmark = [] if command == "audit" else ["--benchmark", bench_path]
    ran = assent(command, path, *benchmark, "--format", "json")
    jsonschema_rs.validate(stored(f"{command}-1.0"), ran.json)


def test_structure_has_machine_output_with_the_fields_that_reports_ask_for(
    assent: Assent, here: Path, bench_path: str
) -> None:
    path = write_json(here / "eta.json", raw_eta(BROKEN))
    found = assent("structure", path, "--benchmark", bench_path, "--format", "json").json
    assert found["total_anomalies"] == 1
    (anomaly,) = found["checks"][1]["anomalies"]
    assert anomaly.keys() == {"item_id", "expected", "actual", "explanation"}
    assert (anomaly["item_id"], anomaly["expected"], anomaly["actual"]) == ("i", "good", "bad")


@pytest.mark.parametrize("command", ["structure", "monotonicity"])
def test_an_evaluation_of_anbenchmark_mismatch_is_refused(
    assent: Assent, here: Path, bench_path: str, command: str
) -> None:
    path = write_json(here / "eta.json", raw_eta(CLEAN, benchmark_id="other"))
    ran = assent(command, path, "--benchmark", bench_path, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "benchmark_mismatch")


def test_a_benchmark_that_was_changed_is_warned_of(
    assent: Assent, here: Path, bench_path: str
) -> None:
    path = write_json(here / "eta.json", raw_eta(CLEAN, benchmark_hash="sha256:0"))
    ran = assent("structure", path, "--benchmark", bench_path, "--format", "json")
    assert ran.code == 0
    assert [warning["code"] for warning in ran.json["warnings"]] == ["hash_mismatch"]
    assert "warning: the benchmark was changed" in ran.err


def test_the_hash_of_either_generation_of_the_format_is_recognised(
    assent: Assent, here: Path
) -> None:
    bench = write_json(here / "bench.json", raw_bench([{"id": "i"}]))
    for profile in ("0.5", "0.17"):
        hashed = assent("hash", bench, "--profile", profile, "--format", "json").json
        digest = hashed["files"][0]["hash"]
        raw = raw_eta([eta_item("i", "g")], benchmark_hash=digest)
        ran = assent("monotonicity", write_json(here / "eta.json", raw), "--benchmark", bench)
        assert (ran.code, ran.err) == (0, "")


def test_a_verdict_that_rests_on_failures_is_shown(assent: Assent, here: Path) -> None:
    items = [eta_item("i", "a", "gff"), eta_item("j", "g", "fff")]
    ran = assent("audit", write_json(here / "eta.json", raw_eta(items)))
    assert "i: abstain becomes good without failures" in ran.out
    assert "j: good becomes missing without failures" in ran.out


def test_a_benchmark_without_ladders_says_so(assent: Assent, here: Path) -> None:
    bench = write_json(here / "bench.json", raw_bench([{"id": "i"}]))
    eta = write_json(here / "eta.json", raw_eta([eta_item("i", "g")]))
    assert "has no ladders" in assent("monotonicity", eta, "--benchmark", bench).out


def test_an_invalid_evaluation_is_refused_with_every_problem(assent: Assent, here: Path) -> None:
    items = [eta_item("i", "g", panel="gg"), eta_item("j", "g") | {"extra": 1}]
    ran = assent("audit", write_json(here / "eta.json", raw_eta(items)), "--format", "json")
    assert ran.code == 2
    codes = {error["code"] for error in ran.json["errors"]}
    assert codes == {"additional_property", "verdict_count"}


def test_names_of_strangers_cannot_steer_the_terminal(assent: Assent, here: Path) -> None:
    # The fixture checks that every line is printable.
    path = write_json(here / "eta.json", raw_eta([eta_item("\x1b[31mred", "a", "ff")]))
    ran = assent("audit", path)
    assert ran.code == 1
    assert json.dumps("\\x1b[31mred")[1:-1].replace("\\\\", "\\") in ran.out


@pytest.mark.parametrize("votes", [{"good": -1}, {"good": 10**300}], ids=["negative", "endless"])
@pytest.mark.parametrize("command", ["structure", "compare"])
def test_counts_of_votes_that_cannot_be_are_refused(
    assent: Assent, here: Path, bench_path: str, command: str, votes: Raw
) -> None:
    items = [eta_item("i", "g", majority_vote=votes | {"verdict": "good"})]
    path = write_json(here / "eta.json", raw_eta(items))
    other = [path] if command == "compare" else []
    ran = assent(command, path, *other, "--benchmark", bench_path, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "tally")


@pytest.mark.parametrize(
    "words",
    [
        ["structure", "eta.json", "--benchmark", "bench.json", "--thin-margin-threshold", "nan"],
        ["compare", "eta.json", "eta.json", "--margin", "nan"],
        ["compare", "eta.json", "eta.json", "--confidence", "nan"],
        ["plan", "--rate", "nan", "--width", "0.1"],
        ["plan", "--rate", "0.5", "--width", "nan"],
        ["plan", "--rate", "0.5", "--budget", "50", "--item-cost", "inf"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("bench_path")
def test_options_that_are_no_numbers_are_refused(
    assent: Assent, here: Path, words: list[str]
) -> None:
    write_json(here / "eta.json", raw_eta(CLEAN))
    ran = assent(*words, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "usage")
