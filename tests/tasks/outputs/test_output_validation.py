import json
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.published import stored
from tasks.outputs.validation import check_document, check_output
from tests.support.output_documents import VALID, valid

BEYOND_A_SCHEMA = {"time_order", "unsafe_path"}

CASES: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "valid": (valid(), []),
    "smallest": (
        {
            "$schema": "x",
            "schema_version": "v1",
            "metadata": {
                "benchmark": {"name": "b"},
                "model": {"name": "m", "provider": "p"},
                "run": {"id": "r", "started_at": "2031-02-03T04:05:06"},
            },
            "results": {"status": "ok", "metrics": {}},
        },
        [],
    ),
    "not an object": ([], [("$", "type")]),
    "missing keys are named once": (
        {"$schema": "x", "schema_version": "v1"},
        [("$", "required")],
    ),
    "unknown key on top": (valid(x_mine=1), [("$", "additional_property")]),
    "unknown key below": (
        valid(metadata__model__size=1),
        [("$.metadata.model", "additional_property")],
    ),
    "own key below": (valid(metadata__model__x_size=1), []),
    "version as number": (valid(schema_version=1), [("$.schema_version", "type")]),
    "other version": (valid(schema_version="v2"), [("$.schema_version", "const")]),
    "blank name": (
        valid(metadata__benchmark__name="  "),
        [("$.metadata.benchmark.name", "min_length")],
    ),
    "empty schema": (valid(**{"$schema": ""}), [("$.$schema", "min_length")]),
    "numeric benchmark version": (
        valid(metadata__benchmark__version=2),
        [("$.metadata.benchmark.version", "type")],
    ),
    "null is a type": (valid(metadata__notes=None), [("$.metadata.notes", "type")]),
    "dirty as text": (
        valid(metadata__run__git__dirty="no"),
        [("$.metadata.run.git.dirty", "type")],
    ),
    "host is open": (valid(metadata__run__host={"os": "x", "gpu": [1]}), []),
    "host os is text": (valid(metadata__run__host={"os": 1}), [("$.metadata.run.host.os", "type")]),
    "empty tag": (valid(metadata__tags=["a", ""]), [("$.metadata.tags[1]", "min_length")]),
    "status of another word": (valid(results__status="fine"), [("$.results.status", "enum")]),
    "status of another type": (valid(results__status=1), [("$.results.status", "type")]),
    "metric as text": (valid(results__metrics={"a": "0.5"}), [("$.results.metrics.a", "type")]),
    "metric as boolean": (valid(results__metrics={"a": True}), [("$.results.metrics.a", "type")]),
    "dotted metric name": (
        valid(results__metrics={"ns.x": None}),
        [("$.results.metrics['ns.x']", "type")],
    ),
    "empty metric name": (valid(results__metrics={"": 1}), [("$.results.metrics", "min_length")]),
    "error without error": (
        valid(results__status="error"),
        [("$.results", "conditional_required")],
    ),
    "ok with error": (
        valid(results__error={"message": "x"}),
        [("$.results", "conditional_forbidden")],
    ),
    "error block": (
        valid(results__status="error", results__error={}),
        [("$.results.error", "required")],
    ),
    "case that is no object": (valid(results__cases=[1]), [("$.results.cases[0]", "type")]),
    "artifact with both places": (
        valid(results__artifacts=[{"role": "a", "path": "x", "uri": "s3://y"}]),
        [("$.results.artifacts[0]", "one_of")],
    ),
    "artifact without place": (
        valid(results__artifacts=[{"role": "a"}]),
        [("$.results.artifacts[0]", "one_of")],
    ),
    "artifact leaving the repository": (
        valid(results__artifacts=[{"role": "a", "path": "../x"}]),
        [("$.results.artifacts[0].path", "unsafe_path")],
    ),
    "negative size": (
        valid(results__artifacts=[{"role": "a", "path": "x", "bytes": -1}]),
        [("$.results.artifacts[0].bytes", "minimum")],
    ),
    "size with a fraction": (
        valid(results__artifacts=[{"role": "a", "path": "x", "bytes": 1.5}]),
        [("$.results.artifacts[0].bytes", "type")],
    ),
    "digest in upper case": (
        valid(results__artifacts=[{"role": "a", "path": "x", "sha256": "A" * 64}]),
        [("$.results.artifacts[0].sha256", "format")],
    ),
    "digest with a line feed": (
        valid(results__artifacts=[{"role": "a", "path": "x", "sha256": "a" * 64 + "\n"}]),
        [("$.results.artifacts[0].sha256", "format")],
    ),
    "end before start": (
        valid(metadata__run__finished_at="2031-02-03T04:05:05Z"),
        [("$.metadata.run.finished_at", "time_order")],
    ),
    "times that cannot be compared": (valid(metadata__run__finished_at="2001-01-01T00:00:00"), []),
    "all at once, outer places first": (
        {
            "$schema": "x",
            "schema_version": "v1",
            "metadata": {"run": {}},
            "results": {"metrics": {}},
        },
        [("$.metadata", "required"), ("$.results", "required"), ("$.metadata.run", "required")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_problem_is_found_with_code_and_location(case: str) -> None:
    document, expected = CASES[case]
    found = check_output(json.dumps(document).encode())
    assert [(p.location, p.code) for p in found.errors] == expected


@pytest.mark.parametrize("case", CASES)
def test_other_validators_agree_as_far_as_a_schema_can_speak(case: str) -> None:
    document, expected = CASES[case]
    says_no = any(code not in BEYOND_A_SCHEMA for _, code in expected)
    schema = stored("output-v1")
    assert jsonschema.Draft202012Validator(schema).is_valid(document) is not says_no
    assert jsonschema_rs.validator_for(schema).is_valid(document) is not says_no


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("2031-02-03T04:05:06Z", True),
        ("2031-02-03T04:05:06.123456789+05:30", True),
        ("2031-02-03T04:05:06", True),
        ("2031-02-03 04:05:06Z", False),
        ("2031-02-03T04:05Z", False),
        ("2031-02-03", False),
        ("2031-02-03t04:05:06z", False),
        ("2031-02-03T04:05:60Z", False),
        ("2031-02-03T24:00:00Z", False),
        ("2031-02-03T04:05:06.1234567890Z", False),
        ("2031-02-03T04:05:06+0530", False),
        ("2031-02-30T04:05:06Z", False),
        ("2030-02-29T04:05:06Z", False),
        ("2028-02-29T04:05:06Z", True),
        ("2031-02-03T04:05:06Z\n", False),
        ("٢٠٣١-02-03T04:05:06Z", False),
    ],
)
def test_a_time_has_one_form_and_a_real_date(text: str, ok: bool) -> None:
    document = valid(metadata__run__started_at=text, metadata__run__finished_at=...)
    codes = [p.code for p in check_document(document).errors]
    assert codes == ([] if ok else ["format"])


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (valid(metadata__run__started_at="2031-02-03T04:05:06"), "naive_time"),
        (valid(metadata__notes="x" * 2001), "long_notes"),
        (valid(results__metrics={}), "no_metrics"),
        (valid(results__metrics={"F1 score": 1}), "metric_name"),
    ],
)
def test_a_caution_does_not_make_a_document_invalid(document: Any, code: str) -> None:
    found = check_document(document)
    assert code in [p.code for p in found.warnings]
    assert found.errors == ()


def test_lax_turns_unknown_keys_below_the_top_into_warnings() -> None:
    below = check_document(valid(metadata__model__size=1), lax=True)
    assert (below.errors, [p.code for p in below.warnings]) == ((), ["additional_property"])
    on_top = check_document(valid(extra=1), lax=True)
    assert [p.code for p in on_top.errors] == ["additional_property"]


def test_missing_and_unknown_keys_are_named() -> None:
    document = valid(metadata__model={"Name": "x"})
    messages = {p.code: p.message for p in check_document(document).errors}
    assert "'name'" in messages["required"]
    assert "'provider'" in messages["required"]
    assert "'Name'" in messages["additional_property"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"\xef\xbb\xbf{}", "invalid_json"),
        (b'{"a": 1, "a": 2}', "duplicate_key"),
        (b'{"results": {"metrics": {"f1": NaN}}}', "non_finite_number"),
        (b"{} {}", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b"", "invalid_json"),
    ],
)
def test_what_the_reader_refuses_ends_the_check(raw: bytes, code: str) -> None:
    assert {p.code for p in check_output(raw).errors} == {code}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)
PLACES = [
    ("schema_version",),
    ("metadata", "benchmark"),
    ("metadata", "model", "name"),
    ("metadata", "run", "git", "dirty"),
    ("metadata", "run", "host"),
    ("metadata", "tags"),
    ("results", "status"),
    ("results", "metrics"),
    ("results", "error"),
    ("results", "cases"),
    ("results", "artifacts"),
]


@given(st.sampled_from(PLACES), JSON)
def test_three_validators_agree_on_any_value_at_any_place(
    place: tuple[str, ...], value: Any
) -> None:
    document = valid()
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    found = check_document(document)
    accepted = not [p for p in found.errors if p.code not in BEYOND_A_SCHEMA]
    schema = stored("output-v1")
    assert jsonschema.Draft202012Validator(schema).is_valid(document) is accepted
    assert jsonschema_rs.validator_for(schema).is_valid(document) is accepted


def test_the_shared_document_is_left_as_it_was() -> None:
    assert valid() == VALID
