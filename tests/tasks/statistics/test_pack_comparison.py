"""Two runs of one pack, compared row by row."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from schemas.pack_comparison import PackRunOutcomes, RowOutcome
from tasks.statistics.comparing_packs import adjust_pack_family, compare_pack_runs
from tasks.statistics.paired_tests import PairedSpec

JUDGING = {"profile": "target", "extract_code": True, "rendering_version": 1}


def row(name: str, attempts: str, family: str = "short_answer") -> RowOutcome:
    """A row from a letter per attempt: p passed, f failed, e error, n pending."""
    return RowOutcome(
        id=name,
        family=family,
        n_passed=attempts.count("p"),
        n_failed=attempts.count("f"),
        n_errors=attempts.count("e"),
        n_pending=attempts.count("n"),
    )


def run(*attempts: str, **changes: Any) -> PackRunOutcomes:
    plain: dict[str, Any] = {
        "run_id": "r",
        "pack_id": "bars",
        "pack_sha256": "0" * 64,
        "judging": JUDGING,
        "verifiers": {"short_answer": "short_answer/target/1"},
        "settings": {"model_id": "m", "n_samples": 2},
        "rows": tuple(row(f"t{k}", letters) for k, letters in enumerate(attempts)),
    }
    return PackRunOutcomes(**plain | changes)


def test_rows_are_paired_and_shares_of_judged_attempts_compared() -> None:
    tests = compare_pack_runs(run("pp", "pf", "ff"), run("pp", "pppf", "fp"), PairedSpec()).tests
    assert tests.difference is not None
    assert tests.mcnemar is not None
    # Shares 1, 1/2, 0 and 1, 3/4, 1/2.
    assert (tests.pass_rate_a, tests.pass_rate_b) == pytest.approx((0.5, 0.75))
    assert tests.difference.value == pytest.approx(0.25)
    # By majority, half not being enough: only the first row against the first two.
    assert (tests.mcnemar.both, tests.mcnemar.only_a, tests.mcnemar.only_b) == (1, 0, 1)


def test_errors_and_pending_attempts_are_neither_passed_nor_failed() -> None:
    found = compare_pack_runs(run("pe", "ee", "pp"), run("pn", "pp", "nn"), PairedSpec())
    assert (found.tests.n_items, found.tests.n_left_out) == (1, 2)
    assert (found.tests.pass_rate_a, found.tests.pass_rate_b) == (1.0, 1.0)
    assert found.attempts_a.model_dump() == {
        **{"passed": 3, "failed": 0, "errors": 3, "pending": 0},
        "rows_unjudged": 1,
    }
    assert (found.attempts_b.pending, found.attempts_b.rows_unjudged) == (3, 1)
    assert found.changed_rows == ()


def test_rows_of_one_run_only_are_listed_and_left_out() -> None:
    a, b = run("p", "p"), run("p", "p", "p")
    b = b.model_copy(update={"rows": b.rows[1:]})
    found = compare_pack_runs(a, b, PairedSpec())
    assert (found.n_rows, found.only_in_a, found.only_in_b) == (1, ("t0",), ("t2",))


def test_without_a_row_that_both_judged_there_are_no_tests_but_a_reason() -> None:
    found = compare_pack_runs(run("e"), run("p"), PairedSpec(margin=0.1))
    assert found.tests.mcnemar is None
    assert found.tests.reason == "no row has a judged attempt in both runs"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"pack_id": "pubs"}, "'pubs'"),
        ({"pack_sha256": "1" * 64}, "was changed"),
        ({"judging": JUDGING | {"profile": "compat"}}, "profile"),
        ({"judging": JUDGING | {"rendering_version": 2}}, "rendering_version"),
        ({"verifiers": {"short_answer": "short_answer/target/2"}}, "verifier of short_answer"),
    ],
)
def test_other_packs_profiles_and_verifiers_are_refused(
    changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(UserError, match=named):
        compare_pack_runs(run("p"), run("p", **changes), PairedSpec())


def test_a_verifier_of_rows_that_are_not_shared_may_differ() -> None:
    other = {"short_answer": "short_answer/target/1", "free_response": "free_response/target/2"}
    mine = other | {"free_response": "free_response/target/1"}
    found = compare_pack_runs(run("p", verifiers=mine), run("p", verifiers=other), PairedSpec())
    assert found.n_rows == 1


def test_taking_code_out_of_fences_matters_where_code_is_asked_for() -> None:
    plain = JUDGING | {"extract_code": False}
    assert compare_pack_runs(run("p"), run("p", judging=plain), PairedSpec()).n_rows == 1
    code = (row("c", "p", "code_completion"),)
    with pytest.raises(UserError, match="extract_code"):
        compare_pack_runs(run(rows=code), run(rows=code, judging=plain), PairedSpec())


def test_another_model_or_number_of_samples_is_listed() -> None:
    found = compare_pack_runs(
        run("p"), run("p", settings={"model_id": "n", "n_samples": 2}), PairedSpec()
    )
    assert {key: (one.a, one.b) for key, one in found.differences.items()} == {
        "model_id": ("m", "n")
    }


def test_p_values_are_adjusted_over_all_comparisons() -> None:
    first = run(*["p"] * 8)
    others = [run(*["f"] * 8), run(*["p"] * 8), run(*["f"] * 7, "p")]
    family = adjust_pack_family(
        [compare_pack_runs(first, other, PairedSpec()) for other in others], "holm"
    )
    exact = [one.tests.mcnemar for one in family.comparisons]
    # 2/256 and 2/128 are the two small ones of three.
    assert [one and one.p_adjusted for one in exact] == pytest.approx([6 / 256, 1.0, 4 / 128])


@given(st.lists(st.tuples(*[st.text(alphabet="pfen", max_size=4)] * 2), max_size=6))
def test_comparing_the_other_way_round_mirrors_the_difference(
    attempts: list[tuple[str, str]],
) -> None:
    a, b = run(*[one for one, _ in attempts]), run(*[other for _, other in attempts])
    there, back = (compare_pack_runs(*pair, PairedSpec()) for pair in ((a, b), (b, a)))
    assert there.attempts_a == back.attempts_b
    assert [one.row_id for one in there.changed_rows] == [one.row_id for one in back.changed_rows]
    if there.tests.difference is not None:
        assert back.tests.difference is not None
        assert there.tests.difference.value == pytest.approx(-back.tests.difference.value)
