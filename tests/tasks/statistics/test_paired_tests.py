"""Tests of two runs on the same items, against statsmodels, published examples and simulation."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from schemas.comparison import Difference, PermutationTest
from schemas.errors import UserError
from tasks.statistics.outcomes import Outcomes, outcomes_of_draws, shared
from tasks.statistics.paired_tests import (
    PairedSpec,
    compare_outcomes,
    exact_mcnemar,
    mcnemar,
    mean_difference,
    non_inferiority,
    permutation_test,
)

Floats = npt.NDArray[np.float64]


def differences(max_size: int = 9, draws: int = 3) -> st.SearchStrategy[Floats]:
    """What items with so many draws in both runs can differ by."""
    one = st.integers(-draws, draws).map(lambda whole: whole / draws)
    return st.lists(one, min_size=1, max_size=max_size).map(np.array)


def test_mcnemar_is_that_of_statsmodels_on_a_thousand_tables() -> None:
    generator = np.random.default_rng(7)
    for only_a, only_b in generator.integers(0, 60, (1000, 2)).tolist():
        theirs = statsmodels_mcnemar([[5, only_a], [only_b, 7]], exact=True).pvalue
        assert exact_mcnemar(only_a, only_b) == pytest.approx(theirs, abs=1e-9)


def test_mcnemar_of_a_published_example() -> None:
    # Agresti, Categorical Data Analysis (2002), table 10.1: approval of the prime minister,
    # 150 turned away and 86 came round. The binomial tail is summed by hand here.
    from math import comb

    by_hand = 2 * sum(comb(236, k) for k in range(87)) / 2**236
    assert exact_mcnemar(150, 86) == pytest.approx(by_hand, rel=1e-12)
    assert exact_mcnemar(150, 86) < 0.0001


def test_mcnemar_counts_the_four_cells() -> None:
    a = np.array([True, True, True, False, False])
    b = np.array([True, False, False, True, False])
    found = mcnemar(a, b)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 2, 1, 1)
    assert found.p_value == 1.0


def test_without_discordant_items_there_is_nothing_to_doubt() -> None:
    assert exact_mcnemar(0, 0) == 1.0


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_does_not_care_which_run_comes_first(only_a: int, only_b: int) -> None:
    assert exact_mcnemar(only_a, only_b) == exact_mcnemar(only_b, only_a)


@given(differences())
def test_the_exact_permutation_test_counts_every_exchange(found: Floats) -> None:
    observed = abs(found.sum()) - 1e-9
    sums = [abs(np.dot(signs, found)) for signs in product((-1, 1), repeat=len(found))]
    by_hand = sum(one >= observed for one in sums) / len(sums)
    tested = permutation_test(found, 10_000, 0)
    assert (tested.method, tested.seed) == ("exact", None)
    assert tested.p_value == pytest.approx(by_hand, abs=1e-12)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60))
def test_with_one_draw_an_item_the_permutation_test_is_mcnemars(found: list[float]) -> None:
    tested = permutation_test(np.array(found), 10_000, 0)
    by_mcnemar = exact_mcnemar(found.count(-1.0), found.count(1.0))
    assert tested.p_value == pytest.approx(by_mcnemar, abs=1e-9)


def many_different(n: int = 400) -> Floats:
    """Differences of so many sizes that not every sum can be counted."""
    return np.random.default_rng(3).integers(-40, 42, n) / 41


def test_random_exchanges_are_those_of_their_seed() -> None:
    found = many_different()
    one, again, other = (permutation_test(found, 999, seed) for seed in (1, 1, 2))
    assert one == again
    assert one.method == "monte-carlo"
    assert one.p_value != other.p_value
    assert one.p_value == pytest.approx(other.p_value, abs=0.1)


def test_a_random_p_value_is_never_zero() -> None:
    assert permutation_test(np.abs(many_different()) + 0.001, 999, 0).p_value == 1 / 1000


def test_the_interval_of_a_published_example() -> None:
    # statpsych, documentation of ci.prop.ps: 12, 4, 26 and 6 of 48 pairs, limits 0.2548067 and
    # 0.6251933 (Bonett and Price 2012).
    found = np.array([1.0] * 26 + [-1.0] * 4 + [0.0] * 18)
    interval = mean_difference(found, 0.95).interval
    assert (interval.lo, interval.hi) == pytest.approx((0.2548067, 0.6251933), abs=5e-8)


@given(differences(max_size=30, draws=5), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_interval_contains_the_difference_and_mirrors(found: Floats, level: float) -> None:
    one, other = mean_difference(found, level), mean_difference(-found, level)
    assert -1 <= one.interval.lo <= one.value <= one.interval.hi <= 1
    assert one.interval.hi > one.interval.lo
    assert (one.interval.lo, one.interval.hi) == pytest.approx(
        (-other.interval.hi, -other.interval.lo)
    )


@pytest.mark.parametrize(
    ("lost", "outcome"),
    [
        pytest.param(0, "pass", id="no loss"),
        pytest.param(8, "undecided", id="a loss near the margin"),
        pytest.param(40, "fail", id="a loss far beyond it"),
    ],
)
def test_non_inferiority_has_three_outcomes(lost: int, outcome: str) -> None:
    found = np.array([-1.0] * lost + [0.0] * (100 - lost))
    tested = non_inferiority(mean_difference(found, 0.95), 0.1, 0.95)
    assert tested.outcome == outcome


def test_items_that_one_run_did_not_judge_are_left_out_and_counted() -> None:
    a = outcomes_of_draws([[True, True, False], [], [True], [False]])
    b = outcomes_of_draws([[True], [True], [False, False], []])
    found = compare_outcomes(a, b, PairedSpec())
    assert (found.n_items, found.n_left_out) == (2, 2)
    assert (found.pass_rate_a, found.pass_rate_b) == pytest.approx((5 / 6, 1 / 2))


def test_without_a_shared_item_there_are_no_tests_but_a_reason() -> None:
    found = compare_outcomes(outcomes_of_draws([[]]), outcomes_of_draws([[True]]), PairedSpec())
    assert (found.mcnemar, found.difference, found.pass_rate_a) == (None, None, None)
    assert found.reason


def test_runs_of_different_length_are_refused() -> None:
    with pytest.raises(UserError, match="one run has 1 items, the other 2"):
        shared(outcomes_of_draws([[True]]), outcomes_of_draws([[True], [True]]))


@given(
    hnp.arrays(np.int64, (6, 2), elements=st.integers(0, 4)),
    st.permutations(range(6)),
)
def test_the_order_of_items_does_not_matter(
    passed: npt.NDArray[np.int64], order: list[int]
) -> None:
    runs = [Outcomes(column, np.full(6, 4), column > 2) for column in passed.T]
    moved = [Outcomes(run.passed[order], run.drawn[order], run.decided[order]) for run in runs]
    spec = PairedSpec(margin=0.1)
    one, other = (compare_outcomes(pair[0], pair[1], spec) for pair in (runs, moved))
    assert one.mcnemar == other.mcnemar
    for found, again in ((one.difference, other.difference), (one.permutation, other.permutation)):
        assert found is not None
        assert again is not None
        assert numbers(found) == pytest.approx(numbers(again))


def numbers(found: Difference | PermutationTest) -> list[float]:
    if isinstance(found, PermutationTest):
        return [found.p_value]
    return [found.value, found.interval.lo, found.interval.hi]


SIMULATED = 4000
ALPHA = 0.05


def simulated(n_items: int, n_draws: int, loss: float, seed: int) -> tuple[Floats, Floats]:
    """Shares of two runs whose chances differ by `loss` on average, many times over."""
    generator = np.random.default_rng(seed)
    chance = generator.beta(2, 1, (SIMULATED, n_items)) * (1 - loss) + loss
    a = generator.binomial(n_draws, chance, (SIMULATED, n_items)) / n_draws
    b = generator.binomial(n_draws, chance - loss, (SIMULATED, n_items)) / n_draws
    return a, b


@pytest.mark.parametrize(("n_items", "n_draws"), [(12, 1), (12, 5), (40, 1), (40, 3)])
def test_false_alarms_of_the_tests_stay_near_their_level(n_items: int, n_draws: int) -> None:
    a, b = simulated(n_items, n_draws, 0.0, 11)
    by_draws = [permutation_test(row, 499, 0).p_value for row in b - a]
    by_verdicts = [mcnemar(*pair).p_value for pair in zip(a > 0.5, b > 0.5, strict=True)]
    assert np.mean(np.array(by_draws) <= ALPHA) <= ALPHA + 0.01
    assert np.mean(np.array(by_verdicts) <= ALPHA) <= ALPHA + 0.01


@pytest.mark.parametrize(("n_items", "n_draws"), [(20, 1), (40, 1), (40, 5), (100, 3)])
def test_a_loss_of_just_the_margin_rarely_passes(n_items: int, n_draws: int) -> None:
    a, b = simulated(n_items, n_draws, 0.1, 12)
    tested = [non_inferiority(mean_difference(row, 0.95), 0.1, 0.95) for row in b - a]
    outcomes = [one.outcome for one in tested]
    # One-sided: half of what the interval leaves out.
    assert outcomes.count("pass") / SIMULATED <= ALPHA / 2 + 0.01
    assert outcomes.count("fail") / SIMULATED <= ALPHA / 2 + 0.01


@pytest.mark.parametrize(("n_items", "n_draws"), [(12, 1), (12, 5), (40, 1), (100, 3)])
def test_the_interval_of_a_difference_covers_the_truth(n_items: int, n_draws: int) -> None:
    a, b = simulated(n_items, n_draws, 0.1, 13)
    found = [mean_difference(row, 0.95).interval for row in b - a]
    assert np.mean([one.lo <= -0.1 <= one.hi for one in found]) >= 0.94
