"""Rules of a benchmark beyond types: each with its code and its place in the file."""

import time
from typing import Any

import pytest

from tasks.benchmarks import check_benchmark
from tests.support.benchmarks import Raw, as_bytes, item, tiny_benchmark

TIERS = {"ordinal_families": {"heat": ["p", "q"]}}
DESIGN: Raw = {"factors": {"size": ["s", "l"], "hue": ["red"]}}


def errors(raw: Any) -> list[tuple[str, str]]:
    return [(error.code, error.location) for error in check_benchmark(as_bytes(raw)).errors]


def step(**changes: Any) -> Raw:
    return {"monotonicity_step": {"family": "heat", "tier": "q", "tier_index": 1} | changes}


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param(
            {"analysts": [{"id": "a1"}, {"id": "a1"}]},
            "duplicate_id",
            "$.analysts[1].id",
            id="analyst twice",
        ),
        pytest.param(
            {"analysts": [{"id": "a1"}, {"id": "a2", "panel": ""}]},
            "panel_missing",
            "$.analysts[0]",
            id="panel for some",
        ),
        pytest.param(
            {"analysts": [{"id": "a1", "panel": "n"}, {"id": "a2", "panel": None}]},
            "panel_missing",
            "$.analysts[1]",
            id="null panel",
        ),
        pytest.param(
            {"primary_panel": "north"}, "unknown_panel", "$.primary_panel", id="panel of nobody"
        ),
        pytest.param(
            {"ordinal_families": {"heat": ["p", "warm"]}},
            "unknown_bearer",
            "$.ordinal_families.heat[1]",
            id="tier that is no bearer",
        ),
        pytest.param(
            {
                "bearers": {
                    "p": {"expression": "p", "ordinal_family": "heat"},
                    "q": {"expression": "q"},
                }
            },
            "unknown_family",
            "$.bearers.p.ordinal_family",
            id="family of a bearer",
        ),
        pytest.param(
            TIERS | {"copresence_rules": [{"families": ["heat", "light"]}]},
            "unknown_family",
            "$.copresence_rules[0].families[1]",
            id="family of a rule",
        ),
        pytest.param(
            {"entailment_rules": [{"antecedent": "x", "consequent": "p"}]},
            "unknown_bearer",
            "$.entailment_rules[0].antecedent",
            id="antecedent",
        ),
        pytest.param(
            {"entailment_rules": [{"antecedent": "p", "consequent": "x"}]},
            "unknown_bearer",
            "$.entailment_rules[0].consequent",
            id="consequent",
        ),
        pytest.param(
            {"items": [item(), item()]}, "duplicate_id", "$.items[1].id", id="item id twice"
        ),
        pytest.param(
            {"items": [item(premises=["q", "p", "x"])]},
            "unknown_bearer",
            "$.items[0].premises[2]",
            id="premise, at its index in the file",
        ),
        pytest.param(
            {"items": [item(conclusions=["x"])]},
            "unknown_bearer",
            "$.items[0].conclusions[0]",
            id="conclusion",
        ),
        pytest.param(
            {"items": [item(premises=[1])]},
            "unknown_bearer",
            "$.items[0].premises[0]",
            id="number as premise",
        ),
        pytest.param(
            {"items": [item(rsr_target={"X": ["p", "x"], "A": []})]},
            "unknown_bearer",
            "$.items[0].rsr_target.X[1]",
            id="target X",
        ),
        pytest.param(
            {"items": [item(rsr_target={"X": [], "A": ["x"]})]},
            "unknown_bearer",
            "$.items[0].rsr_target.A[0]",
            id="target A",
        ),
        pytest.param(
            {"targets": ["t"], "items": [item(target="u")]},
            "unknown_target",
            "$.items[0].target",
            id="target",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(family="light"))]},
            "unknown_family",
            "$.items[0].monotonicity_step.family",
            id="family of a step",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(tier="x"))]},
            "unknown_tier",
            "$.items[0].monotonicity_step.tier",
            id="tier of a step",
        ),
        pytest.param(
            {"ordinal_families": {"heat": []}, "items": [item(**step())]},
            "unknown_tier",
            "$.items[0].monotonicity_step.tier",
            id="tier of an empty family",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(tier_index=0))]},
            "tier_index",
            "$.items[0].monotonicity_step.tier_index",
            id="position of a tier",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(tier_index="0"))]},
            "tier_index",
            "$.items[0].monotonicity_step.tier_index",
            id="position written as text",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(tier_index=0.0))]},
            "tier_index",
            "$.items[0].monotonicity_step.tier_index",
            id="position written as a float",
        ),
        pytest.param(
            TIERS | {"items": [item(**step(fixed="x"))]},
            "unknown_bearer",
            "$.items[0].monotonicity_step.fixed",
            id="fixed bearer",
        ),
        pytest.param(
            {"items": [item(analyst_verdicts=["good"])]},
            "verdict_count",
            "$.items[0].analyst_verdicts",
            id="verdicts",
        ),
        pytest.param(
            {"items": [item(analyst_rationales=["", "", ""])]},
            "rationale_count",
            "$.items[0].analyst_rationales",
            id="rationales",
        ),
        pytest.param(
            {"items": [item(factor_levels={"size": "s"})]},
            "unknown_factor",
            "$.items[0].factor_levels.size",
            id="factor of an item",
        ),
        pytest.param(
            DESIGN | {"items": [item(factor_levels={"size": "xl"})]},
            "unknown_level",
            "$.items[0].factor_levels.size",
            id="level",
        ),
        pytest.param(
            {"regularities": [{"description": "d", "test_item_ids": ["i1", "i2"]}]},
            "unknown_item",
            "$.regularities[0].test_item_ids[1]",
            id="item of a regularity",
        ),
        pytest.param(
            {"factor_kinds": {"size": "substantive"}},
            "unknown_factor",
            "$.factor_kinds.size",
            id="kind of no factor",
        ),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": 1}},
            "thin_cell",
            "$.factor_constraints",
            id="cells",
        ),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": "1"}},
            "thin_cell",
            "$.factor_constraints",
            id="cells, number as text",
        ),
        pytest.param(
            {"context_builders": {"premise": {"kind": "template", "template": "{x}"}}},
            "bad_template",
            "$.context_builders.premise.template",
            id="premise template",
        ),
        pytest.param(
            {
                "context_builders": {
                    "conclusion": {"kind": "template", "joiner": "", "template": "none"}
                }
            },
            "bad_template",
            "$.context_builders.conclusion.template",
            id="conclusion template",
        ),
        pytest.param(
            {"verification_prompt": {"template": "{premise_context}"}},
            "bad_template",
            "$.verification_prompt.template",
            id="prompt template",
        ),
        pytest.param(
            {
                "verification_prompt": {
                    "template": "{premise_context}{conclusion_context}",
                    "parse_regex": "(?=GOOD)",
                }
            },
            "bad_regex",
            "$.verification_prompt.parse_regex",
            id="pattern",
        ),
    ],
)
def test_a_broken_rule_is_reported_with_its_code_at_its_place(
    changes: Raw, code: str, place: str
) -> None:
    checked = check_benchmark(as_bytes(tiny_benchmark(**changes)))
    assert [(error.code, error.location) for error in checked.errors] == [(code, place)]
    assert checked.value is None
    (error,) = checked.errors
    assert error.message
    assert error.message.isprintable()


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="nothing special"),
        pytest.param({"items": []}, id="no items"),
        pytest.param({"bearers": {}, "items": []}, id="no bearers"),
        pytest.param({"items": [item(premises=[], conclusions=[])]}, id="empty implication"),
        pytest.param({"items": [item(target="anything")]}, id="target without targets"),
        pytest.param(TIERS | {"items": [item(**step(fixed="p"))]}, id="monotonicity step"),
        pytest.param(TIERS | {"items": [item(**step(tier_index="1"))]}, id="index as text"),
        pytest.param(
            {
                "bearers": {"1": {"expression": "one"}},
                "items": [item(premises=[1], conclusions=[])],
            },
            id="number that names a bearer",
        ),
        pytest.param(
            {"analysts": [{"id": "a1", "panel": "n"}, {"id": "a2", "panel": ""}]}, id="empty panel"
        ),
        pytest.param(
            {
                "analysts": [{"id": "a1", "panel": "n"}, {"id": "a2", "panel": "m"}],
                "primary_panel": "n",
            },
            id="primary panel",
        ),
        pytest.param(DESIGN | {"factor_kinds": {"size": "substantive"}}, id="kind of a factor"),
        pytest.param({"factor_constraints": {"min_items_per_cell": 3}}, id="no factors, no cells"),
        pytest.param(
            {"factors": {"f": []}, "factor_constraints": {"min_items_per_cell": 3}}, id="no levels"
        ),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": 0}}, id="nothing demanded"
        ),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": -1}}, id="less than nothing"
        ),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": None}}, id="null demanded"
        ),
        pytest.param(
            DESIGN
            | {
                "factor_constraints": {"min_items_per_cell": 1},
                "items": [
                    item("1", factor_levels={"size": "s", "hue": "red"}),
                    item("2", factor_levels={"size": "l", "hue": "red"}),
                ],
            },
            id="full cells",
        ),
        pytest.param(
            {
                "bearers": {
                    "p": {"expression": "p", "ordinal_family": "heat"},
                    "q": {"expression": "q"},
                },
                "ordinal_families": {"heat": ["q"]},
            },
            id="bearer outside its family's tiers",
        ),
        pytest.param(
            {
                "verification_prompt": {
                    "template": "{premise_context}{conclusion_context}",
                    "parse_regex": "",
                }
            },
            id="empty pattern counts as missing",
        ),
        pytest.param(
            {"context_builders": {"premise": {"kind": "plugin", "plugin": "no.such:thing"}}},
            id="plugins are not loaded",
        ),
    ],
)
def test_what_no_rule_forbids_is_valid(changes: Raw) -> None:
    checked = check_benchmark(as_bytes(tiny_benchmark(**changes)))
    assert checked.errors == ()
    assert checked.value is not None


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"analysts": None, "primary_panel": "n"}, id="analysts"),
        pytest.param({"analysts": [{"id": "a1"}, 5]}, id="an analyst"),
        pytest.param({"bearers": ["p"]}, id="bearers"),
        pytest.param({"bearers": {"p": 5, "q": None}}, id="a bearer"),
        pytest.param({"items": 5, "regularities": [{"test_item_ids": ["x"]}]}, id="items"),
        pytest.param({"items": [5, None, "x"]}, id="an item"),
        pytest.param({"items": [item(premises="p", rsr_target=[], target=5)]}, id="premises"),
        pytest.param({"items": [item(premises=[["p"]])]}, id="a premise"),
        pytest.param({"items": [item(analyst_verdicts={}, analyst_rationales=5)]}, id="verdicts"),
        pytest.param({"items": [item(factor_levels=[])]}, id="levels"),
        pytest.param(DESIGN | {"items": [item(factor_levels={"size": 5})]}, id="a level"),
        pytest.param(
            {"factors": {"f": "x"}, "items": [item(factor_levels={"f": "x"})]}, id="a factor"
        ),
        pytest.param({"factors": 5, "factor_kinds": {"f": "substantive"}}, id="factors"),
        pytest.param(
            DESIGN | {"factor_constraints": {"min_items_per_cell": "few"}}, id="a number of items"
        ),
        pytest.param({"ordinal_families": 5, "items": [item(**step())]}, id="families"),
        pytest.param({"ordinal_families": {"heat": "p"}, "items": [item(**step())]}, id="a family"),
        pytest.param({"ordinal_families": {"heat": [5]}}, id="a tier"),
        pytest.param(TIERS | {"items": [item(**step(tier=5, family=5))]}, id="a step"),
        pytest.param(TIERS | {"items": [item(**step(tier=5))]}, id="the tier of a step"),
        pytest.param(TIERS | {"items": [item(**step(tier_index="--1"))]}, id="no number"),
        pytest.param(TIERS | {"items": [item(**step(tier_index="²"))]}, id="no digit"),
        pytest.param(TIERS | {"items": [item(**step(tier_index=None))]}, id="null index"),
        pytest.param({"copresence_rules": [5, {"families": [5, 6]}]}, id="copresence"),
        pytest.param({"entailment_rules": [5, {"antecedent": 5}]}, id="entailment"),
        pytest.param({"regularities": [5, {"test_item_ids": [5]}]}, id="regularities"),
        pytest.param({"targets": [5], "items": [item(target="t")]}, id="targets"),
        pytest.param({"context_builders": []}, id="builders"),
        pytest.param(
            {"context_builders": {"premise": {"kind": "template", "template": 5}}}, id="a template"
        ),
        pytest.param({"verification_prompt": {"template": 5, "parse_regex": 5}}, id="a prompt"),
        pytest.param({"primary_panel": 5}, id="a panel"),
        pytest.param({"analysts": [{"id": 5}, {"id": 5}]}, id="ids"),
    ],
)
def test_a_part_of_the_wrong_type_is_a_type_error_and_nothing_else(changes: Raw) -> None:
    codes = {code for code, _ in errors(tiny_benchmark(**changes))}
    assert codes
    assert codes <= {"type", "required"}


def test_rules_run_although_other_parts_have_wrong_types() -> None:
    raw = tiny_benchmark(
        id=5,
        title=[],
        analysts=[{"id": "a1"}, {"id": "a1", "notes": 5}],
        factors=None,
        items=[item(premises=["x"]), 5, item(analyst_verdicts=["good"], tags=None), {}],
    )
    assert errors(raw) == [
        ("type", "$.factors"),
        ("type", "$.id"),
        ("type", "$.title"),
        ("type", "$.items[1]"),
        ("required", "$.items[3]"),
        ("duplicate_id", "$.analysts[1].id"),
        ("type", "$.analysts[1].notes"),
        ("verdict_count", "$.items[2].analyst_verdicts"),
        ("duplicate_id", "$.items[2].id"),
        ("type", "$.items[2].tags"),
        ("unknown_bearer", "$.items[0].premises[0]"),
    ]


def test_a_missing_list_of_bearers_does_not_make_every_premise_unknown() -> None:
    raw = tiny_benchmark()
    del raw["bearers"]
    assert errors(raw) == [("required", "$")]


def test_an_unknown_name_comes_with_the_nearest_known_one() -> None:
    raw = tiny_benchmark(
        bearers={"kettle_on": {"expression": "on"}},
        items=[item(premises=["ketle_on", "zzz"], conclusions=[])],
    )
    first, second = check_benchmark(as_bytes(raw)).errors
    assert (first.message, first.fix) == (
        "unknown bearer 'ketle_on'",
        "did you mean 'kettle_on'?",
    )
    assert second.fix == "declare it, or correct the name"


def test_thin_cells_are_listed_once_with_their_counts() -> None:
    raw = tiny_benchmark(
        factors={"size": ["s", "l", "s"], "hue": ["red", "blue"]},
        factor_constraints={"min_items_per_cell": 2},
        items=[
            item("1", factor_levels={"size": "s", "hue": "red"}),
            item("2", factor_levels={"size": "s", "hue": "red"}),
            item("3", factor_levels={"size": "l", "hue": "red"}),
            item("4", factor_levels={"size": "l"}),
        ],
    )
    (error,) = check_benchmark(as_bytes(raw)).errors
    assert error.message == (
        "cells with fewer than 2 items: red × l (1), blue × s (0), blue × l (0)"
    )


def test_an_item_outside_the_design_fills_no_cell() -> None:
    raw = tiny_benchmark(
        factors={"size": ["s"]},
        factor_constraints={"min_items_per_cell": 1},
        items=[item(factor_levels={"size": "xl"})],
    )
    assert [code for code, _ in errors(raw)] == ["thin_cell", "unknown_level"]


def seconds(raw: Raw) -> float:
    data = as_bytes(raw)
    started = time.process_time()
    assert check_benchmark(data).errors
    return time.process_time() - started


@pytest.mark.parametrize(
    ("n_factors", "count"),
    [
        pytest.param(20, "1048576 in all", id="a million cells"),
        pytest.param(20_000, "more than 1,000,000,000,000 in all", id="beyond counting"),
    ],
)
def test_a_hostile_design_is_refused_quickly_in_one_line(n_factors: int, count: str) -> None:
    raw = tiny_benchmark(
        factors={f"f{n:05}": ["a", "b"] for n in range(n_factors)},
        factor_constraints={"min_items_per_cell": 1},
        items=[item(str(n)) for n in range(1000)],
    )
    assert seconds(raw) < 2
    (error,) = check_benchmark(as_bytes(raw)).errors
    assert count in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            {
                "bearers": {f"bearer-{n}": {"expression": "e"} for n in range(5000)},
                "items": [item(str(n), premises=[f"baerer-{n}"]) for n in range(5000)],
            },
            id="unknown bearers",
        ),
        pytest.param(
            {
                "factors": {"f": [f"level-{n}" for n in range(5000)]},
                "items": [item(str(n), factor_levels={"f": f"lewel-{n}"}) for n in range(5000)],
            },
            id="unknown levels",
        ),
        pytest.param(
            {
                "bearers": {f"b{n}": {"expression": "e"} for n in range(5000)},
                "ordinal_families": {"heat": [f"b{n}" for n in range(5000)]},
                "items": [item(str(n), **step(tier=f"b{n}", tier_index=-1)) for n in range(5000)],
            },
            id="wrong tiers",
        ),
        pytest.param(
            {
                "bearers": {"p" * 100_000: {"expression": "e"}},
                "items": [item(str(n), premises=["q" * 100_000]) for n in range(20)],
            },
            id="endless names",
        ),
    ],
)
def test_many_mistakes_take_no_longer_than_the_file_is_long(changes: Raw) -> None:
    assert seconds(tiny_benchmark(**changes)) < 3
