"""Measures over results: parts, groups, repeated attempts; errors are no failures."""

from typing import Any

import pytest

from tasks.packs.measures import Attempt, measure_pack


def attempts(*found: tuple[str, str], family: str = "f", **metadata: Any) -> list[Attempt]:
    return [Attempt(name, family, status, metadata) for name, status in found]


def test_errors_and_pending_rows_are_in_no_rate() -> None:
    measures = measure_pack(
        attempts(("a", "passed"), ("b", "failed"), ("c", "error"), ("d", "pending"))
    )
    assert measures.counts.model_dump() == {
        "total": 4,
        "verified": 2,
        "passed": 1,
        "failed": 1,
        "errors": 1,
        "pending": 1,
    }
    assert (measures.pass_rate.value, measures.pass_rate.n) == (0.5, 2)
    assert (measures.pass_at, measures.pass_hat) == ({}, {})


def test_nothing_judged_has_a_reason() -> None:
    measures = measure_pack(attempts(("a", "error")))
    assert (measures.pass_rate.value, measures.pass_rate.reason) == (None, "nothing was judged")
    assert measures.cells[0].pass_rate.value is None


def test_repeated_attempts_by_hand() -> None:
    # Row a: 2 of 3 passed. Row b: 0 of 2, and an error that is no attempt.
    measures = measure_pack(
        attempts(
            ("a", "passed"),
            ("a", "failed"),
            ("a", "passed"),
            ("b", "failed"),
            ("b", "failed"),
            ("b", "error"),
        )
    )
    at = {k: (m.value, m.n) for k, m in measures.pass_at.items()}
    hat = {k: (m.value, m.n) for k, m in measures.pass_hat.items()}
    assert at == {"1": (pytest.approx(1 / 3), 2), "2": (0.5, 2), "3": (1.0, 1)}
    assert hat == {"1": (pytest.approx(1 / 3), 2), "2": (pytest.approx(1 / 6), 2), "3": (0.0, 1)}
    assert (measures.n_rows, measures.n_groups) == (2, 2)


def test_attempts_at_one_row_are_not_independent() -> None:
    found = attempts(*[(name, status) for name in "abc" for status in ("passed", "passed")])
    interval = measure_pack(found).pass_rate.interval
    assert interval is not None
    assert interval.method == "wilson over groups"


def test_rows_with_one_key_belong_together_and_others_stand_alone() -> None:
    found = [
        *attempts(("a", "passed"), ("b", "failed"), case="x"),
        *attempts(("c", "passed"), case="y"),
        *attempts(("d", "failed"), case=None),
        *attempts(("e", "passed")),
    ]
    measures = measure_pack(found, group_by="case")
    assert (measures.group_by, measures.n_groups) == ("case", 4)
    interval = measures.pass_rate.interval
    assert interval is not None
    assert interval.method == "cluster-robust"


def test_parts_by_family_and_by_metadata_value() -> None:
    found = [
        *attempts(("a", "passed"), family="f", level=1),
        *attempts(("b", "failed"), family="g", level="1"),
        *attempts(("c", "passed"), family="g"),
    ]
    cells = measure_pack(found, by=["level"]).cells
    assert [(c.by, c.name, c.value, c.counts.total, c.pass_rate.value) for c in cells] == [
        ("family", None, "f", 1, 1.0),
        ("family", None, "g", 2, 0.5),
        ("metadata", "level", "1", 1, 0.0),
        ("metadata", "level", 1, 1, 1.0),
    ]


def test_the_order_of_results_does_not_matter() -> None:
    found = attempts(("a", "passed"), ("b", "failed"), ("a", "failed"), ("c", "error"), level=2)
    assert measure_pack(found, by=["level"]) == measure_pack(found[::-1], by=["level"])
