"""The JSON Schemas that we ship: up to date, well formed, and of one mind with the models."""

import copy
from collections.abc import Callable
from importlib import resources
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation
from schemas.published import DIALECT, PUBLISHED, as_text, generate, stored
from schemas.version import VERSION
from tests.support.benchmarks import Raw, item, raw_benchmarks, tiny_benchmark, tiny_evaluation

SCHEMAS = {name: stored(name) for name in PUBLISHED}
SLOW = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
FAST = {name: jsonschema_rs.validator_for(schema) for name, schema in SCHEMAS.items()}
MODELS: dict[str, type[Any]] = {"benchmark-1.0": Benchmark, "evaluation-1.0": Evaluation}


def judges(name: str, raw: Raw) -> tuple[bool, bool, bool]:
    """Whether the model and each of two independent validators accept a document."""
    try:
        MODELS[name].model_validate(raw)
    except ValidationError:
        accepted = False
    else:
        accepted = True
    return accepted, SLOW[name].is_valid(raw), FAST[name].is_valid(raw)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_file_is_what_the_model_generates(name: str) -> None:
    file = resources.files("schemas").joinpath(f"json/{name}.json")
    assert file.read_text("utf-8") == as_text(generate(name)), "run: assent schemas --write"


def test_every_file_belongs_to_a_published_model() -> None:
    files = {file.name for file in resources.files("schemas").joinpath("json").iterdir()}
    assert files == {f"{name}.json" for name in PUBLISHED}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_schema_is_valid_under_its_meta_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    jsonschema_rs.meta.validate(SCHEMAS[name])
    assert SCHEMAS[name]["$schema"] == DIALECT
    assert SCHEMAS[name]["$id"].endswith(f"{name}.json")


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("benchmark-1.0", ["id", "bearers", "analysts", "items"]),
        ("evaluation-1.0", ["id", "benchmark_id", "model", "items"]),
    ],
)
def test_required_keys_are_those_of_the_format(name: str, required: list[str]) -> None:
    assert SCHEMAS[name]["required"] == required


def test_the_default_framework_version_is_this_version() -> None:
    assert SCHEMAS["evaluation-1.0"]["properties"]["framework_version"]["default"] == VERSION


def test_a_field_called_title_keeps_its_schema() -> None:
    assert "title" in SCHEMAS["benchmark-1.0"]["properties"]
    assert "title" not in SCHEMAS["benchmark-1.0"]


@given(raw_benchmarks())
def test_schema_and_model_accept_every_valid_benchmark(raw: Raw) -> None:
    assert judges("benchmark-1.0", raw) == (True, True, True)


def test_schema_and_model_accept_an_evaluation() -> None:
    assert judges("evaluation-1.0", tiny_evaluation(paraphrase_variant=None)) == (True,) * 3


Spoil = Callable[[Raw], object]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda raw: raw.pop("analysts"), id="required key missing"),
        pytest.param(lambda raw: raw.update(extra=1), id="unknown key"),
        pytest.param(lambda raw: raw.update(factors=None), id="null container"),
        pytest.param(lambda raw: raw.update(items={}), id="object for a list"),
        pytest.param(lambda raw: raw.update(bearers=[]), id="list for an object"),
        pytest.param(lambda raw: raw.update(schema_version="2.0"), id="other version"),
        pytest.param(lambda raw: raw.update(schema_version=1.0), id="version as a number"),
        pytest.param(lambda raw: raw.update(analysts=[]), id="no analysts"),
        pytest.param(lambda raw: raw.update(factor_kinds={"f": "nice"}), id="unknown word"),
        pytest.param(
            lambda raw: raw.update(context_builders={"premise": {}}), id="builder without kind"
        ),
        pytest.param(
            lambda raw: raw.update(context_builders={"premise": {"kind": "magic"}}),
            id="unknown kind",
        ),
        pytest.param(
            lambda raw: raw.update(items=[item(analyst_verdicts=["GOOD"])]), id="upper case verdict"
        ),
        pytest.param(lambda raw: raw.update(items=[item(premises=[["p"]])]), id="nested premise"),
        pytest.param(lambda raw: raw.update(items=[item(extra=1)]), id="unknown key in an item"),
        pytest.param(lambda raw: raw.update(references=[5]), id="number for a reference"),
        pytest.param(
            lambda raw: raw.update(copresence_rules=[{"families": ["f"]}]), id="one family"
        ),
    ],
)
def test_schema_and_model_refuse_the_same(spoil: Spoil) -> None:
    raw = tiny_benchmark()
    spoil(raw)
    assert judges("benchmark-1.0", raw) == (False, False, False)


@given(raw_benchmarks(), st.data())
def test_schema_and_model_refuse_an_unknown_key_in_every_object(
    raw: Raw, data: st.DataObject
) -> None:
    spoilt = copy.deepcopy(raw)
    objects = [spoilt, *spoilt["bearers"].values(), *spoilt["analysts"], *spoilt["items"]]
    data.draw(st.sampled_from(objects))["an extra key"] = None
    assert judges("benchmark-1.0", spoilt) == (False, False, False)


@given(raw_benchmarks(), st.sampled_from(["id", "bearers", "analysts", "items"]))
def test_schema_and_model_refuse_a_null_for_what_is_required(raw: Raw, key: str) -> None:
    assert judges("benchmark-1.0", raw | {key: None}) == (False, False, False)
