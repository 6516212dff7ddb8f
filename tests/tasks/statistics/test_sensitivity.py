import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.metrics import Metric
from tasks.statistics.sensitivity import spread, stability_verdict

KAPPAS = st.lists(st.none() | st.floats(-1, 1), max_size=8)


@pytest.mark.parametrize(
    ("kappas", "value", "n"),
    [
        pytest.param([0.5, 0.75, 0.25], 0.5, 3, id="largest less smallest"),
        pytest.param([-0.25, 0.5], 0.75, 2, id="across zero"),
        pytest.param([0.5, None, 0.25], 0.25, 2, id="undefined ones are left out"),
        pytest.param([0.5, 0.5], 0.0, 2, id="no movement"),
        pytest.param([0.5, None], None, 1, id="one is too few"),
        pytest.param([], None, 0, id="none at all"),
    ],
)
def test_the_range_is_that_of_the_defined_figures(
    kappas: list[float | None], value: float | None, n: int
) -> None:
    found = spread(kappas)
    assert (found.value, found.n) == (value, n)
    assert (found.reason is None) == (value is not None)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.4, 0.4, "stable"),
        (0.4, 0.449, "stable"),
        (0.40, 0.45, "moderately sensitive"),
        (0.10, 0.15, "moderately sensitive"),
        (0.4, 0.499, "moderately sensitive"),
        (0.40, 0.50, "substantive variation"),
        (0.10, 0.20, "substantive variation"),
        (0.80, 0.90, "substantive variation"),
        (-1.0, 1.0, "substantive variation"),
    ],
)
def test_a_band_begins_at_its_edge_whatever_rounding_does(
    low: float, high: float, verdict: str
) -> None:
    assert stability_verdict(spread([low, high])) == verdict


def test_without_a_range_the_verdict_says_why() -> None:
    verdict = stability_verdict(Metric.undefined("no kappas"))
    assert verdict == "undefined: no kappas"


@given(KAPPAS)
def test_the_order_of_values_does_not_matter(kappas: list[float | None]) -> None:
    assert spread(kappas) == spread(list(reversed(kappas)))


@given(KAPPAS)
def test_a_range_is_never_negative_and_an_undefined_one_has_a_reason(
    kappas: list[float | None],
) -> None:
    found = spread(kappas)
    assert found.reason if found.value is None else found.value >= 0
