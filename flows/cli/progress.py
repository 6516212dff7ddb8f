"""Progress on stderr: counts, rate, cost and time left. A live bar on a terminal, else lines."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.sampling.monitor import Monitor, watching

REDRAW_SECONDS = 0.1
LINE_SECONDS = 5.0
RECENT_SECONDS = 30.0


@contextmanager
def shown_progress(monitor: Monitor, *, quiet: bool) -> Iterator[None]:
    """Have everything inside report to a monitor, whose counts are shown meanwhile."""
    if not quiet:
        with _bar(monitor) if sys.stderr.isatty() else _lines(monitor), watching(monitor):
            yield
    else:
        with watching(monitor):
            yield


class Speed:
    """How many samples a second are drawn of late; what is reused takes no time and counts not."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, seen: Monitor, now: float) -> None:
        """Take note of how far a run is."""
        drawn = seen.done - seen.reused
        if self._seen and now - self._seen[-1][0] < REDRAW_SECONDS:
            return
        self._seen.append((now, drawn))
        while len(self._seen) > 2 and now - self._seen[1][0] >= RECENT_SECONDS:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Samples drawn a second; None before there is anything to tell it from."""
        if len(self._seen) < 2:
            return None
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last > first else None

    def left(self, seen: Monitor) -> str:
        """Time until the end, if it goes on like this."""
        rest = max(0, seen.total - seen.done)
        if not rest:
            return "0 s"
        if not self.rate:
            return "unknown"
        seconds = round(rest / self.rate)
        hours, minutes = seconds // 3600, seconds % 3600 // 60
        if hours:
            return f"{hours} h {minutes:02} min"
        return f"{minutes} min {seconds % 60:02} s" if minutes else f"{seconds} s"


def detail(seen: Monitor, rate: float | None) -> str:
    """Counts of a run so far, in one line."""
    spent = "unknown" if seen.cost_usd is None else f"${seen.cost_usd:.4f}"
    cost = "" if seen.cost_usd == 0 else f", cost {spent}"
    speed = "" if rate is None else f", {rate:.{0 if rate >= 10 else 1}f}/s"
    counts = f"{seen.calls} calls, {seen.reused} reused, {seen.failed} failed"
    return f"{counts}, {seen.in_flight} in flight{speed}{cost}"


def _line(seen: Monitor, speed: Speed) -> str:
    counts = detail(seen, speed.rate)
    return f"samples {seen.done}/{seen.total}, time left {speed.left(seen)}, {counts}"


@contextmanager
def _lines(monitor: Monitor) -> Iterator[None]:
    """A plain line every few seconds, for logs."""
    last, speed = 0.0, Speed()

    def report(seen: Monitor) -> None:
        nonlocal last
        if not seen.total:  # what comes before is no sampling
            return
        now = time.monotonic()
        speed.look(seen, now)
        last = last or now
        if now - last < LINE_SECONDS:
            return
        last = now
        print(_line(seen, speed), file=sys.stderr, flush=True)

    monitor.on_change = report
    yield


@contextmanager
def _bar(monitor: Monitor) -> Iterator[None]:
    """A live bar that is gone when the run has ended."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    # One line in a narrow window too: what comes last is cut.
    text_column = Column(no_wrap=True, overflow="ellipsis")
    columns = (
        BarColumn(bar_width=10),
        TextColumn("{task.fields[detail]}", table_column=text_column, markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("samples", total=None, detail="")
        last, speed = 0.0, Speed()

        def redraw(seen: Monitor) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < REDRAW_SECONDS and seen.done < seen.total:
                return
            last = now
            if not seen.total:  # what comes before is no sampling
                return
            speed.look(seen, now)
            text = _line(seen, speed)
            progress.update(bar, total=seen.total or None, completed=seen.done, detail=text)

        monitor.on_change = redraw
        yield
