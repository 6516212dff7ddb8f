"""What crosses between the tests and a candidate."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.sandbox.inside.encoding import NotData, Packer, Reader

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text()
    | st.binary()
)
KEYS = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
VALUES = st.recursive(
    SCALARS | st.frozensets(KEYS, max_size=3) | st.sets(KEYS, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def refuse(*_: Any) -> Any:
    raise NotData("no data")


def across(value: Any) -> Any:
    packed = json.loads(json.dumps(Packer(refuse).pack(value), allow_nan=False))
    return Reader(refuse, []).read(packed)


def shape(value: Any) -> Any:
    """The types of a value all the way down, which equality alone does not see."""
    if isinstance(value, list | tuple):
        return type(value), [shape(inner) for inner in value]
    if isinstance(value, dict):
        return dict, [(shape(k), shape(v)) for k, v in value.items()]
    return type(value)


@given(VALUES)
def test_data_arrives_as_it_was_sent(value: Any) -> None:
    assert across(value) == value
    assert shape(across(value)) == shape(value)


def test_what_json_has_no_word_for_arrives_too() -> None:
    assert math.isnan(across(math.nan))
    assert str(across(-0.0)) == "-0.0"
    assert across(10**5000) == 10**5000
    assert across("\ud800") == "\ud800"
    assert across(range(1, 9, 2)) == range(1, 9, 2)


def test_a_list_in_two_places_is_one_list_there_too() -> None:
    inner: list[Any] = []
    inner.append(inner)
    one, other = across([inner, inner])
    assert one is other
    assert one[0] is one


def test_a_subclass_is_sent_as_the_plain_value_it_holds() -> None:
    class Sly(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    assert type(across(Sly(3))) is int
    assert across(Sly(3)) != 4


@pytest.mark.parametrize(
    "packed",
    [
        {},
        [],
        [1],
        ["ref", 0],
        ["ref", -1],
        ["ref", True],
        ["f", "x"],
        ["i", 3],
        ["b", "0"],
        ["l"],
        ["l", 3],
        ["d", [[1]]],
        ["d", [[["l", []], 1]]],
        ["t", 3],
        ["range", ["x"]],
        ["nothing"],
        1.5,
    ],
    ids=repr,
)
def test_what_is_no_value_is_refused(packed: Any) -> None:
    with pytest.raises(NotData):
        Reader(refuse, []).read(packed)


def test_a_value_nested_too_deeply_is_not_sent() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(NotData):
        Packer(refuse).pack(deep)
