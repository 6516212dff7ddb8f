"""Holm and Benjamini-Hochberg, against statsmodels and published examples."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from schemas.comparison import Correction
from schemas.errors import UserError
from tasks.statistics.adjusting import adjust

CORRECTIONS: tuple[Correction, ...] = ("holm", "benjamini-hochberg", "none")
NAMES: dict[Correction, str] = {"holm": "holm", "benjamini-hochberg": "fdr_bh"}

# Benjamini and Hochberg (1995), section 4.1: fifteen endpoints of a trial of heart attacks.
ENDPOINTS = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
]


@pytest.fixture
def quick_collections() -> Iterator[None]:
    """statsmodels searches for reference cycles in each of its Holm adjustments."""
    gc.freeze()
    yield
    gc.unfreeze()


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.usefixtures("quick_collections")
@pytest.mark.parametrize("correction", NAMES)
def test_a_thousand_families_are_adjusted_as_by_statsmodels(correction: Correction) -> None:
    generator = np.random.default_rng(5)
    for size in generator.integers(1, 30, 1000):
        family = np.round(generator.random(size) ** 3, int(generator.integers(1, 9)))
        theirs = multipletests(family, method=NAMES[correction])[1]
        assert adjust(family.tolist(), correction) == pytest.approx(theirs.tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("correction", "rejected"),
    # The paper rejects four hypotheses at 0.05 by its procedure, Bonferroni's only three.
    [("benjamini-hochberg", 4), ("holm", 3)],
)
def test_the_published_example_rejects_as_published(correction: Correction, rejected: int) -> None:
    assert sum(p <= 0.05 for p in adjust(ENDPOINTS, correction)) == rejected


def test_holm_by_hand() -> None:
    # 3 x 0.01 = 0.03; 2 x 0.02 = 0.04; 1 x 0.03 is not below the one before it.
    assert adjust([0.02, 0.01, 0.03], "holm") == pytest.approx([0.04, 0.03, 0.04])


def test_benjamini_hochberg_by_hand() -> None:
    # 0.01 x 3/1 = 0.03; 0.04 x 3/2 = 0.06, but 0.05 x 3/3 = 0.05 is smaller.
    assert adjust([0.04, 0.01, 0.05], "benjamini-hochberg") == pytest.approx([0.05, 0.03, 0.05])


@given(P_VALUES, st.sampled_from(CORRECTIONS))
def test_adjusting_never_makes_a_p_value_smaller_or_changes_the_order(
    family: list[float], correction: Correction
) -> None:
    adjusted = adjust(family, correction)
    assert all(before <= after <= 1 for before, after in zip(family, adjusted, strict=True))
    ranked = [after for _, after in sorted(zip(family, adjusted, strict=True))]
    assert ranked == sorted(ranked)


@given(st.floats(0, 1), st.sampled_from(CORRECTIONS))
def test_a_single_test_needs_no_correction(p: float, correction: Correction) -> None:
    assert adjust([p], correction) == [p]


@given(P_VALUES)
def test_holm_is_stricter_than_benjamini_hochberg(family: list[float]) -> None:
    both = zip(adjust(family, "holm"), adjust(family, "benjamini-hochberg"), strict=True)
    assert all(holm >= other - 1e-12 for holm, other in both)


def test_no_tests_are_no_problem() -> None:
    assert adjust([], "holm") == []


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(wrong: float) -> None:
    with pytest.raises(UserError, match="not between 0 and 1"):
        adjust([0.5, wrong], "holm")
