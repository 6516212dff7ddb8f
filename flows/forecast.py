"""What a run would take: calls, tokens, money, time. Nobody is asked, nothing is written."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from flows.pack_pipeline import draw_spec as pack_draw_spec
from flows.pipelines import draw_spec
from schemas.base import Frozen
from schemas.benchmark import Benchmark
from schemas.pack_run import PackOrder
from schemas.run import DrawSpec, Effort, RunOrder
from schemas.settings import read_settings
from schemas.tables import PromptRow
from tasks.expand import select, wordings_of
from tasks.pack_rows import fingerprint_pack, selected_prompts, validate_pack
from tasks.prompting.expansion import expand
from tasks.providers.prices import find_price
from tasks.sampling.requests import KeyMaker, Request, make_requests
from tasks.storage.database import Database
from tasks.storage.home import Home
from tasks.storage.samples import SampleStore, sqlite_url
from tasks.storage.store_history import History, read_history

CHARACTERS_PER_TOKEN = 4
LOOKUP_BATCH = 500


class Forecast(Frozen):
    """What is expected, and what each figure rests on."""

    samples: int = Field(description="Samples that the run wants.")
    in_store: int = Field(description="Of these, already paid for.")
    calls_needed: int = Field(description="Calls to be made, retries aside.")
    input_tokens: int = Field(description="Tokens of the requests, estimated.")
    expected_output_tokens: int | None = Field(
        description="Tokens of the replies, if they are like earlier ones; null without any."
    )
    most_output_tokens: int = Field(description="Tokens of the replies, at the most.")
    least_cost_usd: Decimal | None = Field(description="Cost of the requests alone.")
    expected_cost_usd: Decimal | None = Field(
        description="Cost with the expected replies; null when price or history is unknown."
    )
    most_cost_usd: Decimal | None = Field(
        description="Cost when every reply is as long as allowed."
    )
    expected_seconds: float | None = Field(
        description="Time when calls take as long as earlier ones; null without any."
    )
    most_seconds: float = Field(description="Time when every call takes as long as allowed.")
    basis: dict[str, str] = Field(description="What each figure rests on.")


class _Tokens(NamedTuple):
    """Tokens of some requests and of their replies."""

    asked: int
    asked_basis: str
    expected: int | None
    most: int


def forecast(order: RunOrder, benchmark: Benchmark, *, cycle: bool) -> Forecast:
    """What carrying out an order would take."""
    draw = draw_spec(order.spec)
    variants = range(benchmark.n_variants) if cycle else [order.spec.prompting.variant]
    requests = (r for v in variants for r in _requests(order, benchmark, draw, v))
    return forecast_requests(requests, draw, order.effort)


def forecast_pack(order: PackOrder) -> Forecast:
    """What running a pack would take.

    Raises:
        InvalidFile: Some row is wrong; every problem is listed.
    """
    spec = order.spec
    draw = pack_draw_spec(spec)
    sound = validate_pack(spec.place, spec.reading, fingerprint_pack(spec.place, spec.reading))
    prompts = (PromptRow.model_construct(**row) for row in selected_prompts(spec, sound))
    keys = KeyMaker(draw.model, draw.sampling, base_url=draw.base_url or draw.source_sha256)
    return forecast_requests(make_requests(prompts, keys, draw.sampling), draw, order.effort)


def forecast_requests(requests: Iterable[Request], draw: DrawSpec, effort: Effort) -> Forecast:
    """What some requests would take."""
    wanted: dict[str, Request] = {}
    samples = 0
    for request in requests:
        samples += 1
        wanted[request.key] = request
    missing, history = _look_up(draw, list(wanted))
    asked = [wanted[key] for key in missing]
    tokens = _tokens(draw, list(wanted.values()), asked, history)
    price = find_price(draw.model, draw.base_url, read_settings().prices)
    expected_cost = (
        None
        if price is None or tokens.expected is None
        else price.estimate(tokens.asked, tokens.expected)
    )
    pace = history.wall_seconds
    return Forecast(
        samples=samples,
        in_store=samples - len(asked),
        calls_needed=len(asked),
        input_tokens=tokens.asked,
        expected_output_tokens=tokens.expected,
        most_output_tokens=tokens.most,
        least_cost_usd=price.estimate(tokens.asked, 0) if price else None,
        expected_cost_usd=expected_cost,
        most_cost_usd=price.estimate(tokens.asked, tokens.most) if price else None,
        expected_seconds=None if pace is None else _seconds(effort, len(asked), pace),
        most_seconds=_seconds(effort, len(asked), effort.timeout_seconds),
        basis={
            "input_tokens": tokens.asked_basis,
            "expected_output_tokens": _replies(history.n_output_tokens, "mean"),
            "most_output_tokens": "--max-tokens for every reply",
            "cost_usd": price.basis if price else "unknown: no price for this model",
            "expected_seconds": _replies(history.n_wall_seconds, "median"),
            "most_seconds": "--timeout for every call at --concurrency and --rpm, no retries",
        },
    )


def _tokens(
    draw: DrawSpec, wanted: list[Request], asked: list[Request], history: History
) -> _Tokens:
    characters = sum(map(_length, asked))
    known = history.tokens_per_character({r.prompt_hash: _length(r) for r in wanted})
    if known is None:
        input_tokens = -(-characters // CHARACTERS_PER_TOKEN)
        basis = f"{CHARACTERS_PER_TOKEN} characters per token"
    else:
        ratio, n = known
        input_tokens = round(characters * ratio)
        basis = f"{n} earlier requests with these prompts to this model"
    most, mean = draw.sampling.params.max_tokens, history.output_tokens
    expected = None if mean is None else round(len(asked) * min(mean, most))
    return _Tokens(input_tokens, basis, expected, len(asked) * most)


def _length(request: Request) -> int:
    return len(request.system) + len(request.user)


def _seconds(effort: Effort, calls: int, seconds_per_call: float) -> float:
    waves = -(-calls // effort.concurrency)
    starting = (calls - 1) * 60 / effort.rpm if effort.rpm and calls else 0.0
    return max(waves * seconds_per_call, starting + seconds_per_call if starting else 0.0)


def _replies(n: int, figure: str) -> str:
    if not n:
        return "unknown: no earlier replies of this model in the store"
    return f"{figure} of {n} earlier repl{'y' if n == 1 else 'ies'} of this model"


def _requests(order: RunOrder, benchmark: Benchmark, draw: DrawSpec, variant: int) -> list[Request]:
    wordings = wordings_of(benchmark, order.spec.prompting)
    chosen = {item.id for item in select(benchmark, order.spec.selection)}
    rows = [row for row in expand(benchmark, wordings, variant) if row.item_id in chosen]
    keys = KeyMaker(draw.model, draw.sampling, base_url=draw.base_url or draw.source_sha256)
    return list(make_requests(rows, keys, draw.sampling))


def _look_up(draw: DrawSpec, keys: list[str]) -> tuple[list[str], History]:
    """Keys without a reply, and what earlier replies of the model were like."""
    settings = read_settings()
    file = Home(settings.home).store
    if draw.model.provider == "replay" or (settings.store is None and not Path(file).exists()):
        return keys, History()
    url = settings.store or sqlite_url(file)
    store = SampleStore(url)
    try:
        answered: set[str] = set()
        for start in range(0, len(keys), LOOKUP_BATCH):
            answered |= store.answered(keys[start : start + LOOKUP_BATCH])
    finally:
        store.close()
    database = Database(url)
    try:
        history = read_history(database, draw.model.provider, draw.model.model_id)
    finally:
        database.close()
    return [key for key in keys if key not in answered], history
