"""The vote: its rules as a table, and the laws that hold for any votes."""

from collections import Counter
from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import TieBreak, Verdict
from tasks.judging import Tally, vote

TIE_BREAKS: Final[tuple[TieBreak, ...]] = get_args(TieBreak)
WORDS: Final[dict[str, Verdict]] = {"g": "good", "b": "bad", "a": "abstain"}
MIRRORED: Final[dict[str, Verdict]] = {"good": "bad", "bad": "good", "abstain": "abstain"}

ballots = st.lists(st.sampled_from(list(WORDS.values())))
tie_breaks = st.sampled_from(TIE_BREAKS)


def votes(letters: str) -> list[Verdict]:
    return [WORDS[letter] for letter in letters]


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize(
    ("letters", "tally"),
    [
        pytest.param("", Tally(0, 0, 0, "abstain", False), id="no votes"),
        pytest.param("g", Tally(1, 0, 0, "good", False), id="one vote"),
        pytest.param("bbggb", Tally(2, 3, 0, "bad", False), id="majority"),
        pytest.param("ggbaag", Tally(3, 1, 2, "good", False), id="plurality"),
        pytest.param("aab", Tally(0, 1, 2, "abstain", False), id="abstain leads"),
        pytest.param("ga", Tally(1, 0, 1, "abstain", True), id="good ties with abstain"),
        pytest.param("bbaag", Tally(1, 2, 2, "abstain", True), id="bad ties with abstain"),
        pytest.param("gba", Tally(1, 1, 1, "abstain", True), id="all tie"),
    ],
)
def test_only_a_tie_of_good_and_bad_is_left_to_the_tie_break(
    letters: str, tally: Tally, tie_break: TieBreak
) -> None:
    assert vote(votes(letters), tie_break) == tally


@pytest.mark.parametrize(
    ("letters", "tie_break", "verdict"),
    [
        pytest.param("gb", "abstain", "abstain", id="abstain"),
        pytest.param("bg", "good", "good", id="good"),
        pytest.param("gb", "bad", "bad", id="bad"),
        pytest.param("gb", "first", "good", id="first is good"),
        pytest.param("bggb", "first", "bad", id="first is bad"),
        pytest.param("abggb", "first", "bad", id="first passes over a verdict that does not lead"),
    ],
)
def test_a_tie_of_good_and_bad_goes_by_the_tie_break(
    letters: str, tie_break: TieBreak, verdict: Verdict
) -> None:
    tally = vote(votes(letters), tie_break)
    assert (tally.verdict, tally.tie_broken) == (verdict, True)


def test_an_item_is_missing_only_without_votes() -> None:
    assert vote([], "first").is_missing
    assert not vote(["abstain"], "first").is_missing


@given(ballots, tie_breaks)
def test_the_counts_add_up(verdicts: list[Verdict], tie_break: TieBreak) -> None:
    tally = vote(verdicts, tie_break)
    counts = {"good": tally.good, "bad": tally.bad, "abstain": tally.abstain}
    assert Counter(counts) == Counter(verdicts)
    assert tally.n == len(verdicts)


@given(st.data(), ballots, st.sampled_from(["abstain", "good", "bad"]))
def test_the_order_of_samples_matters_to_no_tie_break_but_first(
    data: st.DataObject, verdicts: list[Verdict], tie_break: TieBreak
) -> None:
    shuffled = data.draw(st.permutations(verdicts))
    assert vote(shuffled, tie_break) == vote(verdicts, tie_break)


@given(ballots, tie_breaks)
def test_the_verdict_never_has_fewer_votes_than_another_unless_a_tie_was_broken(
    verdicts: list[Verdict], tie_break: TieBreak
) -> None:
    tally = vote(verdicts, tie_break)
    if not tally.tie_broken and not tally.is_missing:
        assert verdicts.count(tally.verdict) == max(tally.good, tally.bad, tally.abstain)


@given(ballots, st.sampled_from(["abstain", "first"]))
def test_mirrored_votes_get_the_mirrored_verdict(
    verdicts: list[Verdict], tie_break: TieBreak
) -> None:
    tally = vote(verdicts, tie_break)
    mirrored = vote([MIRRORED[verdict] for verdict in verdicts], tie_break)
    assert mirrored == Tally(
        tally.bad, tally.good, tally.abstain, MIRRORED[tally.verdict], tally.tie_broken
    )
