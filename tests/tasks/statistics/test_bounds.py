"""Bounds for what was not judged, against trying out everything."""

from itertools import product
from typing import cast, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import TieBreak, Verdict
from schemas.metrics import Bounds
from schemas.metrics_block import top_level
from tasks.judging import vote
from tasks.statistics import Request, measure
from tasks.statistics.agreement import agreement
from tasks.statistics.bounds import (
    NEVER_DEFINED,
    TOO_MANY_OPEN,
    fleiss_bounds,
    pair_bounds,
    rate_bounds,
)
from tasks.statistics.codes import MISSING
from tasks.statistics.coefficients import Coefficient, Kind
from tasks.statistics.columns import make_columns
from tasks.statistics.completions import MOST_OPEN, completion_bounds
from tasks.statistics.judgement import Judgement, Tally
from tasks.statistics.revoting import reachable, under_policy, vote_codes

SETS = st.lists(st.booleans(), min_size=3, max_size=3).filter(any)
PAIR_KINDS: tuple[Kind, ...] = ("cohen", "raw", "brennan_prediger", "ac1", "alpha")
TIE_BREAKS = st.sampled_from(cast("tuple[TieBreak, ...]", get_args(TieBreak)))
COUNTS = st.tuples(*[st.integers(0, 3)] * 3)
NAMES: tuple[Verdict, ...] = ("good", "bad", "abstain")


def choices(reached: list[list[bool]]) -> list[tuple[int, ...]]:
    return list(product(*[[c for c in range(3) if row[c]] for row in reached]))


def assert_tight(found: Bounds | str | None, values: list[float | None]) -> None:
    defined = [value for value in values if value is not None]
    if not defined:
        assert found == NEVER_DEFINED
        return
    assert isinstance(found, Bounds)
    assert found.lowest == pytest.approx(min(defined), abs=1e-9)
    assert found.highest == pytest.approx(max(defined), abs=1e-9)


@settings(max_examples=150)
@given(st.lists(st.tuples(SETS, st.integers(0, 2)), min_size=1, max_size=6))
def test_bounds_of_two_raters_are_the_extremes_of_all_choices(
    drawn: list[tuple[list[bool], int]],
) -> None:
    reached = [one for one, _ in drawn]
    reference = np.array([code for _, code in drawn], dtype=np.int8)
    for kind in PAIR_KINDS:
        values = []
        for choice in choices(reached):
            pairs = np.column_stack((np.array(choice, dtype=np.int8), reference))
            values.append(agreement(kind, pairs[(pairs < 2).all(axis=1)]).value)
        assert_tight(pair_bounds(kind, np.array(reached), reference), values)


@settings(max_examples=100)
@given(
    st.integers(1, 3).flatmap(
        lambda m: st.lists(
            st.tuples(SETS, st.lists(st.integers(0, 2), min_size=m, max_size=m)),
            min_size=1,
            max_size=6,
        )
    )
)
def test_bounds_of_fleiss_kappa_are_the_extremes_of_all_choices(
    drawn: list[tuple[list[bool], list[int]]],
) -> None:
    reached, analysts = [one for one, _ in drawn], np.array([row for _, row in drawn], np.int8)
    values = [
        agreement("fleiss", np.column_stack((analysts, np.array(choice, np.int8)))).value
        for choice in choices(reached)
    ]
    assert_tight(fleiss_bounds(np.array(reached), analysts), values)


@settings(max_examples=100)
@given(
    st.integers(1, 3).flatmap(
        lambda m: st.lists(
            st.tuples(
                st.lists(st.booleans(), min_size=4, max_size=4),
                st.lists(st.integers(0, 2), min_size=m, max_size=m),
            ),
            min_size=1,
            max_size=5,
        )
    )
)
def test_bounds_of_many_raters_and_three_classes_are_the_extremes_of_all_choices(
    drawn: list[tuple[list[bool], list[int]]],
) -> None:
    # The fourth is to stay missing; so does an item that can get nothing.
    reached, others = [one for one, _ in drawn], np.array([row for _, row in drawn], np.int8)
    ways = list(product(*[[c for c in range(4) if row[c]] or [MISSING] for row in reached]))
    kinds: tuple[Kind, ...] = ("fleiss", *PAIR_KINDS[1:])
    for kind in (*kinds, "cohen") if others.shape[1] == 1 else kinds:
        for n_classes in (2, 3):
            measured = Coefficient(kind, n_classes)
            values = [
                agreement(
                    measured.kind,
                    np.column_stack((np.array(way, np.int8), others)),
                    n_classes=n_classes,
                ).value
                for way in ways
            ]
            assert_tight(completion_bounds(measured, np.array(reached), others), values)


def test_more_open_items_than_can_be_walked_through_are_said() -> None:
    for n_items, n_raters in ((MOST_OPEN + 1, 1), (MOST_OPEN, 40)):
        reached = np.ones((n_items, 3), dtype=np.bool_)
        others = np.random.default_rng(1).integers(0, 3, (n_items, n_raters), dtype=np.int8)
        found = completion_bounds(Coefficient("ac1", 3), reached, others)
        assert found == TOO_MANY_OPEN


def test_gaps_that_make_too_many_sums_are_said() -> None:
    reached = np.ones((MOST_OPEN, 3), dtype=np.bool_)
    others = np.random.default_rng(1).integers(0, 3, (MOST_OPEN, 12), dtype=np.int8)
    assert completion_bounds(Coefficient("ac1", 2), reached, others) == TOO_MANY_OPEN


@given(st.lists(SETS, min_size=1, max_size=6))
def test_bounds_of_coverage_are_the_extremes_of_all_choices(reached: list[list[bool]]) -> None:
    shares = [sum(c < 2 for c in choice) / len(choice) for choice in choices(reached)]
    assert_tight(rate_bounds(np.array(reached), 0), list(shares))


@given(COUNTS, st.integers(1, 4), TIE_BREAKS)
def test_a_verdict_is_reachable_exactly_when_some_replies_give_it(
    settled: tuple[int, int, int], n_open: int, tie_break: TieBreak
) -> None:
    item = Judgement("i", (), "abstain", Tally(*settled), n_unjudged=n_open)
    found = reachable(make_columns([item], 0), tie_break)[0]
    read = [name for name, count in zip(NAMES, settled, strict=True) for _ in range(count)]
    # Under `first` the order matters: the unread replies may come before or after the others.
    given_by = {
        vote(replies, tie_break).verdict
        for more in product(NAMES, repeat=n_open)
        for replies in ([*read, *more], [*more, *read])
    }
    expected = [name in given_by for name in NAMES]
    if tie_break == "first":
        assert all(found[expected])
    else:
        assert found.tolist() == expected


@given(COUNTS, st.sampled_from(("abstain", "good", "bad")))
def test_votes_taken_at_once_are_the_votes_one_by_one(
    tally: tuple[int, int, int], tie_break: TieBreak
) -> None:
    read = [name for name, count in zip(NAMES, tally, strict=True) for _ in range(count)]
    (code,) = vote_codes(np.array([tally]), tie_break, np.array([0], np.int8))
    expected = NAMES.index(vote(read, tie_break).verdict) if read else MISSING
    assert code == expected


@pytest.mark.parametrize(("policy", "verdict"), [("leave_out", 0), ("abstain", 2), ("wrong", 1)])
def test_unjudged_samples_count_as_the_policy_says(policy: str, verdict: int) -> None:
    # Two samples said good, three were not judged; the reference says good.
    item = Judgement("i", ("good",), "good", Tally(2, 0, 0), n_unjudged=3)
    columns = make_columns([item], 1)
    assert under_policy(columns, columns.consensus, "abstain", policy).tolist() == [verdict]


def test_without_unjudged_samples_no_policy_changes_a_verdict() -> None:
    # Taken at its word: there are no votes behind it.
    columns = make_columns([Judgement("i", ("bad",), "good", Tally(0, 0, 0))], 1)
    for policy in ("leave_out", "abstain", "wrong"):
        assert under_policy(columns, columns.consensus, "abstain", policy).tolist() == [0]


FATES = st.tuples(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=2),
    st.lists(st.sampled_from([*NAMES, "failed", "unread"]), max_size=4),
)


@settings(max_examples=150)
@given(st.lists(FATES, min_size=1, max_size=7), TIE_BREAKS)
def test_bounds_contain_the_value_and_every_policy(
    drawn: list[tuple[list[Verdict], list[str]]], tie_break: TieBreak
) -> None:
    items = []
    for place, (analysts, said) in enumerate(drawn):
        # The run counts unread replies as abstentions and leaves failed calls out.
        votes = ["abstain" if one == "unread" else one for one in said if one != "failed"]
        voted = vote(cast("list[Verdict]", votes), tie_break)
        items.append(
            Judgement(
                f"i{place}",
                tuple(analysts),
                voted.verdict,
                Tally(voted.good, voted.bad, voted.abstain),
                is_missing=not votes,
                n_unjudged=said.count("failed") + said.count("unread"),
                n_read_abstain=said.count("abstain"),
            )
        )
    request = Request(further=True, tie_break=tie_break, by_margin=True)
    measured = measure(items, (), references=("consensus", "analyst:0"), request=request)
    shown = top_level(measured)
    for key, metric in shown.items():
        if metric.bounds is None:
            # Whatever the model takes part in has bounds, or says why not.
            of_model = bool(measured.n_unjudged_samples) and not key.startswith("inter_analyst")
            assert (metric.no_bounds is not None) == of_model
            continue
        under = [figures[key] for figures in measured.policies.values() if key in figures]
        for one in (metric, *under):
            if one.value is not None:
                assert metric.bounds.lowest - 1e-9 <= one.value <= metric.bounds.highest + 1e-9
    if measured.n_unjudged_samples and shown["fleiss_kappa"].value is not None:
        assert shown["fleiss_kappa"].bounds is not None


def test_too_many_open_items_have_no_bounds_for_fleiss() -> None:
    reached = np.ones((151, 3), dtype=np.bool_)
    assert fleiss_bounds(reached, np.zeros((151, 1), dtype=np.int8)) == TOO_MANY_OPEN


def test_ac1_is_lowest_between_the_ends() -> None:
    # Reference G: one model B, two that may be G or abstain; reference B: three model B.
    # AC1 = 1 - 4 N (b + c) / (n_good² + n_bad²): with a = 0, 1, 2 it is 34/50, 38/58, 50/74.
    reached = np.array([[False, True, False]] * 4 + [[True, False, True]] * 2)
    reference = np.array([0, 1, 1, 1, 0, 0], dtype=np.int8)
    found = pair_bounds("ac1", reached, reference)
    assert isinstance(found, Bounds)
    assert found.lowest == pytest.approx(38 / 58)
    assert found.highest == pytest.approx(34 / 50)


def test_too_many_cross_tables_have_no_bounds() -> None:
    reached = np.ones((9000, 3), dtype=np.bool_)
    reference = np.array([0, 1] * 4500, dtype=np.int8)
    assert pair_bounds("cohen", reached, reference) == TOO_MANY_OPEN


def test_no_items_have_no_bounds() -> None:
    assert rate_bounds(np.ones((0, 3), dtype=np.bool_), 0) is None


def test_hundreds_of_open_items_are_still_bounded_exactly_for_kappa() -> None:
    reached = np.ones((800, 3), dtype=np.bool_)
    reference = np.arange(800, dtype=np.int8) % 2
    found = pair_bounds("cohen", reached, reference)
    assert found == Bounds(lowest=-1.0, highest=1.0, n_open=800)
