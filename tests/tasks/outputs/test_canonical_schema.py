"""The schema file at the place that every output document names."""

import json
from pathlib import Path

import jsonschema
import jsonschema_rs

from schemas.output import SCHEMA_PATH
from schemas.published import as_text, generate, stored
from tasks.outputs.paths import classify
from tests.support.output_documents import valid

FILE = Path(__file__).resolve().parents[3] / SCHEMA_PATH


def test_the_file_is_what_the_model_generates() -> None:
    assert FILE.read_text("utf-8") == as_text(generate("output-v1")), "run: assent schemas --write"
    assert json.loads(FILE.read_text("utf-8")) == stored("output-v1")


def test_the_file_is_a_schema_of_its_dialect() -> None:
    schema = json.loads(FILE.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)


def test_documents_name_the_file_and_the_file_is_no_result() -> None:
    assert valid()["$schema"] == SCHEMA_PATH
    assert classify(SCHEMA_PATH).status == "excluded"
