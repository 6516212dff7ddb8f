"""The sampling loop: takes what the store has, asks for the rest, commits before it counts."""

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Protocol

from schemas.errors import Unfinished, UserError
from schemas.run import Effort
from tasks.sampling.claims import Claims, Queue
from tasks.sampling.monitor import Monitor
from tasks.sampling.pace import Pace
from tasks.sampling.records import CallFailed, Record, Reply, failed, succeeded
from tasks.sampling.requests import Request

COMMIT_BATCH = 256
FIRST_PAUSE = 0.5
COMMIT_SECONDS = 0.005
# Of the time, at the most, that goes into writing while calls are running.
COMMIT_SHARE = 0.3
RENEW_SECONDS = 1.5
# A reply that comes so soon was made here, and costs nothing to ask for again.
FREE_SECONDS = 0.001


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
        self._waiting: list[Record] = []
        self._written = asyncio.Event()
        self._asking = 0
        self._used_up: str | None = None
        self._answered = False
        self._pace = Pace(effort.concurrency, effort.rpm)
        self._cost_of = cost_of
        self._jitter = random.Random()  # decides nothing but when to ask again

    async def draw(self, requests: Iterable[Request]) -> None:
        """Make sure that every request has a record in the keeper.

        Raises:
            BudgetExhausted: More calls were needed than allowed; what was answered is kept.
        """
        queue = Queue(requests, self._keeper, self._monitor, self._effort.concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                # In the group, so that a store that cannot be written to stops the calls at once.
                committing = group.create_task(self._commit_regularly())
                count = self._effort.concurrency
                await asyncio.wait([group.create_task(self._work(queue)) for _ in range(count)])
                committing.cancel()
        except BaseExceptionGroup as group_error:
            raise group_error.exceptions[0] from None
        finally:
            try:
                self._commit()
                self._keeper.release()
            finally:
                await self._provider.aclose()
        if self._used_up is not None:
            flag = self._used_up.partition(" ")[0]
            raise BudgetExhausted(
                f"stopped: {self._used_up} is used up",
                where=flag,
                fix="run the same command again to continue; nothing is asked twice",
                code="max_calls" if flag == "--max-calls" else "max_cost",
            )

    async def _work(self, queue: Queue) -> None:
        while (request := await queue.take()) is not None:
            started = time.monotonic()
            self._asking += 1
            try:
                record = await self._ask(request)
            finally:
                self._asking -= 1
            if record is None:
                return
            await self._keep(record, is_free=time.monotonic() - started < FREE_SECONDS)

    async def _keep(self, record: Record, *, is_free: bool) -> None:
        """Have a record written before this worker asks again.

        So a kill costs no more calls than were in flight: as many as there are workers.
        """
        self._waiting.append(record)
        if is_free:
            if len(self._waiting) >= COMMIT_BATCH:
                self._commit()
                # An embedded model never waits: without this nobody could interrupt the loop.
                await asyncio.sleep(0)
            return
        written = self._written
        await asyncio.sleep(0)  # others that were answered in this moment are written along
        if not self._asking and not written.is_set():
            self._commit()
        await written.wait()

    def _may_call(self) -> bool:
        limit, spent = self._effort.max_calls, self._monitor.cost_usd
        most = self._effort.max_cost_usd
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

    async def _commit_regularly(self) -> None:
        next_commit, next_renewal = 0.0, time.monotonic() + RENEW_SECONDS
        while True:
            await asyncio.sleep(COMMIT_SECONDS)
            now = time.monotonic()
            if now >= next_renewal:
                self._keeper.renew()
                next_renewal = now + RENEW_SECONDS
            if self._waiting and now >= next_commit:
                self._commit()
                written_at = time.monotonic()
                next_commit = written_at + (written_at - now) / COMMIT_SHARE

    def _commit(self) -> None:
        records = self._waiting
        if records:
            self._keeper.add(records)
            self._waiting = []
            self._written.set()
            self._written = asyncio.Event()
            self._monitor.done += len(records)
            self._monitor.failed += sum(r.status == "failed" for r in records)
            self._monitor.changed()
