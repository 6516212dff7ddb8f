from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from schemas.benchmark import Benchmark
from schemas.errors import Problem
from schemas.evaluation import Evaluation
from schemas.problems import describe, one_line, problems_of, sort_problems
from schemas.strict_json import location
from tests.support.benchmarks import Raw, item, raw_benchmarks, tiny_benchmark, tiny_evaluation


def found_in(raw: Any, model: type[BaseModel] = Benchmark) -> list[Problem]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(raw)
    return problems_of(caught.value, raw)


def builder(**fields: Any) -> Raw:
    return {"context_builders": {"premise": fields}}


@pytest.mark.parametrize(
    ("changes", "code", "place", "message"),
    [
        pytest.param({"id": 5}, "type", "$.id", "expected text, found 5", id="text"),
        pytest.param({"id": None}, "type", "$.id", "expected text, found null", id="null"),
        pytest.param({"id": ["x"]}, "type", "$.id", "expected text, found a list", id="list"),
        pytest.param({"title": False}, "type", "$.title", "expected text, found false", id="bool"),
        pytest.param({"items": {}}, "type", "$.items", "expected a list, found an object", id="{}"),
        pytest.param({"items": ["x"]}, "type", "$.items[0]", "expected an object", id="item"),
        pytest.param({"bearers": []}, "type", "$.bearers", "expected an object", id="map"),
        pytest.param(
            {"bearers": {"odd key": {"expression": 1}}},
            "type",
            "$.bearers['odd key'].expression",
            "expected text, found 1",
            id="odd key",
        ),
        pytest.param(
            {"factor_constraints": {"min_items_per_cell": "few"}},
            "type",
            "$.factor_constraints.min_items_per_cell",
            "expected a whole number, found 'few'",
            id="number as text",
        ),
        pytest.param(
            {"factor_constraints": {"min_items_per_cell": 1.5}},
            "type",
            "$.factor_constraints.min_items_per_cell",
            "expected a whole number, found 1.5",
            id="half",
        ),
        pytest.param(
            {"factor_constraints": {"min_items_per_cell": "9" * 5000}},
            "type",
            "$.factor_constraints.min_items_per_cell",
            "expected a whole number",
            id="endless number",
        ),
        pytest.param(
            {"copresence_rules": [{"families": ["f", "g"], "exhaustivity": "maybe"}]},
            "type",
            "$.copresence_rules[0].exhaustivity",
            "expected true or false, found 'maybe'",
            id="truth",
        ),
        pytest.param({"schema_version": "2.0"}, "const", "$.schema_version", "'1.0'", id="const"),
        pytest.param({"schema_version": 1.0}, "type", "$.schema_version", "text", id="version 1.0"),
        pytest.param(
            {"factor_kinds": {"f": "nice"}}, "enum", "$.factor_kinds.f", "must be one of", id="enum"
        ),
        pytest.param({"analysts": []}, "min_length", "$.analysts", "must not be empty", id="none"),
        pytest.param(
            {"copresence_rules": [{"families": ["f"]}]},
            "min_length",
            "$.copresence_rules[0].families",
            "too short",
            id="too few",
        ),
        pytest.param(
            {"items": [item(construction_metadata={"authored_on": "yesterday"})]},
            "format",
            "$.items[0].construction_metadata.authored_on",
            "not a valid date: 'yesterday'",
            id="date",
        ),
        pytest.param(
            {"items": [item(construction_metadata={"authored_on": []})]},
            "type",
            "$.items[0].construction_metadata.authored_on",
            "expected a date",
            id="no date",
        ),
        pytest.param(
            builder(kind="template", template="{expressions}", joiner=5),
            "type",
            "$.context_builders.premise.joiner",
            "expected text, found 5",
            id="field of a union",
        ),
        pytest.param(
            builder(kind="template", template=5),
            "type",
            "$.context_builders.premise.template",
            "expected text, found 5",
            id="field called like its tag",
        ),
        pytest.param(
            builder(kind="template", template="{expressions}", extra=1),
            "additional_property",
            "$.context_builders.premise",
            "unknown key 'extra'",
            id="unknown key in a union",
        ),
        pytest.param(
            builder(kind="plugin"),
            "required",
            "$.context_builders.premise",
            "missing key 'plugin'",
            id="missing key in a union",
        ),
        pytest.param(
            builder(joiner=" "),
            "required",
            "$.context_builders.premise",
            "missing key 'kind'",
            id="no kind",
        ),
        pytest.param(
            builder(kind="magic"),
            "enum",
            "$.context_builders.premise.kind",
            "must be one of 'template', 'plugin', found 'magic'",
            id="unknown kind",
        ),
        pytest.param(
            builder(kind=5),
            "type",
            "$.context_builders.premise.kind",
            "expected text, found 5",
            id="kind of wrong type",
        ),
        pytest.param(
            {"context_builders": {"premise": "x"}},
            "type",
            "$.context_builders.premise",
            "expected an object, found 'x'",
            id="no builder",
        ),
        pytest.param(
            {"references": [5]}, "type", "$.references[0]", "expected an object", id="reference"
        ),
    ],
)
def test_a_problem_has_a_code_a_place_and_words(
    changes: Raw, code: str, place: str, message: str
) -> None:
    (problem,) = found_in(tiny_benchmark(**changes))
    assert (problem.code, problem.location) == (code, place)
    assert message in problem.message


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param(
            {"endorsement_config": {"n_samples": 0}},
            "minimum",
            "$.endorsement_config.n_samples",
            id="minimum",
        ),
        pytest.param({"started_at": "soon"}, "format", "$.started_at", id="time"),
        pytest.param({"started_at": {}}, "type", "$.started_at", id="no time"),
        pytest.param(
            {"model": {"provider": "p", "model_id": "m", "params": {"temperature": "nan"}}},
            "non_finite_number",
            "$.model.params.temperature",
            id="not a number",
        ),
        pytest.param(
            {"model": {"provider": "p", "model_id": "m", "params": {"top_p": "high"}}},
            "type",
            "$.model.params.top_p",
            id="number",
        ),
    ],
)
def test_problems_of_an_evaluation_have_codes_too(changes: Raw, code: str, place: str) -> None:
    (problem,) = found_in(tiny_evaluation(**changes), Evaluation)
    assert (problem.code, problem.location) == (code, place)


class Numbered(BaseModel):
    share: dict[int, Annotated[float, Field(le=1)]]


@pytest.mark.parametrize(
    ("share", "code", "place"),
    [
        pytest.param({"x": 1}, "type", "$.share.x", id="the key itself"),
        pytest.param({"7": 2}, "invalid", "$.share.7", id="no word of ours"),
    ],
)
def test_other_documents_are_located_as_well(share: Raw, code: str, place: str) -> None:
    (problem,) = found_in({"share": share}, Numbered)
    assert (problem.code, problem.location) == (code, place)


def test_a_wrong_entry_does_not_make_its_list_too_short() -> None:
    (problem,) = found_in(tiny_benchmark(analysts=[5]))
    assert (problem.code, problem.location) == ("type", "$.analysts[0]")


def test_missing_and_unknown_keys_are_gathered_at_their_parent() -> None:
    raw = {"id": "b", "items": [{"id": "i", "nope": 1, "no\nline": 2}], "more": 1}
    assert found_in(raw) == [
        Problem("additional_property", "$", "unknown key 'more'", "remove or correct 'more'"),
        Problem(
            "required",
            "$",
            "missing keys 'bearers', 'analysts'",
            "add 'bearers', 'analysts'",
        ),
        Problem(
            "additional_property",
            "$.items[0]",
            r"unknown keys 'nope', 'no\nline'",
            r"remove or correct 'nope', 'no\nline'",
        ),
        Problem(
            "required",
            "$.items[0]",
            "missing keys 'premises', 'conclusions', 'analyst_verdicts'",
            "add 'premises', 'conclusions', 'analyst_verdicts'",
        ),
    ]


def test_a_thousand_unknown_keys_make_one_readable_line() -> None:
    (problem,) = found_in(tiny_benchmark(**{f"extra-{n}": n for n in range(1000)}))
    assert len(problem.message) < 500
    assert problem.message.endswith("…")


def test_a_document_that_is_no_object_is_one_problem() -> None:
    assert found_in([1]) == [Problem("type", "$", "expected an object, found a list")]


def test_problems_are_sorted_by_depth_then_place_then_code() -> None:
    places = ["$.b[0]", "$['x.y.z']", "$.a.b.c", "$", "$.a.b", r"$['it\'s.odd']"]
    problems = [Problem("z", place, "m") for place in places] + [Problem("a", "$", "m")]
    assert [(p.location, p.code) for p in sort_problems(problems)] == [
        ("$", "a"),
        ("$", "z"),
        (r"$['it\'s.odd']", "z"),
        ("$['x.y.z']", "z"),
        ("$.a.b", "z"),
        ("$.b[0]", "z"),
        ("$.a.b.c", "z"),
    ]


@given(st.text())
def test_a_line_is_short_and_prints(text: str) -> None:
    assert one_line(text).isprintable()
    assert len(one_line(text)) <= 80
    assert describe(text).isprintable()


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists)


@given(raw_benchmarks(), st.data())
def test_every_problem_stands_at_a_place_that_exists(raw: Raw, data: st.DataObject) -> None:
    parent, key = data.draw(st.sampled_from(entries_of(raw)))
    parent[key] = data.draw(JSON)
    try:
        Benchmark.model_validate(raw)
    except ValidationError as error:
        for problem in problems_of(error, raw):
            assert problem.location in locations_in(raw)
            assert problem.message.isprintable()


def keys_of(value: Any) -> list[Any]:
    if isinstance(value, list):
        return list(range(len(value)))
    return list(value) if isinstance(value, dict) else []


def entries_of(value: Any) -> list[tuple[Any, Any]]:
    """Every container inside a value, with each of its keys."""
    keys = keys_of(value)
    return [(value, key) for key in keys] + [e for key in keys for e in entries_of(value[key])]


def locations_in(value: Any, path: tuple[str | int, ...] = ()) -> set[str]:
    inner = (locations_in(value[key], (*path, key)) for key in keys_of(value))
    return {location(path)}.union(*inner)
