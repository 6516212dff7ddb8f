"""An environment that only checks files, without what running evaluations needs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.benchmarks import tiny_benchmark, write_json
from tests.support.scored_rows import row, write_answers, write_pack

WITHOUT_EXTRA = """
import sys
from flows.cli.main import NEEDED_TO_RUN, run
for name in NEEDED_TO_RUN:
    sys.modules[name] = None
sys.exit(run(sys.argv[1:]))
"""


def spawn(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_EXTRA, *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "args",
    [["validate", "b.json"], ["hash", "b.json"], ["prompts", "b.json"], ["outputs", "check"]],
    ids=lambda args: args[0],
)
def test_commands_that_check_files_work(tmp_path: Path, args: list[str]) -> None:
    write_json(tmp_path / "b.json", tiny_benchmark())
    assert spawn(tmp_path, *args).returncode == 0


def test_a_command_that_runs_says_what_to_install(tmp_path: Path) -> None:
    write_json(tmp_path / "b.json", tiny_benchmark())
    done = spawn(tmp_path, "evaluate", "b.json", "--model", "control/coin")
    assert done.returncode == 3
    assert "assent[run]" in done.stderr
    assert "Traceback" not in done.stderr


def test_answers_to_packs_are_judged(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", row("multiple_choice", "a"))
    write_answers(tmp_path / "a.jsonl", {"task_id": "a", "text": "B"})
    done = spawn(tmp_path, "pack", "score", "p", "--answers", "a.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 1 passed" in done.stdout
