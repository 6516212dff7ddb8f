import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from tasks.statistics.references import Reference, resolve_reference


@pytest.mark.parametrize(
    ("request_", "column"),
    [
        pytest.param("analyst:1", 1, id="index"),
        pytest.param("analyst:-1", 2, id="negative-index-counts-from-the-end"),
        pytest.param("analyst:-3", 0, id="most-negative-index"),
        pytest.param("analyst:ann", 0, id="id"),
        pytest.param("analyst:7", 2, id="id-that-looks-like-an-index-out-of-range"),
        pytest.param("analyst:0", 0, id="an-index-goes-before-an-equal-id"),
        pytest.param("analyst[1]", 1, id="label"),
    ],
)
def test_a_request_names_one_analyst(request_: str, column: int) -> None:
    found = resolve_reference(request_, ("ann", "0", "7"), 3)
    assert found == Reference(f"analyst[{column}]", column)


def test_the_consensus_needs_no_analysts() -> None:
    assert resolve_reference("consensus", (), 0) == Reference("consensus", None)


@pytest.mark.parametrize(
    "request_", ["analyst:bob", "analyst:3", "analyst:-4", "analyst:", "ann", "analyst[3]", ""]
)
def test_an_unknown_request_is_refused_with_the_known_ids(request_: str) -> None:
    with pytest.raises(UserError, match="known analysts: ann, ben, cleo") as refused:
        resolve_reference(request_, ("ann", "ben", "cleo"), 3)
    assert repr(request_) in str(refused.value)


@pytest.mark.parametrize(("n_analysts", "known"), [(2, "0, 1"), (0, "none")])
def test_without_names_the_known_analysts_are_their_positions(n_analysts: int, known: str) -> None:
    with pytest.raises(UserError, match=f"known analysts: {known}$"):
        resolve_reference("analyst:ann", (), n_analysts)


@given(st.integers(1, 9), st.data())
def test_a_label_resolves_to_itself(n_analysts: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(-n_analysts, n_analysts - 1))
    found = resolve_reference(f"analyst:{index}", (), n_analysts)
    assert resolve_reference(found.label, (), n_analysts) == found
