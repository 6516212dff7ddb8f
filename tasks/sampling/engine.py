"""The sampling loop: takes what the store has, asks for the rest, commits before it counts."""

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from schemas.errors import Unfinished, UserError
from schemas.run import Effort
from tasks.sampling.claims import Claims, Queue
from tasks.sampling.monitor import Monitor
from tasks.sampling.pace import Pace
from tasks.sampling.records import CallFailed, Record, Reply, failed, succeeded
from tasks.sampling.requests import Request

COMMIT_BATCH = 256
FIRST_PAUSE = 0.5
# Of a call's own time, at the most, that an answer waits for others to be written along with it.
COMMIT_WAIT = 0.06
LONGEST_COMMIT_WAIT = 0.1
# Of the time, at the most, that goes into writing while calls are running.
COMMIT_SHARE = 0.6
RENEW_SECONDS = 1.5
# A reply that comes so soon was made here, and costs nothing to ask for again.
FREE_SECONDS = 0.001
# How long calls in flight may still be answered after the user has said stop.
GRACE_SECONDS = 3.0

P = ParamSpec("P")
R = TypeVar("R")


class Provider(Protocol):
    """One dialect for asking a model, and nothing else."""

    async def complete(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            CallFailed: There is none; the message says why.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


class Keeper(Claims, Protocol):
    """Where samples are durable."""

    def add(self, records: list[Record]) -> None:
        """Keep records durably; a reply is never replaced, a failure is."""
        ...

    def renew(self) -> None:
        """Keep what was claimed and has no record yet."""
        ...

    def release(self) -> None:
        """Let others have what was claimed and has no record yet."""
        ...


class ModelRefused(UserError):
    """The key or the model is wrong: no call will ever be answered."""


class BudgetExhausted(Unfinished):
    """The calls that the user allowed are used up."""


class Sampler:
    """Draws the samples of one run."""

    def __init__(
        self,
        provider: Provider,
        keeper: Keeper,
        effort: Effort,
        monitor: Monitor,
        cost_of: Callable[[Reply], Decimal | None] | None = None,
    ) -> None:
        self._provider, self._keeper = provider, keeper
        self._effort, self._monitor = effort, monitor
        self._waiting, self._writing = list[Record](), list[Record]()
        self._due, self._written = asyncio.Event(), asyncio.Event()
        self._call_seconds = 0.0
        self._used_up: str | None = None
        self._answered = self._all_asked = self._stopping = False
        self._pace = Pace(effort.concurrency, effort.rpm)
        self._cost_of = cost_of
        self._jitter = random.Random()  # decides nothing but when to ask again
        # One thread does all that the store does, so that no disk or server holds up the calls.
        self._store = ThreadPoolExecutor(1, "assent-store")

    async def draw_in_rounds(self, rounds: Iterable[Iterable[Request]]) -> None:
        """Draw one round after the other, and let go of connections.

        Raises:
            BudgetExhausted: More calls were needed than allowed; what was answered is kept.
        """
        try:
            for requests in rounds:
                await self.draw(requests)
        finally:
            self._store.shutdown()
            await self._provider.aclose()

    async def draw(self, requests: Iterable[Request]) -> None:
        """Make sure that every request of a round has a record in the keeper.

        Cancelled (Ctrl-C), it takes no new work, gives the calls in flight a short while, and keeps
        what they answer; cancelled again, it leaves at once.

        Raises:
            BudgetExhausted: More calls were needed than allowed; what was answered is kept.
        """
        concurrency = self._effort.concurrency
        queue = Queue(requests, self._keeper, self._in_store, self._monitor, concurrency)
        drawing = asyncio.create_task(self._draw(queue))
        try:
            await asyncio.shield(drawing)
        except asyncio.CancelledError:
            await self._stop(queue)
            raise
        finally:
            drawing.cancel()
            await asyncio.wait([drawing])
            # Behind whatever the thread is still doing.
            self._store.submit(self._finish).result()
            self._monitor.changed()
        if self._used_up is not None:
            flag = self._used_up.partition(" ")[0]
            raise BudgetExhausted(
                f"stopped: {self._used_up} is used up",
                where=flag,
                fix="run the same command again to continue; nothing is asked twice",
                code="max_calls" if flag == "--max-calls" else "max_cost",
            )

    async def _draw(self, queue: Queue) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                # In the group, so that a store that cannot be used stops the calls at once.
                serving = [
                    group.create_task(work) for work in (queue.fill(), self._renew_regularly())
                ]
                self._all_asked = False
                group.create_task(self._commit_when_due())
                count = self._effort.concurrency
                await asyncio.wait([group.create_task(self._work(queue)) for _ in range(count)])
                for task in serving:
                    task.cancel()
                self._all_asked = True
                self._due.set()
        except BaseExceptionGroup as group_error:
            raise group_error.exceptions[0] from None

    async def _stop(self, queue: Queue) -> None:
        self._stopping = True
        queue.end()
        deadline = time.monotonic() + GRACE_SECONDS
        while self._pace.in_flight and time.monotonic() < deadline:
            await asyncio.sleep(0.02)

    async def _in_store(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._store, partial(function, *args, **kwargs))

    async def _work(self, queue: Queue) -> None:
        while (request := await queue.take()) is not None:
            started = time.monotonic()
            record = await self._ask(request)
            if record is None:
                return
            await self._keep(record, time.monotonic() - started)

    async def _keep(self, record: Record, seconds: float) -> None:
        """Have a record written before this worker asks again.

        So a kill costs no more calls than were in flight: as many as there are workers.
        """
        self._waiting.append(record)
        self._call_seconds += 0.1 * (seconds - self._call_seconds)
        if seconds >= FREE_SECONDS:
            self._due.set()
            await self._written.wait()
        elif len(self._waiting) >= COMMIT_BATCH:
            self._due.set()
            # An embedded model never waits: without this nobody else would have the loop.
            await self._written.wait()

    def _may_call(self) -> bool:
        limit, spent = self._effort.max_calls, self._monitor.cost_usd
        most = self._effort.max_cost_usd
        if self._stopping:
            return False
        if limit is not None and self._monitor.calls >= limit:
            self._used_up = f"--max-calls {limit}"
            return False
        # A reply without token counts has no known cost: better to stop than to overspend.
        if most is not None and (spent is None or spent >= most):
            self._used_up = f"--max-cost {most}"
            return False
        self._monitor.calls += 1
        return True

    async def _ask(self, request: Request) -> Record | None:
        """The sample of a request, after retries where waiting may help; None without a budget."""
        for attempt in range(self._effort.max_retries + 1):
            if attempt:
                await asyncio.sleep(FIRST_PAUSE * 2 ** (attempt - 1) * self._jitter.uniform(0.5, 1))
            await self._pace.start()
            self._monitor.in_flight = self._pace.in_flight
            try:
                if not self._may_call():
                    return None
                reply = await self._call(request)
            except CallFailed as error:
                record = failed(request, str(error))
                self._learn(error)
                if not error.is_transient:
                    break
            else:
                self._answered = True
                self._pace.succeeded()
                self._spend(reply)
                return succeeded(request, reply)
            finally:
                self._pace.done()
                self._monitor.in_flight = self._pace.in_flight
        return record

    def _spend(self, reply: Reply) -> None:
        cost = self._cost_of(reply) if self._cost_of else None
        spent = self._monitor.cost_usd
        self._monitor.cost_usd = None if cost is None or spent is None else spent + cost

    def _learn(self, error: CallFailed) -> None:
        """Give way to an overloaded server; stop asking one that will never answer."""
        if error.is_overload:
            self._pace.overloaded(error.retry_after_seconds)
        if error.is_refusal and not self._answered:
            raise ModelRefused(
                f"the model refuses to be asked: {error}",
                where="--model",
                fix="check the key, the model's name and the address",
                code="refused",
            )

    async def _call(self, request: Request) -> Reply:
        deadline = asyncio.timeout(self._effort.timeout_seconds)
        try:
            async with deadline:
                return await self._provider.complete(request)
        except TimeoutError:
            if not deadline.expired():
                raise
            late = f"no reply within {self._effort.timeout_seconds:g} s"
            raise CallFailed(late, is_transient=True) from None

    async def _renew_regularly(self) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            await self._in_store(self._keeper.renew)

    async def _commit_when_due(self) -> None:
        """Write what was answered: soon, but together with what is answered at about that time."""
        while not self._all_asked:
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_COMMIT_WAIT):
                    await self._due.wait()
            self._due.clear()
            started = time.monotonic()
            await self._commit()
            spent = time.monotonic() - started
            patience = min(COMMIT_WAIT * self._call_seconds, LONGEST_COMMIT_WAIT)
            await asyncio.sleep(max(patience, spent / COMMIT_SHARE) - spent)

    async def _commit(self) -> None:
        if not self._waiting:
            return
        self._writing, self._waiting = self._waiting, []
        written, self._written = self._written, asyncio.Event()
        await self._in_store(self._write)
        written.set()
        self._monitor.changed()

    def _finish(self) -> None:
        self._writing, self._waiting = self._writing + self._waiting, []
        self._write()
        self._keeper.release()

    def _write(self) -> None:
        if self._writing:
            self._keeper.add(self._writing)
            self._monitor.done += len(self._writing)
            self._monitor.failed += sum(r.status == "failed" for r in self._writing)
            self._writing = []
