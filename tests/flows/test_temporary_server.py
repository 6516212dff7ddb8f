"""The server that lives as long as one command: it is gone afterwards, whatever happens."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.support.prefect_server import environment

SCRIPT = """
import sys, time
from flows.temporary_server import temporary_server
with temporary_server() as url:
    print(url, flush=True)
    time.sleep(float(sys.argv[1]))
"""


def start(folder: Path, seconds: float) -> tuple["subprocess.Popen[str]", str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(seconds)],
        env=environment(PREFECT_HOME=str(folder / "home")),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout as output:
        url = output.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/api", url)
    return process, url


def is_gone(url: str, within_seconds: float = 15) -> bool:
    deadline = time.monotonic() + within_seconds
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/health", timeout=1)
        except httpx.HTTPError:
            return True
        time.sleep(0.1)
    return False


def test_it_answers_while_it_is_needed_and_is_gone_afterwards(tmp_path: Path) -> None:
    process, url = start(tmp_path, seconds=1)
    assert httpx.get(f"{url}/health").json() is True
    assert process.wait(30) == 0
    assert is_gone(url)


def test_it_survives_ctrl_c_long_enough_for_a_farewell_and_is_gone_afterwards(
    tmp_path: Path,
) -> None:
    process, url = start(tmp_path, seconds=60)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) != 0
    assert is_gone(url)


def test_it_ends_when_the_command_is_killed(tmp_path: Path) -> None:
    process, url = start(tmp_path, seconds=60)
    process.kill()
    process.wait()
    assert is_gone(url)
