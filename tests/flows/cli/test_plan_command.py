"""`assent plan` as users and scripts call it."""

from pathlib import Path

import jsonschema_rs
import pytest

from schemas.published import stored
from tests.support.benchmarks import write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_eta

DRAWS = ("gggb", "ggbb", "bbbb", "gggg", "gbbb")


@pytest.fixture
def pilot(here: Path) -> str:
    items = [eta_item(f"i{i}", "g", letters) for i, letters in enumerate(DRAWS)]
    return write_json(here / "pilot.json", raw_eta(items, endorsement_config={"n_samples": 4}))


GOALS = ("--width", "0.2", "--difference", "0.1", "--budget", "100")


def test_the_json_is_one_document_of_its_published_schema(assent: Assent, pilot: str) -> None:
    ran = assent("plan", pilot, pilot, *GOALS, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    jsonschema_rs.validate(stored("plan-1.0"), ran.json)
    assert ran.json["spread"]["n_items"] == 5
    assert 4 in [row["n_samples"] for row in ran.json["width"]["rows"]]


def test_a_plan_needs_no_pilot(assent: Assent) -> None:
    ran = assent("plan", "--rate", "0.5", "--width", "0.1")
    assert ran.code == 0
    assert "385" in ran.out
    assert "assumed: rate, icc, correlation" in ran.out


def test_every_goal_has_its_table(assent: Assent, pilot: str) -> None:
    out = assent("plan", pilot, *GOALS).out
    assert "from a pilot of 5 items" in out
    for words in ("interval of width 0.2", "difference of 0.1 at power 80%", "split of 100 calls"):
        assert words in out


def test_goals_that_were_not_asked_for_are_null(assent: Assent) -> None:
    found = assent("plan", "--rate", "0.5", "--width", "0.1", "--format", "json").json
    assert (found["difference"], found["budget"]) == (None, None)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--rate", "0.5"], id="no goal"),
        pytest.param(["--width", "0.1"], id="no spread"),
        pytest.param(["pilot.json", "--rate", "0.5", "--width", "0.1"], id="two spreads"),
        pytest.param(["pilot.json"] * 3 + ["--width", "0.1"], id="three pilots"),
        pytest.param(["--rate", "0.5", "--budget", "5", "--item-cost", "3"], id="small budget"),
        pytest.param(["--rate", "1.5", "--width", "0.1"], id="no rate"),
    ],
)
@pytest.mark.usefixtures("pilot")
def test_what_cannot_be_planned_exits_2(assent: Assent, options: list[str]) -> None:
    ran = assent("plan", *options, "--format", "json")
    assert ran.code == 2
    assert len(ran.json["errors"]) == 1
