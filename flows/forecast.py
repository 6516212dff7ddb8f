"""What a run would take: calls, tokens, money, time. Nobody is asked, nothing is written."""

from decimal import Decimal
from pathlib import Path

from pydantic import Field

from flows.pipelines import draw_spec
from schemas.base import Frozen
from schemas.benchmark import Benchmark
from schemas.run import DrawSpec, RunOrder
from schemas.settings import read_settings
from tasks.expand import select, wordings_of
from tasks.prompting.expansion import expand
from tasks.providers.prices import find_price
from tasks.sampling.requests import KeyMaker, Request, make_requests
from tasks.storage.home import Home
from tasks.storage.samples import SampleStore, sqlite_url

CHARACTERS_PER_TOKEN = 4
LOOKUP_BATCH = 500


class Forecast(Frozen):
    """What is expected, and what each figure rests on."""

    samples: int = Field(description="Samples that the run wants.")
    in_store: int = Field(description="Of these, already paid for.")
    calls_needed: int = Field(description="Calls to be made, retries aside.")
    input_tokens: int = Field(description="Tokens of the requests, estimated.")
    most_output_tokens: int = Field(description="Tokens of the replies, at the most.")
    least_cost_usd: Decimal | None = Field(description="Cost of the requests alone.")
    most_cost_usd: Decimal | None = Field(
        description="Cost when every reply is as long as allowed."
    )
    most_seconds: float = Field(description="Time when every call takes as long as allowed.")
    basis: dict[str, str] = Field(description="What each figure rests on.")


def forecast(order: RunOrder, benchmark: Benchmark, *, cycle: bool) -> Forecast:
    """What carrying out an order would take."""
    draw = draw_spec(order.spec)
    variants = range(benchmark.n_variants) if cycle else [order.spec.prompting.variant]
    wanted: dict[str, Request] = {}
    samples = 0
    for variant in variants:
        for request in _requests(order, benchmark, draw, variant):
            samples += 1
            wanted[request.key] = request
    missing = _missing(draw, list(wanted))
    asked = [wanted[key] for key in missing]
    characters = sum(len(request.system) + len(request.user) for request in asked)
    input_tokens = -(-characters // CHARACTERS_PER_TOKEN)
    output_tokens = len(asked) * order.spec.sampling.params.max_tokens
    price = find_price(draw.model, draw.base_url, read_settings().prices)
    waves = -(-len(asked) // order.effort.concurrency)
    return Forecast(
        samples=samples,
        in_store=samples - len(asked),
        calls_needed=len(asked),
        input_tokens=input_tokens,
        most_output_tokens=output_tokens,
        least_cost_usd=price.estimate(input_tokens, 0) if price else None,
        most_cost_usd=price.estimate(input_tokens, output_tokens) if price else None,
        most_seconds=waves * order.effort.timeout_seconds,
        basis={
            "input_tokens": f"{CHARACTERS_PER_TOKEN} characters per token",
            "most_output_tokens": "--max-tokens for every reply",
            "cost_usd": price.basis if price else "unknown: no price for this model",
            "most_seconds": "--timeout for every call at --concurrency, no retries",
        },
    )


def _requests(order: RunOrder, benchmark: Benchmark, draw: DrawSpec, variant: int) -> list[Request]:
    wordings = wordings_of(benchmark, order.spec.prompting)
    chosen = {item.id for item in select(benchmark, order.spec.selection)}
    rows = [row for row in expand(benchmark, wordings, variant) if row.item_id in chosen]
    keys = KeyMaker(draw.model, draw.sampling, base_url=draw.base_url or draw.source_sha256)
    return list(make_requests(rows, keys, draw.sampling))


def _missing(draw: DrawSpec, keys: list[str]) -> list[str]:
    settings = read_settings()
    file = Home(settings.home).store
    if draw.model.provider == "replay" or (settings.store is None and not Path(file).exists()):
        return keys
    store = SampleStore(settings.store or sqlite_url(file))
    try:
        answered: set[str] = set()
        for start in range(0, len(keys), LOOKUP_BATCH):
            answered |= store.answered(keys[start : start + LOOKUP_BATCH])
    finally:
        store.close()
    return [key for key in keys if key not in answered]
