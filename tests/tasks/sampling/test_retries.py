"""Calls that fail are asked again when waiting may help, within the budget."""

import asyncio
from collections.abc import Iterator

import pytest

from schemas.run import Effort, ModelSpec, SamplingSpec
from schemas.tables import PromptRow
from tasks.sampling import engine
from tasks.sampling.engine import BudgetExhausted, Sampler
from tasks.sampling.monitor import Monitor
from tasks.sampling.records import CallFailed, Reply
from tasks.sampling.requests import KeyMaker, Request, make_requests
from tasks.storage.samples import MEMORY_URL, SampleStore

LABELS = {"provider": "scripted", "model": "m", "benchmark_id": "b", "epoch": ""}


class Script:
    """A provider that says one thing after the other."""

    def __init__(self, *turns: str | Exception) -> None:
        self.turns: Iterator[str | Exception] = iter(turns)

    async def complete(self, request: Request) -> Reply:
        turn = next(self.turns)
        if isinstance(turn, Exception):
            raise turn
        if turn == "hang":
            await asyncio.sleep(60)
        return Reply(turn)

    async def aclose(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FIRST_PAUSE", 0.001)


def draw(provider: Script, **effort: float) -> tuple[Monitor, str, str | None]:
    """Counts, status and cause of a single sample."""
    sampling = SamplingSpec(n_samples=1)
    prompt = PromptRow(
        item_id="i",
        variant=0,
        fallback=False,
        system="s",
        user="u",
        prompt_hash="h",
        ordinal=0,
        queue_place=0,
    )
    keys = KeyMaker(ModelSpec(provider="scripted", model_id="m"), sampling, None)
    requests = list(make_requests([prompt], keys, sampling))
    store, monitor = SampleStore(MEMORY_URL, LABELS), Monitor()
    try:
        sampler = Sampler(provider, store, Effort.model_validate(effort), monitor)
        asyncio.run(sampler.draw_in_rounds([requests]))
        record = store.fetch([requests[0].key])[requests[0].key]
    finally:
        store.close()
    return monitor, record.status, record.error


def transient(cause: str) -> CallFailed:
    return CallFailed(cause, is_transient=True)


def test_a_transient_failure_is_asked_again_until_it_answers() -> None:
    monitor, status, _ = draw(Script(transient("busy"), transient("busy"), "GOOD"))
    assert (monitor.calls, monitor.failed, status) == (3, 0, "ok")


def test_a_lasting_failure_is_not_asked_again() -> None:
    monitor, status, cause = draw(Script(CallFailed("no such thing"), "GOOD"))
    assert (monitor.calls, monitor.failed, status, cause) == (1, 1, "failed", "no such thing")


def test_retries_end_and_the_last_cause_is_kept() -> None:
    script = Script(transient("first"), transient("second"), transient("third"), "GOOD")
    monitor, status, cause = draw(script, max_retries=2)
    assert (monitor.calls, status, cause) == (3, "failed", "third")


def test_a_reply_that_does_not_come_is_asked_for_again() -> None:
    monitor, status, _ = draw(Script("hang", "GOOD"), timeout_seconds=0.05)
    assert (monitor.calls, status) == (2, "ok")


def test_retries_count_against_the_budget() -> None:
    with pytest.raises(BudgetExhausted):
        draw(Script(transient("busy"), transient("busy"), "GOOD"), max_calls=2)
