"""Plans: numbers worked by hand, and studies simulated to see that they reach their goal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from schemas.planning import Spread
from tasks.statistics.outcomes import Outcomes, outcomes_of_draws
from tasks.statistics.paired_tests import mean_difference, permutation_test
from tasks.statistics.pilots import assumed_spread, pilot_spread
from tasks.statistics.planning import (
    Sureness,
    plan_budget,
    plan_difference,
    plan_width,
    variance_of_item,
)
from tasks.statistics.shares import mean_share

SPREADS = st.builds(assumed_spread, st.floats(0.05, 0.95), st.floats(0.01, 1), st.floats(-1, 1))
RUNS = 1000


def test_one_draw_an_item_needs_the_items_of_a_proportion() -> None:
    # 1.96 squared times a quarter, over 0.05 squared: the 385 of every textbook.
    found = plan_width(assumed_spread(0.5), 0.1, Sureness(), (1,))
    assert (found.rows[0].n_items, found.rows[0].calls) == (385, 385)


def test_samples_help_only_against_the_variance_within_items() -> None:
    # Half of a quarter lies within items: 385 x (1/2 + 1/10) = 230.5.
    found = plan_width(assumed_spread(0.5, icc=0.5), 0.1, Sureness(), (1, 5))
    assert [row.n_items for row in found.rows] == [385, 231]
    assert found.fewest_calls.n_samples == 1


def test_a_difference_of_two_runs_by_hand() -> None:
    # (1.95996 + 0.84162)² x 2 (0.125 x 0.5 + 0.125) / 0.01 = 294.3.
    found = plan_difference(assumed_spread(0.5, 0.5, 0.5), 0.1, Sureness(), (1,))
    assert found.rows[0].n_items == 295


def test_items_that_cost_something_make_samples_worth_it() -> None:
    # Cochran (1977), 10.6: best samples sqrt(cost x within / between) = sqrt(9) = 3.
    best = plan_budget(assumed_spread(0.5, icc=0.5), 1200, Sureness(), item_cost=9.0).best
    assert (best.n_samples, best.n_items) == (3, 100)


def test_free_items_take_the_whole_budget() -> None:
    best = plan_budget(assumed_spread(0.7), 60, Sureness()).best
    assert (best.n_samples, best.n_items) == (1, 60)


def test_when_items_run_out_samples_take_the_rest() -> None:
    best = plan_budget(assumed_spread(0.7), 60, Sureness(), max_items=20).best
    assert (best.n_samples, best.n_items, best.calls) == (3, 20, 60)


def test_calls_that_change_nothing_are_not_spent() -> None:
    best = plan_budget(assumed_spread(0.7, icc=1.0), 60, Sureness(), max_items=20).best
    assert best.calls == 20


@given(SPREADS, st.integers(2, 300), st.integers(2, 50))
def test_a_split_stays_within_its_budget_and_no_other_is_narrower(
    spread: Spread, calls: int, max_items: int
) -> None:
    found = plan_budget(spread, calls, Sureness(), max_items=max_items)
    assert found.best.calls <= calls
    assert found.best.n_items <= max_items
    assert all(found.best.width <= other.width + 1e-9 for other in found.others)


@given(SPREADS, st.floats(0.02, 0.5))
def test_more_samples_never_need_more_items(spread: Spread, width: float) -> None:
    items = [row.n_items for row in plan_width(spread, width, Sureness(), (1, 2, 5, 20)).rows]
    assert items == sorted(items, reverse=True)


def drawn(generator: np.random.Generator, n_items: int, n_samples: int) -> Outcomes:
    """Items whose chances are beta(2, 2): variance 1/20 between, 1/5 within."""
    passed = generator.binomial(n_samples, generator.beta(2, 2, n_items))
    return Outcomes(passed, np.full(n_items, n_samples), 2 * passed > n_samples)


TRUE = assumed_spread(0.5, icc=0.2, correlation=0.0)


def test_the_truth_of_these_simulations_is_what_a_large_pilot_finds() -> None:
    generator = np.random.default_rng(1)
    pair = drawn(generator, 20_000, 5), drawn(generator, 20_000, 5)
    found = pilot_spread(pair)
    assert (found.icc, found.rate) == pytest.approx((TRUE.icc, 0.5), abs=0.01)
    assert found.correlation == pytest.approx(0.0, abs=0.05)
    assert (found.source, found.assumed) == ("pilot", ())


def test_a_planned_interval_has_the_wanted_width() -> None:
    (row,) = plan_width(TRUE, 0.2, Sureness(), (3,)).rows
    generator = np.random.default_rng(2)
    found = [mean_share(drawn(generator, row.n_items, 3).shares) for _ in range(RUNS)]
    widths = [one.interval.hi - one.interval.lo for one in found if one.interval is not None]
    assert np.mean(widths) == pytest.approx(0.2, rel=0.05)


def test_a_planned_difference_is_detected_as_often_as_wanted() -> None:
    # Items of both runs have the same chances but for the difference.
    spread = assumed_spread(0.5, icc=0.2, correlation=1.0)
    (row,) = plan_difference(spread, 0.15, Sureness(), (3,)).rows
    generator = np.random.default_rng(3)
    detected = 0
    for _ in range(RUNS):
        chance = np.clip(generator.beta(2, 2, row.n_items), 0.075, 0.925)
        a = generator.binomial(3, chance - 0.075) / 3
        b = generator.binomial(3, chance + 0.075) / 3
        detected += permutation_test(b - a, 499, 0).p_value <= 0.05
    assert detected / RUNS == pytest.approx(0.8, abs=0.06)


def test_the_detectable_difference_is_the_inverse_of_planning_for_it() -> None:
    best = plan_budget(TRUE, 500, Sureness()).best
    goal = plan_difference(TRUE, best.detectable_difference, Sureness(), (best.n_samples,))
    assert goal.rows[0].n_items == pytest.approx(best.n_items, abs=1)


def test_the_spread_of_a_small_pilot_by_hand() -> None:
    # Shares 1, 1/2, 0: within 0.5/3, between 1/4 less half of that; rate (1.5 + 2) / 7.
    found = pilot_spread([outcomes_of_draws([[True, True], [True, False], [False, False]])])
    within, between = 1 / 6, 1 / 4 - 1 / 12
    assert found.icc == pytest.approx(between / (between + within))
    assert found.rate == pytest.approx(0.5)
    assert variance_of_item(found, 1) == pytest.approx(0.25)
    assert found.assumed == ("correlation",)


@pytest.mark.parametrize(
    "draws",
    [
        pytest.param([[True], [False]], id="one draw an item"),
        pytest.param([[True, True], [True, True]], id="no spread"),
    ],
)
def test_what_a_pilot_cannot_tell_is_assumed_and_said(draws: list[list[bool]]) -> None:
    found = pilot_spread([outcomes_of_draws(draws)])
    assert (found.icc, found.assumed) == (0.5, ("icc", "correlation"))
    assert 0 < found.rate < 1


def test_what_the_user_knows_takes_precedence_over_the_pilot() -> None:
    pilot = [outcomes_of_draws([[True, True], [True, False], [False, False]])]
    found = pilot_spread(pilot, icc=0.9, correlation=0.3)
    assert (found.icc, found.correlation, found.assumed) == (0.9, 0.3, ("icc", "correlation"))


def test_a_pilot_of_one_item_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        pilot_spread([outcomes_of_draws([[True, False], []])])
    assert caught.value.code == "too_few_items"


def test_an_interval_of_differences_is_as_wide_as_planned() -> None:
    found = plan_budget(TRUE, 300, Sureness()).best
    generator = np.random.default_rng(4)
    differences = drawn(generator, found.n_items, found.n_samples).shares - (
        drawn(generator, found.n_items, found.n_samples).shares
    )
    interval = mean_difference(differences, 0.95).interval
    # 1.96 / (1.96 + 0.84) of the detectable difference to each side.
    expected = found.detectable_difference * 2 * 1.96 / 2.8016
    assert interval.hi - interval.lo == pytest.approx(expected, rel=0.1)
