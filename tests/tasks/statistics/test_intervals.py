import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from schemas.base import Verdict
from schemas.metrics import Interval
from tasks.statistics import Judgement, Request, Tally, measure
from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Coefficient, Floats, Kind
from tasks.statistics.draws import bootstrap_sums, posterior_sums, subsample_places
from tasks.statistics.intervals import (
    NO_DRAW,
    ONE_UNIT,
    IntervalSpec,
    bootstrap,
    dirichlet,
    quantiles,
    subsampling,
    wilson,
)
from tasks.statistics.units import Units, item_features, make_units

KINDS: tuple[Kind, ...] = ("cohen", "fleiss", "alpha", "ac1", "brennan_prediger", "raw")
TWELVE = np.array([(i % 2 ^ (i in {3, 7}), i % 2) for i in range(12)], dtype=np.int8)
"""One rater says good on even items and bad on odd; the other differs on items 3 and 7."""


def units_of(
    kind: Kind,
    table: Codes,
    n_classes: int = 2,
    weights: Floats | None = None,
    clusters: Sequence[int] | None = None,
) -> tuple[Units, float]:
    measure = Coefficient(kind, n_classes)
    given = np.ones(len(table)) if weights is None else weights
    units = make_units(measure, table, given, None if clusters is None else np.array(clusters))
    return units, float(measure.values(units.sums))


def subsampled(kind: Kind, table: Codes, **changes: int) -> Interval | str:
    units, value = units_of(kind, table)
    features = item_features(units.measure, table, np.ones(len(table)))
    return subsampling(units, features, value, IntervalSpec("subsampling", **changes))


def ends(found: Interval | str) -> tuple[float, float]:
    assert isinstance(found, Interval), found
    return found.lo, found.hi


def test_subsampling_draws_what_cpython_draws() -> None:
    places = subsample_places(12, 6, 2, seed=0)
    assert places.tolist() == [[6, 11, 0, 4, 7, 3], [4, 7, 5, 3, 2, 10]]


@pytest.mark.parametrize(
    ("kind", "expected"), [("cohen", (0.203354, 0.910461)), ("fleiss", (0.147231, 0.918621))]
)
def test_subsampling_gives_the_published_interval_of_twelve_items(
    kind: Kind, expected: tuple[float, float]
) -> None:
    assert ends(subsampled(kind, TWELVE)) == pytest.approx(expected, abs=5e-7)


def test_subsampling_scores_a_drawn_item_against_its_own_reference() -> None:
    perfect = np.array([(i % 2, i % 2) for i in range(40)], dtype=np.int8)
    assert ends(subsampled("cohen", perfect)) == (1.0, 1.0)


@pytest.mark.parametrize(("n_items", "size"), [(10, 5), (12, 6), (30, 11), (100, 25)])
def test_a_subsample_holds_n_to_the_power_of_seven_tenths(n_items: int, size: int) -> None:
    table = np.array([(i % 2, i % 3 % 2) for i in range(n_items)], dtype=np.int8)
    default, stated = subsampled("cohen", table), subsampled("cohen", table, subsample_size=size)
    assert default == stated


@pytest.mark.parametrize(
    ("rows", "changes", "reason"),
    [
        (TWELVE[:9], {}, "needs 10 items, there are 9"),
        (TWELVE, {"subsample_size": 1}, "a draw of 1 items"),
        (TWELVE, {"subsample_size": 12}, "a draw of 12 items"),
    ],
)
def test_subsampling_says_when_it_cannot_be_applied(
    rows: Codes, changes: dict[str, int], reason: str
) -> None:
    found = subsampled("cohen", rows, **changes)
    assert isinstance(found, str)
    assert reason in found


def test_the_posterior_of_two_raters_is_dirichlet_with_a_half_added_to_each_cell() -> None:
    units, _ = units_of("cohen", TWELVE)
    sums = posterior_sums(units, 20_000, np.random.default_rng(5))
    cells = sums / sums.sum(axis=1, keepdims=True)
    for cell, count in enumerate((6, 2, 0, 4)):
        expected = stats.beta(count + 0.5, 14 - count - 0.5)
        # Kolmogorov's distance stays below 1.95 / sqrt(draws) with probability 0.999.
        distance = stats.kstest(cells[:, cell], expected.cdf).statistic
        assert distance < 1.95 / math.sqrt(20_000)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_pseudo_items_hold_one_disagreement_in_all(kind: Kind, n_classes: int) -> None:
    measured = Coefficient(kind, n_classes)
    pseudo, masses = measured.pseudo_items(2 if kind == "cohen" else 4)
    if kind == "cohen":
        n_items = masses.sum()
    else:
        # Two raters: a k-th of the items are unanimous. Four: the others come as they do by chance.
        k = n_classes
        n_items = 1 / (k - 1) + k / (k - 1) * (1 - k**-3)
    assert masses.sum() == pytest.approx(n_items)
    if kind != "alpha":  # the others give observed disagreement as a share
        observed = measured.disagreement(masses @ pseudo).observed
        assert float(observed) * masses.sum() == pytest.approx(1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pseudo_items_are_unanimous_as_often_however_many_raters_there_are(n_classes: int) -> None:
    for n_raters in (2, 3, 4, 9):
        pseudo, masses = Coefficient("raw", n_classes).pseudo_items(n_raters)
        unanimous = pseudo[:, 1] == 0
        assert masses[unanimous].sum() == pytest.approx(1 / (n_classes - 1))


def test_the_default_interval_follows_the_tails_of_student() -> None:
    units, value = units_of("raw", TWELVE)
    spec = IntervalSpec(iterations=4000, seed=3)
    lo, hi = ends(dirichlet(units, value, spec))
    values = units.measure.values(posterior_sums(units, 4000, spec.generator()))
    tail = stats.norm.cdf(stats.t.ppf(0.025, 11))
    assert (lo, hi) == pytest.approx(tuple(np.quantile(values, [tail, 1 - tail])), abs=1e-12)


def test_perfect_agreement_reaches_up_to_one_and_leaves_doubt_below() -> None:
    perfect = np.array([(i % 2, i % 2) for i in range(12)], dtype=np.int8)
    lo, hi = ends(dirichlet(*units_of("cohen", perfect), IntervalSpec()))
    assert hi == 1.0
    assert 0.3 < lo < 0.9


def test_items_that_fall_together_widen_the_interval() -> None:
    rng = np.random.default_rng(8)
    once = rng.integers(0, 2, (15, 2), dtype=np.int8)
    table = np.repeat(once, 4, axis=0)
    spec = IntervalSpec(iterations=4000)
    alone = ends(dirichlet(*units_of("cohen", table), spec))
    together = ends(
        dirichlet(*units_of("cohen", table, clusters=list(np.repeat(range(15), 4))), spec)
    )
    assert together[1] - together[0] > 1.5 * (alone[1] - alone[0])


def test_clusters_of_one_item_are_no_clusters() -> None:
    spec = IntervalSpec()
    plain = dirichlet(*units_of("cohen", TWELVE), spec)
    assert dirichlet(*units_of("cohen", TWELVE, clusters=range(12)), spec) == plain


def test_the_unit_of_weights_does_not_matter() -> None:
    weights = np.linspace(0.2, 1, 12)
    small, large = (
        ends(dirichlet(*units_of("cohen", TWELVE, weights=scale * weights), IntervalSpec()))
        for scale in (1, 1000)
    )
    assert small == pytest.approx(large, abs=1e-9)


def test_the_bootstrap_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    table = np.where(rng.random((60, 2)) < 0.6, rng.integers(0, 2, (60, 1)), 0).astype(np.int8)

    def kappa(places: Floats) -> float:
        drawn = table[places.astype(int)]
        return float(units_of("cohen", drawn)[1])

    expected = stats.bootstrap(
        (np.arange(60),), kappa, n_resamples=3000, method="BCa", vectorized=False, rng=rng
    ).confidence_interval
    found = bootstrap(*units_of("cohen", table), IntervalSpec(iterations=20_000))
    assert isinstance(found, Interval)
    assert found.method == "bootstrap-bca"
    assert ends(found) == pytest.approx(tuple(expected), abs=0.04)


def test_the_bootstrap_names_percentiles_where_the_correction_is_undefined() -> None:
    perfect = np.array([(i % 2, i % 2) for i in range(12)], dtype=np.int8)
    found = bootstrap(*units_of("cohen", perfect), IntervalSpec())
    assert found == Interval(lo=1, hi=1, method="bootstrap-percentile", iterations=1000)


def test_a_figure_and_its_double_have_the_same_interval() -> None:
    # Brennan-Prediger of two classes is twice raw agreement less one.
    for find in (dirichlet, bootstrap):
        raw = ends(find(*units_of("raw", TWELVE), IntervalSpec()))
        doubled = ends(find(*units_of("brennan_prediger", TWELVE), IntervalSpec()))
        assert doubled == pytest.approx(tuple(2 * end - 1 for end in raw), abs=1e-12)


def test_draws_that_are_all_undefined_leave_no_interval() -> None:
    one_class = np.zeros((4, 2), dtype=np.int8)
    units, _ = units_of("cohen", one_class)
    assert bootstrap(units, 0.5, IntervalSpec()) == NO_DRAW
    assert quantiles(np.array([np.nan, np.nan]), 0.5, IntervalSpec(), "m") == NO_DRAW


def test_subsamples_that_are_all_undefined_leave_a_point() -> None:
    # One item in twelve differs; draws of two seldom hold it, and never with the other class.
    table = np.array([(0, 0)] * 11 + [(1, 1)], dtype=np.int8)
    places = subsample_places(12, 2, 1, seed=4)
    assert 11 not in places
    found = subsampled("cohen", table, subsample_size=2, iterations=1, seed=4)
    assert found == Interval(lo=1, hi=1, method="subsampling", iterations=1)


@pytest.mark.parametrize(
    "rows",
    [
        # Without the only item of the second class kappa is undefined, so is the jackknife.
        pytest.param([(0, 0)] * 6 + [(0, 1)], id="a figure that hangs on one item"),
        # Every item gives the same when left out: there is no skew to measure.
        pytest.param([(0, 1), (1, 0)] * 3, id="a flat jackknife"),
    ],
)
def test_the_bootstrap_falls_back_to_percentiles(rows: list[tuple[int, int]]) -> None:
    found = bootstrap(*units_of("alpha", np.array(rows, dtype=np.int8)), IntervalSpec())
    assert isinstance(found, Interval)
    assert found.method == "bootstrap-percentile"


def test_draws_on_one_side_of_the_estimate_leave_the_bootstrap_to_percentiles() -> None:
    # A single draw lies below the estimate, at it or above; only at it half of it is below.
    methods = set()
    for seed in range(12):
        units, value = units_of("raw", TWELVE)
        found = bootstrap(units, value, IntervalSpec(iterations=1, seed=seed))
        assert isinstance(found, Interval)
        assert found.lo == found.hi
        assert (found.method == "bootstrap-bca") == (found.lo == pytest.approx(value))
        methods.add(found.method)
    assert methods == {"bootstrap-bca", "bootstrap-percentile"}


def test_a_correction_that_would_turn_the_tails_over_leaves_percentiles() -> None:
    # One disagreement in forty: the acceleration is close to -1/6, and far out in the tails
    # 1 - a z is below zero.
    rows = np.array([(0, 0)] * 39 + [(0, 1)], dtype=np.int8)
    usual, extreme = (
        bootstrap(*units_of("raw", rows), IntervalSpec(confidence=confidence))
        for confidence in (0.95, 1 - 1e-12)
    )
    assert isinstance(usual, Interval)
    assert isinstance(extreme, Interval)
    assert (usual.method, extreme.method) == ("bootstrap-bca", "bootstrap-percentile")


def test_two_level_draws_that_are_all_undefined_leave_no_interval() -> None:
    sides: tuple[tuple[Verdict, Tally], ...] = (("good", Tally(3, 0, 0)), ("bad", Tally(0, 3, 0)))
    items = [Judgement(side, (side,), side, tally) for side, tally in sides]
    found = []
    for seed in range(8):
        spec = IntervalSpec("two-level", iterations=1, seed=seed)
        kappa = measure(items, (), request=Request(interval=spec)).cohens_kappa["consensus"]
        assert kappa.value == 1
        # Drawing one of two items twice leaves one class, and kappa undefined.
        found.append(kappa.no_interval)
        assert (kappa.interval is None) == (kappa.no_interval == NO_DRAW)
    assert set(found) == {None, NO_DRAW}


def test_a_bootstrap_draw_holds_as_many_items_as_there_are() -> None:
    units, _ = units_of("cohen", TWELVE)
    assert (bootstrap_sums(units, 50, np.random.default_rng(1)).sum(axis=1) == 12).all()


@pytest.mark.parametrize("n_raters", [3, 70])
@pytest.mark.parametrize("kind", ["fleiss", "alpha", "ac1", "raw"])
def test_units_add_up_to_the_items_however_many_raters_there_are(kind: Kind, n_raters: int) -> None:
    table = np.random.default_rng(4).integers(0, 4, (50, n_raters), dtype=np.int8)
    measure = Coefficient(kind, 4)
    units = make_units(measure, table, np.ones(50))
    assert units.number == 50
    assert units.sums == pytest.approx(measure.features(table).sum(axis=0))


@pytest.mark.parametrize("find", [dirichlet, bootstrap])
def test_a_single_item_has_no_interval(find: object) -> None:
    assert callable(find)
    assert find(*units_of("raw", TWELVE[:1]), IntervalSpec()) == ONE_UNIT


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_interval_is_that_of_statsmodels(tally: tuple[int, int]) -> None:
    hits, n = tally
    found = wilson(hits, n)
    assert found is not None
    expected = proportion_confint(hits, n, method="wilson")
    assert (found.lo, found.hi) == pytest.approx(expected, abs=1e-9)
    assert found.lo <= hits / n <= found.hi


def test_wilson_has_nothing_to_say_about_no_trials() -> None:
    assert wilson(0, 0) is None


@settings(max_examples=30)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=15), st.integers())
def test_the_default_interval_contains_the_estimate_and_repeats_itself(
    rows: list[tuple[int, ...]], seed: int
) -> None:
    table = np.array(rows, dtype=np.int8)
    for kind in KINDS:
        units, value = units_of(kind, table[:, :2] if kind == "cohen" else table)
        if not math.isnan(value) and units.number:
            spec = IntervalSpec(iterations=60, seed=seed)
            found = dirichlet(units, value, spec)
            assert found == dirichlet(units, value, spec)
            if isinstance(found, Interval):
                assert found.lo <= value <= found.hi
