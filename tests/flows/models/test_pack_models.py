"""Packs asked over HTTP: what is sent, refusals, and Ctrl-C while calls are in flight."""

import json
import signal
import subprocess
import time
from typing import Any

import pytest

from flows.cli.main import run
from tests.flows.models.conftest import Bench
from tests.support.model_server import Turn
from tests.support.packs import row, write_pack
from tests.support.prefect_server import BIN, environment


def command(bench: Bench, *args: str) -> list[str]:
    fixed = ["--engine", "embedded", "--format", "json"]
    asked = ["--model", "vllm/m", "--base-url", f"{bench.server.url}/v1"]
    return ["pack", "run", "p", *asked, *fixed, *args]


@pytest.fixture
def pack(bench: Bench) -> Bench:
    write_pack(bench.folder / "p", [row(id=f"r{i}", input__question=f"q{i}?") for i in range(6)])
    return bench


def answer(bench: Bench, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run(command(bench, *args))
    return code, json.loads(capsys.readouterr().out)


def test_the_public_part_is_sent_with_the_parameters(
    pack: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    pack.server.script = lambda _prompt, _n: Turn(text="Answer: A")
    code, document = answer(pack, capsys, "--temperature", "0.25", "--max-tokens", "99")
    assert (code, document["calls"], document["summary"]["passed"]) == (0, 6, 6)
    body = next(b for b in pack.server.asked if "q3?" in b["messages"][-1]["content"])
    assert (body["temperature"], body["max_tokens"]) == (0.25, 99)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"].startswith("q3?\n\nA. Lagos\nB. Oslo\n")


def test_a_refusal_publishes_nothing_and_exits_2(
    pack: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    pack.server.script = lambda _prompt, _n: Turn(status=401, body=b'{"error": "no"}')
    code, document = answer(pack, capsys)
    assert (code, document["stopped"], document["output"]) == (2, "refused", None)
    assert not (pack.folder / "outputs").exists()


def test_calls_in_flight_at_ctrl_c_are_kept(
    pack: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    pack.server.script = lambda _prompt, _n: Turn(text="A", delay_seconds=0.8)
    process = subprocess.Popen(
        [str(BIN / "assent"), *command(pack, "--concurrency", "3")],
        cwd=pack.folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while pack.server.in_flight < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 130, err
    assert json.loads(out)["stopped"] == "interrupted"
    assert "Run the same command again to continue" in err.splitlines()[-1]
    assert not (pack.folder / "outputs").exists()
    code, document = answer(pack, capsys)
    assert (code, document["reused"], document["calls"]) == (0, 3, 3)
