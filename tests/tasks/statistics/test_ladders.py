"""Ladders of `monotonicity`, climbed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.checks import Ladder, MonotonicityReport
from tasks.statistics.monotonicity import check_monotonicity
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item

FAMILY = {"tiers": ["p", "q", "r", "s"]}


def step(name: str, index: int, ladder: str | None = "l", **changes: object) -> Raw:
    rung = {"family": "tiers", "tier": FAMILY["tiers"][index % 4], "tier_index": index}
    item: Raw = {"id": name, "monotonicity_step": rung | changes}
    return item if ladder is None else item | {"ladder": ladder}


def climbed(items: list[Raw], answers: list[Raw]) -> MonotonicityReport:
    return check_monotonicity(eta(answers), bench(items, ordinal_families=FAMILY))


def ladder_of(said: str, expected: str = "non_decreasing") -> Ladder:
    names = [f"i{index}" for index in range(len(said))]
    items = [step(name, index, expected=expected) for index, name in enumerate(names)]
    answers = [eta_item(name, verdict) for name, verdict in zip(names, said, strict=True)]
    (ladder,) = climbed(items, answers).ladders
    return ladder


@pytest.mark.parametrize(
    ("said", "expected", "status", "violations"),
    [
        ("bbgg", "non_decreasing", "monotone", ()),
        ("gb", "non_decreasing", "violated", (("i0", "i1"),)),
        ("gb", "non_increasing", "monotone", ()),
        ("bagag", "non_increasing", "violated", (("i0", "i2"),)),
        ("gabgb", "non_decreasing", "violated", (("i0", "i2"), ("i3", "i4"))),
        ("gaaa", "non_decreasing", "insufficient", ()),
        ("gg", "non_decreasing", "monotone", ()),
    ],
)
def test_a_ladder_is_judged_by_neighbouring_sides(
    said: str, expected: str, status: str, violations: tuple[tuple[str, str], ...]
) -> None:
    ladder = ladder_of(said, expected)
    assert (ladder.status, ladder.violations) == (status, violations)
    assert ladder.n_gaps == said.count("a")


@given(st.text(alphabet="gb", min_size=2, max_size=8))
def test_a_ladder_without_gaps_is_monotone_exactly_when_it_is_sorted(said: str) -> None:
    assert (ladder_of(said).status == "monotone") == (list(said) == sorted(said))


@given(st.text(alphabet="gba", min_size=1, max_size=8))
def test_turning_a_ladder_round_keeps_its_violations(said: str) -> None:
    back = {f"i{len(said) - 1 - i}": f"i{i}" for i in range(len(said))}
    turned = ladder_of(said[::-1], "non_increasing").violations
    assert {(back[high], back[low]) for low, high in turned} == set(ladder_of(said).violations)


def test_steps_stand_in_the_order_of_their_tiers() -> None:
    items = [step("high", 2), step("low", 0)]
    (ladder,) = climbed(items, [eta_item("high", "g"), eta_item("low", "b")]).ladders
    assert [one.item_id for one in ladder.steps] == ["low", "high"]
    assert ladder.status == "monotone"


def test_ladders_family_and_fixed_bearer_tell_ladders_apart() -> None:
    items = [
        step("i", 0, ladder="z"),
        step("j", 1, ladder=None),
        step("k", 1, ladder="z", fixed="s"),
        step("l", 2, ladder="z"),
    ]
    report = climbed(items, [eta_item(name, "g") for name in "ijkl"])
    assert [[one.item_id for one in ladder.steps] for ladder in report.ladders] == [
        ["j"],
        ["i", "l"],
        ["k"],
    ]


def test_the_first_item_of_the_file_gives_the_direction() -> None:
    items = [step("i", 1, expected="non_increasing"), step("j", 0, expected="non_decreasing")]
    (ladder,) = climbed(items, [eta_item("i", "b"), eta_item("j", "g")]).ladders
    assert (ladder.expected, ladder.status) == ("non_increasing", "monotone")


def test_a_step_whose_calls_all_failed_is_a_gap_and_not_an_abstention() -> None:
    items = [step("i", 0), step("j", 1)]
    (ladder,) = climbed(items, [eta_item("i", "g"), eta_item("j", "a", "ff")]).ladders
    assert [one.verdict for one in ladder.steps] == ["good", None]
    assert (ladder.n_gaps, ladder.n_missing) == (1, 1)


def test_verdicts_are_counted_per_variation() -> None:
    items: list[Raw] = [
        {"id": "i", "variation": "defeat"},
        {"id": "j", "variation": "defeat"},
        {"id": "k"},
    ]
    answers = [eta_item("i", "g"), eta_item("j", "a"), eta_item("k", "b")]
    rows = climbed(items, answers).variations
    assert [(r.variation, r.n, r.good, r.bad, r.abstain, r.coverage) for r in rows] == [
        ("defeat", 2, 1, 0, 1, 0.5),
        ("unspecified", 1, 0, 1, 0, 1.0),
    ]


def test_items_that_the_evaluation_lacks_are_passed_over() -> None:
    report = climbed([step("i", 0), step("j", 1)], [eta_item("i", "g")])
    assert [one.item_id for one in report.ladders[0].steps] == ["i"]
    assert [row.n for row in report.variations] == [1]
