"""Ctrl-C while a candidate runs that would never end."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.scored_rows import row, write_answers, write_pack

pytestmark = pytest.mark.needs("bubblewrap")


def test_an_interrupt_ends_the_command_and_every_sandbox(tmp_path: Path) -> None:
    mark = f"mark-{tmp_path.name}-{time.monotonic_ns()}"
    code = f"import os\nos.execvp('sh', ['sh', '-c', 'while :; do sleep 1; done', '{mark}'])\n"
    limit = {"timeout_seconds": 600}
    pack = write_pack(tmp_path / "p", row("code_completion", environment=limit))
    answers = write_answers(tmp_path / "a.jsonl", {"task_id": "t", "text": code})
    assent = str(Path(sys.executable).parent / "assent")
    command = [assent, "pack", "score", str(pack), "--answers", str(answers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        _wait_until(lambda: _is_running(mark))
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130
    assert not _is_running(mark)


def _is_running(mark: str) -> bool:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().split(b"\0")[-2:-1] == [mark.encode()]:
                return True
        except OSError:
            continue
    return False


def _wait_until(happened: Callable[[], bool]) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within 30 seconds")
