"""Progress lines where there is no terminal."""

from decimal import Decimal
from typing import Any

import pytest

from flows.cli import progress
from flows.cli.progress import Speed, detail
from tasks.sampling.monitor import Monitor
from tests.support.model_server import Turn


@pytest.mark.parametrize(
    ("cost", "words"),
    [(Decimal(0), "5.0/s"), (Decimal("0.25"), "cost $0.2500"), (None, "cost unknown")],
)
def test_the_cost_is_shown_when_there_is_one_and_unknown_when_it_is(
    cost: Decimal | None, words: str
) -> None:
    line = detail(Monitor(calls=10, reused=2, in_flight=3, cost_usd=cost), rate=5.0)
    assert line.startswith("10 calls, 2 reused, 0 failed, 3 in flight, 5.0/s")
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


def speed_of(*looks: tuple[float, int, int]) -> tuple[Speed, Monitor]:
    """What is known after some looks at time, samples done and of these reused."""
    speed, seen = Speed(), Monitor(total=1000)
    for now, done, reused in looks:
        seen.done, seen.reused = done, reused
        speed.look(seen, now)
    return speed, seen


@pytest.mark.parametrize(
    ("looks", "rate", "left"),
    [
        ([(0, 0, 0)], None, "unknown"),
        ([(0, 0, 0), (10, 100, 0)], 10.0, "1 min 30 s"),
        # 500 from the store in the first second say nothing about the 500 that are missing.
        ([(0, 0, 0), (1, 500, 500), (10, 600, 500)], 10.0, "40 s"),
        # Slow of late: what was fast a minute ago does not count.
        ([(0, 0, 0), (10, 800, 0), (40, 830, 0), (70, 860, 0)], 1.0, "2 min 20 s"),
        ([(0, 0, 0), (10, 500, 500)], 0.0, "unknown"),
        ([(0, 0, 0), (10, 1, 0)], 0.1, "2 h 46 min"),
        ([(0, 0, 0), (10, 1000, 0)], 100.0, "0 s"),
    ],
    ids=["one look", "steady", "reused first", "slow of late", "only reused", "hours", "done"],
)
def test_time_left_rests_on_what_was_drawn_of_late(
    looks: list[tuple[float, int, int]], rate: float | None, left: str
) -> None:
    speed, seen = speed_of(*looks)
    assert (speed.rate, speed.left(seen)) == (rate, left)


def test_quiet_prints_no_progress(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    assert bench.evaluate("--quiet").err == ""
