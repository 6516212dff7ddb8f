"""Rows: lines, types, defaults, and the rules of the six families."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.published import stored
from schemas.strict_json import exact_decimal
from tasks.packs.lines import split_lines
from tests.support.packs import ROWS, brief, checked, codes, row, task_of, write_pack

CONFIG = "ConfigError"
SCHEMA = jsonschema.Draft202012Validator(stored("pack-row-1"))


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param({"id": 7}, "type", "$.id", id="s3-id-number"),
        pytest.param({"id": ""}, "min_length", "$.id", id="s3-id-empty"),
        pytest.param({"id": "  "}, "min_length", "$.id", id="s3-id-blank"),
        pytest.param({"family": ""}, "min_length", "$.family", id="s3-family-empty"),
        pytest.param({"family": 3}, "type", "$.family", id="s3-family-number"),
        pytest.param({"input": []}, "type", "$.input", id="s3-input-list"),
        pytest.param({"eval": "x"}, "type", "$.eval", id="s3-eval-text"),
        pytest.param({"assets": {}}, "type", "$.assets", id="s3-assets-object"),
        pytest.param({"assets": ["a.txt"]}, "type", "$.assets[0]", id="s3-asset-text"),
        pytest.param({"environment": []}, "type", "$.environment", id="s3-environment-list"),
        pytest.param({"metadata": "m"}, "type", "$.metadata", id="s3-metadata-text"),
    ],
)
def test_a_row_of_the_wrong_shape_is_refused(
    tmp_path: Path, changes: dict[str, Any], code: str, place: str
) -> None:
    (problem,) = checked(write_pack(tmp_path, [row() | changes])).errors
    assert (problem.type, problem.code, problem.location) == (CONFIG, code, place)
    assert (problem.line, problem.file) == (1, str(tmp_path / "tasks.jsonl"))


@pytest.mark.parametrize("key", [pytest.param("id", id="s3-id-missing")])
def test_a_row_needs_an_id(tmp_path: Path, key: str) -> None:
    raw = row()
    del raw[key]
    assert brief(checked(write_pack(tmp_path, [raw])).errors) == [(CONFIG, "required", "$")]


@pytest.mark.parametrize(
    ("family", "default", "valid"),
    [
        pytest.param(None, None, False, id="s3-family-nowhere"),
        pytest.param(None, "multiple_choice", True, id="s3-family-default"),
        pytest.param("multiple_choice", "short_answer", True, id="s3-family-row-wins"),
    ],
)
def test_the_family_comes_from_the_row_or_the_default(
    tmp_path: Path, family: str | None, default: str | None, valid: bool
) -> None:
    manifest = {"id": "x", "version": 1, "defaults": {"family": default}}
    found = checked(write_pack(tmp_path, [row() | {"family": family}], manifest))
    assert (not found.errors) is valid


@pytest.mark.parametrize(
    "part",
    [pytest.param(p, id=f"s3-{p}-null") for p in ("assets", "environment", "metadata")],
)
def test_null_is_an_empty_part(tmp_path: Path, part: str) -> None:
    assert checked(write_pack(tmp_path, [row() | {part: None}])).errors == ()


@pytest.mark.parametrize("part", [pytest.param("input", id="s3-input-null")])
def test_null_input_is_an_object_without_keys(tmp_path: Path, part: str) -> None:
    found = checked(write_pack(tmp_path, [row() | {part: None}])).errors
    assert brief(found) == [(CONFIG, "required", "$.input")]


@pytest.mark.parametrize("key", [pytest.param("asset", id="s3-other-keys")])
def test_an_unknown_key_of_a_row_is_a_warning_and_an_error_under_strict(
    tmp_path: Path, key: str
) -> None:
    pack = write_pack(tmp_path, [row() | {key: 1}])
    assert codes(checked(pack).warnings) == ["additional_property"]
    assert brief(checked(pack, strict=True).errors) == [(CONFIG, "additional_property", "$")]


GOOD = json.dumps(row())


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        pytest.param(f"{GOOD}\n\n[1, 2]\n", 3, "type", id="s3-blank-lines-count"),
        pytest.param(f"{GOOD}\r\n\r\nnope\r\n", 3, "invalid_json", id="s3-crlf"),
        pytest.param(f"{GOOD}\r\rnope", 3, "invalid_json", id="s3-cr"),
        pytest.param(f"{GOOD}\n{GOOD[:-1]}", 2, "invalid_json", id="s3-cut-off"),
        pytest.param(f"{GOOD} {GOOD}", 1, "invalid_json", id="s3-two-on-a-line"),
        pytest.param('{"id": "a"', 1, "invalid_json", id="s3-bad-json"),
        pytest.param(GOOD.replace("0}", "NaN}"), 1, "non_finite_number", id="FIX-4-nan"),
        pytest.param(GOOD.replace("0}", "1e999}"), 1, "non_finite_number", id="FIX-4-overflow"),
        pytest.param(GOOD.replace("0}", "-Infinity}"), 1, "non_finite_number", id="FIX-4-infinity"),
        pytest.param(GOOD.replace("0}", '0, "answer": 1}'), 1, "duplicate_key", id="FIX-5"),
        pytest.param(
            GOOD.replace("0}", "[" * 300 + "]" * 300 + "}"), 1, "invalid_json", id="FIX-6-depth"
        ),
        pytest.param(
            GOOD.replace("0}", "[" * 100_000 + "]" * 100_000 + "}"),
            1,
            "invalid_json",
            id="FIX-6-great-depth",
        ),
        pytest.param(f"{GOOD}\n{GOOD}", 2, "duplicate_id", id="FIX-3"),
        pytest.param(b"\xff\xfe{}", 1, "invalid_json", id="s1-rows-not-utf8"),
    ],
)
def test_a_bad_line_is_told_with_its_number(
    tmp_path: Path, data: str | bytes, line: int, code: str
) -> None:
    raw = data if isinstance(data, bytes) else data.encode()
    (problem,) = checked(write_pack(tmp_path, raw)).errors
    assert (problem.type, problem.line, problem.code) == (CONFIG, line, code)


@pytest.mark.parametrize("most", [pytest.param(10, id="FIX-6-size")])
def test_a_line_that_is_too_long_is_not_kept(most: int) -> None:
    chunks = [b"short\n", b"x" * 8, b"x" * 8, b"\n{}\n"]
    assert list(split_lines(chunks, most)) == [(1, b"short"), (2, None), (3, b"{}")]


@pytest.mark.parametrize("text", [pytest.param("a\u2028b\u2029c\u0085d\x0be", id="s3-separators")])
def test_separators_of_unicode_do_not_split_rows(tmp_path: Path, text: str) -> None:
    question = json.dumps(text, ensure_ascii=False).replace("\x0b", "\\u000b")
    raw = GOOD.replace('"Which?"', question)
    assert task_of(write_pack(tmp_path, f"{raw}\n".encode())).value("question") == text


@pytest.mark.parametrize("limit", [pytest.param(1, id="s3-limit")])
def test_rows_beyond_the_limit_are_not_even_parsed(tmp_path: Path, limit: int) -> None:
    found = checked(write_pack(tmp_path, f"{GOOD}\nnope\n".encode()), limit=limit)
    assert (found.rows, found.errors) == (1, ())


@given(st.lists(st.text("ab\u2028\u0085é {}", max_size=5)), st.sampled_from(["\n", "\r\n", "\r"]))
def test_lines_survive_any_cutting_into_chunks(lines: list[str], end: str) -> None:
    data = end.join(lines).encode()
    wanted = [(n, text.strip().encode()) for n, text in enumerate(lines, 1) if text.strip()]
    for size in (1, 2, 3, 1000):
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        assert list(split_lines(chunks)) == wanted


def test_every_bad_row_is_listed_with_its_id(tmp_path: Path) -> None:
    rows = [row(id=f"r{n}", eval__answer=9 if n % 2 else 0) for n in range(6)]
    found = checked(write_pack(tmp_path, rows)).errors
    assert [(p.line, p.task_id) for p in found] == [(2, "r1"), (4, "r3"), (6, "r5")]


def test_numbers_keep_their_decimal_text(tmp_path: Path) -> None:
    raw = json.dumps(row("short_answer")).replace("[3,", "[1.10000000000000000001,")
    task = task_of(write_pack(tmp_path, raw.encode()))
    assert str(exact_decimal(task.value("accepted_answers")[0])) == "1.10000000000000000001"
    assert str(exact_decimal(task.value("tolerance"))) == "0.5"


@pytest.mark.parametrize("family", [pytest.param(f, id=f"s7.0-family-{f}") for f in ROWS])
def test_a_small_row_of_every_family_is_valid(tmp_path: Path, family: str) -> None:
    found = checked(write_pack(tmp_path, [row(family)]))
    assert (found.rows, found.errors, found.warnings) == (1, (), ())


FAMILY_FAULTS = [
    pytest.param(
        "multiple_choice",
        {"input__choices": []},
        "min_length",
        "$.input.choices",
        id="s7.1-no-choices",
    ),
    pytest.param(
        "multiple_choice",
        {"input__choices": ["x", 5]},
        "type",
        "$.input.choices[1]",
        id="s7.1-choice-number",
    ),
    pytest.param(
        "multiple_choice",
        {"input__question": " "},
        "min_length",
        "$.input.question",
        id="s7.1-question-blank",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": True},
        "type",
        "$.eval.answer",
        id="s7.1-answer-bool",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": []},
        "min_length",
        "$.eval.answer",
        id="s7.1-answer-empty-list",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": [""]},
        "min_length",
        "$.eval.answer[0]",
        id="s7.1-answer-blank",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": 3},
        "unknown_choice",
        "$.eval.answer",
        id="FIX-14-index",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": -1},
        "unknown_choice",
        "$.eval.answer",
        id="FIX-14-negative",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": 0.5},
        "unknown_choice",
        "$.eval.answer",
        id="FIX-14-fraction",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": [0, 9]},
        "unknown_choice",
        "$.eval.answer[1]",
        id="FIX-14-in-a-list",
    ),
    pytest.param(
        "multiple_choice",
        {"eval__answer": "Paris"},
        "unknown_choice",
        "$.eval.answer",
        id="FIX-14-text",
    ),
    pytest.param(
        "multiple_choice",
        {"input__choices": [f"c{n}" for n in range(27)]},
        "too_many_choices",
        "$.input.choices",
        id="s7.1-27-choices",
    ),
    pytest.param(
        "short_answer",
        {"eval__accepted_answers": []},
        "min_length",
        "$.eval.accepted_answers",
        id="s7.2-none",
    ),
    pytest.param(
        "short_answer",
        {"eval__accepted_answers": [None]},
        "type",
        "$.eval.accepted_answers[0]",
        id="s7.2-null",
    ),
    pytest.param(
        "short_answer",
        {"eval__tolerance": None},
        "type",
        "$.eval.tolerance",
        id="s7.0-null-is-not-absent",
    ),
    pytest.param(
        "short_answer",
        {"eval__tolerance": -1},
        "minimum",
        "$.eval.tolerance",
        id="s7.2-tolerance",
    ),
    pytest.param(
        "short_answer", {"input__context": 3}, "type", "$.input.context", id="s7.2-context"
    ),
    pytest.param(
        "short_answer",
        {"input__answer_format": ""},
        "min_length",
        "$.input.answer_format",
        id="s7.2-format",
    ),
    pytest.param(
        "free_response",
        {"eval__rubric": ""},
        "min_length",
        "$.eval.rubric",
        id="s7.3-rubric-blank",
    ),
    pytest.param(
        "free_response",
        {"eval__weights": {}},
        "additional_property",
        "$.eval",
        id="s7.0-unknown-key",
    ),
    pytest.param(
        "free_response",
        {"eval__rubric__accepted_answers": []},
        "min_length",
        "$.eval.rubric.accepted_answers",
        id="s7.3-accepted",
    ),
    pytest.param(
        "free_response",
        {"eval__rubric__min_token_f1": -0.1},
        "minimum",
        "$.eval.rubric.min_token_f1",
        id="s7.3-f1",
    ),
    pytest.param(
        "free_response",
        {"eval__reference_answer": ""},
        "min_length",
        "$.eval.reference_answer",
        id="s7.3-reference",
    ),
    pytest.param(
        "code_completion",
        {"input__language": ""},
        "min_length",
        "$.input.language",
        id="s7.4-language",
    ),
    pytest.param(
        "code_completion",
        {"input__starter_code": 1},
        "type",
        "$.input.starter_code",
        id="s7.4-starter",
    ),
    pytest.param("code_completion", {"eval__tests": "x"}, "type", "$.eval.tests", id="s7.4-tests"),
    pytest.param(
        "code_completion",
        {"eval__timeout_seconds": 3},
        "additional_property",
        "$.eval",
        id="s7.4-timeout",
    ),
    pytest.param(
        "repo_patch",
        {"input__base_commit": " "},
        "min_length",
        "$.input.base_commit",
        id="s7.5-commit",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__source": "inline"},
        "enum",
        "$.eval.tests.source",
        id="s7.5-source",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__command": []},
        "min_length",
        "$.eval.tests.command",
        id="s7.5-command",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__timeout_seconds": 0},
        "minimum",
        "$.eval.tests.timeout_seconds",
        id="FIX-20",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__shell": "sh"},
        "additional_property",
        "$.eval.tests",
        id="s7.5-unknown",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__test_patch": {"source": "inline"}},
        "required",
        "$.eval.tests.test_patch",
        id="s7.5-patch-object",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__candidate_policy": {"deny_paths": []}},
        "additional_property",
        "$.eval.tests.candidate_policy",
        id="s7.5-policy",
    ),
    pytest.param(
        "repo_patch",
        {"eval__tests__candidate_policy": {}, "eval__candidate_policy": {}},
        "two_policies",
        "$.eval",
        id="s13-policy-in-both-places",
    ),
    pytest.param(
        "terminal_task", {"eval__checker": "true"}, "type", "$.eval.checker", id="s7.6-checker"
    ),
    pytest.param(
        "terminal_task",
        {"eval__checker__shell": "sh"},
        "additional_property",
        "$.eval.checker",
        id="s7.6-shell",
    ),
    pytest.param(
        "terminal_task",
        {"eval__checker__timeout_seconds": True},
        "type",
        "$.eval.checker.timeout_seconds",
        id="s7.6-timeout",
    ),
    pytest.param(
        "terminal_task",
        {"eval__run_tests": None},
        "type",
        "$.eval.run_tests",
        id="s7.6-run-tests",
    ),
    pytest.param(
        "terminal_task",
        {"eval__needed_commands": ["rm"]},
        "enum",
        "$.eval.needed_commands",
        id="s7.6-needed",
    ),
]


@pytest.mark.parametrize(("family", "changes", "code", "place"), FAMILY_FAULTS)
def test_a_row_that_breaks_a_rule_of_its_family_is_refused(
    tmp_path: Path, family: str, changes: dict[str, Any], code: str, place: str
) -> None:
    found = checked(write_pack(tmp_path, [row(family, **changes)])).errors
    assert brief(found) == [(CONFIG, code, place)]
    assert (found[0].line, found[0].task_id) == (1, "t")


# Rules between values, which a schema cannot state.
BEYOND_A_SCHEMA = {"unknown_choice", "too_many_choices", "two_policies"}


@pytest.mark.parametrize(("family", "changes", "code", "place"), FAMILY_FAULTS)
def test_the_published_schema_refuses_it_too(
    family: str, changes: dict[str, Any], code: str, place: str
) -> None:
    inside = code in BEYOND_A_SCHEMA or "rubric." in place or "needed_commands" in place
    assert SCHEMA.is_valid(row(family, **changes)) is inside
    assert SCHEMA.is_valid(row(family))


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        pytest.param("multiple_choice", {"eval__answer": 1.0}, id="s7.1-integral-float"),
        pytest.param("multiple_choice", {"eval__answer": "(b)"}, id="s7.1-label"),
        pytest.param("multiple_choice", {"eval__answer": " OSLO. "}, id="s7.1-text"),
        pytest.param("multiple_choice", {"eval__answer": ["A", 2]}, id="s7.1-list"),
        pytest.param("short_answer", {"input__context": {"a": 1}}, id="s7.2-context-object"),
        pytest.param("short_answer", {"eval__accepted_answers": ["x"]}, id="s13-no-context"),
        pytest.param(
            "free_response",
            {"eval__rubric__rejected_answers": [], "eval__rubric__note": "x"},
            id="s7.3-no-rejected",
        ),
        pytest.param("repo_patch", {"eval__tests__command": "make test"}, id="s7.5-line"),
        pytest.param("repo_patch", {"eval__tests__setup_patch": "diff"}, id="s7.5-bare-patch"),
        pytest.param(
            "repo_patch",
            {"eval__candidate_policy": {"patch_preserved_paths": ["a"]}},
            id="s13-late-policy",
        ),
        pytest.param(
            "terminal_task", {"eval__needed_commands": [" chroot ", "chroot"]}, id="s7.6-chroot"
        ),
        pytest.param("terminal_task", {"eval__needed_commands": None}, id="s7.6-needed-null"),
        pytest.param("terminal_task", {"eval__expected_state": None}, id="s7.6-state"),
    ],
)
def test_what_a_family_allows_is_valid_without_a_warning(
    tmp_path: Path, family: str, changes: dict[str, Any]
) -> None:
    found = checked(write_pack(tmp_path, [row(family, **changes)]))
    assert (found.errors, found.warnings) == ((), ())


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        pytest.param("free_response", {"eval__rubric": "Be kind."}, id="s7.3-text"),
        pytest.param("free_response", {"eval__rubric": {"type": "judge"}}, id="s7.3-type"),
        pytest.param("code_completion", {"eval__tests": {}}, id="s7.4-no-tests"),
        pytest.param("code_completion", {"input__language": "ada"}, id="s7.4-ada"),
        pytest.param("repo_patch", {"environment": {}}, id="s6-no-image-no-repository"),
    ],
)
def test_a_row_that_cannot_be_verified_loads_with_a_warning(
    tmp_path: Path, family: str, changes: dict[str, Any]
) -> None:
    found = checked(write_pack(tmp_path, [row(family, **changes)]))
    assert (found.errors, codes(found.warnings)) == ((), ["unverifiable"])


@pytest.mark.parametrize("name", [pytest.param("code_generation", id="s13-code-generation")])
def test_an_old_name_of_a_family_is_read_with_a_warning(tmp_path: Path, name: str) -> None:
    pack = write_pack(tmp_path, [row("code_completion") | {"family": name}])
    assert codes(checked(pack).warnings) == ["old_name"]
    assert task_of(pack).family == "code_completion"


@pytest.mark.parametrize(
    "checker",
    [pytest.param({"source": "script", "path": "c/check.sh"}, id="s13-late-checker")],
)
def test_a_late_checker_needs_its_file(tmp_path: Path, checker: dict[str, str]) -> None:
    pack = write_pack(tmp_path, [row("terminal_task", eval__checker=checker)])
    assert codes(checked(pack).errors) == ["missing_file"]
    (tmp_path / "hidden/c").mkdir(parents=True)
    (tmp_path / "hidden/c/check.sh").write_text("true")
    assert checked(pack).errors == ()


@pytest.mark.parametrize("family", [pytest.param("haiku", id="s7.0-unknown-family")])
def test_an_unknown_family_loads_with_a_warning_and_not_under_strict(
    tmp_path: Path, family: str
) -> None:
    pack = write_pack(tmp_path, [{"id": "t", "family": family, "input": {"x": 1}}])
    assert codes(checked(pack).warnings) == ["unknown_row_family"]
    assert brief(checked(pack, strict=True).errors) == [(CONFIG, "unknown_row_family", "$.family")]


@pytest.mark.parametrize(
    ("family", "changes"),
    [
        pytest.param("multiple_choice", {"eval__answer": [0, 9]}, id="s0-compat-answers"),
        pytest.param(
            "multiple_choice", {"input__choices": ["a"] * 27}, id="s0-compat-many-choices"
        ),
        pytest.param("repo_patch", {"eval__tests__timeout_seconds": 0}, id="s0-compat-timeout"),
        pytest.param("free_response", {"eval__rubric__min_token_f1": 7}, id="s0-compat-rubric"),
    ],
)
def test_compat_leaves_to_the_verdict_what_the_public_tool_does(
    tmp_path: Path, family: str, changes: dict[str, Any]
) -> None:
    pack = write_pack(tmp_path, [row(family, **changes)])
    assert len(checked(pack).errors) == 1
    assert checked(pack, profile="compat").errors == ()


def test_all_problems_of_a_row_are_told_at_once(tmp_path: Path) -> None:
    raw = row(
        "terminal_task",
        input={},
        eval__checker={"timeout_seconds": 0},
        environment={"timeout_seconds": "1", "workdir": "x"},
        assets=[{"path": "gone"}],
    )
    found = checked(write_pack(tmp_path, [raw])).errors
    assert sorted(codes(found)) == sorted(
        ["required", "required", "minimum", "type", "unsafe_path", "missing_file"]
    )
