"""`assent variance` and `assent invariance` as users and scripts call them."""

from pathlib import Path

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.benchmarks import write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_bench, raw_eta

DRAWS = (("ggg", "gbb", "bbb", "gga"), ("ggb", "ggb", "bbb", "ggg"))


@pytest.fixture
def runs(here: Path) -> list[str]:
    return [
        write_json(
            here / f"v{k}.json",
            raw_eta(
                [eta_item(f"i{i}", letters[0], letters) for i, letters in enumerate(row)],
                id=f"run-v{k}",
                paraphrase_variant=k,
                endorsement_config={"n_samples": 3},
            ),
        )
        for k, row in enumerate(DRAWS)
    ]


@pytest.mark.parametrize("command", ["variance", "invariance"])
def test_the_json_is_one_document_of_its_published_schema(
    assent: Assent, runs: list[str], command: str
) -> None:
    ran = assent(command, *runs, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    jsonschema_rs.validate(stored(f"{command}-1.0"), ran.json)
    assert ran.json["assumptions"]


def test_variance_ends_with_where_calls_are_worth_most(assent: Assent, runs: list[str]) -> None:
    ran = assent("variance", *runs, "--calls", "40")
    assert ran.out.splitlines()[-1].startswith("the next 40 calls are worth most on")


def test_invariance_names_items_that_flip(assent: Assent, here: Path, runs: list[str]) -> None:
    turned = write_json(
        here / "turned.json",
        raw_eta([eta_item(f"i{i}", "b", "bbb") for i in range(4)], paraphrase_variant=2),
    )
    ran = assent("invariance", *runs, turned)
    assert ran.code == 0
    assert "i0 flips (both sides): 0: good, 1: good, 2: bad" in ran.out
    assert "worst wording: 2" in ran.out


@pytest.mark.parametrize("command", ["variance", "invariance"])
def test_runs_of_anbenchmark_mismatch_are_refused(
    assent: Assent, here: Path, runs: list[str], command: str
) -> None:
    bench = write_json(here / "bench.json", raw_bench([{"id": "i0"}], id="other"))
    ran = assent(command, *runs, "--benchmark", bench, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "benchmark_mismatch")


def test_invariance_of_one_run_is_refused(assent: Assent, runs: list[str]) -> None:
    ran = assent("invariance", runs[0], "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "not_comparable")
