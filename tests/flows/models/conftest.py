"""Evaluations against a real HTTP server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.cli.main import run
from tasks.sampling import engine
from tests.support.model_server import ModelServer, model_server

KEY = "sk-test-0123456789abcdef"


class Evaluated(NamedTuple):
    """What a command did."""

    code: int
    document: dict[str, Any]
    err: str


class Bench:
    """A working directory with a small benchmark, and a server to ask."""

    def __init__(self, server: ModelServer, folder: Path, capsys: Any) -> None:
        self.server, self.folder, self._capsys = server, folder, capsys

    def write(self, n_items: int) -> None:
        items = [
            {
                "id": f"i{i}",
                "premises": [],
                "conclusions": [f"c{i}"],
                "analyst_verdicts": ["good" if i % 2 else "bad"],
            }
            for i in range(n_items)
        ]
        bearers = {f"c{i}": {"expression": f"claim {i}"} for i in range(n_items)}
        document = {"id": "b", "bearers": bearers, "analysts": [{"id": "a"}], "items": items}
        (self.folder / "b.json").write_text(json.dumps(document))

    def evaluate(self, *args: str, model: str = "vllm/m", n_samples: int = 1) -> Evaluated:
        base = self.server.url if model.startswith("anthropic/") else f"{self.server.url}/v1"
        options = ["--model", model, "--base-url", base, "--n-samples", str(n_samples)]
        fixed = ["--engine", "embedded", "--format", "json"]
        self._capsys.readouterr()
        code = run(["evaluate", "b.json", *options, *fixed, *args])
        out, err = self._capsys.readouterr()
        return Evaluated(code, json.loads(out), err)

    def samples(self, evaluated: Evaluated) -> list[dict[str, Any]]:
        """All samples of the evaluation file."""
        document = json.loads((self.folder / evaluated.document["evaluation"]).read_text())
        return [sample for item in document["items"] for sample in item["samples"]]


@pytest.fixture
def bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Bench]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "FIRST_PAUSE", 0.005)
    for name in ("OPENAI", "ANTHROPIC", "VLLM", "OPENROUTER"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    with model_server() as server:
        found = Bench(server, tmp_path, capsys)
        found.write(1)
        yield found
