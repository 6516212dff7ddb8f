"""`assent pack validate`, `pack show`, and packs under `assent validate`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Assent
from tests.support.packs import MANIFEST, ROWS, row, write_pack

CHECKOUT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(p for p in (CHECKOUT / "examples/packs").iterdir() if p.is_dir())


def test_there_is_an_example_of_every_family() -> None:
    assert {p.name for p in EXAMPLES} == set(ROWS)


@pytest.mark.parametrize("pack", EXAMPLES, ids=lambda p: p.name)
def test_every_example_is_valid_without_a_warning(assent: Assent, pack: Path) -> None:
    ran = assent("pack", "validate", pack, "--strict")
    assert (ran.code, ran.err) == (0, "")
    assert "valid pack" in ran.out


def test_both_commands_print_the_same_document(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row(), row(id="u", eval__answer=9), "nope"])
    one = assent("pack", "validate", "p", "--format", "json")
    other = assent("validate", "--kind", "pack", "p", "--format", "json")
    assert (one.code, one.json) == (1, other.json)
    (entry,) = one.json["files"]
    assert {k: entry[k] for k in ("path", "kind", "valid", "hash", "rows")} == {
        "path": "p",
        "kind": "pack",
        "valid": False,
        "hash": None,
        "rows": 3,
    }
    first, second = entry["errors"]
    assert first == {
        "file": "p/tasks.jsonl",
        "code": "unknown_choice",
        "location": "$.eval.answer",
        "message": "names no choice",
        "fix": "write an index from 0, a letter, or the text of a choice",
        "type": "ConfigError",
        "line": 2,
        "task_id": "u",
    }
    assert (second["line"], second["task_id"], second["code"]) == (3, None, "type")


def test_a_directory_or_yaml_is_taken_for_a_pack(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row()])
    ran = assent("validate", "p", "p/manifest.yaml", "--format", "json")
    assert [e["kind"] for e in ran.json["files"]] == ["pack", "pack"]
    assert ran.code == 0


def test_a_broken_pack_does_not_hide_the_others(assent: Assent, here: Path) -> None:
    write_pack(here / "a", [row()])
    write_pack(here / "b", [row()], manifest=b"[" * 10_000)
    ran = assent("validate", "--kind", "pack", "a", "nowhere", "b", "a", "--format", "json")
    assert [e["valid"] for e in ran.json["files"]] == [True, False, False, True]
    assert ran.code == 2


def test_people_read_line_and_place(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row(), row(id="u", eval__answer=9)])
    ran = assent("pack", "validate", "p")
    assert (ran.code, ran.out) == (1, "")
    (line,) = [x for x in ran.lines if "warning" not in x]
    assert line.startswith("p/tasks.jsonl: $.eval.answer: names no choice (line 2). Fix:")


def test_rows_can_come_from_elsewhere_and_be_limited(assent: Assent, here: Path) -> None:
    write_pack(here / "p", b"nope")
    write_pack(here / "q", [row(id="a"), row(id="b", input__question="?"), "nope"])
    ran = assent("pack", "validate", "p", "--tasks", "q/tasks.jsonl", "--limit", "2")
    assert (ran.code, ran.out) == (0, "p: valid pack, 2 rows\n")


def test_strict_and_profile_reach_the_check(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row(eval__answer=[0, 9]) | {"x": 1}])
    assert assent("pack", "validate", "p").code == 1
    assert assent("pack", "validate", "p", "--profile", "compat").code == 0
    assert assent("pack", "validate", "p", "--profile", "compat", "--strict").code == 1


def test_show_prints_the_compiled_row(assent: Assent, here: Path) -> None:
    manifest = MANIFEST | {"defaults": {"environment": {"timeout_seconds": 5}}}
    raw = row("short_answer", assets=[{"path": "./d/"}], metadata={"topic": "x"})
    write_pack(here / "p", [row(id="other"), raw], manifest, {"assets/d/a.txt": "A"})
    ran = assent("pack", "show", "p", "t", "--format", "json")
    shown = ran.json
    assert ran.code == 0
    assert list(shown) == [
        *("id", "family", "candidate_kind", "environment", "metadata", "resources", "mounts")
    ]
    assert (shown["family"], shown["candidate_kind"]) == ("short_answer", "text")
    assert shown["environment"] == {"timeout_seconds": 5}
    assert shown["metadata"]["topic"] == "x"
    assert shown["mounts"] == [{"path": "d", "mount": "d", "read_only": True}]
    by_name = {r.pop("name"): r for r in shown["resources"]}
    assert by_name["question"] == {"visibility": "public", "kind": "text", "value": "How many?"}
    assert by_name["tolerance"] == {"visibility": "hidden", "kind": "json", "redacted": True}
    assert "not shown" in assent("pack", "show", "p", "t").out


def test_show_refuses_a_wrong_row_and_an_unknown_id(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row(eval__answer=9)])
    ran = assent("pack", "show", "p", "t", "--format", "json")
    assert ran.code == 2
    (error,) = ran.json["errors"]
    assert (error["type"], error["line"], error["task_id"]) == ("ConfigError", 1, "t")
    ran = assent("pack", "show", "p", "nobody", "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "unknown_task")


CANARY = "canary-5309"
PLANTED: dict[str, dict[str, Any]] = {
    "multiple_choice": {"eval__answer": [CANARY]},
    "short_answer": {"eval__accepted_answers": [CANARY, None], "eval__tolerance": CANARY},
    "free_response": {
        "eval__rubric": {"type": "contains_any", "accepted_answers": [CANARY, 3], "x": CANARY},
        "eval__reference_answer": CANARY,
    },
    "code_completion": {"eval__tests": CANARY, "eval__reference_solution": [CANARY]},
    "repo_patch": {
        "eval__gold_patch": {"x": CANARY},
        "eval__tests": {
            "source": CANARY,
            "command": [CANARY, 1],
            "timeout_seconds": CANARY,
            "test_patch": {"source": CANARY, "patch": CANARY},
            "candidate_policy": {"allow_paths": [CANARY, 1]},
        },
    },
    "terminal_task": {
        "eval__checker": {"source": CANARY, "path": f"../{CANARY}"},
        "eval__test_files": {"path": CANARY, "mount": CANARY, "read_only": CANARY},
        "eval__needed_commands": [CANARY],
        "eval__expected_state": {"path": f"{CANARY}/x"},
    },
}


@pytest.mark.parametrize(
    "family", [pytest.param(f, id=f"s17-hidden-values-in-messages-{f}") for f in PLANTED]
)
def test_no_message_repeats_a_hidden_value(assent: Assent, here: Path, family: str) -> None:
    write_pack(here / "p", [row(family, **PLANTED[family])])
    for options in ([], ["--format", "json"], ["--profile", "compat"], ["--strict"]):
        ran = assent("pack", "validate", "p", *options)
        assert ran.code == 1 or options == ["--profile", "compat"]
        assert CANARY not in ran.out + ran.err
    shown = assent("pack", "show", "p", "t", "--format", "json")
    assert CANARY not in shown.out + shown.err


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"id": "t", "eval": {"answer": "x" canary5309}}', id="s17-broken-json"),
        pytest.param('{"id": "t", "eval": {"canary5309": 1, "canary5309": 2}}', id="s17-key-twice"),
        pytest.param('{"id": "t", "eval": {"answer": 5309e99999}}', id="s17-overflow"),
    ],
)
def test_a_line_that_cannot_be_read_is_not_quoted(assent: Assent, here: Path, text: str) -> None:
    write_pack(here / "p", text.encode())
    ran = assent("pack", "validate", "p")
    assert ran.code == 1
    assert "5309" not in ran.err


def test_a_public_value_is_shown_so_that_the_search_would_find_one(
    assent: Assent, here: Path
) -> None:
    write_pack(here / "p", [row(input__question=CANARY)])
    assert CANARY in assent("pack", "show", "p", "t").out


def test_the_document_is_strict_json_for_odd_names(assent: Assent, here: Path) -> None:
    write_pack(here / "p", [row(id="\x1b[31m") | {"\u2028": 1}])
    ran = assent("pack", "validate", "p", "--strict", "--format", "json")
    assert json.loads(ran.out)["files"][0]["errors"][0]["task_id"] == "\x1b[31m"
