"""Which requests this process may ask: nobody has answered them, and nobody else is asking."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple, Protocol

from tasks.sampling.monitor import Monitor
from tasks.sampling.requests import Request

LOOKUP_BATCH = 500
MOST_CLAIMED = 256
QUICK_SECONDS = 0.1
WAIT_SECONDS = 0.2


class Claim(NamedTuple):
    """What became of keys that were claimed; others hold the rest."""

    mine: set[str]
    answered: set[str]


class Claims(Protocol):
    """Where keys are looked up and claimed."""

    def answered(self, keys: list[str]) -> set[str]:
        """Those of the keys that have a reply."""
        ...

    def claim(self, keys: list[str]) -> Claim:
        """Take keys for this process alone, as far as nobody has answered or taken them."""
        ...


class Queue:
    """Hands out requests; those that were answered meanwhile are counted as reused.

    Keys are claimed in batches of about the concurrency, so that no process hoards a whole run.
    Where batches are used up at once, they grow.

    Args:
        requests: Everything that is wanted.
        claims: Where keys are looked up and claimed.
        monitor: What counts.
        concurrency: How many ask at the same time.
    """

    def __init__(
        self, requests: Iterable[Request], claims: Claims, monitor: Monitor, concurrency: int
    ) -> None:
        self._wanted, self._claims, self._monitor = iter(requests), claims, monitor
        self._least = self._size = min(concurrency, MOST_CLAIMED)
        self._open: deque[Request] = deque()
        self._ready: deque[Request] = deque()
        self._elsewhere: list[Request] = []
        self._filled_at = 0.0
        self._turn = asyncio.Lock()

    async def take(self) -> Request | None:
        """The next request to ask; None when there is none left, and never will be."""
        if self._ready:
            return self._ready.popleft()
        async with self._turn:
            while not self._ready:
                # Many batches may hold nothing to ask: others must have the loop meanwhile.
                await asyncio.sleep(0)
                if self._open:
                    self._claim_some()
                elif not self._look_up() and not await self._wait_for_others():
                    return None
            return self._ready.popleft()

    def _look_up(self) -> bool:
        """Look up the next requests; False when there are none."""
        if len(self._elsewhere) >= LOOKUP_BATCH:
            self._ask_again()
        batch = list(islice(self._wanted, LOOKUP_BATCH))
        if not batch:
            return False
        self._open.extend(self._without_answered(batch))
        self._monitor.changed()
        return True

    async def _wait_for_others(self) -> bool:
        """Wait for what others hold; False when they hold nothing."""
        if not self._elsewhere:
            return False
        await asyncio.sleep(WAIT_SECONDS)
        self._ask_again()
        self._monitor.changed()
        return True

    def _ask_again(self) -> None:
        others, self._elsewhere = self._elsewhere, []
        for start in range(0, len(others), LOOKUP_BATCH):
            self._open.extend(self._without_answered(others[start : start + LOOKUP_BATCH]))

    def _without_answered(self, batch: list[Request]) -> list[Request]:
        answered = self._claims.answered([request.key for request in batch])
        rest = [request for request in batch if request.key not in answered]
        self._reuse(len(batch) - len(rest))
        return rest

    def _claim_some(self) -> None:
        now = time.monotonic()
        quick = now - self._filled_at < QUICK_SECONDS
        self._size = min(self._size * 2, MOST_CLAIMED) if quick else self._least
        self._filled_at = now
        batch = [self._open.popleft() for _ in range(min(self._size, len(self._open)))]
        mine, answered = self._claims.claim([request.key for request in batch])
        for request in batch:
            if request.key in mine:
                mine.discard(request.key)
                self._ready.append(request)
            elif request.key in answered:
                self._reuse(1)
            else:
                self._elsewhere.append(request)

    def _reuse(self, count: int) -> None:
        self._monitor.reused += count
        self._monitor.done += count
