"""Stage: prompts become samples, as far as possible from the store."""

import asyncio
import contextvars
import hashlib
import json
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from schemas.base import Verdict
from schemas.documents import AskedPrompts, SampleTable
from schemas.run import DrawSpec, Effort, JudgingSpec
from schemas.settings import Settings, read_settings
from schemas.tables import PromptRow, SampleRow
from tasks.judging import make_parser, parse_reply
from tasks.providers import open_provider
from tasks.providers.headers import current_headers
from tasks.providers.prices import find_price
from tasks.sampling.claims import LOOKUP_BATCH
from tasks.sampling.curtailed import Curtailed, Indexed
from tasks.sampling.engine import Sampler
from tasks.sampling.monitor import current_monitor
from tasks.sampling.records import Record
from tasks.sampling.requests import KeyMaker, Request, make_requests
from tasks.stage import stage
from tasks.storage.home import Home
from tasks.storage.samples import MEMORY_URL, SampleStore, sqlite_url
from tasks.storage.tables import read_rows, write_table


@stage("draw-samples", version=2, ignore=("effort",))
def draw_samples(
    prompts: AskedPrompts, draw: DrawSpec, effort: Effort, curtail: JudgingSpec | None = None
) -> SampleTable:
    """Every wanted sample; a call that failed is a failed sample with its cause.

    Args:
        prompts: What is asked.
        draw: Who is asked for which draws.
        effort: How hard to work.
        curtail: How replies become verdicts, when an item with a settled one is asked no more.

    Raises:
        BudgetExhausted: More calls were needed than allowed.
    """
    settings = read_settings()
    home = Home(settings.home)
    opened = open_provider(draw, effort.concurrency, current_headers())
    labels = {
        "provider": draw.model.provider,
        "model": draw.model.model_id,
        "benchmark_id": prompts.benchmark_id,
        "epoch": draw.sampling.epoch,
    }
    url = store_url(settings, home) if opened.uses_store else MEMORY_URL
    store = SampleStore(url, labels)
    try:
        monitor = current_monitor()
        price = find_price(draw.model, draw.base_url, settings.prices)
        sampler = Sampler(opened.provider, store, effort, monitor, price and price.of)
        requests = partial(_requests, home, prompts, draw)
        drawn: Callable[[], Iterator[Request]]
        rounds: Iterator[Iterator[Request]]
        if curtail is None:
            monitor.total += prompts.n_prompts * draw.sampling.n_samples
            rounds, drawn = iter([requests()]), requests
        else:
            curtailed = _curtailed(requests, store, draw, curtail)
            rounds, drawn = curtailed.rounds(), curtailed.drawn
        run_to_end(sampler.draw_in_rounds(rounds))
        counts = _Counts()
        rows = counts.watch(_rows(drawn(), store))
        file, n_samples = write_table(home, "sample", SampleRow, rows)
    finally:
        store.close()
    return SampleTable(
        file=file,
        n_samples=n_samples,
        n_failed=counts.failed,
        n_undrawn=prompts.n_prompts * draw.sampling.n_samples - n_samples,
        request_digest=counts.digest.hexdigest(),
        model_id=opened.model_id,
    )


def store_url(settings: Settings, home: Home) -> str:
    """Where samples are kept: the configured store, else a file in the state directory."""
    if settings.store:
        return settings.store
    with home.errors():
        home.root.mkdir(parents=True, exist_ok=True)
    return sqlite_url(home.store)


def run_to_end(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end, also where an event loop is already running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    context, outcome = contextvars.copy_context(), list[BaseException]()

    def target() -> None:
        try:
            context.run(asyncio.run, work)
        except BaseException as error:  # raised again in the calling thread
            outcome.append(error)

    thread = threading.Thread(target=target, name="assent-sampling")
    thread.start()
    thread.join()
    if outcome:
        raise outcome[0]


def _curtailed(
    requests: Indexed, store: SampleStore, draw: DrawSpec, judging: JudgingSpec
) -> Curtailed:
    parser = make_parser(judging.voting.parser, judging.question_form, judging.parse_regex)

    def read(record: Record) -> Verdict | None:
        if record.status == "failed":
            return None
        return parse_reply(parser, record.reply.text, record.reply.finish_reason).verdict

    n_samples, tie_break = draw.sampling.n_samples, judging.voting.tie_break
    return Curtailed(requests, store.fetch, read, n_samples, tie_break, current_monitor())


def _requests(
    home: Home,
    prompts: AskedPrompts,
    draw: DrawSpec,
    indices: Callable[[PromptRow], Iterable[int]] | None = None,
) -> Iterator[Request]:
    keys = KeyMaker(draw.model, draw.sampling, base_url=draw.base_url or draw.source_sha256)
    rows = (PromptRow.model_construct(**row) for row in read_rows(home.locate(prompts.file)))
    return make_requests(rows, keys, draw.sampling, indices)


def _rows(requests: Iterator[Request], store: SampleStore) -> Iterator[dict[str, Any]]:
    while batch := list(islice(requests, LOOKUP_BATCH)):
        records = store.fetch([request.key for request in batch])
        for request in batch:
            yield _row(request, records[request.key])


def _row(request: Request, record: Record) -> dict[str, Any]:
    reply = record.reply
    return {
        "item_id": request.item_id,
        "variant": request.variant,
        "sample_index": request.sample_index,
        "request_key": request.key,
        "prompt_hash": request.prompt_hash,
        "status": record.status,
        "text": reply.text,
        "model_id": reply.model_id,
        "finish_reason": reply.finish_reason,
        "wall_time_ms": reply.wall_time_ms,
        "input_tokens": _count(reply.usage.get("input_tokens")),
        "output_tokens": _count(reply.usage.get("output_tokens")),
        "reasoning_tokens": reply.reasoning_tokens,
        "usage_json": json.dumps(reply.usage, sort_keys=True) if reply.usage else None,
        "provider_request_id": reply.provider_request_id,
        "error": record.error,
    }


def _count(value: object) -> int | None:
    """A token count that fits into a column; providers write all sorts of things."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
    return value if fits else None  # type: ignore[return-value]  # fits says it is an int


class _Counts:
    """What passes by while a table is written."""

    def __init__(self) -> None:
        self.failed = 0
        self.digest = hashlib.sha256()

    def watch(self, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            self.failed += row["status"] == "failed"
            self.digest.update(row["request_key"].encode())
            yield row
