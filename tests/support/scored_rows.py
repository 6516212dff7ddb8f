"""Rows of every family, small, and packs of them on disk."""

import json
from pathlib import Path
from typing import Any

from schemas.pack import Manifest
from schemas.pack_task import CompiledTask
from tasks.packs.lines import split_lines
from tasks.packs.reading import RowReader
from tasks.packs.references import Found

Row = dict[str, Any]

GOLD = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\n"

ROWS: dict[str, Row] = {
    "multiple_choice": {
        "input": {"question": "which?", "choices": ["Lagos", "Oslo"]},
        "eval": {"answer": 1},
    },
    "short_answer": {
        "input": {"question": "how many?"},
        "eval": {"accepted_answers": [42, "forty-two"], "tolerance": 0.5},
    },
    "free_response": {
        "input": {"prompt": "say it"},
        "eval": {"rubric": {"type": "contains_any", "accepted_answers": ["bats can see"]}},
    },
    "code_completion": {
        "input": {"prompt": "write twice(x)"},
        "eval": {
            "tests": {"source": "inline", "code": "assert twice(2) == 4"},
            "reference_solution": "def twice(x):\n    return 2 * x\n",
        },
    },
    "repo_patch": {
        "input": {"repo": "o/r", "base_commit": "0" * 40, "instructions": "fix"},
        "eval": {"tests": {"source": "command", "command": ["true"]}, "gold_patch": GOLD},
    },
    "terminal_task": {
        "input": {"instructions": "make out.txt"},
        "eval": {"checker": {"command": "true"}, "needed_commands": ["chroot"]},
    },
    "tool_call": {"input": {"q": "?"}, "eval": {"expected_calls": []}},
}


def row(family: str, name: str = "t", /, **changes: Any) -> Row:
    """A row of a family; `eval` and `input` replace those parts."""
    return {"id": name, "family": family, **ROWS[family], **changes}


class NoFiles:
    """A pack without any file beside its rows."""

    def look(self, lane: str, path: str) -> Found:
        return Found("missing")

    def read(self, lane: str, path: str) -> bytes:
        raise AssertionError("nothing to read")


def compiled(raw: Row) -> CompiledTask:
    """A row, compiled."""
    reader = RowReader(Manifest(id="p", version=1), NoFiles())
    found = next(reader.read(split_lines([json.dumps(raw).encode()])))
    assert found.task is not None, found.errors
    return found.task


def write_pack(folder: Path, *rows: Row) -> Path:
    """A pack on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.yaml").write_text("id: p\nversion: 1\n")
    (folder / "tasks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder


def write_answers(path: Path, *answers: Row | str) -> Path:
    """An answers file; texts are lines as they are."""
    lines = [a if isinstance(a, str) else json.dumps(a) for a in answers]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
