"""How fast to ask: bounded concurrency that gives way under overload and recovers when healthy.

An overloaded server halves the limit, every success raises it a little, up to the user's bound.
A server that names a time to wait is left alone by everybody until then.
"""

import asyncio
import time

# Calls that failed together say the same thing once.
HALVE_AT_MOST_EVERY = 0.5
LONGEST_PAUSE = 120.0


class Pace:
    """Lets calls start when they may.

    Args:
        most: Calls in flight at the most.
        rpm: Calls that may start in a minute; None for no limit.
    """

    def __init__(self, most: int, rpm: int | None = None) -> None:
        self.most, self.limit = most, float(most)
        self.in_flight = 0
        self._interval = 60.0 / rpm if rpm else 0.0
        self._next_start = 0.0
        self._halved_at = -HALVE_AT_MOST_EVERY
        self._waiting: list[asyncio.Future[None]] = []

    async def start(self) -> None:
        """Wait for a slot, and for the right moment."""
        while self.in_flight >= int(self.limit):
            slot = asyncio.get_running_loop().create_future()
            self._waiting.append(slot)
            await slot
        self.in_flight += 1
        if self._interval or self._next_start:
            await self._moment()

    async def _moment(self) -> None:
        now = time.monotonic()
        start = max(now, self._next_start)
        self._next_start = start + self._interval
        if start > now:
            try:
                await asyncio.sleep(start - now)
            except BaseException:
                self.done()
                raise

    def done(self) -> None:
        """A call has ended, however."""
        self.in_flight -= 1
        self._wake()

    def succeeded(self) -> None:
        """The server is healthy: allow a little more."""
        if self.limit < self.most:
            self.limit = min(float(self.most), self.limit + 1.0 / self.limit)
            self._wake()

    def overloaded(self, retry_after_seconds: float | None) -> None:
        """The server has too much to do: ask less, and not before it wants to be asked."""
        now = time.monotonic()
        if now - self._halved_at >= HALVE_AT_MOST_EVERY:
            self._halved_at = now
            self.limit = max(1.0, self.limit / 2)
        if retry_after_seconds:
            pause = min(retry_after_seconds, LONGEST_PAUSE)
            self._next_start = max(self._next_start, now + pause)

    def _wake(self) -> None:
        free = int(self.limit) - self.in_flight
        while self._waiting and free > 0:
            slot = self._waiting.pop()
            if not slot.done():
                slot.set_result(None)
                free -= 1
