"""What happens during a run, for whoever is watching.

Counts are no part of any document: a rerun must write equal files. They travel beside the run, in
a context variable, from the sampling loop to the command line or the flow.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(slots=True)
class StageNote:
    """How one stage of a run ended."""

    name: str
    state: str
    seconds: float


@dataclass(slots=True)
class Monitor:
    """Counts of one command, and a callback for every change."""

    calls: int = 0
    reused: int = 0
    failed: int = 0
    done: int = 0
    total: int = 0
    in_flight: int = 0
    """Calls that were sent and are not answered yet."""
    cost_usd: Decimal | None = Decimal(0)
    """Money spent by this command; None when some price is unknown."""
    stages: list[StageNote] = field(default_factory=list)
    on_change: Callable[["Monitor"], None] | None = None

    def changed(self) -> None:
        """Tell whoever is watching."""
        if self.on_change is not None:
            self.on_change(self)


_current: ContextVar[Monitor | None] = ContextVar("assent_monitor", default=None)


def current_monitor() -> Monitor:
    """The monitor of this run; one that nobody reads when nobody is watching."""
    return _current.get() or Monitor()


@contextmanager
def watching(monitor: Monitor | None = None) -> Iterator[Monitor]:
    """Have everything inside report to a monitor; an outer one stays in charge."""
    outer = _current.get()
    if outer is not None and monitor is None:
        yield outer
        return
    token = _current.set(monitor or Monitor())
    try:
        yield current_monitor()
    finally:
        _current.reset(token)
