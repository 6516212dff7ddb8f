"""The sampling loop: takes what the store has, asks for the rest, commits before it counts."""

import asyncio
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest

from schemas.errors import Unfinished
from schemas.run import Effort
from tasks.sample import run_to_end
from tasks.sampling import claims, engine
from tasks.sampling.claims import Claim
from tasks.sampling.engine import BudgetExhausted, Sampler
from tasks.sampling.monitor import Monitor, current_monitor, watching
from tasks.sampling.records import CallFailed, Record, Reply, failed, storable, succeeded
from tasks.sampling.requests import Request
from tests.support.runs import Script, Scripted

REQUEST = Request("k", "i", 0, 0, 0, 0, 1, "system", "user", "sha256:0", {}, "")


def requests(count: int) -> list[Request]:
    return [replace(REQUEST, key=f"k{i:05}", user=f"user {i}.") for i in range(count)]


@dataclass
class Shelf:
    """A keeper in memory that notes the order of events."""

    kept: dict[str, Record] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    lookups: list[int] = field(default_factory=list)
    room: int = 10**9
    monitor: Monitor = field(default_factory=Monitor)
    counted_before: list[int] = field(default_factory=list)
    renewals: int = 0
    releases: int = 0

    def answered(self, keys: list[str]) -> set[str]:
        self.lookups.append(len(keys))
        return {key for key in keys if key in self.kept and self.kept[key].status == "ok"}

    def claim(self, keys: list[str]) -> Claim:
        return Claim(set(keys), set())

    def renew(self) -> None:
        self.renewals += 1

    def release(self) -> None:
        self.releases += 1

    def add(self, records: list[Record]) -> None:
        if len(self.kept) + len(records) > self.room:
            raise Unfinished("no room", code="disk_full")
        self.counted_before.append(self.monitor.done)
        self.batches.append(len(records))
        self.kept |= {record.key: record for record in records}


def draw(provider: Scripted, shelf: Shelf, wanted: Iterable[Request], **effort: float) -> Monitor:
    sampler = Sampler(provider, shelf, Effort.model_validate(effort), shelf.monitor)
    asyncio.run(sampler.draw_in_rounds([wanted]))
    return shelf.monitor


def test_every_request_is_answered_once() -> None:
    shelf, provider = Shelf(), Scripted({"user": ["GOOD"]})
    monitor = draw(provider, shelf, requests(1000), concurrency=7)
    assert sorted(request.key for request in provider.asked) == sorted(shelf.kept)
    assert (len(provider.asked), monitor.calls, monitor.done, monitor.reused) == (1000,) * 3 + (0,)
    assert provider.closed == 1


def test_what_the_keeper_has_is_not_asked() -> None:
    shelf = Shelf({r.key: succeeded(r, Reply("GOOD")) for r in requests(600)})
    provider = Scripted({"user": ["BAD"]})
    monitor = draw(provider, shelf, requests(1200))
    assert (len(provider.asked), monitor.reused, monitor.done) == (600, 600, 1200)
    assert shelf.kept["k00000"].reply.text == "GOOD"


def test_a_failed_call_is_a_record_with_its_cause() -> None:
    shelf = Shelf()
    script: Script = {"user 1.": [CallFailed("busy")], "user": ["GOOD"]}
    monitor = draw(Scripted(script), shelf, requests(3))
    assert [(r.status, r.error) for r in shelf.kept.values()] == [
        ("ok", None),
        ("failed", "busy"),
        ("ok", None),
    ]
    assert (monitor.failed, monitor.done, monitor.calls) == (1, 3, 3)


def test_records_are_kept_before_they_are_counted() -> None:
    shelf = Shelf()
    draw(Scripted({"user": ["GOOD"]}), shelf, requests(1000))
    so_far = [sum(shelf.batches[:i]) for i in range(len(shelf.batches))]
    assert shelf.counted_before == so_far
    assert max(shelf.batches) <= engine.COMMIT_BATCH + Effort().concurrency


def test_watchers_hear_of_batches_not_of_samples() -> None:
    shelf, seen = Shelf(), list[int]()
    shelf.monitor.on_change = lambda monitor: seen.append(monitor.done)
    draw(Scripted({"user": ["GOOD"]}), shelf, requests(2000))
    assert len(seen) <= len(shelf.batches) + len(shelf.lookups) + 2
    assert seen[-1] == 2000


class Slow(Scripted):
    """Answers after a while, and knows how many are waiting."""

    def __init__(self, seconds: float) -> None:
        super().__init__({"user": ["GOOD"]})
        self._seconds, self.waiting, self.most = seconds, 0, 0

    async def complete(self, request: Request) -> Reply:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        try:
            await asyncio.sleep(self._seconds)
            return await super().complete(request)
        finally:
            self.waiting -= 1


@pytest.mark.parametrize("concurrency", [1, 5, 40])
def test_so_many_calls_and_no_more_are_in_flight(concurrency: int) -> None:
    provider = Slow(0.001)
    draw(provider, Shelf(), requests(60), concurrency=concurrency)
    assert provider.most == min(concurrency, 60)


def test_slow_replies_are_committed_while_others_are_awaited() -> None:
    shelf = Shelf()
    draw(Slow(0.02), shelf, requests(6), concurrency=1)
    assert len(shelf.batches) > 2


def test_a_reply_that_does_not_come_in_time_is_a_failed_sample() -> None:
    shelf = Shelf()
    draw(Slow(30), shelf, requests(2), timeout_seconds=0.02)
    assert {record.error for record in shelf.kept.values()} == {"no reply within 0.02 s"}


@pytest.mark.parametrize(
    "bug", [ZeroDivisionError("a bug"), TimeoutError("its own"), ExceptionGroup("its", [OSError()])]
)
def test_a_bug_in_a_provider_is_raised_as_itself(bug: Exception) -> None:
    shelf = Shelf()
    provider = Scripted({"user 5.": [bug], "user": ["GOOD"]})
    with pytest.raises(type(bug)) as caught:
        draw(provider, shelf, requests(10), concurrency=3)
    assert caught.value is bug
    assert provider.closed == 1
    assert len(shelf.kept) >= 5


def test_a_keeper_without_room_stops_the_calls_at_once() -> None:
    provider = Slow(0.005)
    with pytest.raises(Unfinished, match="no room"):
        draw(provider, Shelf(room=0), requests(1000), concurrency=2)
    assert len(provider.asked) < 100
    assert (provider.closed, provider.waiting) == (1, 0)


def test_a_keeper_that_recovers_loses_nothing() -> None:
    class Hesitant(Shelf):
        def add(self, records: list[Record]) -> None:
            self.room, room = 10**9, self.room
            if not room:
                raise Unfinished("not now")
            super().add(records)

    shelf = Hesitant(room=0)
    with pytest.raises(Unfinished, match="not now"):
        draw(Slow(0.005), shelf, requests(1000), concurrency=2)
    assert len(shelf.kept) >= 1


def test_a_budget_stops_before_the_call_that_is_one_too_many() -> None:
    shelf, provider = Shelf(), Scripted({"user": ["GOOD"]})
    with pytest.raises(BudgetExhausted, match="--max-calls 4") as caught:
        draw(provider, shelf, requests(10), max_calls=4)
    assert caught.value.code == "max_calls"
    assert (len(provider.asked), len(shelf.kept), provider.closed) == (4, 4, 1)


def test_a_budget_counts_the_calls_of_the_whole_command() -> None:
    shelf = Shelf(monitor=Monitor(calls=3))
    with pytest.raises(BudgetExhausted):
        draw(Scripted({"user": ["GOOD"]}), shelf, requests(10), max_calls=4)
    assert len(shelf.kept) == 1


def test_looking_up_a_large_store_can_be_interrupted() -> None:
    wanted = requests(5000)
    shelf = Shelf({r.key: succeeded(r, Reply("GOOD")) for r in wanted})
    sampler = Sampler(Scripted({}), shelf, Effort(concurrency=2), Monitor())

    async def cancelled_soon() -> None:
        task = asyncio.create_task(sampler.draw_in_rounds([wanted]))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled_soon())
    assert len(shelf.lookups) < 10


def test_an_interrupted_loop_keeps_its_answers_and_closes_the_provider() -> None:
    shelf, provider = Shelf(), Slow(0.001)
    sampler = Sampler(provider, shelf, Effort(concurrency=2), shelf.monitor)

    async def cancelled() -> None:
        task = asyncio.create_task(sampler.draw_in_rounds([requests(10_000)]))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert len(shelf.kept) == len(provider.asked) - provider.waiting
    assert 0 < len(shelf.kept) < 10_000
    assert (provider.closed, provider.waiting) == (1, 0)


def test_a_coroutine_runs_to_its_end_inside_a_running_loop_too() -> None:
    async def work() -> None:
        found.append(threading.current_thread().name)
        current_monitor().calls += 1

    async def notebook() -> None:
        run_to_end(work())

    found = list[str]()
    with watching() as monitor:
        run_to_end(work())
        asyncio.run(notebook())
    assert found == ["MainThread", "assent-sampling"]
    assert monitor.calls == 2


def test_an_error_inside_a_running_loop_reaches_the_caller() -> None:
    async def work() -> None:
        raise ZeroDivisionError

    async def notebook() -> None:
        run_to_end(work())

    with pytest.raises(ZeroDivisionError):
        asyncio.run(notebook())


def test_an_outer_monitor_stays_in_charge() -> None:
    with watching() as outer:
        with watching() as inner:
            assert inner is outer
        with watching(Monitor()) as other:
            assert current_monitor() is other is not outer
        assert current_monitor() is outer
    assert current_monitor() is not outer


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("GOOD", "GOOD"),
        ("naïve \U0001f600", "naïve \U0001f600"),
        ("a\0b", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("x\udcffy", "x\ufffdy"),
        ("\ud83d\ude00", "\U0001f600"),
        ("", ""),
    ],
    ids=ascii,
)
def test_texts_become_what_every_file_can_hold(text: str, kept: str) -> None:
    assert storable(text) == kept
    assert failed(REQUEST, text).error == kept
    reply = succeeded(REQUEST, Reply(text, text, text, provider_request_id=text)).reply
    found = (reply.text, reply.model_id, reply.finish_reason, reply.provider_request_id)
    assert found == (kept,) * 4


def test_a_reply_that_needs_no_mending_is_kept_as_it_is() -> None:
    reply = Reply("GOOD")
    assert succeeded(REQUEST, reply).reply is reply


@dataclass
class Shared(Shelf):
    """A keeper whose keys others hold, until they answer, fail or die."""

    others: dict[str, Record | None] = field(default_factory=dict)
    patience: int = 3

    def claim(self, keys: list[str]) -> Claim:
        held = {key for key in keys if key in self.others}
        answered = self.answered(keys)
        if held - answered:
            self.patience -= 1
        if self.patience <= 0:
            ends = {key: self.others.pop(key) for key in held}
            self.kept |= {key: record for key, record in ends.items() if record is not None}
        return Claim(set(keys) - held - answered, answered)


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.001)


@pytest.mark.usefixtures("_impatient")
def test_what_another_process_answers_is_reused() -> None:
    wanted = requests(20)
    shelf = Shared(others={r.key: succeeded(r, Reply("BAD")) for r in wanted[:5]})
    provider = Scripted({"user": ["GOOD"]})
    monitor = draw(provider, shelf, wanted, concurrency=4)
    assert sorted(r.key for r in provider.asked) == [r.key for r in wanted[5:]]
    assert (monitor.calls, monitor.reused, monitor.done) == (15, 5, 20)
    assert shelf.kept["k00000"].reply.text == "BAD"


@pytest.mark.usefixtures("_impatient")
def test_what_another_process_gives_up_is_asked_after_all() -> None:
    wanted = requests(20)
    lost: dict[str, Record | None] = {wanted[0].key: None, wanted[1].key: failed(wanted[1], "busy")}
    shelf, provider = Shared(others=lost), Scripted({"user": ["GOOD"]})
    monitor = draw(provider, shelf, wanted, concurrency=4)
    assert {r.key for r in provider.asked[-2:]} == {wanted[0].key, wanted[1].key}
    assert (monitor.calls, monitor.reused, monitor.done) == (20, 0, 20)


@pytest.mark.usefixtures("_impatient")
def test_others_may_hold_more_than_one_lookup() -> None:
    wanted = requests(3000)
    shelf = Shared(others={r.key: succeeded(r, Reply("BAD")) for r in wanted[:2900]}, patience=30)
    monitor = draw(Scripted({"user": ["GOOD"]}), shelf, wanted)
    assert (monitor.calls, monitor.reused, monitor.done) == (100, 2900, 3000)


@pytest.mark.usefixtures("_impatient")
def test_a_key_that_is_wanted_twice_is_asked_once() -> None:
    class Strict(Shelf):
        claimed = frozenset[str]()

        def claim(self, keys: list[str]) -> Claim:
            answered = self.answered(keys)
            mine = set(keys) - self.claimed - answered
            self.claimed |= mine
            return Claim(mine, answered)

    provider = Scripted({"user": ["GOOD"]})
    monitor = draw(provider, Strict(), [*requests(10), *requests(10)], concurrency=3)
    assert (len(provider.asked), monitor.reused, monitor.done) == (10, 10, 20)


def test_slow_calls_are_claimed_a_few_at_a_time() -> None:
    class Counting(Shelf):
        most = 0

        def claim(self, keys: list[str]) -> Claim:
            self.most = max(self.most, len(keys))
            return super().claim(keys)

    slow, fast = Counting(), Counting()
    draw(Slow(0.11), slow, requests(12), concurrency=3)
    draw(Scripted({"user": ["GOOD"]}), fast, requests(3000), concurrency=3)
    assert slow.most == 3
    assert fast.most == claims.MOST_CLAIMED


def test_claims_are_renewed_while_calls_run_and_given_up_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "RENEW_SECONDS", 0.02)
    shelf = Shelf()
    draw(Slow(0.1), shelf, requests(1))
    assert 2 <= shelf.renewals <= 6
    assert shelf.releases == 1


def test_nobody_asks_again_before_the_last_reply_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf, provider = Shelf(), Slow(0.003)
    at_risk = list[int]()

    def watch(_: Monitor) -> None:
        at_risk.append(len(provider.asked) + provider.waiting - len(shelf.kept))

    shelf.monitor.on_change = watch
    add = shelf.add

    def note_risk(records: list[Record]) -> None:
        at_risk.append(len(provider.asked) + provider.waiting - len(shelf.kept))
        add(records)

    monkeypatch.setattr(shelf, "add", note_risk)
    draw(provider, shelf, requests(200), concurrency=8)
    assert 2 <= max(at_risk) <= 8


@pytest.mark.usefixtures("_impatient")
def test_many_keys_of_a_dead_process_are_all_asked_in_the_end() -> None:
    wanted = requests(3 * claims.LOOKUP_BATCH)
    shelf = Shared(others={r.key: None for r in wanted}, patience=60)
    provider = Scripted({"user": ["GOOD"]})
    monitor = draw(provider, shelf, wanted, concurrency=4)
    assert (len(provider.asked), len(shelf.kept), monitor.done) == (len(wanted),) * 3
