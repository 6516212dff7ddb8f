import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Verdict
from schemas.metrics import Metric
from tasks.statistics.agreement import NO_ITEMS
from tasks.statistics.coverage import coverage

G: Verdict = "good"
B: Verdict = "bad"
A: Verdict = "abstain"
COLUMNS = st.lists(st.sampled_from((G, B, A)), min_size=1)


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        pytest.param((G, B), 1.0, id="always-a-side"),
        pytest.param((G, A, B, A), 0.5, id="half"),
        pytest.param((A, A), 0.0, id="never"),
    ],
)
def test_coverage_is_the_share_of_sides_taken(verdicts: tuple[Verdict, ...], value: float) -> None:
    assert coverage(verdicts) == Metric(value=value, n=len(verdicts))


@pytest.mark.parametrize("reason", [NO_ITEMS, "no item has a usable sample"])
def test_coverage_of_nothing_is_undefined_for_the_reason_given(reason: str) -> None:
    assert coverage((), reason) == Metric.undefined(reason)


@given(COLUMNS)
def test_coverage_is_a_share(verdicts: list[Verdict]) -> None:
    value = coverage(verdicts).value
    assert value is not None
    assert 0 <= value <= 1


@given(COLUMNS)
def test_coverage_does_not_depend_on_order(verdicts: list[Verdict]) -> None:
    assert coverage(sorted(verdicts)) == coverage(verdicts)
