"""The four checks of `structure`, on benchmarks small enough to check by hand."""

import pytest

from schemas.checks import StructureCheck
from schemas.errors import UserError
from tasks.statistics.structure import check_structure
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item

TARGET = {"X": ["p"], "A": ["q"]}


def role(name: str, tag: str, **changes: object) -> Raw:
    return {"id": name, "tags": [tag], "rsr_target": TARGET} | changes


def found(
    items: list[Raw], answers: list[Raw], threshold: float = 0.4
) -> dict[str, StructureCheck]:
    report = check_structure(eta(answers), bench(items), threshold)
    return {check.name: check for check in report.checks}


def anomalies(check: StructureCheck) -> list[str]:
    return [anomaly.item_id for anomaly in check.anomalies]


@pytest.mark.parametrize(
    ("base", "tag", "said", "checked", "fits"),
    [
        pytest.param("g", "supporter", "g", 1, True, id="a supporter keeps a good base good"),
        pytest.param("g", "supporter", "b", 1, False, id="a supporter must not turn it bad"),
        pytest.param("b", "supporter", "b", 0, True, id="a supporter of a bad base is free"),
        pytest.param("g", "defeater", "b", 1, True, id="a defeater turns a good base bad"),
        pytest.param("g", "defeater", "g", 1, False, id="a defeater must not leave it good"),
        pytest.param("b", "defeater", "g", 0, True, id="a defeater of a bad base is free"),
        pytest.param("g", "irrelevant-addition", "g", 1, True, id="an irrelevance keeps good"),
        pytest.param("b", "irrelevant-addition", "g", 1, False, id="an irrelevance keeps bad"),
        pytest.param("a", "irrelevant-addition", "g", 0, True, id="no side, nothing to keep"),
        pytest.param("g", "supporter", "a", 0, True, id="an abstention is not checked"),
        pytest.param("g", "else", "b", 0, True, id="an item without a role is free"),
    ],
)
def test_roles_around_a_base_case(base: str, tag: str, said: str, checked: int, fits: bool) -> None:
    items = [role("base", "base-inference"), role("i", tag)]
    check = found(items, [eta_item("base", base), eta_item("i", said)])["rsr_role_consistency"]
    assert check.items_checked == checked
    assert anomalies(check) == ([] if fits else ["i"])


def test_base_cases_that_differ_imply_nothing_for_other_roles() -> None:
    items = [role("b1", "base-inference"), role("b2", "base-inference"), role("i", "defeater")]
    checks = found(items, [eta_item("b1", "g"), eta_item("b2", "b"), eta_item("i", "g")])
    assert checks["rsr_role_consistency"].items_checked == 0
    assert checks["rsr_role_consistency"].rate is None
    assert checks["rsr_role_consistency"].reason
    assert anomalies(checks["base_case_stability"]) == ["b1", "b2"]


def test_the_first_role_among_the_tags_counts() -> None:
    items = [
        role("base", "base-inference"),
        role("i", "", tags=["long", "defeater", "supporter"]),
    ]
    check = found(items, [eta_item("base", "g"), eta_item("i", "g")])["rsr_role_consistency"]
    assert anomalies(check) == ["i"]


def test_a_target_is_the_same_whatever_the_order_of_its_bearers() -> None:
    one, other = {"X": ["p", "r"], "A": ["q"]}, {"X": ["r", "p"], "A": ["q"]}
    items = [
        role("b1", "base-inference", rsr_target=one),
        role("b2", "base-inference", rsr_target=other),
    ]
    check = found(items, [eta_item("b1", "g"), eta_item("b2", "a")])["base_case_stability"]
    assert (check.items_checked, check.items_satisfying) == (2, 0)


def test_base_cases_that_all_abstain_are_stable() -> None:
    items = [role("b1", "base-inference"), role("b2", "base-inference")]
    check = found(items, [eta_item("b1", "a"), eta_item("b2", "a")])["base_case_stability"]
    assert (check.items_checked, check.rate) == (2, 1.0)


def test_recorded_votes_take_precedence_over_samples() -> None:
    votes = {"good": 3, "bad": 2, "verdict": "good"}
    answers = [eta_item("i", "g", "ggggg", majority_vote=votes)]
    assert anomalies(found([{"id": "i"}], answers)["thin_margin_agreement"]) == ["i"]


def test_a_base_case_whose_calls_all_failed_is_named_as_missing() -> None:
    items = [role("b1", "base-inference"), role("b2", "base-inference")]
    answers = [eta_item("b1", "g", "ggg"), eta_item("b2", "a", "fff")]
    check = found(items, answers)["base_case_stability"]
    assert check.items_missing == 1
    assert ["no usable sample" in one.explanation for one in check.anomalies] == [False, True]


@pytest.mark.parametrize(
    ("letters", "threshold", "thin"),
    [
        pytest.param("ggggg", 0.4, False, id="unanimous"),
        pytest.param("gggba", 0.4, False, id="a lead of two in five is 0.4, and not below it"),
        pytest.param("gggbb", 0.4, True, id="a lead of one in five"),
        pytest.param("gggba", 0.41, True, id="another threshold"),
        pytest.param("gggfff", 0.4, False, id="failed samples have no vote"),
    ],
)
def test_agreement_on_a_thin_margin_is_an_anomaly(
    letters: str, threshold: float, thin: bool
) -> None:
    answers = [eta_item("i", "g", letters, panel="gga")]
    check = found([{"id": "i", "analyst_verdicts": ["good"]}], answers, threshold)[
        "thin_margin_agreement"
    ]
    assert (check.items_checked, anomalies(check)) == (1, ["i"] if thin else [])


def test_margins_are_asked_for_only_where_model_and_panel_agree_on_a_side() -> None:
    answers = [
        eta_item("i", "g", "gb", panel="b"),
        eta_item("j", "a", "gb", panel="a"),
        eta_item("k", "g", "gb", panel="gb"),
    ]
    items: list[Raw] = [{"id": name} for name in "ijk"]
    assert found(items, answers)["thin_margin_agreement"].items_checked == 0


def test_overlapping_premises_and_conclusions_always_hold() -> None:
    items: list[Raw] = [{"id": "i", "conclusions": ["p", "q"]}, {"id": "j"}]
    check = found(items, [eta_item("i", "b"), eta_item("j", "b")])["containment_closure"]
    assert (check.items_checked, check.rate) == (1, 1.0)


def test_items_are_grouped_by_the_number_of_conclusions() -> None:
    items: list[Raw] = [
        {"id": "none", "conclusions": []},
        {"id": "one"},
        {"id": "two", "conclusions": ["q", "r"]},
    ]
    arity = check_structure(eta([]), bench(items)).arity
    assert (arity.exclusivity, arity.single, arity.exhaustivity) == (("none",), ("one",), ("two",))


def test_items_that_the_evaluation_lacks_are_passed_over() -> None:
    items = [role("b1", "base-inference"), role("b2", "base-inference"), role("i", "supporter")]
    report = check_structure(eta([eta_item("b1", "g")]), bench(items))
    assert (report.total_anomalies, report.all_satisfied) == (0, True)
    assert [check.items_checked for check in report.checks] == [0, 0, 0, 0]


def test_an_evaluation_with_one_item_twice_is_refused() -> None:
    with pytest.raises(UserError, match="two items called 'i'"):
        check_structure(eta([eta_item("i", "g"), eta_item("i", "b")]), bench([{"id": "i"}]))
