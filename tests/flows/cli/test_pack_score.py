"""`assent pack score` and `assent pack selftest`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Assent
from tests.support.scored_rows import row, write_answers, write_pack


def score(assent: Assent, here: Path, *flags: str) -> Any:
    return assent("pack", "score", "p", "--answers", "a.jsonl", "--format", "json", *flags)


def test_every_row_has_one_result_in_order_9(assent: Assent, here: Path) -> None:
    rows = [row("multiple_choice", "a"), row("short_answer", "b"), row("free_response", "c")]
    write_pack(here / "p", *rows)
    write_answers(
        here / "a.jsonl",
        {"task_id": "b", "text": "It is 42."},
        "",
        {"task_id": "a", "text": "A"},
    )
    ran = score(assent, here)
    assert ran.code == 0
    results = ran.json["results"]
    assert [(r["task_id"], r["status"], r["passed"], r["score"], r["reason"]) for r in results] == [
        ("a", "failed", False, 0.0, None),
        ("b", "passed", True, 1.0, None),
        ("c", "pending", None, None, "no_answer"),
    ]
    assert ran.json["summary"] == {
        "total": 3,
        "verified": 2,
        "passed": 1,
        "failed": 1,
        "errors": 0,
        "pending": 1,
        "score": 0.5,
    }


def test_nothing_judged_has_no_score_and_exit_0_9(assent: Assent, here: Path) -> None:
    write_pack(here / "p", row("tool_call", "a"))
    write_answers(here / "a.jsonl")
    ran = score(assent, here)
    assert ran.code == 0
    assert ran.json["summary"]["score"] is None
    assert ran.json["measures"]["pass_rate"]["reason"] == "nothing was judged"
    assert ran.json["results"][0]["reason"] == "no_verifier"


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        pytest.param(['{"task_id": "a", "text": "A"'], ["invalid_json"], id="cut off"),
        pytest.param(["[1]"], ["invalid_json"], id="no object"),
        pytest.param(['{"text": "A"}'], ["invalid_json"], id="no task id"),
        pytest.param(['{"task_id": "a"}'], ["invalid_json"], id="none of the three"),
        pytest.param(['{"task_id": "a", "text": 1}'], ["invalid_json"], id="no text"),
        pytest.param(['{"task_id":"a","text":"A","patch":"x"}'], ["invalid_json"], id="two"),
        pytest.param(
            ['{"task_id":"a","text":"A","text":"B"}'], ["invalid_json"], id="repeated key"
        ),
        pytest.param(['{"task_id":"a","text":"\\ud800"}'], ["invalid_json"], id="half a pair"),
        pytest.param(['{"task_id": "z", "text": "A"}'], ["unknown_task"], id="unknown"),
        pytest.param(
            [
                '{"task_id":"a","text":"A"}',
                '{"task_id":"a","text":"B"}',
                '{"task_id":"z","text":""}',
            ],
            ["duplicate_answer", "unknown_task"],
            id="several at once",
        ),
    ],
)
def test_a_wrong_answers_file_judges_nothing(
    assent: Assent, here: Path, lines: list[str], codes: list[str]
) -> None:
    write_pack(here / "p", row("multiple_choice", "a"))
    write_answers(here / "a.jsonl", *lines)
    ran = score(assent, here)
    assert ran.code == 2
    errors = ran.json["errors"]
    assert [error["code"] for error in errors] == codes
    assert {(error["file"], error["type"]) for error in errors} == {("a.jsonl", "ConfigError")}
    assert errors[-1]["line"] == len(lines)


def test_a_leading_byte_order_mark_is_dropped_fix_1(assent: Assent, here: Path) -> None:
    write_pack(here / "p", row("multiple_choice", "a"))
    (here / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"task_id": "a", "text": "B"}\r\n')
    assert score(assent, here).json["summary"]["passed"] == 1


def test_missing_answers_or_an_invalid_pack_exit_2(assent: Assent, here: Path) -> None:
    write_pack(here / "p", row("multiple_choice", "a"))
    assert score(assent, here).json["errors"][0]["code"] == "unreadable"
    write_answers(here / "a.jsonl")
    write_pack(here / "p", row("multiple_choice", "a", eval={"answer": 7}))
    ran = score(assent, here)
    assert (ran.code, ran.json["errors"][0]["task_id"]) == (2, "a")


def test_with_a_limit_answers_to_later_rows_are_left_alone(assent: Assent, here: Path) -> None:
    write_pack(here / "p", row("multiple_choice", "a"), row("multiple_choice", "b"))
    write_answers(here / "a.jsonl", *({"task_id": name, "text": "B"} for name in "ab"))
    ran = score(assent, here, "--limit", "1")
    assert (ran.code, ran.json["summary"]["total"]) == (0, 1)


def test_a_row_that_cannot_be_judged_is_an_error_and_the_others_go_on_fix_27(
    assent: Assent, here: Path
) -> None:
    write_pack(
        here / "p",
        row("free_response", "a", eval={"rubric": "be kind hush-7731"}),
        row("multiple_choice", "b"),
        row("multiple_choice", "c"),
    )
    write_answers(
        here / "a.jsonl",
        {"task_id": "a", "text": "x"},
        {"task_id": "b", "patch": "x"},
        {"task_id": "c", "text": "B"},
    )
    ran = score(assent, here)
    first, second, third = ran.json["results"]
    assert ran.code == 3
    assert (first["status"], first["passed"], first["score"]) == ("error", None, None)
    assert first["error"] == {
        "file": "p/tasks.jsonl",
        "code": "unusable_rubric",
        "location": "$.eval.rubric",
        "message": "a rubric that is text cannot be checked by a program",
        "fix": "give an object with type contains_any and accepted_answers",
        "type": "ConfigError",
        "line": 1,
        "task_id": "a",
    }
    assert (second["status"], second["reason"]) == ("error", "wrong_candidate_kind")
    assert third["status"] == "passed"
    assert ran.json["summary"]["errors"] == 2
    assert "hush-7731" not in ran.out + ran.err


def test_hidden_values_are_not_printed_6(assent: Assent, here: Path) -> None:
    write_pack(
        here / "p",
        row("short_answer", "a", eval={"accepted_answers": ["hush-7731"], "tolerance": 0.77310}),
        row("free_response", "b", eval={"rubric": {"accepted_answers": ["hush-7732"]}}),
    )
    write_answers(here / "a.jsonl", *({"task_id": name, "text": "no"} for name in "ab"))
    for ran in (score(assent, here), assent("pack", "score", "p", "--answers", "a.jsonl")):
        assert ran.code == 0
        assert "773" not in ran.out + ran.err


@pytest.mark.needs("bubblewrap")
def test_rows_that_need_a_sandbox_are_never_run_bare(assent: Assent, here: Path) -> None:
    code = f"open({str(here / 'ran')!r}, 'w')\ndef twice(x):\n    return 2 * x\n"
    write_pack(
        here / "p",
        row("code_completion", "a"),
        row("code_completion", "b"),
        row("repo_patch", "c"),
        row("terminal_task", "d"),
        row("terminal_task", "e"),
    )
    (here / "w").mkdir()
    write_answers(
        here / "a.jsonl",
        {"task_id": "a", "text": code},
        {"task_id": "b", "text": " \n"},
        {"task_id": "c", "patch": ""},
        {"task_id": "d", "workspace": "w"},
        {"task_id": "e", "workspace": "nowhere"},
    )
    ran = score(assent, here)
    assert ran.code == 0
    assert [(r["status"], r["reason"], r["phase"]) for r in ran.json["results"]] == [
        ("failed", "tests_failed", "import"),
        ("failed", "empty_candidate", None),
        ("failed", "empty_candidate_patch", "candidate_patch"),
        ("failed", "verifier_dangerous_command_denied", None),
        ("failed", "missing_workspace", None),
    ]
    assert not (here / "ran").exists()
    allowed = score(assent, here, "--allow-dangerous-commands")
    assert allowed.json["results"][3]["status"] == "passed"
    denied = score(assent, here, "--allow-dangerous-commands", "--deny-command", "chroot")
    assert denied.json["results"][3]["metadata"] == {
        "denied_commands": ["chroot"],
        "needed_commands": ["chroot"],
    }


@pytest.mark.parametrize(
    ("part", "code"),
    [
        pytest.param({"eval": {"tests": {}}}, "unusable_tests", id="s7.4-tests-without-code"),
        pytest.param(
            {"input": {"prompt": "p", "language": "ada"}},
            "unsupported_language",
            id="s7.4-language",
        ),
    ],
)
def test_code_that_cannot_be_verified_is_an_error_even_when_blank(
    assent: Assent, here: Path, part: dict[str, Any], code: str
) -> None:
    write_pack(here / "p", row("code_completion", "a", **part))
    write_answers(here / "a.jsonl", {"task_id": "a", "text": ""})
    result = score(assent, here).json["results"][0]
    assert (result["status"], result["error"]["code"]) == ("error", code)


def test_the_profile_decides_fix_16(assent: Assent, here: Path) -> None:
    write_pack(here / "p", row("short_answer", "a", eval={"accepted_answers": [42]}))
    write_answers(here / "a.jsonl", {"task_id": "a", "text": "42.5"})
    assert score(assent, here).json["summary"]["passed"] == 0
    assert score(assent, here, "--profile", "compat").json["summary"]["passed"] == 1


def test_people_read_a_line_per_row_and_the_interval(assent: Assent, here: Path) -> None:
    rows = [row("multiple_choice", name, metadata={"source": "s"}) for name in "abcd"]
    write_pack(here / "p", *rows)
    write_answers(
        here / "a.jsonl", *({"task_id": n, "text": t} for n, t in zip("abc", "BBA", strict=True))
    )
    ran = assent("pack", "score", "p", "--answers", "a.jsonl")
    # Wilson's interval of 2 in 3 by hand: z = 1.959964, z^2 = 3.841459.
    # (2/3 + 0.640243) / 2.280486 = 0.573084; 1.959964 * sqrt(0.074074 + 0.106707) / 2.280486
    # = 0.365424.
    assert ran.out.splitlines() == [
        "passed  a",
        "passed  b",
        "failed  c",
        "pending d  no_answer",
        "2 of 3 passed, 1 pending",
        "score 0.667, 95 % interval 0.208 to 0.939 (wilson)",
    ]


def test_parts_and_groups_are_measured_on_request(assent: Assent, here: Path) -> None:
    rows = [
        row("multiple_choice", name, metadata={"topic": topic, "case": case})
        for name, topic, case in [("a", "x", 1), ("b", "x", 1), ("c", "y", 2), ("d", "y", 3)]
    ]
    write_pack(here / "p", *rows)
    write_answers(
        here / "a.jsonl", *({"task_id": n, "text": t} for n, t in zip("abcd", "BBAB", strict=True))
    )
    ran = score(assent, here, "--by", "topic", "--group-by", "case")
    measures = ran.json["measures"]
    assert (measures["n_groups"], measures["pass_rate"]["interval"]["method"]) == (
        3,
        "cluster-robust",
    )
    cells = {(c["by"], c["name"], c["value"]): c["pass_rate"]["value"] for c in measures["cells"]}
    assert cells == {
        ("family", None, "multiple_choice"): 0.75,
        ("metadata", "topic", "x"): 1.0,
        ("metadata", "topic", "y"): 0.5,
    }


def selftest(assent: Assent, *flags: str) -> Any:
    return assent("pack", "selftest", "p", "--format", "json", *flags)


@pytest.mark.needs("bubblewrap")
def test_gold_answers_pass_and_empty_ones_fail_15(assent: Assent, here: Path) -> None:
    write_pack(
        here / "p",
        *(
            row(family, family)
            for family in (
                "multiple_choice",
                "short_answer",
                "free_response",
                "code_completion",
                "terminal_task",
                "tool_call",
            )
        ),
        row("repo_patch", "repo_patch", environment={"image": "img:1"}),
    )
    ran = selftest(assent)
    assert ran.code == 0
    assert ran.json["ok"] is True
    assert [(r["gold"], r["empty"]) for r in ran.json["rows"]] == [
        ("passed", "failed"),
        ("passed", "failed"),
        ("passed", "failed"),
        ("passed", "failed"),
        ("skipped", "skipped"),
        ("skipped", "skipped"),
        ("skipped", "failed"),
    ]


def test_a_gold_answer_that_fails_is_found(assent: Assent, here: Path) -> None:
    rubric = {"accepted_answers": ["bats are blind"], "rejected_answers": ["blind"]}
    write_pack(here / "p", row("free_response", "a", eval={"rubric": rubric}))
    ran = selftest(assent)
    assert (ran.code, ran.json["ok"], ran.json["rows"][0]["gold"]) == (1, False, "failed")
    assert "BAD  a  gold failed, empty failed" in assent("pack", "selftest", "p").out


def test_a_row_that_nobody_can_judge_is_no_success(assent: Assent, here: Path) -> None:
    evaluation = {"rubric": "be kind", "reference_answer": "there, there"}
    write_pack(here / "p", row("free_response", "a", eval=evaluation))
    ran = selftest(assent)
    assert (ran.code, ran.json["ok"], ran.json["rows"][0]["gold"]) == (3, False, "error")


def test_gold_answers_come_from_labels_and_texts_alike(assent: Assent, here: Path) -> None:
    answers: list[Any] = [0, 1.0, "B", "oslo", ["Lagos", 1]]
    rows = [row("multiple_choice", f"r{n}", eval={"answer": a}) for n, a in enumerate(answers)]
    write_pack(here / "p", *rows)
    assert {r["gold"] for r in selftest(assent).json["rows"]} == {"passed"}
    assert json.loads(selftest(assent, "--profile", "compat").out)["ok"] is True
