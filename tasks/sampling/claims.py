"""Which requests this process may ask: nobody has answered them, and nobody else is asking."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import NamedTuple, ParamSpec, Protocol, TypeVar

from tasks.sampling.monitor import Monitor
from tasks.sampling.requests import Request

P = ParamSpec("P")
R = TypeVar("R")

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


class InStore(Protocol):
    """Has the store do something while the event loop goes on."""

    def __call__(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
        """What the function returns."""
        ...


class Queue:
    """Hands out requests; those that were answered meanwhile are counted as reused.

    Keys are claimed in batches of about the concurrency, a batch ahead of those who ask, so that
    nobody waits for the store and no process hoards a whole run. Where batches are used up at
    once, they grow.

    Args:
        requests: Everything that is wanted.
        claims: Where keys are looked up and claimed.
        in_store: Runs what the claims do.
        monitor: What counts.
        concurrency: How many ask at the same time.
    """

    def __init__(
        self,
        requests: Iterable[Request],
        claims: Claims,
        in_store: InStore,
        monitor: Monitor,
        concurrency: int,
    ) -> None:
        self._wanted, self._claims, self._monitor = iter(requests), claims, monitor
        self._in_store = in_store
        self._least = self._size = min(concurrency, MOST_CLAIMED)
        self._open: deque[Request] = deque()
        self._ready: deque[Request] = deque()
        self._elsewhere: list[Request] = []
        self._claimed_at: deque[float] = deque([0.0, 0.0], maxlen=2)
        self._ended = False
        self._changed, self._hungry = asyncio.Event(), asyncio.Event()

    async def take(self) -> Request | None:
        """The next request to ask; None when there is none left, and never will be."""
        while not self._ready:
            if self._ended:
                return None
            await self._changed.wait()
        request = self._ready.popleft()
        if len(self._ready) <= self._least // 2:
            self._hungry.set()
        return request

    def end(self) -> None:
        """Hand out nothing more."""
        self._ended = True
        self._ready.clear()
        self._changed.set()
        self._hungry.set()

    async def fill(self) -> None:
        """Keep requests ready until all have been handed out."""
        while not self._ended:
            while len(self._ready) > self._least // 2:
                self._hungry.clear()
                await self._hungry.wait()
            if self._open:
                await self._claim_some()
            elif not await self._look_up():
                if self._elsewhere:
                    await self._wait_for_others()
                self._ended = not self._open and not self._elsewhere
            self._changed.set()
            self._changed = asyncio.Event()

    async def _look_up(self) -> bool:
        """Look up the next requests; False when all have been looked up."""
        if len(self._elsewhere) >= LOOKUP_BATCH:
            await self._ask_again()
        batch = list(islice(self._wanted, LOOKUP_BATCH))
        self._open.extend(await self._without_answered(batch))
        self._monitor.changed()
        return bool(batch)

    async def _wait_for_others(self) -> None:
        await asyncio.sleep(WAIT_SECONDS)
        await self._ask_again()
        self._monitor.changed()

    async def _ask_again(self) -> None:
        others, self._elsewhere = self._elsewhere, []
        for start in range(0, len(others), LOOKUP_BATCH):
            batch = others[start : start + LOOKUP_BATCH]
            self._open.extend(await self._without_answered(batch))

    async def _without_answered(self, batch: list[Request]) -> list[Request]:
        keys = [request.key for request in batch]
        answered = await self._in_store(self._claims.answered, keys)
        rest = [request for request in batch if request.key not in answered]
        self._reuse(len(batch) - len(rest))
        return rest

    async def _claim_some(self) -> None:
        now = time.monotonic()
        # One batch is always ahead: only two in a short while mean that they are used up at once.
        quick = now - self._claimed_at[0] < QUICK_SECONDS
        self._size = min(self._size * 2, MOST_CLAIMED) if quick else self._least
        self._claimed_at.append(now)
        batch = [self._open.popleft() for _ in range(min(self._size, len(self._open)))]
        keys = [request.key for request in batch]
        mine, answered = await self._in_store(self._claims.claim, keys)
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
