"""Coefficients beside kappa, against other implementations and published examples."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from tasks.statistics.agreement import NO_PAIR, ONE_CLASS, agreement
from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Kind

KINDS: tuple[Kind, ...] = ("cohen", "fleiss", "alpha", "ac1", "brennan_prediger", "raw")
N_TABLES = 1000
TABLES = st.integers(2, 3).flatmap(
    lambda k: st.integers(2, 4).flatmap(
        lambda r: st.tuples(
            st.just(k),
            st.lists(st.lists(st.integers(0, k), min_size=r, max_size=r), min_size=1, max_size=12),
        )
    )
)


def codes(rows: Sequence[Sequence[int]]) -> Codes:
    return np.array(rows, dtype=np.int8)


def random_table(rng: np.random.Generator, *, complete: bool) -> tuple[Codes, int]:
    n_classes, n_raters = int(rng.integers(2, 4)), int(rng.integers(2, 6))
    n_items = int(rng.integers(1, 60))
    follow = rng.random((n_items, n_raters)) < rng.random()
    shared = rng.integers(0, n_classes, (n_items, 1))
    table = np.where(follow, shared, rng.integers(0, n_classes, (n_items, n_raters)))
    if not complete:
        table = np.where(rng.random(table.shape) < 0.3, n_classes, table)
    return table.astype(np.int8), n_classes


def of_pairs(cells: Sequence[Sequence[int]]) -> Codes:
    """Two raters with this cross table."""
    return codes(
        [(a, b) for a, row in enumerate(cells) for b, n in enumerate(row) for _ in range(n)]
    )


def shares(rows: list[list[int]], n_classes: int) -> list[Fraction]:
    rated = [Counter(row) for row in rows]
    return [
        sum((Fraction(c[k], c.total()) for c in rated), Fraction()) / len(rated)
        for k in range(n_classes)
    ]


def observed(rows: list[list[int]]) -> Fraction | None:
    """Mean share of agreeing pairs, in exact arithmetic and straight from the definition."""
    paired = [list(combinations(row, 2)) for row in rows if len(row) >= 2]
    if not paired:
        return None
    return sum(
        (Fraction(sum(a == b for a, b in pairs), len(pairs)) for pairs in paired), Fraction()
    ) / len(paired)


def plain_ac1(rows: list[list[int]], n_classes: int) -> float | None:
    agreed = observed(rows)
    if agreed is None:
        return None
    chance = sum(p * (1 - p) for p in shares(rows, n_classes)) / (n_classes - 1)
    return float((agreed - chance) / (1 - chance))


def plain_brennan_prediger(rows: list[list[int]], n_classes: int) -> float | None:
    agreed, chance = observed(rows), Fraction(1, n_classes)
    return None if agreed is None else float((agreed - chance) / (1 - chance))


def plain_raw(rows: list[list[int]], n_classes: int) -> float | None:
    agreed = observed(rows)
    return None if agreed is None else float(agreed)


def test_cohens_kappa_is_that_of_statsmodels_on_a_thousand_tables() -> None:
    rng = np.random.default_rng(1)
    for _ in range(N_TABLES):
        table, k = random_table(rng, complete=True)
        cells = np.zeros((k, k))
        np.add.at(cells, (table[:, 0], table[:, 1]), 1)
        measured = agreement("cohen", table[:, :2], n_classes=k)
        if measured.reason == ONE_CLASS:
            assert np.trace(cells) == cells.max() == cells.sum()
        else:
            expected = inter_rater.cohens_kappa(cells, return_results=False)
            assert measured.value == pytest.approx(expected, abs=1e-9)


def test_fleiss_kappa_is_that_of_statsmodels_on_a_thousand_tables() -> None:
    rng = np.random.default_rng(2)
    for _ in range(N_TABLES):
        table, k = random_table(rng, complete=True)
        measured = agreement("fleiss", table, n_classes=k)
        if measured.reason == ONE_CLASS:
            assert len(np.unique(table)) == 1
        else:
            counts = np.stack([(table == c).sum(axis=1) for c in range(k)], axis=1)
            assert measured.value == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-9)


def test_alpha_is_that_of_the_krippendorff_package_on_a_thousand_tables_with_gaps() -> None:
    rng = np.random.default_rng(3)
    for _ in range(N_TABLES):
        table, k = random_table(rng, complete=False)
        measured = agreement("alpha", table, n_classes=k)
        pairable = table[(table < k).sum(axis=1) >= 2]
        if measured.value is None:
            assert len(np.unique(pairable[pairable < k])) <= 1
            continue
        data = np.where(table < k, table, np.nan).T
        expected = krippendorff.alpha(data, level_of_measurement="nominal")
        assert measured.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "plain"),
    [("ac1", plain_ac1), ("brennan_prediger", plain_brennan_prediger), ("raw", plain_raw)],
)
def test_a_coefficient_follows_its_definition_on_a_thousand_tables_with_gaps(
    kind: Kind, plain: Callable[[list[list[int]], int], float | None]
) -> None:
    rng = np.random.default_rng(4)
    for _ in range(N_TABLES):
        table, k = random_table(rng, complete=False)
        rows = [[int(code) for code in row if code < k] for row in table]
        measured = agreement(kind, table, n_classes=k)
        expected = plain([row for row in rows if row], k)
        assert (measured.value is None) == (expected is None)
        if expected is not None:
            assert measured.value == pytest.approx(expected, abs=1e-9)


def test_alpha_of_krippendorffs_example_with_four_observers_and_gaps() -> None:
    # Krippendorff (2011), example C: nominal alpha .743, over 40 pairable values.
    rows = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    table = codes([[5 if c == "." else int(c) - 1 for c in row.split()] for row in rows]).T
    measured = agreement("alpha", table, n_classes=5)
    assert measured.value == pytest.approx(0.743, abs=5e-4)
    assert measured.n == 11  # the twelfth unit has one value


def test_alpha_of_krippendorffs_binary_example_of_two_observers() -> None:
    # Krippendorff (2011), example A: ten articles, alpha = .095.
    meg, owen = "0100000010", "1110010000"
    measured = agreement("alpha", codes([[int(a), int(b)] for a, b in zip(meg, owen, strict=True)]))
    assert measured.value == pytest.approx(0.095, abs=5e-4)


def test_fleiss_kappa_of_the_example_with_fourteen_raters() -> None:
    # The ten subjects, five categories, of the encyclopedic example after Fleiss: kappa = 0.210.
    counts = (
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    )  # fmt: skip
    table = codes([[c for c, n in enumerate(row) for _ in range(n)] for row in counts])
    assert agreement("fleiss", table, n_classes=5).value == pytest.approx(0.210, abs=5e-4)


def test_kappa_falls_below_zero_where_ac1_sees_near_perfect_agreement() -> None:
    # 118 of 125 agreed positives, none negative: p_o .944, pi .972, AC1 chance 2 * .972 * .028.
    table = of_pairs([[118, 5], [2, 0]])
    kappa, ac1 = agreement("cohen", table), agreement("ac1", table)
    assert kappa.value == pytest.approx(1 - 7 * 125 / (123 * 5 + 2 * 120), abs=1e-12)
    assert ac1.value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432), abs=1e-12)
    assert ac1.chance == pytest.approx(0.054432)


def test_chance_is_what_a_coefficient_subtracts() -> None:
    table = of_pairs([[80, 10], [5, 5]])
    raw = agreement("raw", table).value
    for kind in ("cohen", "ac1", "brennan_prediger"):
        found = agreement(kind, table)
        assert found.value is not None
        assert raw is not None
        assert found.chance is not None
        assert found.value == pytest.approx((raw - found.chance) / (1 - found.chance), abs=1e-12)


@pytest.mark.parametrize("kind", ["alpha", "raw", "ac1", "brennan_prediger"])
def test_without_a_pair_of_ratings_nothing_is_defined(kind: Kind) -> None:
    measured = agreement(kind, codes([[0, 2], [2, 1]]))
    assert (measured.reason, measured.n) == (NO_PAIR, 0)


def test_one_class_throughout_leaves_only_the_uncorrected_ones() -> None:
    table = codes([[0, 0], [0, 0]])
    found = {kind: agreement(kind, table).value for kind in KINDS}
    assert found["raw"] == found["ac1"] == found["brennan_prediger"] == 1.0
    assert found["cohen"] is found["fleiss"] is found["alpha"] is None


def test_abstaining_is_a_third_class_when_asked_for() -> None:
    # G/G, B/B, -/-, G/-: 1 - (1/4) / (1 - (2*1 + 1*1 + 1*2) / 16).
    table = codes([[0, 0], [1, 1], [2, 2], [0, 2]])
    assert agreement("cohen", table).value == 1.0
    three = agreement("cohen", table, n_classes=3)
    assert three.value == pytest.approx(1 - 4 / 11)
    assert three.n == 4


@given(TABLES, st.randoms(use_true_random=False))
def test_names_of_classes_and_order_of_items_do_not_matter(
    drawn: tuple[int, list[list[int]]], random: Random
) -> None:
    k, rows = drawn
    names = list(range(k))
    random.shuffle(names)
    moved = [[names[c] if c < k else c for c in row] for row in rows]
    random.shuffle(moved)
    for kind in KINDS:
        raters = 2 if kind == "cohen" else len(rows[0])
        one = agreement(kind, codes(rows)[:, :raters], n_classes=k)
        other = agreement(kind, codes(moved)[:, :raters], n_classes=k)
        assert (one.n, one.reason) == (other.n, other.reason)
        assert one.value == pytest.approx(other.value, abs=1e-9)


@given(TABLES)
def test_every_item_twice_leaves_all_but_alpha(drawn: tuple[int, list[list[int]]]) -> None:
    k, rows = drawn
    for kind in KINDS:
        if kind == "alpha":
            continue  # its correction for small samples shrinks
        raters = 2 if kind == "cohen" else len(rows[0])
        one = agreement(kind, codes(rows)[:, :raters], n_classes=k)
        twice = agreement(kind, codes(rows + rows)[:, :raters], n_classes=k)
        assert twice.n == 2 * one.n
        assert one.value == pytest.approx(twice.value, abs=1e-9)
