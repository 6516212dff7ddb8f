from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.benchmark import Benchmark
from schemas.errors import InvalidFile, Problem
from tasks.benchmarks import Checked, check_benchmark, check_evaluation
from tests.support.benchmarks import Raw, as_bytes, item, raw_benchmarks, tiny_evaluation

Check = Callable[[bytes], Checked[Any]]


@given(raw_benchmarks())
def test_a_valid_benchmark_is_read(raw: Raw) -> None:
    checked = check_benchmark(as_bytes(raw))
    assert checked.value == Benchmark.model_validate(raw)
    assert checked.errors == ()


@pytest.mark.parametrize("check", [check_benchmark, check_evaluation])
@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b'{"id": ', "invalid_json", id="cut off"),
        pytest.param(b'{"id": 1, "id": 2}', "duplicate_key", id="repeated key"),
        pytest.param(b"[NaN]", "non_finite_number", id="not a number"),
        pytest.param(b"\xff", "invalid_json", id="not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_not_checked_further(check: Check, data: bytes, code: str) -> None:
    checked = check(data)
    assert checked.value is None
    assert {problem.code for problem in checked.errors} == {code}


@pytest.mark.parametrize("check", [check_benchmark, check_evaluation])
@pytest.mark.parametrize("document", [[], 5, "text", None, True], ids=repr)
def test_a_document_that_is_no_object_is_one_problem(check: Check, document: object) -> None:
    (problem,) = check(as_bytes(document)).errors
    assert (problem.code, problem.location) == ("type", "$")


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for checked in (check_benchmark(data), check_evaluation(data)):
        assert (checked.value is None) == bool(checked.errors)


def test_requiring_an_invalid_benchmark_names_the_file_and_every_problem() -> None:
    checked = check_benchmark(b"{}")
    with pytest.raises(InvalidFile, match=r"b\.json") as caught:
        checked.require("b.json")
    assert caught.value.problems == checked.errors


def test_requiring_a_valid_evaluation_gives_it() -> None:
    assert check_evaluation(as_bytes(tiny_evaluation())).require("eta.json").id == "run-1"


def judged(name: str, n_verdicts: int) -> Raw:
    return item(name, analyst_verdicts=["good"] * n_verdicts, model_verdict="good")


def test_verdict_tuples_of_unequal_length_are_refused_at_the_odd_one() -> None:
    raw = tiny_evaluation(items=[judged("1", 2), judged("2", 3), judged("3", 2)])
    assert check_evaluation(as_bytes(raw)).errors == (
        Problem(
            "verdict_count",
            "$.items[1].analyst_verdicts",
            "3 verdicts, but the first item has 2",
            "give one verdict per analyst on every item",
        ),
    )


def test_unequal_lengths_are_found_beside_wrong_types() -> None:
    items = [5, judged("1", 2) | {"analyst_verdicts": None}, judged("2", 1), judged("3", 2)]
    found = check_evaluation(as_bytes(tiny_evaluation(items=items, id=5))).errors
    assert [(problem.code, problem.location) for problem in found] == [
        ("type", "$.id"),
        ("type", "$.items[0]"),
        ("type", "$.items[1].analyst_verdicts"),
        ("verdict_count", "$.items[3].analyst_verdicts"),
    ]


def test_an_evaluation_without_items_is_valid() -> None:
    assert check_evaluation(as_bytes(tiny_evaluation(items=[]))).errors == ()
