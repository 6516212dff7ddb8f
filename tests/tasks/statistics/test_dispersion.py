import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from tasks.statistics.dispersion import THIN_MARGIN, aggregate, disperse, entropy, margin
from tasks.statistics.judgement import Judgement, Tally

TALLIES = st.builds(Tally, st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))


def item(tally: Tally, *, tie_broken: bool = False, item_id: str = "i") -> Judgement:
    return Judgement(item_id, (), "abstain", tally, tie_broken, is_missing=not sum(tally))


@pytest.mark.parametrize(
    ("tally", "expected_entropy", "expected_margin"),
    [
        pytest.param(Tally(5, 0, 0), 0.0, 1.0, id="unanimous"),
        pytest.param(Tally(0, 0, 3), 0.0, 1.0, id="unanimous-abstention"),
        pytest.param(Tally(0, 0, 0), 0.0, 0.0, id="no-samples"),
        pytest.param(Tally(1, 1, 1), 1.0, 0.0, id="evenly-spread"),
        # Half and half is one bit: ln 2 / ln 3.
        pytest.param(Tally(2, 2, 0), math.log(2) / math.log(3), 0.0, id="split"),
        # 0.6 ln(5/3) + 2 * 0.2 ln 5 = ln 5 - 0.6 ln 3.
        pytest.param(Tally(3, 1, 1), math.log(5) / math.log(3) - 0.6, 0.4, id="three-one-one"),
        # 0.8 ln(5/4) + 0.2 ln 5 = ln 5 - 1.6 ln 2.
        pytest.param(
            Tally(4, 1, 0), (math.log(5) - 1.6 * math.log(2)) / math.log(3), 0.6, id="four-one"
        ),
    ],
)
def test_entropy_and_margin_of_a_tally(
    tally: Tally, expected_entropy: float, expected_margin: float
) -> None:
    assert entropy([tally])[0] == pytest.approx(expected_entropy, abs=1e-12)
    assert margin([tally])[0] == expected_margin


def test_a_unanimous_entropy_has_no_minus_sign() -> None:
    assert math.copysign(1, entropy([Tally(4, 0, 0)])[0]) == 1


@given(TALLIES)
def test_entropy_and_margin_are_shares(tally: Tally) -> None:
    assert 0 <= entropy([tally])[0] <= 1
    assert 0 <= margin([tally])[0] <= 1


@given(TALLIES)
def test_entropy_and_margin_do_not_mind_which_verdict_is_which(tally: Tally) -> None:
    orders = [Tally(*order) for order in permutations(tally)]
    assert entropy(orders) == pytest.approx(entropy([tally])[0], abs=1e-12)
    assert set(margin(orders)) == {margin([tally])[0]}


@given(TALLIES, st.integers(2, 5))
def test_entropy_and_margin_do_not_grow_with_the_number_of_samples(
    tally: Tally, times: int
) -> None:
    more = Tally(*(times * count for count in tally))
    assert entropy([more])[0] == pytest.approx(entropy([tally])[0], abs=1e-12)
    assert margin([more])[0] == pytest.approx(margin([tally])[0], abs=1e-12)


def test_an_item_shows_its_votes_beside_its_dispersion() -> None:
    (shown,) = disperse([Judgement("i", ("good",), "bad", Tally(1, 4, 0), tie_broken=True)])
    assert (shown.good, shown.bad, shown.abstain, shown.n_samples) == (1, 4, 0, 5)
    assert (shown.verdict, shown.tie_broken, shown.margin) == ("bad", True, 0.6)


def test_a_negative_count_is_refused_with_the_name_of_its_item() -> None:
    with pytest.raises(UserError, match="'i7' has a negative count"):
        disperse([item(Tally(1, 0, 0)), item(Tally(-1, 0, 3), item_id="i7")])


def test_a_margin_at_the_threshold_is_not_thin() -> None:
    # Margins 0.4 (2 in 5), 0.2, 0.0 and 1.0.
    spread = disperse(
        [
            item(Tally(3, 1, 1)),
            item(Tally(3, 2, 0)),
            item(Tally(2, 2, 1), tie_broken=True),
            item(Tally(0, 5, 0)),
        ]
    )
    total = aggregate(spread)
    assert (total.n_items, total.n_thin_margin, total.fraction_thin_margin) == (4, 2, 0.5)
    assert (total.n_tie_broken, total.thin_margin_threshold) == (1, THIN_MARGIN)
    assert total.mean_margin == pytest.approx(0.4)
    assert total.mean_entropy == pytest.approx(sum(one.entropy for one in spread) / 4)


def test_means_over_no_items_are_undefined() -> None:
    total = aggregate(disperse([]))
    assert (total.mean_entropy, total.mean_margin, total.fraction_thin_margin) == (None,) * 3
    assert (total.n_items, total.n_thin_margin, total.n_tie_broken) == (0, 0, 0)


@given(st.lists(TALLIES, min_size=1, max_size=20), st.data())
def test_aggregates_do_not_depend_on_the_order_of_items(
    tallies: list[Tally], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(tallies))
    once, again = (
        aggregate(disperse([item(one) for one in order])) for order in (tallies, shuffled)
    )
    assert once == again
