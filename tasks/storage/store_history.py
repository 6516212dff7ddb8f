"""What earlier replies of a model were like: how long, how slow. Rests on stored samples only."""

import json
from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean, median
from typing import Any, NamedTuple

import sqlalchemy as sa

from tasks.storage.database import Database
from tasks.storage.store_tables import samples

# The newest ones: enough for a mean, and what a model does now.
MOST_REPLIES = 10_000


class History(NamedTuple):
    """Figures of earlier replies, each with the number of replies behind it."""

    output_tokens: float | None = None
    """Mean tokens of a reply."""
    n_output_tokens: int = 0
    wall_seconds: float | None = None
    """Median time of a call."""
    n_wall_seconds: int = 0
    input_tokens: Mapping[str, tuple[int, int]] = {}
    """Tokens of requests in all and their number, by digest of the prompt."""

    def tokens_per_character(self, characters: Mapping[str, int]) -> tuple[float, int] | None:
        """Tokens of a request for each of its characters, and the number of requests behind it.

        Args:
            characters: Lengths of known prompts, by digest; requests with others do not count.
        """
        seen = [(self.input_tokens[p], characters[p]) for p in characters if p in self.input_tokens]
        asked = sum(n * length for (_, n), length in seen)
        return (
            (sum(t for (t, _), _ in seen) / asked, sum(n for (_, n), _ in seen)) if asked else None
        )


def read_history(database: Database, provider: str, model: str) -> History:
    """What the newest replies of a model in a store were like."""
    query = (
        sa.select(samples.c.prompt_hash, samples.c.usage, samples.c.wall_time_ms)
        .where(samples.c.provider == provider, samples.c.model == model, samples.c.status == "ok")
        .order_by(samples.c.created_at.desc())
        .limit(MOST_REPLIES)
    )
    written, seconds = list[int](), list[float]()
    asked: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    with database.reading() as connection:
        for prompt, usage, wall_time_ms in connection.execute(query):
            counts = read_usage(usage)
            if _is_count(counts.get("output_tokens")):
                written.append(counts["output_tokens"])
            if _is_count(counts.get("input_tokens")):
                tokens, n = asked[prompt]
                asked[prompt] = (tokens + counts["input_tokens"], n + 1)
            if isinstance(wall_time_ms, float | int) and wall_time_ms >= 0:
                seconds.append(wall_time_ms / 1000)
    return History(
        output_tokens=fmean(written) if written else None,
        n_output_tokens=len(written),
        wall_seconds=median(seconds) if seconds else None,
        n_wall_seconds=len(seconds),
        input_tokens=dict(asked),
    )


def read_usage(text: object) -> dict[str, Any]:
    """Token counts as they are stored; none where somebody has broken them."""
    try:
        usage = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return {}
    return usage if isinstance(usage, dict) else {}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
