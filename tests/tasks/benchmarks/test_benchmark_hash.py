"""The identity of a benchmark, by vectors computed with another implementation, and by laws."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.evaluation import as_written
from tasks.benchmarks import HashProfile, benchmark_hash, later_fields
from tasks.benchmarks.hashing import canonical_text
from tests.support.benchmarks import Raw, benchmark, item, raw_benchmarks

CANONICAL = (
    r'{"analysts":[{"id":"a1"},{"id":"a2"}],"bearers":{"p":{"expression":"$x$ is wet",'
    r'"paraphrases":[],"references":[]},"q":{"expression":"caf\u00e9 is shut","paraphrases":'
    r'["the caf\u00e9 is closed"],"references":[]}},"context_builders":{"conclusion":{"joiner":'
    r'" or ","kind":"template","template":"{expressions}"},"premise":{"joiner":" and ","kind":'
    r'"template","template":"{expressions}"}},"copresence_rules":[],"entailment_rules":[],'
    r'"factor_kinds":{},"factors":{},"id":"tiny-1","items":[{"analyst_verdicts":["good",'
    r'"abstain"],"conclusions":["q"],"factor_levels":{},"id":"i1","premises":["p","q"],'
    r'"references":[],"tags":["base-inference"]}],"ordinal_families":{},"references":[],'
    r'"regularities":[],"schema_version":"1.0","targets":[]}'
)
HASHES: dict[HashProfile, str] = {
    "0.17": "sha256:f367e1b9bc4bfb0c50530079963dc3b8489e79d23a7d756c6a1ef9cd7a9953ee",
    "0.5": "sha256:d390b28f4c548ddd4444c2655eb19200b4e9a9b04695f07c44cb0d4f5481211d",
}


def test_the_canonical_text_is_this_one() -> None:
    assert canonical_text(benchmark()) == CANONICAL
    assert len(CANONICAL) == 726


def test_the_first_generation_text_lacks_the_later_fields() -> None:
    text = canonical_text(benchmark(), "0.5")
    assert len(text) == 629
    assert '"targets"' not in text


@pytest.mark.parametrize("profile", HASHES)
def test_the_hash_is_this_one(profile: HashProfile) -> None:
    assert benchmark_hash(benchmark(), profile) == HASHES[profile]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        pytest.param({"template_id": "t"}, "$.template_id", id="template"),
        pytest.param({"template_id": ""}, "$.template_id", id="empty template"),
        pytest.param({"coherence_frame_id": "thin-v1"}, "$.coherence_frame_id", id="frame"),
        pytest.param({"ordinal_families": {"f": []}}, "$.ordinal_families", id="families"),
        pytest.param(
            {"copresence_rules": [{"families": ["f", "g"]}]}, "$.copresence_rules", id="copresence"
        ),
        pytest.param(
            {"entailment_rules": [{"antecedent": "p", "consequent": "q"}]},
            "$.entailment_rules",
            id="entailment",
        ),
        pytest.param({"regularities": [{"description": "d"}]}, "$.regularities", id="regularities"),
        pytest.param({"targets": ["t"]}, "$.targets", id="targets"),
        pytest.param(
            {"bearers": {"odd key": {"expression": "e", "ordinal_family": "f"}}, "items": []},
            "$.bearers['odd key'].ordinal_family",
            id="family of a bearer",
        ),
        pytest.param(
            {"analysts": [{"id": "a1", "expertise_description": "x"}]},
            "$.analysts[0].expertise_description",
            id="expertise",
        ),
        pytest.param({"items": [item(ladder="l")]}, "$.items[0].ladder", id="ladder"),
        pytest.param({"items": [item(target="t")]}, "$.items[0].target", id="target"),
        pytest.param(
            {"items": [item(construction_note="n")]}, "$.items[0].construction_note", id="note"
        ),
        pytest.param({"items": [item(variation="base")]}, "$.items[0].variation", id="variation"),
        pytest.param(
            {"items": [item(placeholder="good")]}, "$.items[0].placeholder", id="placeholder"
        ),
        pytest.param(
            {"items": [item(monotonicity_step={"family": "f", "tier": "p", "tier_index": 0})]},
            "$.items[0].monotonicity_step",
            id="step",
        ),
    ],
)
def test_the_first_profile_refuses_later_fields_by_name(changes: Raw, place: str) -> None:
    later = benchmark(**changes)
    assert later_fields(later) == [place]
    with pytest.raises(UserError, match=r"profile 0\.5") as caught:
        benchmark_hash(later, "0.5")
    assert place in caught.value.what
    assert benchmark_hash(later).startswith("sha256:")


def test_dates_are_hashed_as_days() -> None:
    dated = benchmark(items=[item(construction_metadata={"authored_on": "2026-01-31T00:00:00"})])
    assert '"authored_on":"2026-01-31"' in canonical_text(dated)


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same document with keys, premises and conclusions in another order."""
    if isinstance(value, list):
        return [shuffled(inner, dice) for inner in value]
    if not isinstance(value, dict):
        return value
    keys = dice.sample(list(value), len(value))
    mixed = {key: shuffled(value[key], dice) for key in keys}
    for side in ("premises", "conclusions"):
        if isinstance(mixed.get(side), list):
            mixed[side] = dice.sample(mixed[side] * 2, 2 * len(mixed[side]))
    return mixed


@given(raw_benchmarks(), st.randoms(use_true_random=False))
def test_order_of_keys_and_premises_does_not_move_the_hash(raw: Raw, dice: random.Random) -> None:
    once, again = Benchmark.model_validate(raw), Benchmark.model_validate(shuffled(raw, dice))
    assert benchmark_hash(again) == benchmark_hash(once)


@given(raw_benchmarks())
def test_writing_a_benchmark_does_not_move_its_hash(raw: Raw) -> None:
    found = Benchmark.model_validate(raw)
    assert benchmark_hash(Benchmark.model_validate(as_written(found))) == benchmark_hash(found)
    assert canonical_text(found).isascii()


@given(raw_benchmarks(), raw_benchmarks())
def test_different_benchmarks_have_different_hashes(one: Raw, other: Raw) -> None:
    first, second = Benchmark.model_validate(one), Benchmark.model_validate(other)
    assert (benchmark_hash(first) == benchmark_hash(second)) == (first == second)
