"""Progress on stderr: counts, rate and time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.sampling.monitor import Monitor, watching

REDRAW_SECONDS = 0.1


@contextmanager
def shown_progress(monitor: Monitor, *, quiet: bool) -> Iterator[None]:
    """Have everything inside report to a monitor, whose counts are shown meanwhile."""
    if quiet or not sys.stderr.isatty():
        with watching(monitor):
            yield
        return
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
            rate = seen.calls / max(now - started, 1e-9)
            detail = f"{seen.calls} calls, {seen.reused} reused, {seen.failed} failed, {rate:.0f}/s"
            progress.update(bar, total=seen.total or None, completed=seen.done, detail=detail)

        monitor.on_change = redraw
        with watching(monitor):
            yield
