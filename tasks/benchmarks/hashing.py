"""The identity of a benchmark: SHA-256 over one canonical text.

The canonical text states defaults, so it depends on the format's field set: profile `0.17` has all
fields, profile `0.5` those of the first generation.
"""

import hashlib
import json
from typing import Any, Literal

from schemas.benchmark import LATER_FIELDS, LATER_ITEM_FIELDS, Benchmark
from schemas.errors import UserError
from schemas.strict_json import location

HashProfile = Literal["0.17", "0.5"]


def benchmark_hash(benchmark: Benchmark, profile: HashProfile = "0.17") -> str:
    """`sha256:` and the hex digest of the canonical text.

    Raises:
        UserError: Profile 0.5 was asked for and the benchmark uses later fields.
    """
    text = canonical_text(benchmark, profile)
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def canonical_text(benchmark: Benchmark, profile: HashProfile = "0.17") -> str:
    """Keys sorted by code point, no spaces, ASCII only, nulls left out, defaults stated."""
    plain = benchmark.model_dump(mode="json", exclude_none=True)
    if profile == "0.5":
        used = later_fields(benchmark)
        if used:
            raise UserError(
                f"profile 0.5 has no place for {', '.join(used)}",
                fix="use profile 0.17",
                code="later_fields",
            )
        for name in LATER_FIELDS:
            plain.pop(name, None)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def later_fields(benchmark: Benchmark) -> list[str]:
    """Locations of fields that the first generation of the format does not know."""
    plain: dict[str, Any] = benchmark.model_dump(mode="json", exclude_none=True)
    used = [location([name]) for name in LATER_FIELDS if plain.get(name, []) not in ([], {})]
    used += [
        location(["bearers", key, "ordinal_family"])
        for key, bearer in plain["bearers"].items()
        if "ordinal_family" in bearer
    ]
    used += [
        location(["analysts", i, "expertise_description"])
        for i, analyst in enumerate(plain["analysts"])
        if "expertise_description" in analyst
    ]
    used += [
        location(["items", i, name])
        for i, item in enumerate(plain["items"])
        for name in LATER_ITEM_FIELDS
        if name in item
    ]
    return used
