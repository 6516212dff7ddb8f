"""Progress lines where there is no terminal."""

from decimal import Decimal
from typing import Any

import pytest

from flows.cli import progress
from flows.cli.progress import detail
from tasks.sampling.monitor import Monitor
from tests.support.model_server import Turn


@pytest.mark.parametrize(
    ("cost", "words"),
    [(Decimal(0), "0 failed, 5/s"), (Decimal("0.25"), "cost $0.2500"), (None, "cost unknown")],
)
def test_the_cost_is_shown_when_there_is_one_and_unknown_when_it_is(
    cost: Decimal | None, words: str
) -> None:
    line = detail(Monitor(calls=10, reused=2, cost_usd=cost), seconds=2.0)
    assert line.startswith("10 calls, 2 reused, 0 failed, 5/s")
    assert line.endswith(words)


def test_a_log_gets_a_line_now_and_then(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.2)
    bench.write(20)
    bench.server.script = lambda _, n: Turn(delay_seconds=0.1)
    err = bench.evaluate("--concurrency", "2").err
    lines = [line for line in err.splitlines() if line.startswith("samples ")]
    assert lines
    assert "/20" in lines[0]
    assert "time left" in lines[0]


def test_quiet_prints_no_progress(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    assert bench.evaluate("--quiet").err == ""
