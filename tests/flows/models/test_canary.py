"""A key that an endpoint echoes wherever it can is found nowhere afterwards."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.model_server import Turn
from tests.support.prefect_server import BIN, environment
from tests.support.searching import holders

CANARY = "sk-canary-5f1e9a7742c0b3d8"
HEADER_CANARY = "hdr-canary-91c4e07ab2"
HARMLESS = "harmless-marker-83cc"
ECHO = {"x-request-id": f"id {CANARY}", "x-echo": CANARY}
REFUSAL = f"{HARMLESS} Incorrect API key provided: {CANARY} (Bearer {CANARY}), {HEADER_CANARY}"


def refuse(_prompt: str, _n: int) -> Turn:
    body = json.dumps({"error": {"message": REFUSAL, "code": CANARY}}).encode()
    return Turn(status=401, body=body, headers=ECHO)


def echo(prompt: str, n: int) -> Turn:
    """Echo in a reply and its fields, in a lasting failure cut in the key, in a passing one."""
    if "claim 1" in prompt:
        text = f"{HARMLESS} {'x' * 160} {CANARY}"
        return Turn(status=400, body=json.dumps({"error": text}).encode(), headers=ECHO)
    if "claim 2" in prompt and n == 0:
        return Turn(status=500, body=f"{CANARY} {HEADER_CANARY}".encode(), headers=ECHO)
    document = {
        "id": CANARY,
        "model": f"m {CANARY}",
        "choices": [
            {
                "message": {"content": f"{HARMLESS} {CANARY} {HEADER_CANARY} GOOD"},
                "finish_reason": f"stop {CANARY}",
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, CANARY: 3},
    }
    return Turn(body=json.dumps(document).encode(), headers=ECHO)


class Evaluation:
    """Commands in one working directory, with the canary in their environment."""

    def __init__(self, bench: Any, engine: str) -> None:
        self._bench, self._engine = bench, engine
        self.streams = ""

    def run(self, *args: str, command: str = "evaluate") -> int:
        folder = self._bench.folder
        done = subprocess.run(
            [
                *(str(BIN / "assent"), command, "b.json", "--model", f"openai/{HARMLESS}"),
                *("--base-url", f"{self._bench.server.url}/v1", "--engine", self._engine),
                *("--header", f"x-team=Token {HEADER_CANARY}", *args),
            ],
            cwd=folder,
            env=environment(OPENAI_API_KEY=CANARY, PREFECT_HOME=str(folder / "prefect")),
            capture_output=True,
            text=True,
            check=False,
        )
        self.streams += done.stdout + done.stderr
        return done.returncode


@pytest.mark.parametrize("engine", ["embedded", "prefect"])
def test_a_key_that_is_echoed_everywhere_is_found_nowhere(bench: Any, engine: str) -> None:
    bench.write(3)
    evaluation = Evaluation(bench, engine)
    bench.server.script = refuse
    assert evaluation.run("--format", "json") == 2
    bench.server.script = echo
    options = ["--n-samples", "1", "--max-failed", "1", "--log", "run.log", "--run-id", "r"]
    assert evaluation.run(*options, "-v") == 0
    assert bench.server.headers[-1]["Authorization"] == f"Bearer {CANARY}"
    assert bench.server.headers[-1]["x-team"] == f"Token {HEADER_CANARY}"

    places = holders(bench.folder, HARMLESS)
    wanted = {
        ".assent/samples.sqlite",
        "evaluations/b/r.json",
        "outputs/artifacts/r/samples.parquet",
        "outputs/b/r.json",
        "run.log",
    }
    wanted |= {"prefect/prefect.db"} if engine == "prefect" else set()
    assert wanted <= set(places)
    assert HARMLESS in evaluation.streams
    for canary in (CANARY, CANARY[:16], HEADER_CANARY):
        assert holders(bench.folder, canary) == []
        assert canary not in evaluation.streams


def test_the_search_finds_what_is_packed(tmp_path: Path) -> None:
    secret = "planted-0123456789"
    repeated = pa.table({"a": [f"{secret}-{n}" for n in range(100)]})
    pq.write_table(repeated, tmp_path / "t.parquet", compression="zstd", use_dictionary=False)
    (tmp_path / "plain.txt").write_text(f"x {secret} y")
    for skip in range(3):
        inside = "-" * skip + secret + "-and-more"
        (tmp_path / f"base64-{skip}").write_bytes(base64.b64encode(inside.encode()))
    (tmp_path / "none.txt").write_text("nothing")
    assert holders(tmp_path, secret) == [
        *(f"base64-{skip}" for skip in range(3)),
        "plain.txt",
        "t.parquet",
    ]
