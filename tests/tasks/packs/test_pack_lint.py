"""What `validate` points out although it is allowed, and never by its hidden value."""

from pathlib import Path
from typing import Any

import pytest

from tasks.packs.choices import expected_choices, label_index
from tasks.packs.verifiers.preparing import folded, normalised
from tests.support.packs import checked, codes, row, write_pack

SECRET = "the answer is hidden"


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        pytest.param(
            row(
                "free_response",
                input__prompt=f"Say: {SECRET}!",
                eval__reference_answer=SECRET,
            ),
            "$.eval.reference_answer",
            id="s15-leak-in-text",
        ),
        pytest.param(
            row(
                "short_answer",
                input__context={"deep": [{"er": SECRET}]},
                eval__accepted_answers=["no", SECRET],
            ),
            "$.eval.accepted_answers[1]",
            id="s15-leak-in-context",
        ),
        pytest.param(
            row(
                "code_completion",
                assets=[{"path": "d"}],
                eval__tests={"source": "inline", "code": SECRET},
            ),
            "$.eval.tests.code",
            id="s15-leak-in-asset",
        ),
    ],
)
def test_a_hidden_string_in_public_is_told_by_its_place(
    tmp_path: Path, raw: dict[str, Any], place: str
) -> None:
    pack = write_pack(tmp_path, [raw], files={"assets/d/x.txt": f"so {SECRET}."})
    found = checked(pack)
    assert [(p.code, p.location) for p in found.warnings] == [("leak", place)]
    assert SECRET not in str(found.warnings)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(row(eval__answer="Lagos"), id="the answer is a choice"),
        pytest.param(
            row("short_answer", input__question="Is 3 three?"), id="short strings are chance"
        ),
        pytest.param(
            row(
                "terminal_task",
                input__instructions="Write a_long_file_name.txt.",
                eval__checker={"command": ["test", "-f", "a_long_file_name.txt"]},
            ),
            id="a command names files",
        ),
    ],
)
def test_what_must_be_public_is_no_leak(tmp_path: Path, raw: dict[str, Any]) -> None:
    assert checked(write_pack(tmp_path, [raw])).warnings == ()


def test_a_repeated_question_is_told_with_the_first_line(tmp_path: Path) -> None:
    rows = [row(id="a"), row(id="b", input__question="Other?"), row(id="c", eval__answer=1)]
    (warning,) = checked(write_pack(tmp_path, rows)).warnings
    assert (warning.code, warning.line, warning.task_id) == ("repeated_question", 3, "c")
    assert "line 1" in warning.message


@pytest.mark.parametrize(
    ("family", "changes", "place"),
    [
        pytest.param(
            "short_answer",
            {"eval__accepted_answers": ["...", "x"]},
            "$.eval.accepted_answers[0]",
            id="only punctuation",
        ),
        pytest.param(
            "free_response",
            {"eval__rubric__accepted_answers": ["gravity", "?!".replace("?!", "\"'")]},
            "$.eval.rubric.accepted_answers[1]",
            id="a rubric of punctuation",
        ),
        pytest.param(
            "free_response",
            {"eval__rubric__rejected_answers": [" GRAVITY."]},
            "$.eval.rubric.accepted_answers[0]",
            id="accepted and rejected",
        ),
    ],
)
def test_an_answer_out_of_reach_is_told(
    tmp_path: Path, family: str, changes: dict[str, Any], place: str
) -> None:
    found = checked(write_pack(tmp_path, [row(family, **changes)]))
    assert [(p.code, p.location) for p in found.warnings] == [("unreachable_answer", place)]


def test_an_answer_that_no_reply_can_name_is_told_in_the_compat_profile(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, [row(eval__answer=[0, 9])])
    found = checked(pack, profile="compat").warnings
    assert [(p.code, p.location) for p in found] == [("unreachable_answer", "$.eval.answer[1]")]


def test_an_empty_allowlist_is_told(tmp_path: Path) -> None:
    raw = row("repo_patch", eval__tests__candidate_policy={"allow_paths": []})
    assert codes(checked(write_pack(tmp_path, [raw])).warnings) == ["no_effect"]


def test_a_pack_without_rows_is_told(tmp_path: Path) -> None:
    found = checked(write_pack(tmp_path, b"\n\n"))
    assert (found.rows, found.errors, codes(found.warnings)) == (0, (), ["no_rows"])


def test_warnings_are_cut_and_counted(tmp_path: Path) -> None:
    rows = [row(id=f"r{n}") for n in range(1200)]
    found = checked(write_pack(tmp_path, rows)).warnings
    assert len(found) == 1001
    assert (found[-1].code, found[-1].message.split()[0]) == ("more_warnings", "199")


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("B", 1),
        (" (b) ", 1),
        ("answer is: [C].", 2),
        ("answer is: [C]", 2),
        ("Final Answer: a", 0),
        ("option-b", 1),
        ("D", None),
        ("AB", None),
        ("\u017f", None),
        ("", None),
    ],
)
def test_labels_are_read_whole(text: str, index: int | None) -> None:
    assert label_index(text, 3) == index


def test_compat_reads_prefix_words_in_lower_case_only() -> None:
    assert label_index("Answer: a", 3, "compat") is None
    assert label_index("answer: A", 3, "compat") == 0


def test_a_letter_is_a_letter_before_it_is_a_text() -> None:
    assert expected_choices(["B", "A"], "B").indexes == {1}
    assert expected_choices(["x", "Y", "y"], "y.").indexes == {1, 2}
    assert expected_choices(["x", "y"], [5, "zebra", 0]).unknown == (0, 1)


def test_many_blanks_cost_little() -> None:
    assert label_index(" " * 200_000 + "answer" + " " * 200_000 + "x y", 3) is None


def test_texts_are_compared_without_what_does_not_matter() -> None:
    assert normalised("  'New\t York.' ") == "new york"
    assert folded("\ufeffSTRA\u00dfE\u200b \uff11") == "strasse 1"
