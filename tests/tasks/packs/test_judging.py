"""Judging rows: what needs no sandbox, what goes to one, and what is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import ConfigError
from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.fences import extract_code
from tasks.packs.judging import Judging, Result, judge, judge_all
from tasks.packs.stored_judging import BATCH, judge_stored, key_of
from tasks.storage.database import sqlite_url
from tasks.storage.verdicts import VerdictStore
from tests.support.scored_rows import compiled, row

CODE = compiled(row("code_completion"))
CHOICE = compiled(row("multiple_choice"))


class Room:
    """A sandbox that runs nothing: it says what it was told, and counts."""

    kind = "pretend"

    def __init__(self, status: Any = "passed", **facts: Any) -> None:
        self.status, self.facts, self.seen = status, facts, list[Candidate]()

    def version(self, task: CompiledTask, settings: Judging) -> str:
        return f"{task.family}/{settings.profile}/1"

    def verify(self, task: CompiledTask, candidate: Candidate, settings: Judging) -> Result:
        self.seen.append(candidate)
        if self.status == "broken":
            raise ConfigError("the image is gone", code="no_image")
        return Result(task.id, self.status, **self.facts)


def test_without_a_sandbox_nothing_is_run() -> None:
    result = judge(CODE, Candidate("text", "x = 1"), Judging())
    assert (result.status, result.reason, result.score) == ("error", "sandbox_unavailable", None)


def test_a_sandbox_gets_what_has_to_be_run_and_no_more() -> None:
    room = Room()
    assert judge(CODE, Candidate("text", "x = 1"), Judging(), room).passed is True
    assert judge(CODE, Candidate("text", " "), Judging(), room).reason == "empty_candidate"
    assert judge(CHOICE, Candidate("text", "B"), Judging(), room).passed is True
    assert [candidate.value for candidate in room.seen] == ["x = 1"]


@pytest.mark.parametrize("text", [pytest.param("x", id="FIX-27-one-row-alone")])
def test_a_fault_of_the_pack_is_an_error_with_its_row(text: str) -> None:
    result = judge(CODE, Candidate("text", text), Judging(), Room("broken"))
    assert (result.status, result.reason) == ("error", "no_image")
    assert result.problem is not None
    assert (result.problem.type, result.problem.task_id) == ("ConfigError", "t")


@pytest.mark.parametrize(
    ("family", "field", "reason", "phase"),
    [
        pytest.param("code_completion", "text", "empty_candidate", None, id="FIX-19-blank-code"),
        pytest.param(
            "repo_patch", "patch", "empty_candidate_patch", "candidate_patch", id="s7.5-2-blank"
        ),
    ],
)
def test_a_blank_candidate_fails_before_anything_is_started(
    family: str, field: Any, reason: str, phase: str | None
) -> None:
    room = Room()
    result = judge(compiled(row(family)), Candidate(field, " \n"), Judging(), room)
    assert (result.status, result.reason, result.phase) == ("failed", reason, phase)
    assert room.seen == []


def test_what_a_sandbox_printed_is_redacted_fix_25() -> None:
    room = Room("failed", stdout="E assert twice(2) == 4", metadata={"tests": 1, "code": 1})
    result = judge(CODE, Candidate("text", "x"), Judging(), room)
    assert result.stdout == "E [redacted]"
    assert result.metadata == {"tests": "[redacted]", "code": 1}


FENCES = {
    "s17-7.4-no-fence": ("x = 1\n", "x = 1\n", "whole_reply"),
    "s17-7.4-python": ("So:\n```python\nx = 1\n```\nDone", "x = 1\n", "fenced_block"),
    "s17-7.4-py": ("```py\nx\n```", "x\n", "fenced_block"),
    "s17-7.4-untagged": ("```\nx\n```", "x\n", "fenced_block"),
    "s17-7.4-last-one": ("```\na\n```\n```Python\nb\n```", "b\n", "fenced_block"),
    "s17-7.4-other-language": ("```python\na\n```\n```bash\nb\n```", "a\n", "fenced_block"),
    "s17-7.4-only-other-languages": ("```js\na\n```", "```js\na\n```", "whole_reply"),
    "s17-7.4-tildes-around-backticks": ("~~~\n```\na\n```\n~~~", "```\na\n```\n", "fenced_block"),
    "s17-7.4-longer-fence": ("````\n```\na\n````", "```\na\n", "fenced_block"),
    "s17-7.4-never-closed": ("```python\nx = 1", "x = 1", "fenced_block"),
    "s17-7.4-indented-too-far": ("    ```\nx", "    ```\nx", "whole_reply"),
    "s17-7.4-inline": ("use ```x``` here", "use ```x``` here", "whole_reply"),
    "s17-7.4-empty": ("```\n```", "", "fenced_block"),
}


@pytest.mark.parametrize(("reply", "code", "source"), FENCES.values(), ids=FENCES)
def test_code_is_taken_out_of_the_last_fence(reply: str, code: str, source: str) -> None:
    assert extract_code(reply) == (code, source)


def test_a_megabyte_of_fences_is_read_fix_13() -> None:
    assert extract_code("```\n" * 250_000).source == "fenced_block"
    assert extract_code("`" * 1_000_000).source == "fenced_block"


def test_code_is_taken_out_only_when_asked_17_7_4() -> None:
    room, reply = Room(), Candidate("text", "```\nx = 1\n```")
    judge(CODE, reply, Judging(), room)
    judge(CODE, reply, Judging(extract_code=True), room)
    assert [(c.value, c.extraction) for c in room.seen] == [
        (reply.value, None),
        ("x = 1\n", "fenced_block"),
    ]
    empty = judge(CODE, Candidate("text", "```\n```"), Judging(extract_code=True))
    assert (empty.reason, empty.metadata) == ("empty_candidate", {"extraction": "fenced_block"})


def test_results_come_as_they_are_asked_for() -> None:
    def endless() -> Iterator[tuple[CompiledTask, Candidate]]:
        while True:
            yield CHOICE, Candidate("text", "B")

    assert next(judge_all(endless(), Judging())).passed is True


@contextmanager
def verdict_store(folder: Path) -> Iterator[VerdictStore]:
    store = VerdictStore(sqlite_url(folder / "s.sqlite"))
    try:
        yield store
    finally:
        store.close()


def run(folder: Path, room: Room, *texts: str, **settings: Any) -> list[Result]:
    pairs = [(CODE, Candidate("text", text)) for text in texts]
    with verdict_store(folder) as store:
        return list(judge_stored(pairs, Judging(**settings), store, room))


def test_a_verdict_is_used_again(tmp_path: Path) -> None:
    first = Room("failed", reason="tests_failed", phase="checks", metadata={"exit": 1}, stderr="no")
    once = run(tmp_path, first, "a", "b", "a")
    again = Room("passed")
    assert run(tmp_path, again, "b", "a", "b") == [once[1], once[0], once[1]]
    assert (len(first.seen), len(again.seen)) == (2, 0)


@pytest.mark.parametrize("status", ["error", "pending", "broken"])
def test_what_is_no_verdict_is_tried_again(tmp_path: Path, status: str) -> None:
    first = Room(status)
    run(tmp_path, first, "a", "a")
    assert len(first.seen) == 2
    again = Room()
    assert run(tmp_path, again, "a")[0].passed is True
    assert len(again.seen) == 1


def test_a_key_holds_everything_that_a_verdict_depends_on() -> None:
    def key(task: CompiledTask = CODE, text: str = "a", room: Room | None = None, **s: Any) -> Any:
        return key_of(task, Candidate("text", text), Judging(**s), room or Room())

    other_room = Room()
    other_room.kind = "other"
    other_row = compiled(row("code_completion", metadata={"x": 1}))
    keys = [
        key(),
        key(text="b"),
        key(task=other_row),
        key(profile="compat"),
        key(room=other_room),
    ]
    assert len({k.digest for k in keys}) == len(keys)
    assert key() == key()
    assert key(text="```\na\n```", extract_code=True) == key(text="a\n")


def test_what_cannot_be_looked_up_has_no_key() -> None:
    terminal = compiled(row("terminal_task"))
    assert key_of(terminal, Candidate("workspace", "/w"), Judging(), Room()) is None
    assert key_of(CODE, None, Judging(), Room()) is None
    assert key_of(CODE, Candidate("patch", "x"), Judging(), Room()) is None
    assert key_of(CODE, Candidate("text", "x"), Judging(), None) is None
    assert key_of(compiled(row("tool_call")), Candidate("text", "x"), Judging(), Room()) is None


def test_texts_are_judged_alike_with_every_sandbox() -> None:
    reply = Candidate("text", "B")
    assert key_of(CHOICE, reply, Judging(), None) == key_of(CHOICE, reply, Judging(), Room())


def test_more_rows_than_a_batch_keep_their_order(tmp_path: Path) -> None:
    texts = [f"x{n}" for n in range(BATCH + 3)]
    room = Room()
    assert len(run(tmp_path, room, *texts)) == len(texts)
    assert [candidate.value for candidate in room.seen] == texts
