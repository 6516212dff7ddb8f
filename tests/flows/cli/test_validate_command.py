"""`assent validate`: every problem of every file at once, in both forms, with its exit code."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.benchmarks import (
    Raw,
    as_bytes,
    item,
    tiny_benchmark,
    tiny_evaluation,
    write_json,
)
from tests.support.command import Assent

HASH = "sha256:f367e1b9bc4bfb0c50530079963dc3b8489e79d23a7d756c6a1ef9cd7a9953ee"
ERROR_KEYS = ["file", "code", "location", "message", "fix"]

EVIL_PROMPT = {
    "template": "{premise_context} so {conclusion_context}",
    "parse_regex": r"((a+)+\1)",
}
WRONG_CONTENT = [
    pytest.param(b'{"id": "b", "bearers": {', [("invalid_json", "$")], id="cut off"),
    pytest.param(b"", [("invalid_json", "$")], id="empty"),
    pytest.param(b"\xff\xfe", [("invalid_json", "$")], id="not UTF-8"),
    pytest.param(
        b"\xef\xbb\xbf" + as_bytes(tiny_benchmark()), [("invalid_json", "$")], id="byte order mark"
    ),
    pytest.param(as_bytes(tiny_benchmark()) + b"x", [("invalid_json", "$")], id="trailing text"),
    pytest.param(b"[" * 100_000, [("invalid_json", "$")], id="deep nesting"),
    pytest.param(b'{"bearers": {}, "id": 1, "id": 2}', [("duplicate_key", "$")], id="repeated key"),
    pytest.param(b'{"bearers": NaN}', [("non_finite_number", "$.bearers")], id="not a number"),
    pytest.param(
        as_bytes(tiny_benchmark(id=5, title=[])),
        [("type", "$.id"), ("type", "$.title")],
        id="wrong types",
    ),
    pytest.param(
        as_bytes(tiny_benchmark(a=1, b=2, items=[item(c=3)])),
        [("additional_property", "$"), ("additional_property", "$.items[0]")],
        id="unknown keys",
    ),
    pytest.param(as_bytes({"bearers": {}}), [("required", "$")], id="missing keys"),
    pytest.param(
        as_bytes(tiny_benchmark(verification_prompt=EVIL_PROMPT)),
        [("bad_regex", "$.verification_prompt.parse_regex")],
        id="evil pattern",
    ),
    pytest.param(
        as_bytes(tiny_benchmark(items=[item(premises=["\x1b[31m\u202e\n"])])),
        [("unknown_bearer", "$.items[0].premises[0]")],
        id="control characters in a name",
    ),
    pytest.param(
        as_bytes(tiny_benchmark(**{"\x1b[2J\x7f\x85": 1})),
        [("additional_property", "$")],
        id="control characters in a key",
    ),
    pytest.param(
        as_bytes(tiny_benchmark(bearers={"\x1b\n": 5}, items=[])),
        [("type", r"$.bearers['\x1b\n']")],
        id="control characters in a location",
    ),
]
UNKNOWN_KINDS = [
    pytest.param(b"{}", id="empty object"),
    pytest.param(b"[]", id="list"),
    pytest.param(b'{"benchmark_id": "b"}', id="half an evaluation"),
]


@pytest.fixture
def good(here: Path) -> str:
    return write_json(here / "good.json", tiny_benchmark())


def test_a_valid_benchmark_is_named_with_its_hash(assent: Assent, good: str) -> None:
    ran = assent("validate", good)
    assert (ran.code, ran.out, ran.err) == (0, f"{good}: valid benchmark  {HASH}\n", "")


def test_a_valid_evaluation_is_named(assent: Assent, here: Path) -> None:
    path = write_json(here / "eta.json", tiny_evaluation())
    assert assent("validate", path).out == f"{path}: valid evaluation\n"


def test_the_json_form_has_one_entry_per_file_in_the_order_given(
    assent: Assent, good: str, here: Path
) -> None:
    write_json(here / "eta.json", tiny_evaluation())
    ran = assent("validate", "--format", "json", "eta.json", "./good.json", good)
    assert ran.code == 0
    assert ran.json == {
        "files": [
            {
                "path": path,
                "kind": kind,
                "valid": True,
                "hash": digest,
                "errors": [],
                "warnings": [],
            }
            for path, kind, digest in (
                ("eta.json", "evaluation", None),
                ("./good.json", "benchmark", HASH),
                (good, "benchmark", HASH),
            )
        ]
    }


@pytest.mark.parametrize(("content", "expected"), WRONG_CONTENT)
def test_wrong_content_is_listed_line_by_line(
    assent: Assent, here: Path, content: bytes, expected: list[tuple[str, str]]
) -> None:
    path = here / "bad.json"
    path.write_bytes(content)
    ran = assent("validate", path)
    assert (ran.code, ran.out) == (1, "")
    assert len(ran.lines) == len(expected)
    for line, (_, place) in zip(ran.lines, expected, strict=True):
        assert line.startswith(f"{path}: {place}: ")


@pytest.mark.parametrize(("content", "expected"), WRONG_CONTENT)
def test_wrong_content_is_listed_in_json(
    assent: Assent, here: Path, content: bytes, expected: list[tuple[str, str]]
) -> None:
    (here / "bad.json").write_bytes(content)
    ran = assent("validate", "bad.json", "--format=json")
    assert (ran.code, ran.err) == (1, "")
    (entry,) = ran.json["files"]
    assert (entry["path"], entry["valid"], entry["hash"]) == ("bad.json", False, None)
    assert [(e["code"], e["location"]) for e in entry["errors"]] == expected
    for error in entry["errors"]:
        assert list(error) == ERROR_KEYS
        assert error["file"] == "bad.json"
        assert error["message"]
        assert error["message"].isprintable()


@pytest.mark.parametrize("content", UNKNOWN_KINDS)
def test_a_document_of_unknown_kind_is_refused(assent: Assent, here: Path, content: bytes) -> None:
    (here / "what.json").write_bytes(content)
    ran = assent("validate", "what.json", "--format", "json")
    (entry,) = ran.json["files"]
    assert ran.code == 1
    assert entry["kind"] is None
    assert [error["code"] for error in entry["errors"]] == ["unknown_kind"]
    assert "--kind" in entry["errors"][0]["fix"]


@pytest.mark.parametrize(
    ("kind", "raw", "code"),
    [
        pytest.param("benchmark", {}, 1, id="not even bearers"),
        pytest.param("benchmark", tiny_benchmark(), 0, id="benchmark as benchmark"),
        pytest.param("evaluation", tiny_benchmark(), 1, id="benchmark as evaluation"),
        pytest.param("evaluation", tiny_evaluation(), 0, id="evaluation as evaluation"),
    ],
)
def test_a_kind_that_is_named_is_believed(
    assent: Assent, here: Path, kind: str, raw: Raw, code: int
) -> None:
    write_json(here / "doc.json", raw)
    ran = assent("validate", "--kind", kind, "--format", "json", "doc.json")
    assert ran.code == code
    assert ran.json["files"][0]["kind"] == kind


def make_missing(place: Path) -> Path:
    return place / "nowhere.json"


def make_directory(place: Path) -> Path:
    (place / "folder").mkdir()
    return place / "folder"


def make_below_a_file(place: Path) -> Path:
    (place / "file").write_text("x")
    return place / "file" / "inner.json"


def make_pipe(place: Path) -> Path:
    os.mkfifo(place / "pipe")
    return place / "pipe"


def make_loop(place: Path) -> Path:
    (place / "loop").symlink_to("loop")
    return place / "loop"


def make_long_name(place: Path) -> Path:
    return place / ("x" * 300)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        pytest.param(make_missing, "no such file", id="missing"),
        pytest.param(make_directory, "is a directory", id="directory"),
        pytest.param(make_below_a_file, "cannot be read: Not a directory", id="below a file"),
        pytest.param(make_pipe, "is not a regular file", id="pipe"),
        pytest.param(make_loop, "cannot be read", id="link to itself"),
        pytest.param(make_long_name, "cannot be read: File name too long", id="endless name"),
    ],
)
def test_an_unreadable_file_exits_2_and_the_others_are_still_checked(
    assent: Assent, here: Path, good: str, make: Any, reason: str
) -> None:
    path = make(here)
    (here / "bad.json").write_text("{")
    text = assent("validate", good, path, "bad.json", good)
    assert text.code == 2
    assert text.out.count("valid benchmark") == 2
    assert [line.partition(": $: ")[0] for line in text.lines] == [str(path), "bad.json"]
    assert reason in text.lines[0]
    ran = assent("validate", good, path, "bad.json", good, "--format", "json")
    entries = ran.json["files"]
    assert ran.code == 2
    assert [[e["code"] for e in entry["errors"]] for entry in entries] == [
        [],
        ["unreadable"],
        ["invalid_json"],
        [],
    ]


def test_a_link_is_followed(assent: Assent, here: Path, good: str) -> None:
    (here / "link.json").symlink_to(good)
    assert assent("validate", "link.json").code == 0


def test_a_double_dash_ends_the_options(assent: Assent, here: Path) -> None:
    (here / "--format").write_text("{}")
    (here / "json").write_text("{}")
    ran = assent("validate", "--", "--format", "json")
    assert ran.code == 1
    assert [line.partition(":")[0] for line in ran.lines] == ["--format", "json"]


def test_control_characters_in_a_file_name_are_escaped(assent: Assent, here: Path) -> None:
    name = "evil\x1b[31m\n\x9b\u202e.json"
    (here / name).write_text("{")
    text = assent("validate", name)
    assert len(text.lines) == 1
    assert text.lines[0].startswith(r"evil\x1b[31m\n\x9b\u202e.json: $: ")
    assert assent("validate", name, "--format", "json").json["files"][0]["path"] == name


def test_a_file_name_that_is_not_utf8_is_printed(assent: Assent, here: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    write_json(here / name, tiny_benchmark())
    assert assent("validate", name).out.startswith(r"caf\udce9.json: valid")
    assert assent("validate", name, "--format", "json").json["files"][0]["path"] == name


def test_warnings_leave_a_file_valid(assent: Assent, here: Path) -> None:
    write_json(here / "odd.json", tiny_benchmark(id="a/b\x1b"))
    text = assent("validate", "odd.json")
    assert text.code == 0
    assert [line.partition(" cannot")[0] for line in text.lines] == ["odd.json: $.id: warning:"]
    ran = assent("validate", "odd.json", "--format", "json")
    (entry,) = ran.json["files"]
    assert entry["valid"]
    assert [list(warning) for warning in entry["warnings"]] == [ERROR_KEYS]


@pytest.mark.parametrize("command", ["hash", "describe", "prompts"])
@pytest.mark.parametrize(("content", "expected"), WRONG_CONTENT)
def test_every_other_command_prints_the_same_lines_and_exits_2(
    assent: Assent, here: Path, command: str, content: bytes, expected: list[tuple[str, str]]
) -> None:
    (here / "bad.json").write_bytes(content)
    told = assent("validate", "--kind", "benchmark", "bad.json")
    ran = assent(command, "bad.json")
    assert (ran.code, ran.out, ran.err) == (2, "", told.err)
    as_json = assent(command, "bad.json", "--format", "json")
    assert (as_json.code, as_json.err) == (2, "")
    assert list(as_json.json) == ["errors"]
    assert [(e["code"], e["location"]) for e in as_json.json["errors"]] == expected
    assert {tuple(e) for e in as_json.json["errors"]} == {tuple(ERROR_KEYS)}
    assert {e["file"] for e in as_json.json["errors"]} == {"bad.json"}


@pytest.mark.parametrize("command", ["hash", "describe", "prompts"])
@pytest.mark.parametrize("make", [make_missing, make_directory, make_below_a_file])
def test_every_other_command_refuses_an_unreadable_file(
    assent: Assent, here: Path, command: str, make: Any
) -> None:
    path = make(here)
    told = assent("validate", "--kind", "benchmark", path)
    ran = assent(command, path)
    assert (ran.code, ran.out, ran.err) == (2, "", told.err)
    (error,) = assent(command, path, "--format", "json").json["errors"]
    assert (error["file"], error["code"], error["location"]) == (str(path), "unreadable", "$")
