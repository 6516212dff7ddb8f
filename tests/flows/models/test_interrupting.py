"""Ctrl-C while calls are in flight: what is answered in a short while is kept."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.flows.models.conftest import Bench
from tests.flows.models.test_paying_once import CONCURRENCY, finish, start
from tests.support.model_server import Turn

N_ITEMS = 3 * CONCURRENCY


def interrupt(bench: Bench, folder: Path, seconds: float, times: int = 1) -> tuple[Any, str]:
    """Press Ctrl-C when the first calls are in flight; what the command printed then."""
    bench.write(N_ITEMS)
    bench.server.script = lambda _prompt, _n: Turn(delay_seconds=seconds)
    process = start(bench, folder, n_samples=1)
    deadline = time.monotonic() + 60
    while bench.server.in_flight < CONCURRENCY and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 130, err
    return json.loads(out), err


def test_calls_in_flight_are_kept_and_never_asked_again(bench: Bench, tmp_path: Path) -> None:
    stopped, err = interrupt(bench, tmp_path / "one", 0.8)
    assert stopped["stopped"] == "interrupted"
    assert "Run the same command again to continue" in err.splitlines()[-1]
    assert len(bench.server.asked) == CONCURRENCY
    bench.server.script = lambda _prompt, _n: Turn()
    done = finish(start(bench, tmp_path / "one", n_samples=1))
    assert (done["reused"], done["calls"]) == (CONCURRENCY, N_ITEMS - CONCURRENCY)


def test_calls_that_hang_are_given_up(bench: Bench, tmp_path: Path) -> None:
    interrupt(bench, tmp_path / "one", 600)
    bench.server.script = lambda _prompt, _n: Turn()
    assert finish(start(bench, tmp_path / "one", n_samples=1))["calls"] == N_ITEMS


def test_a_second_ctrl_c_does_not_wait_for_calls_in_flight(bench: Bench, tmp_path: Path) -> None:
    interrupt(bench, tmp_path / "one", 2.5, times=2)
    bench.server.script = lambda _prompt, _n: Turn()
    assert finish(start(bench, tmp_path / "one", n_samples=1))["calls"] == N_ITEMS
