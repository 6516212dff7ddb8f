"""How far a run has got, as a progress artifact of its flow run.

A thread of its own looks at the counts every few seconds: the sampling loop never waits for the
server, and a server that does not answer costs the run nothing but this artifact.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from uuid import UUID

from tasks.artifacts import artifact_key
from tasks.sampling.monitor import Monitor

LOOK_SECONDS = 3.0
# A server that hangs at the very end must not keep a finished run.
LONGEST_GOODBYE_SECONDS = 10.0

_log = logging.getLogger(__name__)


@contextmanager
def progress_artifact(run_id: str, monitor: Monitor) -> Iterator[None]:
    """Have the server show how far everything inside has got; 100 once it is done.

    Args:
        run_id: Names the artifact.
        monitor: What is counted. Only what is added inside counts.
    """
    over = threading.Event()
    shown = _Shown(run_id, monitor)

    def look_regularly() -> None:
        while not over.wait(LOOK_SECONDS):
            shown.show()
        if shown.is_done:
            shown.show()

    # The context says to which flow run an artifact belongs.
    thread = threading.Thread(
        target=copy_context().run, args=(look_regularly,), name="assent-progress", daemon=True
    )
    thread.start()
    try:
        yield
        shown.is_done = True
    finally:
        over.set()
        # Whoever interrupts a run does not want to wait for its artifact.
        thread.join(LONGEST_GOODBYE_SECONDS if shown.is_done else 0.5)


class _Shown:
    """One artifact, made when there is something to show."""

    def __init__(self, run_id: str, monitor: Monitor) -> None:
        self.is_done = False
        self._key, self._monitor = f"{artifact_key(run_id)}-progress", monitor
        self._done, self._total = monitor.done, monitor.total
        self._id: UUID | None = None
        self._last: tuple[float, str] | None = None

    def show(self) -> None:
        """Bring the artifact up to date."""
        import httpx
        from prefect.exceptions import PrefectException

        done, total = self._monitor.done - self._done, self._monitor.total - self._total
        if not total and not self.is_done:
            return
        share = 100.0 if self.is_done else min(100.0, 100.0 * done / total)
        now = (share, f"Samples, {done} of {total}" if total else "Samples, all of them reused")
        if now == self._last:
            return
        try:
            self._send(*now)
        except (httpx.HTTPError, PrefectException, OSError, ValueError) as error:
            _log.debug("no progress artifact: %s", type(error).__name__)
        else:
            self._last = now

    def _send(self, share: float, text: str) -> None:
        from prefect.artifacts import create_progress_artifact, update_progress_artifact

        if self._id is not None:
            update_progress_artifact(self._id, share, description=text)
            return
        made = create_progress_artifact(share, key=self._key, description=text)
        assert isinstance(made, UUID)  # no coroutine: this thread has no event loop
        self._id = made
