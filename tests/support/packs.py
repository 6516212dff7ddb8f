"""Packs on disk, as small as they can be."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.errors import Problem
from schemas.pack_task import CompiledTask
from tasks.storage.pack_check import CheckedPack, PackRequest, check_pack
from tasks.storage.packs import open_pack

MANIFEST = {"id": "bars", "version": 1}
ROWS: dict[str, dict[str, Any]] = {
    "multiple_choice": {
        "input": {"question": "Which?", "choices": ["Lagos", "Oslo", "Quito"]},
        "eval": {"answer": 0},
    },
    "short_answer": {
        "input": {"question": "How many?"},
        "eval": {"accepted_answers": [3, "three"], "tolerance": 0.5},
    },
    "free_response": {
        "input": {"prompt": "Why?"},
        "eval": {"rubric": {"type": "contains_any", "accepted_answers": ["gravity"]}},
    },
    "code_completion": {
        "input": {"prompt": "Write f."},
        "eval": {"tests": {"source": "inline", "code": "assert f() == 1"}},
    },
    "repo_patch": {
        "input": {"repo": "o/r", "base_commit": "0" * 40, "instructions": "Mend it."},
        "eval": {"tests": {"source": "command", "command": ["true"]}},
        "environment": {"image": "img:1"},
    },
    "terminal_task": {
        "input": {"instructions": "Do it."},
        "eval": {"checker": {"command": "true"}},
    },
}


def row(family: str = "multiple_choice", **changes: Any) -> dict[str, Any]:
    """A sound row; `input__x=1` sets one key, `None` for a whole part leaves it out."""
    made: dict[str, Any] = json.loads(json.dumps({"id": "t", "family": family, **ROWS[family]}))
    for key, value in changes.items():
        place = made
        *parents, last = key.split("__")
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return made


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_pack(
    folder: Path,
    rows: Sequence[Any] | bytes = (),
    manifest: Any = None,
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A pack directory; rows are values, or the bytes of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest or MANIFEST).encode()
    (folder / "manifest.yaml").write_bytes(text)
    if not isinstance(rows, bytes):
        rows = b"".join(json.dumps(r).encode() + b"\n" for r in rows)
    (folder / "tasks.jsonl").write_bytes(rows)
    write_files(folder, files or {})
    return folder


def checked(folder: Path, **options: Any) -> CheckedPack:
    return check_pack(PackRequest(str(folder), **options))


def brief(problems: Sequence[Problem]) -> list[tuple[str | None, str, str]]:
    """Error, code and place of each."""
    return [(p.type, p.code, p.location) for p in problems]


def codes(problems: Sequence[Problem]) -> list[str]:
    return [p.code for p in problems]


def task_of(folder: Path, **options: Any) -> CompiledTask:
    (task,) = open_pack(str(folder), **options).tasks()
    return task
