"""Runs of this folder are plain calls: no Prefect, no server."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.providers import OpenProvider
from tests.support.runs import Desk, Json, Scripted, benchmark, record, write_lines


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSENT_HOME", "ASSENT_STORE", "ASSENT_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, capsys)


@pytest.fixture
def use_provider(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scripted], Scripted]:
    """Puts a scripted provider where `control/coin` would be opened."""

    def use(provider: Scripted) -> Scripted:
        opened = OpenProvider(provider, "scripted-1", uses_store=True)
        monkeypatch.setattr("tasks.sample.open_provider", lambda *_: opened)
        return provider

    return use


@pytest.fixture
def awkward(desk: Desk) -> Json:
    """A run with a failed, a clipped, an unreadable and a tied item."""
    desk.write(benchmark(5))
    replies = [
        record("claim 0 holds", "GOOD", usage={"input_tokens": 3, "output_tokens": 1}),
        record("claim 1 holds", "hm", finish_reason="length", reasoning_tokens=4),
        record("claim 2 holds", "hm", finish_reason="stop"),
        record("claim 3 holds", "GOOD"),
        record("claim 3 holds", "BAD", model_id="model-7"),
    ]
    write_lines(desk.path / "replies.jsonl", replies)
    options = ("--max-failed", "1", "--n-samples", "2", "--run-id", "r1", "--log", "run.log")
    return desk.evaluate(*options, model="replay/replies.jsonl")
