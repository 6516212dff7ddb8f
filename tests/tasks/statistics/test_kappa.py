import math
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Verdict
from schemas.errors import UserError
from schemas.metrics import Metric
from tasks.statistics.agreement import (
    NO_COMMON_SIDE,
    NO_ITEMS,
    NO_RATERS,
    NO_SHARED_SIDE,
    NO_WEIGHT,
    ONE_CLASS,
    ONE_RATER,
    cohens_kappa,
    fleiss_kappa,
)
from tasks.statistics.codes import encode, encode_table

Row = tuple[Verdict, ...]
Measure = Callable[[Sequence[Row], Sequence[float] | None], Metric]
LETTERS: dict[str, Verdict] = {"G": "good", "B": "bad", "-": "abstain"}
MIRROR: dict[Verdict, Verdict] = {"good": "bad", "bad": "good", "abstain": "abstain"}
ANY_VERDICT = st.sampled_from(tuple(LETTERS.values()))
ANY_SIDE = st.sampled_from((LETTERS["G"], LETTERS["B"]))
PAIRS = st.lists(st.tuples(ANY_VERDICT, ANY_VERDICT), max_size=30)
TABLES = st.integers(2, 5).flatmap(
    lambda n_raters: st.lists(st.tuples(*[ANY_VERDICT] * n_raters), max_size=20)
)
ANY_WEIGHT = st.integers(0, 5).map(lambda fifths: fifths / 5)


def verdicts(letters: str) -> Row:
    return tuple(LETTERS[letter] for letter in letters)


def cohen_of(pairs: Sequence[Row], weights: Sequence[float] | None = None) -> Metric:
    return cohens_kappa([one for one, _ in pairs], [other for _, other in pairs], weights)


def mirrored(table: Sequence[Row]) -> list[Row]:
    return [tuple(MIRROR[verdict] for verdict in row) for row in table]


def assert_same(one: Metric, other: Metric) -> None:
    assert (one.n, one.reason) == (other.n, other.reason)
    assert one.value == pytest.approx(other.value, abs=1e-12)


@pytest.mark.parametrize(
    ("cells", "kappa"),
    [
        # Gerstman, Epidemiology Kept Simple, table 10.3: 19790 X-rays read by two raters, who call
        # 2249 and 2776 positive; observed agreement .8943, chance .7780, printed as .524.
        pytest.param(
            (1467, 782, 1309, 16232),
            1 - (782 + 1309) * 19790 / (2249 * 17014 + 17541 * 2776),
            id="gerstman",
        ),
        # Feinstein and Cicchetti (1990), J Clin Epidemiol 43(6): observed .85 in both tables,
        # chance .5008 and .78, printed as .70 and .32.
        pytest.param((40, 9, 6, 45), 0.3492 / 0.4992, id="feinstein-cicchetti-balanced"),
        pytest.param((80, 10, 5, 5), 0.07 / 0.22, id="feinstein-cicchetti-skewed"),
        # Observed .7, chance .5 * .6 + .5 * .4.
        pytest.param((20, 5, 10, 15), 0.4, id="observed-7-tenths"),
    ],
)
def test_cohens_kappa_gives_the_published_value_of_a_two_by_two_table(
    cells: tuple[int, int, int, int], kappa: float
) -> None:
    pairs = [("GG", "GB", "BG", "BB")[cell] for cell in range(4) for _ in range(cells[cell])]
    measured = cohen_of([verdicts(pair) for pair in pairs])
    assert measured.value == pytest.approx(kappa, abs=1e-12)
    assert measured.n == sum(cells)


@pytest.mark.parametrize(
    ("votes", "kappa"),
    # Fleiss (1971), table 1: 30 patients, 6 diagnoses of each; a digit says how many of the 6 were
    # the one named here. Kappa of one category is kappa of that category against the rest. With
    # v votes in all and s the sum of digit * (6 - digit), the observed disagreement is s / 450
    # and chance disagreement 2 * v * (180 - v) / 180**2.
    [
        # v = 26, s = 84: 1 - 84/450 * 4050/1001.
        pytest.param("000002022011010035010002104010", 35 / 143, id="depression"),
        pytest.param("031030000001302001200120050200", 35 / 143, id="personality-disorder"),
        # v = 30, s = 60: 1 - 2/15 * 18/5.
        pytest.param("004004430000300500020000000050", 13 / 25, id="schizophrenia"),
        # v = 55, s = 101: 1 - 101/450 * 648/275.
        pytest.param("600030014054053010400514410400", 3239 / 6875, id="neurosis"),
        # v = 43, s = 71: 1 - 71/450 * 16200/5891.
        pytest.param("031600200600001120036030102006", 3335 / 5891, id="other"),
    ],
)
def test_fleiss_kappa_gives_the_published_value_of_each_diagnosis(votes: str, kappa: float) -> None:
    measured = fleiss_kappa([verdicts("G" * int(x) + "B" * (6 - int(x))) for x in votes])
    assert measured.value == pytest.approx(kappa, abs=1e-12)
    assert measured.n == 30


PANEL_OF_ONE = [verdicts(row) for row in ("GG", "BB", "GB", "BG", "GG", "BB")]
MARGINS = (1.0, 1.0, 0.2, 0.2, 1.0, 0.6)


@pytest.mark.parametrize(
    ("weights", "kappa"),
    [
        # Two disagreements in six, both raters half good: 1 - (1/3) / (1/2).
        pytest.param(None, 1 / 3, id="unweighted"),
        # Weights sum to 4, disagreements to 0.4, good to 2.2 for both: 1 - 0.1 / 0.495.
        pytest.param((1.0, 1.0, 0.2, 0.2, 1.0, 0.6), 79 / 99, id="by-margin"),
    ],
)
@pytest.mark.parametrize("measure", [cohen_of, fleiss_kappa])
def test_weights_decide_how_much_each_item_counts(
    measure: Measure, weights: tuple[float, ...] | None, kappa: float
) -> None:
    table = [verdicts(row) for row in ("GG", "BB", "GB", "BG", "GG", "BB")]
    measured = measure(table, weights)
    assert measured.value == pytest.approx(kappa, abs=1e-12)
    assert measured.n == 6


@pytest.mark.parametrize(
    ("rows", "weights", "n", "reason"),
    [
        pytest.param((), None, 0, NO_ITEMS, id="no-items"),
        pytest.param(("G-", "-B", "--"), None, 0, NO_SHARED_SIDE, id="never-both"),
        pytest.param(("GB", "BB"), (0.0, 0.0), 2, NO_WEIGHT, id="no-weight"),
        pytest.param(("GB", "G-"), (0.0, 1.0), 1, NO_WEIGHT, id="no-weight-where-both-took-a-side"),
        pytest.param(("GG", "GG", "-B"), None, 2, ONE_CLASS, id="one-class"),
        pytest.param(("GG", "GB"), (1.0, 0.0), 2, ONE_CLASS, id="one-class-carries-all-weight"),
    ],
)
def test_an_undefined_cohens_kappa_says_why(
    rows: tuple[str, ...], weights: tuple[float, ...] | None, n: int, reason: str
) -> None:
    measured = cohen_of([verdicts(row) for row in rows], weights)
    assert measured == Metric.undefined(reason, n)


@pytest.mark.parametrize(
    ("rows", "weights", "n", "reason"),
    [
        pytest.param((), None, 0, NO_ITEMS, id="no-items"),
        pytest.param(("", ""), None, 0, NO_RATERS, id="nobody"),
        pytest.param(("G", "B"), None, 0, ONE_RATER, id="one-rater"),
        pytest.param(("GG-", "-BB"), None, 0, NO_COMMON_SIDE, id="never-all"),
        pytest.param(("GB", "BB"), (0.0, 0.0), 2, NO_WEIGHT, id="no-weight"),
        pytest.param(("BBB", "BBB", "GG-"), None, 2, ONE_CLASS, id="one-class"),
    ],
)
def test_an_undefined_fleiss_kappa_says_why(
    rows: tuple[str, ...], weights: tuple[float, ...] | None, n: int, reason: str
) -> None:
    measured = fleiss_kappa([verdicts(row) for row in rows], weights)
    assert measured == Metric.undefined(reason, n)


@pytest.mark.parametrize(
    ("rows", "n"),
    [
        pytest.param(("GG", "BG", "BG"), 3, id="one-class-reference"),
        pytest.param(("GG", "GB", "GB"), 3, id="one-class-model"),
        pytest.param(("GB",), 1, id="opposite-classes"),
    ],
)
def test_cohens_kappa_is_zero_when_one_rater_is_constant_and_the_other_not_equal(
    rows: tuple[str, ...], n: int
) -> None:
    measured = cohen_of([verdicts(row) for row in rows])
    assert (measured.value, measured.n) == (0.0, n)


def test_total_disagreement_of_balanced_raters_is_minus_one() -> None:
    table = [verdicts("GB"), verdicts("BG")]
    assert (cohen_of(table).value, fleiss_kappa(table).value) == (-1.0, -1.0)


def test_items_with_an_abstention_do_not_move_kappa() -> None:
    sided = [verdicts(row) for row in ("GG", "GB", "BB")]
    others = [verdicts(row) for row in ("-G", "B-", "--")]
    assert_same(cohen_of(sided + others), cohen_of(sided))
    assert_same(fleiss_kappa(sided + others), fleiss_kappa(sided))


def test_tuples_of_unequal_length_are_refused() -> None:
    with pytest.raises(UserError, match="row 1 has 3 verdicts where 2 are expected"):
        fleiss_kappa([verdicts("GB"), verdicts("GBB")])


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(UserError, match="one rater has 2 verdicts, the other 1"):
        cohens_kappa(verdicts("GB"), verdicts("G"))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        pytest.param((1.0,), "1 weights for 2 items", id="too-few"),
        pytest.param((1.0, -0.5), "negative or not a finite", id="negative"),
        pytest.param((1.0, math.nan), "negative or not a finite", id="nan"),
        pytest.param((1.0, math.inf), "negative or not a finite", id="infinite"),
    ],
)
@pytest.mark.parametrize("measure", [cohen_of, fleiss_kappa])
def test_weights_that_cannot_be_used_are_refused(
    measure: Measure, weights: tuple[float, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        measure([verdicts("GB"), verdicts("BB")], weights)


@given(PAIRS)
def test_codes_and_verdicts_give_the_same_kappa(pairs: list[Row]) -> None:
    codes = encode_table(pairs, 2)
    assert cohens_kappa(codes[:, 0], codes[:, 1]) == cohen_of(pairs)
    assert fleiss_kappa(codes) == fleiss_kappa(pairs)


@given(PAIRS, st.data())
def test_cohens_kappa_keeps_within_its_range(pairs: list[Row], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    for measured in (cohen_of(pairs), cohen_of(pairs, weights)):
        assert measured.value is None or -1 <= measured.value <= 1


@given(TABLES, st.data())
def test_fleiss_kappa_keeps_within_its_range(table: list[Row], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0, 1), min_size=len(table), max_size=len(table)))
    for measured in (fleiss_kappa(table), fleiss_kappa(table, weights)):
        assert measured.value is None or -1 <= measured.value <= 1


@given(PAIRS)
def test_cohens_kappa_does_not_mind_which_rater_comes_first(pairs: list[Row]) -> None:
    assert_same(cohen_of([(other, one) for one, other in pairs]), cohen_of(pairs))


@given(PAIRS)
def test_swapping_good_and_bad_leaves_cohens_kappa(pairs: list[Row]) -> None:
    assert_same(cohen_of(mirrored(pairs)), cohen_of(pairs))


@given(TABLES)
def test_swapping_good_and_bad_leaves_fleiss_kappa(table: list[Row]) -> None:
    assert_same(fleiss_kappa(mirrored(table)), fleiss_kappa(table))


@given(PAIRS, st.data())
def test_the_order_of_items_does_not_matter(pairs: list[Row], data: st.DataObject) -> None:
    weighted = [(pair, data.draw(ANY_WEIGHT)) for pair in pairs]
    shuffled = data.draw(st.permutations(weighted))
    for measure in (cohen_of, fleiss_kappa):
        once = measure([row for row, _ in weighted], [weight for _, weight in weighted])
        again = measure([row for row, _ in shuffled], [weight for _, weight in shuffled])
        assert_same(once, again)


@given(TABLES)
def test_duplicating_every_item_leaves_kappa_and_doubles_the_count(table: list[Row]) -> None:
    once, twice = fleiss_kappa(table), fleiss_kappa(table * 2)
    assert twice.n == 2 * once.n
    assert twice.value == pytest.approx(once.value, abs=1e-12)


@given(PAIRS)
def test_duplicating_every_pair_leaves_kappa_and_doubles_the_count(pairs: list[Row]) -> None:
    once, twice = cohen_of(pairs), cohen_of(pairs * 2)
    assert twice.n == 2 * once.n
    assert twice.value == pytest.approx(once.value, abs=1e-12)


@given(PAIRS, st.integers(1, 4))
def test_a_whole_weight_counts_like_that_many_copies(pairs: list[Row], copies: int) -> None:
    weights = [copies if index == 0 else 1 for index in range(len(pairs))]
    repeated = pairs[:1] * (copies - 1) + pairs
    for measure in (cohen_of, fleiss_kappa):
        expected = measure(repeated).value
        assert measure(pairs, weights).value == pytest.approx(expected, abs=1e-12)


@given(st.lists(ANY_SIDE, max_size=20), st.integers(2, 5))
def test_perfect_agreement_on_both_classes_is_one(sides: list[Verdict], n_raters: int) -> None:
    column = [*sides, *verdicts("GB")]
    assert cohens_kappa(column, column).value == 1.0
    assert fleiss_kappa([(side,) * n_raters for side in column]).value == 1.0


@given(TABLES, st.floats(0.01, 100))
def test_equal_weights_weigh_nothing(table: list[Row], weight: float) -> None:
    assert_same(fleiss_kappa(table, [weight] * len(table)), fleiss_kappa(table))
    pairs = [row[:2] for row in table]
    assert_same(cohen_of(pairs, [weight] * len(pairs)), cohen_of(pairs))


@given(TABLES)
def test_encoding_a_table_is_encoding_its_rows(table: list[Row]) -> None:
    codes = encode_table(table)
    assert np.array_equal(codes.ravel(), encode(list(chain.from_iterable(table))))
    assert len(codes) == len(table)


def test_an_empty_table_keeps_the_width_it_is_told() -> None:
    assert encode_table([], 3).shape == (0, 3)
