import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.base import Verdict
from schemas.errors import UserError
from schemas.metrics import Interval, Metric
from tasks.statistics import Judgement, Tally, measure
from tasks.statistics.agreement import (
    NO_ITEMS,
    NO_RATERS,
    NO_SHARED_SIDE,
    ONE_CLASS,
    ONE_RATER,
)
from tasks.statistics.unjudged import NO_JUDGED_ITEMS

LETTERS: dict[str, Verdict] = {"G": "good", "B": "bad", "-": "abstain"}
TALLIES = {"good": Tally(5, 0, 0), "bad": Tally(0, 5, 0), "abstain": Tally(0, 0, 5)}


class Member(NamedTuple):
    id: str
    panel: str | None = None


def judged(rows: Sequence[str]) -> list[Judgement]:
    """One item per row of letters: the analysts' verdicts, then the model's; `?` is missing."""
    items = []
    for index, row in enumerate(rows):
        analysts, model = row[:-1], row[-1]
        is_missing = model == "?"
        verdict: Verdict = "abstain" if is_missing else LETTERS[model]
        tally = Tally(0, 0, 0) if is_missing else TALLIES[verdict]
        panel = tuple(LETTERS[letter] for letter in analysts)
        items.append(Judgement(f"i{index}", panel, verdict, tally, is_missing=is_missing))
    return items


def members(n_analysts: int) -> list[Member]:
    return [Member(f"a{index}") for index in range(n_analysts)]


def block(rows: Sequence[str], n_analysts: int, *references: str) -> dict[str, Any]:
    measured = measure(judged(rows), members(n_analysts), None, references or ("consensus",))
    return measured.to_json()


def nulls(value: object, path: str = "") -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from nulls(inner, f"{path}.{key}" if path else str(key))
    else:
        assert not isinstance(value, float) or math.isfinite(value)


def test_two_analysts_and_a_model_give_the_figures_worked_by_hand() -> None:
    shown = block(["GGG", "GGB", "G-B", "BBG", "BGB", "--G"], 2)
    assert (shown["n"], shown["n_substantive"], shown["coverage"]) == (6, 4, 1.0)
    assert shown["coverage_per_analyst"] == pytest.approx([5 / 6, 4 / 6])
    assert shown["coverage_per_analyst_named"] == pytest.approx({"a0": 5 / 6, "a1": 4 / 6})
    # Consensus G G G B on four items, model G B B G: 1 - (3/4) / (1/2).
    assert shown["cohens_kappa[consensus]"] == pytest.approx(-1 / 2)
    # GGG GGB BBG BGB: 1 - (1/2) / (2 * 7/12 * 5/12).
    assert shown["fleiss_kappa"] == pytest.approx(-1 / 35)
    # GG GG BB BG: 1 - (1/4) / (2 * 5/8 * 3/8).
    assert shown["inter_analyst_fleiss"] == pytest.approx(7 / 15)
    assert shown["reasons"] == {}


def test_the_count_behind_every_number_is_shown() -> None:
    shown = block(["GGG", "GGB", "G-B", "BBG", "BGB", "--?"], 2, "analyst:a1", "consensus")
    assert shown["ns"] == {
        "coverage": 6,
        "coverage_judged": 5,
        "coverage_per_analyst": 6,
        "coverage_per_analyst_named": 6,
        "fleiss_kappa": 4,
        "inter_analyst_fleiss": 4,
        "cohens_kappa[analyst[1]]": 4,
        "cohens_kappa[consensus]": 4,
        "aggregate_dispersion": 6,
        "aggregate_dispersion_judged": 5,
    }


def test_one_analyst_and_a_model_agree_by_a_third() -> None:
    shown = block(["GG", "BB", "GB", "BG", "GG", "BB"], 1)
    assert shown["cohens_kappa[consensus]"] == pytest.approx(1 / 3)
    assert shown["fleiss_kappa"] == pytest.approx(1 / 3)
    assert shown["inter_analyst_fleiss"] is None
    assert shown["reasons"] == {"inter_analyst_fleiss": ONE_RATER}


def test_a_missing_item_is_an_abstention_only_under_the_classic_names() -> None:
    shown = block(["GG", "BB", "G-", "B?"], 1)
    assert (shown["n"], shown["n_missing"], shown["n_judged"]) == (4, 1, 3)
    assert shown["coverage"] == 2 / 4
    assert shown["coverage_judged"] == 2 / 3
    assert shown["aggregate_dispersion"]["n_items"] == 4
    assert shown["aggregate_dispersion"]["mean_margin"] == 3 / 4
    assert shown["aggregate_dispersion"]["n_thin_margin"] == 1
    assert shown["aggregate_dispersion_judged"]["n_items"] == 3
    assert shown["aggregate_dispersion_judged"]["mean_margin"] == 1.0
    assert shown["aggregate_dispersion_judged"]["n_thin_margin"] == 0


def test_a_missing_item_does_not_move_any_kappa() -> None:
    with_it, without = block(["GG", "BB", "GB", "B?"], 1), block(["GG", "BB", "GB"], 1)
    for key in ("cohens_kappa[consensus]", "fleiss_kappa", "n_substantive"):
        assert with_it[key] == without[key]


def test_a_model_that_never_answered_has_no_coverage_rather_than_none() -> None:
    shown = block(["G?", "B?"], 1)
    assert (shown["n_judged"], shown["coverage"], shown["coverage_judged"]) == (0, 0.0, None)
    assert shown["reasons"]["coverage_judged"] == NO_JUDGED_ITEMS
    assert shown["reasons"]["aggregate_dispersion_judged.mean_entropy"] == NO_JUDGED_ITEMS
    assert "aggregate_dispersion.mean_entropy" not in shown["reasons"]
    assert shown["reasons"]["cohens_kappa[consensus]"] == NO_SHARED_SIDE


def test_no_items_give_nulls_with_reasons_and_empty_lists() -> None:
    shown = block([], 2, "analyst:0")
    assert (shown["n"], shown["n_missing"], shown["n_substantive"]) == (0, 0, 0)
    assert shown["coverage_per_analyst"] == []
    assert shown["coverage_per_analyst_named"] == {"a0": None, "a1": None}
    assert shown["verdict_distributions"] == {}
    assert set(shown["reasons"].values()) == {NO_ITEMS}
    assert set(shown["reasons"]) == set(nulls(shown))
    assert {"coverage", "cohens_kappa[analyst[0]]", "fleiss_kappa"} <= set(shown["reasons"])


def test_items_without_analysts_have_no_agreement() -> None:
    reasons = block(["G", "B"], 0)["reasons"]
    assert reasons == {
        "fleiss_kappa": ONE_RATER,
        "inter_analyst_fleiss": NO_RATERS,
        "cohens_kappa[consensus]": NO_SHARED_SIDE,
    }


def test_one_class_throughout_leaves_kappa_undefined() -> None:
    shown = block(["GGG", "GGG"], 2)
    assert shown["fleiss_kappa"] is None
    assert shown["reasons"] == dict.fromkeys(
        ("fleiss_kappa", "inter_analyst_fleiss", "cohens_kappa[consensus]"), ONE_CLASS
    )


def test_references_are_labelled_by_position_and_the_first_governs() -> None:
    shown = block(["GBG", "BGB", "G-G"], 2, "analyst:a1", "analyst:-2", "analyst:0", "consensus")
    kappas = {key: shown[key] for key in shown if key.startswith("cohens_kappa")}
    assert kappas == {
        "cohens_kappa[analyst[1]]": -1.0,
        "cohens_kappa[analyst[0]]": 1.0,
        "cohens_kappa[consensus]": None,
    }
    assert shown["n_substantive"] == 2


def test_an_unknown_reference_is_refused_with_the_known_ids() -> None:
    with pytest.raises(UserError, match=r"unknown reference 'analyst:zoe'.*a0, a1"):
        block(["GGG"], 2, "analyst:zoe")


def test_analysts_whose_names_are_unknown_still_have_positions() -> None:
    shown = measure(judged(["GBG", "BGB"]), (), references=("analyst:1",)).to_json()
    assert shown["coverage_per_analyst"] == [1.0, 1.0]
    assert shown["coverage_per_analyst_named"] == {}
    assert shown["cohens_kappa[analyst[1]]"] == -1.0


@pytest.mark.parametrize(
    ("rows", "n_analysts", "message"),
    [
        pytest.param(["GGG", "GG"], 2, "'i1' has 1 analyst verdicts where 2", id="ragged"),
        pytest.param(["GGG", "GG"], 0, "'i1' has 1 analyst verdicts where 2", id="ragged-unnamed"),
        pytest.param(["GG", "GG"], 2, "'i0' has 1 analyst verdicts where 2", id="too-few"),
    ],
)
def test_a_wrong_number_of_verdicts_is_refused_with_the_item(
    rows: list[str], n_analysts: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        measure(judged(rows), members(n_analysts))


def test_panels_have_their_own_block_and_the_primary_one_a_key() -> None:
    analysts = [Member("a", "p"), Member("b", "p"), Member("c", "q")]
    shown = measure(judged(["GGGG", "BBBB", "GBGG"]), analysts, "p").to_json()
    # GG BB GB within p: 1 - (1/3) / (1/2).
    assert shown["inter_analyst_fleiss_primary"] == pytest.approx(1 / 3)
    assert shown["panels"] == {
        "primary": "p",
        "inter_analyst_fleiss": {"p": pytest.approx(1 / 3), "q": None},
        "cross_panel_kappa": 1.0,
    }
    assert shown["reasons"] == {"panels.inter_analyst_fleiss.q": ONE_RATER}
    counts = shown["ns"]
    assert isinstance(counts, dict)
    assert counts["panels.cross_panel_kappa"] == 2
    assert counts["inter_analyst_fleiss_primary"] == 3


def test_without_panels_their_keys_are_absent() -> None:
    assert not {"panels", "inter_analyst_fleiss_primary"} & set(block(["GG"], 1))


def test_every_item_shows_its_votes() -> None:
    shown = block(["GG", "B?"], 1)["verdict_distributions"]
    assert shown["i0"] == {
        "good": 5,
        "bad": 0,
        "abstain": 0,
        "n_samples": 5,
        "verdict": "good",
        "tie_broken": False,
        "entropy": 0.0,
        "margin": 1.0,
    }
    assert (shown["i1"]["n_samples"], shown["i1"]["verdict"]) == (0, "abstain")


def test_an_interval_is_shown_beside_its_number() -> None:
    measured = measure(judged(["GG", "BB"]), members(1))
    interval = Interval(lo=0.5, hi=1.0, method="bootstrap", iterations=200)
    kappa = measured.fleiss_kappa.model_copy(update={"interval": interval})
    shown = measured.model_copy(update={"fleiss_kappa": kappa}).to_json()
    assert shown["fleiss_kappa_ci"] == {
        "lo": 0.5,
        "hi": 1.0,
        "method": "bootstrap",
        "iterations": 200,
    }
    assert "coverage_ci" not in shown


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"value": None, "n": 0}, id="neither"),
        pytest.param({"value": 0.5, "n": 1, "reason": "because"}, id="both"),
        pytest.param({"value": None, "n": 0, "reason": ""}, id="empty-reason"),
        pytest.param({"value": math.nan, "n": 1}, id="nan"),
        pytest.param({"value": math.inf, "n": 1}, id="infinite"),
        pytest.param({"value": 0.5, "n": -1}, id="negative-count"),
    ],
)
def test_a_metric_is_a_finite_number_or_a_reason(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Metric(**fields)


PANEL_SIZES = st.integers(0, 4)
ROWS = PANEL_SIZES.flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(
            st.tuples(st.text("GB-", min_size=size, max_size=size), st.sampled_from("GB-?")).map(
                "".join
            ),
            max_size=12,
        ),
    )
)


@given(ROWS)
def test_the_block_is_json_and_every_null_has_a_reason(sized: tuple[int, list[str]]) -> None:
    n_analysts, rows = sized
    analysts = [Member(f"a{index}", "pqq"[index % 3]) for index in range(n_analysts)]
    shown = measure(judged(rows), analysts).to_json()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert set(nulls(shown)) == set(_mapping(shown["reasons"]))


@given(ROWS, st.data())
def test_the_order_of_items_moves_no_figure(
    sized: tuple[int, list[str]], data: st.DataObject
) -> None:
    n_analysts, rows = sized
    items = judged(rows)
    shuffled = data.draw(st.permutations(items))
    once, again = (measure(order, members(n_analysts)).to_json() for order in (items, shuffled))
    for key, value in once.items():
        is_close = isinstance(value, float) or key == "chance"
        expected = pytest.approx(value, abs=1e-12) if is_close else value
        assert again[key] == expected


def _mapping(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value
