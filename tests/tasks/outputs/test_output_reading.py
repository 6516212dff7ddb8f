import json
from typing import Any

import pytest

from schemas.errors import InvalidFile
from tasks.outputs.reading import read_output
from tests.support.output_documents import legacy, valid


def test_a_valid_document_is_read() -> None:
    assert read_output(json.dumps(valid()).encode(), "a.json") == valid()


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (valid(schema_version="v2"), "unknown_version"),
        (legacy(), "legacy_shape"),
        (valid(results__status="fine"), "enum"),
        ([], "type"),
        (None, "type"),
    ],
    ids=["later version", "old shape", "invalid", "list", "null"],
)
def test_what_cannot_be_read_is_said_clearly(document: Any, code: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        read_output(json.dumps(document).encode(), "a.json")
    assert [problem.code for problem in caught.value.problems] == [code]
    assert caught.value.file == "a.json"


def test_broken_json_is_said_clearly() -> None:
    with pytest.raises(InvalidFile) as caught:
        read_output(b"{", "a.json")
    assert caught.value.problems[0].code == "invalid_json"
