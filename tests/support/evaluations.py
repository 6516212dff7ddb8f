"""Evaluations for tests of studies: items from a few words each."""

from collections.abc import Sequence
from typing import Any

from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation
from tests.support.benchmarks import Raw

LETTERS = {"g": "good", "b": "bad", "a": "abstain"}


def samples(letters: str, **changes: Any) -> list[Raw]:
    """One sample per letter: g, b, a said so; f failed."""
    return [_sample(index, letter) | changes for index, letter in enumerate(letters)]


def _sample(index: int, letter: str) -> Raw:
    said = LETTERS.get(letter, "abstain")
    plain: Raw = {
        "sample_index": index,
        "raw_response": said.upper(),
        "parsed_verdict": said,
        "wall_time_ms": 12.0,
    }
    if letter == "f":
        plain |= {"raw_response": "", "parse_status": "sample_failed", "provider_error": "503"}
    return plain


def eta_item(name: str, verdict: str, letters: str = "", panel: str = "g", **changes: Any) -> Raw:
    """An item of an evaluation: its verdict, what each sample said, what each analyst said."""
    plain = {
        "id": name,
        "premises": ["p"],
        "conclusions": ["q"],
        "analyst_verdicts": [LETTERS[letter] for letter in panel],
        "model_verdict": LETTERS[verdict],
        "samples": samples(letters),
    }
    return plain | changes


def raw_eta(items: Sequence[Raw], **changes: Any) -> Raw:
    """An evaluation of `bench`, with as many samples as its items have."""
    most = max((len(item.get("samples", [])) for item in items), default=0)
    plain = {
        "id": "run-a",
        "benchmark_id": "bench",
        "model": {"provider": "openai", "model_id": "m"},
        "items": list(items),
    }
    config = {"n_samples": max(1, most)} | changes.pop("endorsement_config", {})
    return plain | {"endorsement_config": config} | changes


def eta(items: Sequence[Raw], **changes: Any) -> Evaluation:
    """`raw_eta` as a model."""
    return Evaluation.model_validate(raw_eta(items, **changes))


def raw_bench(items: Sequence[Raw], n_analysts: int = 1, **changes: Any) -> Raw:
    """A benchmark called `bench` whose items lack only what all have in common."""
    common = {
        "premises": ["p"],
        "conclusions": ["q"],
        "analyst_verdicts": ["good"] * n_analysts,
    }
    plain = {
        "id": "bench",
        "bearers": {name: {"expression": f"it is {name}"} for name in ("p", "q", "r", "s")},
        "analysts": [{"id": f"a{i}"} for i in range(n_analysts)],
        "items": [common | item for item in items],
    }
    return plain | changes


def bench(items: Sequence[Raw], n_analysts: int = 1, **changes: Any) -> Benchmark:
    """`raw_bench` as a model."""
    return Benchmark.model_validate(raw_bench(items, n_analysts, **changes))
