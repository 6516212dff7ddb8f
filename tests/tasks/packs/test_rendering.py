"""What a model is shown of a row: the public part in a fixed wording, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.pack_task import CompiledTask, Resource
from tasks.packs.rendering import RENDERING_VERSION, render_row
from tests.support.packs import row, task_of, write_pack

WORDINGS: list[tuple[dict[str, Any], str]] = [
    (
        row("multiple_choice"),
        "Which?\n\nA. Lagos\nB. Oslo\nC. Quito\n\n"
        'End your reply with a line "Answer: X", where X is the letter of your choice.',
    ),
    (
        row("short_answer", input__answer_format="a word", input__context="Look here."),
        "How many?\n\nContext:\nLook here.\n\nForm of the answer: a word\n\n"
        'End your reply with a line "Answer: ..." that holds the answer and nothing else.',
    ),
    (
        row("free_response", input__context={"who": "Ada", "age": 36}),
        'Why?\n\nContext:\n{\n  "who": "Ada",\n  "age": 36\n}\n\n'
        "Reply with the answer alone, in plain text, without repeating the question.",
    ),
    (
        row("code_completion", input__starter_code="def f():"),
        "Write f.\n\nLanguage: python\n\nStarter code:\ndef f():\n\n"
        "Reply with one fenced code block that holds the complete code. "
        "Nothing is put before or after it: repeat what you need of the starter code.",
    ),
    (
        row("repo_patch", input__hints="Look at f."),
        f"Mend it.\n\nRepository: o/r\nCommit: {'0' * 40}\n\nHints:\nLook at f.\n\n"
        "Reply with one patch in the unified format of git diff, against that commit, "
        "and with nothing else: no fence and no remarks.",
    ),
]


@pytest.mark.parametrize(
    ("made", "wording"), WORDINGS, ids=[made["family"] for made, _ in WORDINGS]
)
def test_the_first_rendering_of_each_family(
    tmp_path: Path, made: dict[str, Any], wording: str
) -> None:
    rendered = render_row(task_of(write_pack(tmp_path, [made])))
    assert rendered is not None
    assert rendered.user == wording
    assert RENDERING_VERSION == 1, "a new wording is a new version: write its texts down here"


@pytest.mark.parametrize("family", ["terminal_task", "tool_call"])
def test_a_row_that_no_single_reply_can_answer_has_no_prompt(tmp_path: Path, family: str) -> None:
    made = (
        row("terminal_task")
        if family == "terminal_task"
        else {"id": "t", "family": family, "input": {"q": "?"}, "eval": {}}
    )
    assert render_row(task_of(write_pack(tmp_path, [made]))) is None


def test_files_are_named_and_not_shown(tmp_path: Path) -> None:
    made = row("short_answer", assets=[{"path": "table.csv", "mount": "data/table.csv"}])
    folder = write_pack(tmp_path, [made], files={"assets/table.csv": "a,b\n1,2\n"})
    rendered = render_row(task_of(folder))
    assert rendered is not None
    assert "(named here, not shown): data/table.csv\n" in rendered.user
    assert "1,2" not in rendered.user


@given(
    st.sampled_from([made for made, _ in WORDINGS]),
    st.dictionaries(st.text(min_size=1), st.sampled_from(["hidden", "evaluation_inputs"])),
)
def test_no_value_that_is_not_public_has_a_part_in_the_prompt(
    made: dict[str, Any], others: dict[str, Any]
) -> None:
    public = {
        name: Resource(value=value, visibility="public", kind="json")
        for name, value in made["input"].items()
    }
    secret = {
        name: Resource(value="canary-0123456789", visibility=visibility, kind="text")
        for name, visibility in others.items()
        if name not in public
    }
    task = CompiledTask(
        id="t",
        benchmark_id="b",
        task_type=made["family"],
        metadata={},
        resources=public | secret,
    )
    with_them, without = render_row(task), render_row(task.model_copy(update={"resources": public}))
    assert with_them == without
    assert "canary-0123456789" not in json.dumps(with_them)
