"""Benchmarks and evaluations for tests: small ones to change by hand, and generated ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from schemas.benchmark import Benchmark

Raw = dict[str, Any]


def item(name: str = "i1", /, **changes: Any) -> Raw:
    """An item of `tiny_benchmark`."""
    plain = {
        "id": name,
        "premises": ["q", "p", "p"],
        "conclusions": ["q"],
        "analyst_verdicts": ["good", "abstain"],
        "tags": ["base-inference"],
    }
    return plain | changes


def tiny_benchmark(**changes: Any) -> Raw:
    """A valid raw benchmark: bearers p and q, analysts a1 and a2, one item; two wordings."""
    plain = {
        "id": "tiny-1",
        "bearers": {
            "p": {"expression": "$x$ is wet"},
            "q": {"expression": "café is shut", "paraphrases": ["the café is closed"]},
        },
        "analysts": [{"id": "a1"}, {"id": "a2"}],
        "items": [item()],
    }
    return plain | changes


def tiny_evaluation(**changes: Any) -> Raw:
    """A valid raw evaluation of `tiny_benchmark`."""
    plain = {
        "id": "run-1",
        "benchmark_id": "tiny-1",
        "model": {"provider": "control", "model_id": "coin"},
        "items": [item(model_verdict="good")],
    }
    return plain | changes


def benchmark(**changes: Any) -> Benchmark:
    """`tiny_benchmark` as a model."""
    return Benchmark.model_validate(tiny_benchmark(**changes))


def as_bytes(raw: object) -> bytes:
    """The JSON text of a document."""
    return json.dumps(raw, ensure_ascii=False).encode()


def write_json(path: Path, raw: object) -> str:
    """Write a document, and return the path as a user would give it."""
    path.write_bytes(as_bytes(raw))
    return str(path)


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
_VERDICTS = st.sampled_from(["good", "bad", "abstain"])


def _some_of(names: Sequence[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), max_size=4) if names else st.just([])


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Raw]:
    """Objects that hold any of these keys."""
    return st.fixed_dictionaries({}, optional=fields)


def _references() -> st.SearchStrategy[list[Any]]:
    full = st.fixed_dictionaries({"citation": _TEXTS}, optional={"doi": _TEXTS, "note": _TEXTS})
    return st.lists(_TEXTS | full, max_size=2)


def _bearers(families: Sequence[str]) -> st.SearchStrategy[Raw]:
    optional: dict[str, st.SearchStrategy[Any]] = {
        "paraphrases": st.lists(_TEXTS, max_size=3),
        "references": _references(),
    }
    if families:
        optional["ordinal_family"] = st.sampled_from(families)
    return st.fixed_dictionaries({"expression": _TEXTS}, optional=optional)


def _builders() -> st.SearchStrategy[Raw]:
    template = st.fixed_dictionaries(
        {"kind": st.just("template")},
        optional={
            "template": st.sampled_from(["{expressions}", "so {{}} {expressions}!"]),
            "joiner": _TEXTS,
        },
    )
    plugin = st.fixed_dictionaries({"kind": st.just("plugin"), "plugin": _TEXTS})
    return _some(premise=template | plugin, conclusion=template | plugin)


def _prompts() -> st.SearchStrategy[Raw]:
    return st.fixed_dictionaries(
        {"template": st.just("{premise_context} so {conclusion_context}?")},
        optional={
            "system": _TEXTS,
            "id": _TEXTS,
            "parse_regex": st.sampled_from(["", r"\b(GOOD|BAD)\b"]),
        },
    )


def _items(bearers: Sequence[str], width: int, factors: Raw) -> st.SearchStrategy[Raw]:
    some = _some_of(bearers)
    levels = {name: st.sampled_from(choices) for name, choices in factors.items()}
    day = st.dates().map(lambda date: date.isoformat())
    return st.fixed_dictionaries(
        {
            "premises": some,
            "conclusions": some,
            "analyst_verdicts": st.lists(_VERDICTS, min_size=width, max_size=width),
        },
        optional={
            "analyst_rationales": st.lists(_TEXTS, min_size=width, max_size=width),
            "tags": st.lists(_TEXTS, max_size=2),
            "rsr_target": st.fixed_dictionaries({"X": some, "A": some}),
            "references": _references(),
            "factor_levels": st.fixed_dictionaries({}, optional=levels),
            "construction_metadata": _some(authored_by=_TEXTS, authored_on=day),
            "ladder": _TEXTS,
            "variation": st.sampled_from(["base", "defeat"]),
            "placeholder": st.sampled_from(["good", "contested"]),
        },
    )


@st.composite
def raw_benchmarks(draw: st.DrawFn) -> Raw:
    """Valid raw benchmarks that use nearly every part of the format."""
    bearers = draw(st.lists(_TEXTS, unique=True, max_size=5))
    families = draw(st.dictionaries(_TEXTS, _some_of(bearers), max_size=2))
    factors = draw(st.dictionaries(_TEXTS, st.lists(_TEXTS, min_size=1, max_size=3), max_size=2))
    analysts = draw(st.lists(_TEXTS, unique=True, min_size=1, max_size=3))
    panel = draw(st.sampled_from([{}, {"panel": "north"}]))
    notes = _some(display_name=_TEXTS, expertise_description=_TEXTS)
    names = draw(st.lists(_TEXTS, unique=True, max_size=4))
    items = _items(bearers, len(analysts), factors)
    whole = {
        "id": draw(_TEXTS),
        "bearers": {name: draw(_bearers(list(families))) for name in bearers},
        "analysts": [{"id": name} | panel | draw(notes) for name in analysts],
        "items": [{"id": name} | draw(items) for name in names],
        "ordinal_families": families,
        "factors": factors,
    }
    rest = _some(
        schema_version=st.just("1.0"),
        title=_TEXTS | st.none(),
        context_builders=_builders(),
        verification_prompt=_prompts() | st.none(),
        references=_references(),
        coherence_frame_id=_TEXTS,
        targets=st.lists(_TEXTS, max_size=2),
    )
    return whole | draw(rest)
