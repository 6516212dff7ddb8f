import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Verdict
from tasks.statistics.consensus import consensus, plurality_consensus

G: Verdict = "good"
B: Verdict = "bad"
A: Verdict = "abstain"
PANELS = st.lists(st.sampled_from((G, B, A)), max_size=9)
MIRROR: dict[Verdict, Verdict] = {G: B, B: G, A: A}


@pytest.mark.parametrize(
    ("verdicts", "majority", "plurality"),
    [
        pytest.param((), A, A, id="nobody"),
        pytest.param((G,), G, G, id="one-good"),
        pytest.param((G, B, B), B, B, id="two-to-one"),
        pytest.param((G, B), A, A, id="split"),
        pytest.param((A, A), A, A, id="all-abstain"),
        pytest.param((G, A, A), G, A, id="abstentions-outnumber-good"),
        pytest.param((B, A, A), B, A, id="abstentions-outnumber-bad"),
        pytest.param((G, A), G, A, id="good-ties-with-abstain"),
        pytest.param((B, A), B, A, id="bad-ties-with-abstain"),
        pytest.param((G, G, B, B, A), A, A, id="split-with-abstention"),
        pytest.param((G, G, B, A), G, G, id="good-leads-both"),
    ],
)
def test_a_panel_speaks_by_majority_and_by_plurality(
    verdicts: tuple[Verdict, ...], majority: Verdict, plurality: Verdict
) -> None:
    assert consensus(verdicts) == majority
    assert plurality_consensus(verdicts) == plurality


@given(PANELS)
def test_abstentions_never_move_the_consensus(verdicts: list[Verdict]) -> None:
    assert consensus([*verdicts, A]) == consensus(verdicts)


@given(PANELS)
def test_swapping_good_and_bad_mirrors_both_rules(verdicts: list[Verdict]) -> None:
    mirrored = [MIRROR[verdict] for verdict in verdicts]
    assert consensus(mirrored) == MIRROR[consensus(verdicts)]
    assert plurality_consensus(mirrored) == MIRROR[plurality_consensus(verdicts)]


@given(PANELS)
def test_the_rules_never_take_opposite_sides(verdicts: list[Verdict]) -> None:
    assert plurality_consensus(verdicts) in (consensus(verdicts), A)
