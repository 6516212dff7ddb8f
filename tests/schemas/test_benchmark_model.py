import datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from pydantic import ValidationError

from schemas.benchmark import (
    LATER_FIELDS,
    LATER_ITEM_FIELDS,
    Analyst,
    Bearer,
    Benchmark,
    ConstructionMetadata,
    ContextBuilders,
    CopresenceRule,
    Direction,
    FactorConstraints,
    FactorKind,
    Item,
    MonotonicityStep,
    PlaceholderVerdict,
    Reference,
    Regularity,
    TemplateBuilder,
    VariationType,
    VerificationPrompt,
)
from schemas.evaluation import as_written
from tests.support.benchmarks import Raw, benchmark, item, raw_benchmarks, tiny_benchmark


def dumped(model: type[Any], raw: Raw) -> Raw:
    found: Raw = model.model_validate(raw).model_dump(mode="json")
    return found


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        pytest.param(
            VariationType,
            "base strengthen contested defeat abstain_anchor monotonicity_step",
            id="variation",
        ),
        pytest.param(PlaceholderVerdict, "good bad abstain contested", id="placeholder"),
        pytest.param(FactorKind, "substantive experimentally_controlled", id="factor kind"),
        pytest.param(Direction, "non_decreasing non_increasing", id="direction"),
    ],
)
def test_vocabularies_are_closed(vocabulary: Any, words: str) -> None:
    assert list(get_args(vocabulary)) == words.split()


def test_a_minimal_benchmark_gets_every_default() -> None:
    assert dumped(
        Benchmark, {"id": "b", "bearers": {}, "analysts": [{"id": "a"}], "items": []}
    ) == {
        "schema_version": "1.0",
        "id": "b",
        "title": None,
        "domain": None,
        "description": None,
        "bearers": {},
        "analysts": [
            {
                "id": "a",
                "display_name": None,
                "notes": None,
                "panel": None,
                "expertise_description": None,
            }
        ],
        "context_builders": {
            "premise": {"kind": "template", "template": "{expressions}", "joiner": " and "},
            "conclusion": {"kind": "template", "template": "{expressions}", "joiner": " or "},
        },
        "verification_prompt": None,
        "items": [],
        "factors": {},
        "factor_constraints": None,
        "factor_kinds": {},
        "primary_panel": None,
        "references": [],
        "template_id": None,
        "coherence_frame_id": None,
        "ordinal_families": {},
        "copresence_rules": [],
        "entailment_rules": [],
        "regularities": [],
        "targets": [],
    }


def test_a_minimal_item_gets_every_default() -> None:
    raw = {"id": "i", "premises": [], "conclusions": [], "analyst_verdicts": []}
    assert dumped(Item, raw) == raw | {
        "analyst_rationales": None,
        "tags": [],
        "rsr_target": None,
        "references": [],
        "factor_levels": {},
        "construction_metadata": None,
        "ladder": None,
        "target": None,
        "construction_note": None,
        "variation": None,
        "placeholder": None,
        "monotonicity_step": None,
    }


@pytest.mark.parametrize(
    ("model", "raw", "defaults"),
    [
        pytest.param(
            Bearer,
            {"expression": "e"},
            {"paraphrases": [], "references": [], "ordinal_family": None},
            id="bearer",
        ),
        pytest.param(
            Reference,
            {"citation": "c"},
            {"doi": None, "url": None, "section": None, "note": None},
            id="reference",
        ),
        pytest.param(
            VerificationPrompt,
            {"template": "t"},
            {"system": None, "parse_regex": None, "id": None},
            id="verification prompt",
        ),
        pytest.param(FactorConstraints, {}, {"min_items_per_cell": None}, id="constraints"),
        pytest.param(
            CopresenceRule, {"families": ["f", "g"]}, {"exhaustivity": False}, id="copresence"
        ),
        pytest.param(Regularity, {"description": "d"}, {"test_item_ids": []}, id="regularity"),
        pytest.param(
            ConstructionMetadata,
            {},
            {
                "authored_by": None,
                "authored_on": None,
                "source": None,
                "authored_blind_to_models": [],
            },
            id="construction metadata",
        ),
        pytest.param(
            MonotonicityStep,
            {"family": "f", "tier": "p", "tier_index": 0},
            {"expected": "non_decreasing", "fixed": None},
            id="monotonicity step",
        ),
    ],
)
def test_a_part_gets_its_defaults(model: type[Any], raw: Raw, defaults: Raw) -> None:
    assert dumped(model, raw) == raw | defaults


def test_a_conclusion_builder_written_without_joiner_joins_by_and() -> None:
    builders = ContextBuilders.model_validate({"conclusion": {"kind": "template"}})
    assert builders.conclusion == TemplateBuilder(kind="template", joiner=" and ")
    assert builders.premise == TemplateBuilder(kind="template", joiner=" and ")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param(["q", "p", "q"], ("p", "q"), id="sorted and unique"),
        pytest.param(["é", "z", "Z", "😀"], ("Z", "z", "é", "😀"), id="by code point"),
        pytest.param([], (), id="empty"),
        pytest.param([1, "1", 2.5, True, None], ("1", "2.5", "None", "True"), id="as text"),
    ],
)
def test_premises_become_a_sorted_set_of_texts(written: list[Any], read: tuple[str, ...]) -> None:
    found = Item.model_validate(item(premises=written, rsr_target={"X": written, "A": written}))
    assert found.premises == read
    assert found.rsr_target is not None
    assert found.rsr_target.model_dump() == {"X": read, "A": read}


@pytest.mark.parametrize("premises", ["p", {"p": 1}, None, [["p"]], [{"p": 1}]], ids=repr)
def test_premises_that_are_no_list_of_scalars_are_refused(premises: object) -> None:
    with pytest.raises(ValidationError):
        Item.model_validate(item(premises=premises))


def test_a_bare_string_stands_for_its_citation_wherever_references_stand() -> None:
    raw = tiny_benchmark(
        references=["Top"],
        bearers={"p": {"expression": "p", "references": ["Bearer", {"citation": "Full"}]}},
        items=[item(premises=["p"], conclusions=[], references=["Item"])],
    )
    found = Benchmark.model_validate(raw)
    assert found.references == (Reference(citation="Top"),)
    assert [r.citation for r in found.bearers["p"].references] == ["Bearer", "Full"]
    assert found.items[0].references == (Reference(citation="Item"),)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"extra": 1}, id="benchmark"),
        pytest.param({"bearers": {"p": {"expression": "p", "extra": 1}}}, id="bearer"),
        pytest.param({"analysts": [{"id": "a", "extra": 1}]}, id="analyst"),
        pytest.param({"items": [item(extra=1)]}, id="item"),
        pytest.param({"context_builders": {"extra": 1}}, id="builders"),
        pytest.param(
            {"context_builders": {"premise": {"kind": "template", "extra": 1}}}, id="builder"
        ),
        pytest.param({"verification_prompt": {"template": "t", "extra": 1}}, id="prompt"),
        pytest.param({"factor_constraints": {"extra": 1}}, id="constraints"),
        pytest.param({"references": [{"citation": "c", "extra": 1}]}, id="reference"),
    ],
)
def test_unknown_keys_are_refused(changes: Raw) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Benchmark.model_validate(tiny_benchmark(**changes))


@pytest.mark.parametrize(
    "name",
    [
        *("bearers", "analysts", "items", "context_builders", "factors", "factor_kinds"),
        *("references", "ordinal_families", "copresence_rules", "entailment_rules"),
        *("regularities", "targets", "schema_version", "id"),
    ],
)
def test_null_is_refused_where_the_type_does_not_name_it(name: str) -> None:
    with pytest.raises(ValidationError):
        Benchmark.model_validate(tiny_benchmark(**{name: None}))


@pytest.mark.parametrize(
    "name",
    [
        *("title", "domain", "description", "verification_prompt", "factor_constraints"),
        *("primary_panel", "template_id", "coherence_frame_id"),
    ],
)
def test_null_counts_as_absent_where_the_type_names_it(name: str) -> None:
    assert benchmark(**{name: None}) == benchmark()


@pytest.mark.parametrize("name", ["tags", "references", "factor_levels", "premises"])
def test_null_is_refused_in_the_containers_of_an_item(name: str) -> None:
    with pytest.raises(ValidationError):
        Item.model_validate(item(**{name: None}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"schema_version": 1.0}, "Input should be '1.0'", id="version as a number"),
        pytest.param({"analysts": []}, "at least 1 item", id="no analysts"),
        pytest.param({"items": [item(analyst_verdicts=["GOOD"])]}, "'good'", id="upper case"),
        pytest.param(
            {"items": [item(analyst_rationales=[None, ""])]}, "valid string", id="null rationale"
        ),
        pytest.param({"copresence_rules": [{"families": ["f"]}]}, "at least 2", id="one family"),
        pytest.param({"context_builders": {"premise": {}}}, "kind", id="builder without kind"),
    ],
)
def test_wrong_values_are_refused(changes: Raw, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Benchmark.model_validate(tiny_benchmark(**changes))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("2026-01-31", datetime.date(2026, 1, 31), id="day"),
        pytest.param("2026-01-31T00:00:00", datetime.date(2026, 1, 31), id="midnight"),
        pytest.param("2026-01-31T00:01:00", None, id="later that day"),
        pytest.param("31.1.2026", None, id="other format"),
    ],
)
def test_a_date_is_a_day(written: str, read: datetime.date | None) -> None:
    raw = {"authored_on": written}
    if read is None:
        with pytest.raises(ValidationError):
            ConstructionMetadata.model_validate(raw)
    else:
        assert ConstructionMetadata.model_validate(raw).authored_on == read


def test_numbers_written_as_text_are_read_as_numbers() -> None:
    constraints = FactorConstraints.model_validate({"min_items_per_cell": "5"})
    assert constraints.min_items_per_cell == 5


@pytest.mark.parametrize(
    ("paraphrases", "n_variants"),
    [
        pytest.param([], 1, id="no bearers"),
        pytest.param([0, 0], 1, id="no paraphrases"),
        pytest.param([1, 3, 0], 4, id="the most counts"),
    ],
)
def test_there_are_as_many_variants_as_the_richest_bearer_has(
    paraphrases: list[int], n_variants: int
) -> None:
    bearers = {
        str(i): {"expression": "e", "paraphrases": ["x"] * n} for i, n in enumerate(paraphrases)
    }
    assert benchmark(bearers=bearers, items=[]).n_variants == n_variants


def test_plugins_are_named() -> None:
    plugin = {"kind": "plugin", "plugin": "mine:build"}
    assert benchmark().plugins == ()
    assert benchmark(context_builders={"conclusion": plugin}).plugins == ("mine:build",)


def test_values_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        benchmark().id = "other"


def test_first_generation_readers_find_no_key_that_they_do_not_know() -> None:
    written = as_written(benchmark())
    assert not {*LATER_FIELDS} & {*written}
    assert not {*LATER_ITEM_FIELDS} & {*written["items"][0]}
    assert "ordinal_family" not in written["bearers"]["p"]
    assert "expertise_description" not in written["analysts"][0]
    assert written["factors"] == {}


@given(raw_benchmarks())
def test_what_is_written_reads_back_the_same(raw: Raw) -> None:
    found = Benchmark.model_validate(raw)
    assert Benchmark.model_validate(as_written(found)) == found


def test_every_later_field_is_declared_as_such() -> None:
    marked = {
        model: {
            name
            for name, field in model.model_fields.items()
            if (field.description or "").startswith("LATER.")
        }
        for model in (Benchmark, Item, Bearer, Analyst)
    }
    assert marked == {
        Benchmark: {*LATER_FIELDS},
        Item: {*LATER_ITEM_FIELDS},
        Bearer: {"ordinal_family"},
        Analyst: {"expertise_description"},
    }
