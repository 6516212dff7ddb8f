"""A vote that is cut short must come to what the full vote comes to, whatever was left to come."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import TieBreak, Verdict
from tasks.judging import vote
from tasks.judging.curtailing import settled_verdict, undrawn

TIE_BREAKS: tuple[TieBreak, ...] = ("abstain", "good", "bad", "first")
SAYINGS: tuple[Verdict | None, ...] = ("good", "bad", "abstain", None)
WORDS: dict[str, Verdict | None] = {"g": "good", "b": "bad", "a": "abstain", "f": None}

Drawn = dict[int, Verdict | None]


def full_votes(drawn: Drawn, n_samples: int, tie_break: TieBreak) -> set[Verdict]:
    """Every verdict that the full vote can still come to, by trying all continuations."""
    left = undrawn(drawn, n_samples)
    found = set[Verdict]()
    for sayings in product(SAYINGS, repeat=len(left)):
        whole = drawn | dict(zip(left, sayings, strict=True))
        cast = [said for index in range(n_samples) if (said := whole[index]) is not None]
        found.add(vote(cast, tie_break).verdict)
    return found


@st.composite
def partial_votes(draw: st.DrawFn) -> tuple[Drawn, int]:
    """Some samples of up to eight, drawn in any order, of which at most four are left."""
    n_samples = draw(st.integers(1, 8))
    at_least = max(0, n_samples - 4)
    indices = draw(st.permutations(range(n_samples)))
    n_drawn = draw(st.integers(at_least, n_samples))
    return {index: draw(st.sampled_from(SAYINGS)) for index in indices[:n_drawn]}, n_samples


@given(partial_votes(), st.sampled_from(TIE_BREAKS))
def test_a_verdict_is_settled_exactly_when_all_continuations_agree(
    partial: tuple[Drawn, int], tie_break: TieBreak
) -> None:
    drawn, n_samples = partial
    possible = full_votes(drawn, n_samples, tie_break)
    settled = settled_verdict(drawn, n_samples, tie_break)
    assert settled == (next(iter(possible)) if len(possible) == 1 else None)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_every_state_of_four_samples_is_settled_as_by_trying(tie_break: TieBreak) -> None:
    states: tuple[Verdict | str | None, ...] = (*SAYINGS, "undrawn")
    for row in product(states, repeat=4):
        drawn: Drawn = {i: said for i, said in enumerate(row) if said != "undrawn"}  # type: ignore[misc]  # the one other word is left out
        possible = full_votes(drawn, 4, tie_break)
        expected = next(iter(possible)) if len(possible) == 1 else None
        assert settled_verdict(drawn, 4, tie_break) == expected


@given(st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=15), st.sampled_from(TIE_BREAKS))
def test_curtailed_and_full_votes_agree(sayings: list[Verdict | None], tie_break: TieBreak) -> None:
    drawn: Drawn = {}
    settled = None
    for index, said in enumerate(sayings):
        drawn[index] = said
        settled = settled_verdict(drawn, len(sayings), tie_break)
        if settled is not None:
            break
    full = vote([said for said in sayings if said is not None], tie_break).verdict
    assert settled == full


@given(partial_votes(), st.sampled_from(TIE_BREAKS), st.sampled_from(SAYINGS))
def test_what_is_settled_stays_settled(
    partial: tuple[Drawn, int], tie_break: TieBreak, said: Verdict | None
) -> None:
    drawn, n_samples = partial
    settled = settled_verdict(drawn, n_samples, tie_break)
    for index in undrawn(drawn, n_samples)[:1]:
        after = settled_verdict(drawn | {index: said}, n_samples, tie_break)
        assert settled in (None, after)


@pytest.mark.parametrize(
    ("letters", "n_samples", "tie_break", "settled"),
    [
        pytest.param("ggg", 5, "abstain", "good", id="three of five"),
        pytest.param("gg", 5, "abstain", None, id="two of five can be caught"),
        pytest.param("gg", 4, "abstain", None, id="a tie would be an abstention"),
        pytest.param("gg", 4, "good", None, id="two abstentions would tie and abstain"),
        pytest.param("ggb", 4, "good", "good", id="a tie would be good too"),
        pytest.param("ggb", 4, "first", "good", id="the first one wins the tie"),
        pytest.param("bgg", 4, "first", None, id="the first one would win the tie for bad"),
        pytest.param("ffff", 5, "abstain", None, id="the last one can still say something"),
        pytest.param("fffff", 5, "abstain", "abstain", id="nobody voted"),
        pytest.param("aa", 4, "good", "abstain", id="abstaining wins its ties"),
        pytest.param("", 1, "abstain", None, id="nothing drawn"),
    ],
)
def test_votes_settled_by_hand(
    letters: str, n_samples: int, tie_break: TieBreak, settled: Verdict | None
) -> None:
    drawn = {index: WORDS[letter] for index, letter in enumerate(letters)}
    assert settled_verdict(drawn, n_samples, tie_break) == settled
