"""Pass rates against published values, brute force and an independent package."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from schemas.errors import UserError
from tasks.packs.passing import (
    clustered_interval,
    mean_over_rows,
    pass_at_k,
    pass_hat_k,
    pass_rate,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        # Newcombe, R. G. (1998). Statistics in Medicine 17, 857-872, table I, method 3.
        pytest.param(81, 263, 0.2553, 0.3662, id="81/263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15/148"),
        pytest.param(0, 20, 0.0000, 0.1611, id="0/20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1/29"),
    ],
)
def test_wilson_gives_the_published_intervals(
    passed: int, total: int, low: float, high: float
) -> None:
    interval = wilson_interval(passed, total)
    assert (round(interval.lo, 4), round(interval.hi, 4)) == (low, high)


counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_wilson_holds_the_share_and_mirrors(tally: tuple[int, int]) -> None:
    passed, total = tally
    interval, mirrored = wilson_interval(*tally), wilson_interval(total - passed, total)
    assert 0 <= interval.lo <= passed / total <= interval.hi <= 1
    assert (1 - mirrored.hi, 1 - mirrored.lo) == pytest.approx((interval.lo, interval.hi))
    assert (interval.lo, interval.hi) == pytest.approx(
        proportion_confint(passed, total, method="wilson"), abs=1e-12
    )


@pytest.mark.parametrize(("passed", "total"), [(0, 0), (2, 1), (-1, 3)])
def test_counts_that_are_no_share_are_refused(passed: int, total: int) -> None:
    with pytest.raises(UserError):
        wilson_interval(passed, total)


small = st.integers(1, 7).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(small)
def test_both_estimators_count_subsets(case: tuple[int, int, int]) -> None:
    attempts, passed, k = case
    subsets = list(combinations([True] * passed + [False] * (attempts - passed), k))
    assert pass_at_k(*case) == Fraction(sum(map(any, subsets)), len(subsets))
    assert pass_hat_k(*case) == Fraction(sum(map(all, subsets)), len(subsets))


@given(small)
def test_one_attempt_is_the_share_and_more_help_or_harm(case: tuple[int, int, int]) -> None:
    attempts, passed, _ = case
    share = Fraction(passed, attempts)
    assert pass_at_k(attempts, passed, 1) == pass_hat_k(attempts, passed, 1) == share
    assert pass_hat_k(*case) <= share <= pass_at_k(*case)


def test_large_counts_stay_exact() -> None:
    assert pass_at_k(2000, 1, 1000) == Fraction(1, 2)
    assert pass_hat_k(2000, 1999, 1000) == Fraction(1, 2)


@pytest.mark.parametrize(("attempts", "passed", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1)])
def test_impossible_counts_are_refused(attempts: int, passed: int, k: int) -> None:
    for estimate in (pass_at_k, pass_hat_k):
        with pytest.raises(UserError):
            estimate(attempts, passed, k)


def test_nothing_judged_is_undefined_with_a_reason() -> None:
    assert pass_rate([]).reason == "nothing was judged"
    assert mean_over_rows([]).reason == "no row has that many judged attempts"


def test_attempts_that_stand_alone_have_wilsons_interval() -> None:
    alone = pass_rate([True, False, True], ["a", "b", "c"])
    assert alone == pass_rate([True, False, True])
    assert alone.interval is not None
    assert alone.interval.method == "wilson"


def test_clusters_by_hand() -> None:
    # Share 1/2; sums of deviations per group: a 1/2 + 1/2 = 1, b -1, c 0.
    # Variance 3/2 * (1 + 1 + 0) / 36 = 1/12; t with 2 degrees of freedom at 0.975 is 4.302653,
    # so the half width 4.302653 * 0.288675 = 1.2421 is more than there is room for.
    outcomes, groups = [True, True, False, False, True, False], list("aabbcc")
    interval = clustered_interval(outcomes, groups)
    assert interval is not None
    assert (interval.lo, interval.hi) == (0.0, 1.0)


attempts = st.lists(st.tuples(st.booleans(), st.integers(0, 30)), min_size=60, max_size=120)


@given(attempts)
def test_clusters_as_an_independent_package_has_them(found: list[tuple[bool, int]]) -> None:
    outcomes, groups = [a for a, _ in found], [g for _, g in found]
    if len(set(groups)) < 3 or len(set(outcomes)) < 2:
        return
    interval = clustered_interval(outcomes, groups)
    fit = sm.OLS(np.array(outcomes, float), np.ones(len(outcomes))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(groups)}, use_t=True
    )
    low, high = fit.conf_int()[0]
    assert interval is not None
    assert (interval.lo, interval.hi) == pytest.approx((max(0, low), min(1, high)))


def test_one_group_has_no_interval() -> None:
    found = pass_rate([True, False], ["a", "a"])
    assert (found.value, found.interval) == (0.5, None)


@pytest.mark.parametrize("outcome", [True, False])
def test_groups_that_all_end_alike_count_as_one_attempt_each(outcome: bool) -> None:
    interval = clustered_interval([outcome] * 6, list("aabbcc"))
    plain = wilson_interval(3 if outcome else 0, 3)
    assert interval is not None
    assert (interval.lo, interval.hi) == (plain.lo, plain.hi)
    assert interval.method == "wilson over groups"


def test_the_mean_over_rows_has_students_interval() -> None:
    # 0, 1/2, 1: mean 1/2, standard error 1/2 / sqrt(3) = 0.288675, t(2) 4.302653: beyond 0 and 1.
    metric = mean_over_rows([Fraction(0), Fraction(1, 2), Fraction(1)])
    assert (metric.value, metric.n) == (0.5, 3)
    assert metric.interval is not None
    assert (metric.interval.lo, metric.interval.hi) == (0.0, 1.0)
    # 3/8, 1/2, 5/8: standard error 1/8 / sqrt(3) = 0.0721688, half width 0.310517.
    metric = mean_over_rows([Fraction(3, 8), Fraction(1, 2), Fraction(5, 8)])
    assert metric.interval is not None
    assert metric.interval.lo == pytest.approx(0.5 - 0.310517, abs=1e-6)
    assert mean_over_rows([Fraction(1, 2)] * 2).interval is None
