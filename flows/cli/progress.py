"""Progress on stderr: counts, rate, cost and time left. A live bar on a terminal, else lines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.sampling.monitor import Monitor, watching

REDRAW_SECONDS = 0.1
LINE_SECONDS = 5.0


@contextmanager
def shown_progress(monitor: Monitor, *, quiet: bool) -> Iterator[None]:
    """Have everything inside report to a monitor, whose counts are shown meanwhile."""
    if not quiet:
        with _bar(monitor) if sys.stderr.isatty() else _lines(monitor), watching(monitor):
            yield
    else:
        with watching(monitor):
            yield


def detail(seen: Monitor, seconds: float) -> str:
    """Counts of a run so far, in one line."""
    rate = seen.calls / max(seconds, 1e-9)
    spent = "unknown" if seen.cost_usd is None else f"${seen.cost_usd:.4f}"
    cost = "" if seen.cost_usd == 0 else f", cost {spent}"
    return f"{seen.calls} calls, {seen.reused} reused, {seen.failed} failed, {rate:.0f}/s{cost}"


@contextmanager
def _lines(monitor: Monitor) -> Iterator[None]:
    """A plain line every few seconds, for logs."""
    started = last = 0.0

    def report(seen: Monitor) -> None:
        nonlocal started, last
        now = time.monotonic()
        if not started and seen.total:  # what came before was no sampling
            started = last = now
        if not started or now - last < LINE_SECONDS:
            return
        last = now
        elapsed = now - started
        left = f"{elapsed / seen.done * (seen.total - seen.done):.0f} s" if seen.done else "unknown"
        text = f"samples {seen.done}/{seen.total}, {detail(seen, elapsed)}, time left {left}"
        print(text, file=sys.stderr, flush=True)

    monitor.on_change = report
    yield


@contextmanager
def _bar(monitor: Monitor) -> Iterator[None]:
    """A live bar that is gone when the run has ended."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("samples"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("samples", total=None, detail="")
        started, last = time.monotonic(), 0.0

        def redraw(seen: Monitor) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < REDRAW_SECONDS and seen.done < seen.total:
                return
            last = now
            text = detail(seen, now - started)
            progress.update(bar, total=seen.total or None, completed=seen.done, detail=text)

        monitor.on_change = redraw
        yield
