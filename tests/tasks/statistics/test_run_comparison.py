"""Two evaluations of one benchmark, compared item by item."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.comparison import Comparison
from schemas.errors import UserError
from schemas.evaluation import Evaluation
from tasks.statistics.comparing import adjust_family, aligned_outcomes, compare_runs
from tasks.statistics.paired_tests import PairedSpec
from tasks.statistics.referring import Referred, reference_verdicts
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item

LETTERS = st.text(alphabet="gbaf", min_size=0, max_size=5)


def compared(a: Evaluation, b: Evaluation, reference: str = "consensus") -> Comparison:
    wanted = reference_verdicts(reference, a)
    return compare_runs(a, b, wanted, PairedSpec())


def runs(left: list[Raw], right: list[Raw], **changes: object) -> tuple[Evaluation, Evaluation]:
    return eta(left), eta(right, id="run-b", **changes)


def test_the_distance_of_two_items_is_half_the_difference_of_their_shares() -> None:
    # Shares (2/4, 1/4, 1/4) and (1/2, 1/2, 0): half of 0 + 1/4 + 1/4.
    found = compared(*runs([eta_item("i", "g", "ggba")], [eta_item("i", "g", "gb")]))
    assert found.per_item_tv == {"i": 0.25}
    assert found.mean_tv_distance == 0.25


def test_an_item_without_a_usable_sample_has_no_distance() -> None:
    left = [eta_item("i", "a", "ff"), eta_item("j", "g", "gg")]
    right = [eta_item("i", "g", "gg"), eta_item("j", "b", "bb")]
    found = compared(*runs(left, right))
    assert found.per_item_tv == {"i": None, "j": 1.0}
    assert (found.mean_tv_distance, found.n_tv_distance) == (1.0, 1)
    assert (found.n_missing_a, found.n_missing_b) == (1, 0)
    assert [one.verdict_a for one in found.flipped_items] == [None, "good"]


def test_kappa_is_withheld_when_few_items_have_two_sides() -> None:
    left = [eta_item(name, "a" if name == "k" else "g") for name in "ijk"]
    right = [eta_item(name, "b" if name == "i" else "a") for name in "ijk"]
    found = compared(*runs(left, right))
    assert (found.n_both_substantive, found.cross_run_kappa) == (1, None)
    assert found.insufficient_overlap
    assert "fewer than half" in found.reasons["cross_run_kappa"]


def test_coverage_of_both_and_kappa_are_those_of_the_verdicts() -> None:
    left = [eta_item(str(i), verdict) for i, verdict in enumerate("ggbba")]
    right = [eta_item(str(i), verdict) for i, verdict in enumerate("gbbbb")]
    found = compared(*runs(left, right))
    assert (found.coverage_a, found.coverage_b) == (0.8, 1.0)
    # Over four items: three agree, chance (2/4)(1/4) + (2/4)(3/4) = 1/2; kappa (3/4 - 1/2) / 1/2.
    assert found.cross_run_kappa == pytest.approx(0.5)
    assert [one.item_id for one in found.flipped_items] == ["1", "4"]


@pytest.mark.parametrize(
    ("left", "right", "passed"),
    [
        pytest.param("g" * 30, "g" * 30, True, id="alike on thirty samples"),
        pytest.param("g" * 29, "g" * 30, False, id="one sample short"),
        pytest.param("g" * 27 + "bbb", "g" * 30, False, id="a distance of exactly 0.1"),
        pytest.param("g" * 28 + "bb", "g" * 30, True, id="a distance below 0.1"),
        pytest.param("f" * 30, "g" * 30, False, id="failed samples do not count"),
    ],
)
def test_the_agreement_gate(left: str, right: str, passed: bool) -> None:
    found = compared(*runs([eta_item("i", "g", left)], [eta_item("i", "g", right)]))
    assert found.agreement_gate.passed == passed


def test_no_items_pass_no_gate_and_every_null_has_a_reason() -> None:
    found = compared(*runs([], []))
    assert not found.agreement_gate.passed
    nulls = {key for key, value in found.model_dump().items() if value is None}
    assert nulls == found.reasons.keys()


def test_agreeing_with_the_reference_is_passing_and_abstaining_is_not() -> None:
    left = [eta_item("i", "g", "gga", "g"), eta_item("j", "a", "aab", "b")]
    right = [eta_item("i", "b", "bbb", "g"), eta_item("j", "b", "bba", "b")]
    tests = compared(*runs(left, right)).tests
    assert (tests.pass_rate_a, tests.pass_rate_b) == pytest.approx((1 / 2, 1 / 3))
    assert tests.mcnemar is not None
    assert (tests.mcnemar.only_a, tests.mcnemar.only_b) == (1, 1)


def test_items_on_which_the_reference_takes_no_side_are_left_out_of_the_tests() -> None:
    left = [eta_item("i", "g", "g", "gb"), eta_item("j", "g", "g", "ga")]
    tests = compared(*runs(left, left)).tests
    assert (tests.n_items, tests.n_left_out) == (1, 1)


@pytest.mark.parametrize(
    ("reference", "n_items"),
    [("consensus", 2), ("plurality", 1), ("analyst:0", 1), ("analyst:1", 2)],
)
def test_the_reference_decides_which_items_are_tested(reference: str, n_items: int) -> None:
    left = [eta_item("i", "g", "g", "agg"), eta_item("j", "g", "g", "gba")]
    left[1]["analyst_verdicts"] = ["abstain", "bad", "abstain"]
    left[0]["analyst_verdicts"] = ["good", "good", "abstain"]
    assert compared(*runs(left, left), reference).tests.n_items == n_items


def test_verdicts_of_a_benchmark_take_precedence_over_the_copies() -> None:
    one = eta([eta_item("i", "g", "g", "b")])
    wanted = reference_verdicts("analyst:a0", one, bench([{"id": "i"}]))
    assert (wanted.label, wanted.verdicts) == ("analyst[0]", {"i": "good"})


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"benchmark_id": "other"}, id="another benchmark"),
        pytest.param({"paraphrase_variant": 1}, id="another wording"),
        pytest.param({"endorsement_config": {"question_form": "coherence"}}, id="another question"),
    ],
)
def test_runs_that_were_asked_something_else_are_refused(changes: Raw) -> None:
    with pytest.raises(UserError):
        compared(*runs([eta_item("i", "g")], [eta_item("i", "g")], **changes))


def test_another_frame_of_the_coherence_question_is_refused() -> None:
    form = {"question_form": "coherence"}
    a = eta([], endorsement_config=form)
    b = eta([], endorsement_config=form | {"coherence_frame_id": "other-v1"})
    with pytest.raises(UserError, match="coherence_frame_id"):
        compared(a, b)


@pytest.mark.parametrize("key", ["parser", "strip_tex"])
def test_another_reading_of_replies_is_refused_where_it_is_known(key: str) -> None:
    a, b = runs([], [])
    known: Raw = {"parser": "final-answer", "strip_tex": True}
    with pytest.raises(UserError, match=key):
        compare_runs(a, b, Referred("consensus", {}), PairedSpec(), (known, known | {key: "other"}))
    found = compare_runs(a, b, Referred("consensus", {}), PairedSpec(), (known, None))
    assert found.unchecked == ("parser", "strip_tex")


def test_another_model_or_another_number_of_samples_is_listed() -> None:
    model = {"provider": "openai", "model_id": "n", "params": {"temperature": 0.0}}
    config = {"n_samples": 3, "tie_break": "first"}
    found = compared(*runs([], [], model=model, endorsement_config=config))
    assert found.differences.keys() == {"model_id", "params", "n_samples", "tie_break"}
    assert (found.differences["n_samples"].a, found.differences["n_samples"].b) == (1, 3)


def test_a_benchmark_that_was_changed_in_between_is_listed() -> None:
    a, b = eta([], benchmark_hash="sha256:1"), eta([], benchmark_hash="sha256:2")
    assert compared(a, b).differences.keys() == {"benchmark_hash"}


def test_outcomes_of_one_run_or_two_are_in_the_order_of_the_first() -> None:
    left = [eta_item("i", "g", "gb"), eta_item("j", "g", "g")]
    a, b = runs(left, [eta_item("j", "b", "bb"), eta_item("i", "g", "ggg")])
    wanted = reference_verdicts("consensus", a)
    (alone,) = aligned_outcomes([a], wanted)
    assert alone.passed.tolist() == [1, 1]
    assert [one.drawn.tolist() for one in aligned_outcomes([a, b], wanted)] == [[2, 1], [3, 2]]


def test_a_second_run_that_lacks_items_is_refused_by_name() -> None:
    left = [eta_item(f"i{k}", "g") for k in range(9)]
    with pytest.raises(UserError, match=r"lacks items of 'run-a': i1, i2, i3, i4, i5 and 3 more"):
        compared(*runs(left, left[:1]))


def test_items_that_only_the_second_run_has_are_left_out_and_counted() -> None:
    right = [eta_item("i", "g"), eta_item("j", "g")]
    found = compared(*runs([eta_item("i", "g")], right))
    assert (found.n_items, found.n_only_in_b) == (1, 1)


def test_p_values_are_adjusted_over_all_comparisons_that_have_one() -> None:
    left = [eta_item(str(i), "g", "ggg") for i in range(8)]
    worse = [eta_item(str(i), "b", "bbb") for i in range(8)]
    first = eta(left)
    wanted = reference_verdicts("consensus", first)
    found = [
        compare_runs(first, eta(items, id=name), wanted, PairedSpec())
        for name, items in (("b", worse), ("c", left), ("d", [*left[:1], *worse[1:]]))
    ]
    empty = compare_runs(eta([]), eta([]), Referred("consensus", {}), PairedSpec())
    family = adjust_family([*found, empty], "holm")
    exact = [one.tests.mcnemar for one in family.comparisons]
    # 2/256 and 2/128 are the two small ones of three.
    assert [one and one.p_adjusted for one in exact] == pytest.approx([6 / 256, 1.0, 4 / 128, None])
    assert family.baseline == "run-a"


@given(st.lists(st.tuples(LETTERS, LETTERS), min_size=1, max_size=6))
def test_comparing_the_other_way_round_mirrors_everything(draws: list[tuple[str, str]]) -> None:
    left = [eta_item(str(i), "g", one) for i, (one, _) in enumerate(draws)]
    right = [eta_item(str(i), "b", other) for i, (_, other) in enumerate(draws)]
    a, b = runs(left, right)
    there, back = compared(a, b), compared(b, a)
    assert there.per_item_tv == pytest.approx(back.per_item_tv)
    assert there.cross_run_kappa == back.cross_run_kappa
    if there.tests.difference is not None:
        assert back.tests.difference is not None
        assert there.tests.difference.value == pytest.approx(-back.tests.difference.value)


@given(st.lists(LETTERS, max_size=6))
def test_a_run_does_not_differ_from_itself(draws: list[str]) -> None:
    one = eta([eta_item(str(i), "g", letters) for i, letters in enumerate(draws)])
    found = compared(one, one)
    assert found.flipped_items == ()
    assert found.mean_tv_distance in (0.0, None)
    assert found.tests.permutation is None or found.tests.permutation.p_value == 1.0


def test_comparing_takes_a_constant_amount_of_work_per_item() -> None:
    # Counted, not timed: a list that is searched for every item would look at each id often.
    looked = 0

    class Counting(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal looked
            looked += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    items = [eta_item(f"i{k}", "g", "gb") for k in range(2000)]
    a, b = runs(items, list(reversed(items)))
    renamed = [
        run.model_copy(
            update={
                "items": tuple(
                    item.model_copy(update={"id": Counting(item.id)}) for item in run.items
                )
            }
        )
        for run in (a, b)
    ]
    compared(renamed[0], renamed[1])
    assert looked <= 20 * 2000
