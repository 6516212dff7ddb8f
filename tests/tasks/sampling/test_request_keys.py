"""Request keys: the identity of every draw that was ever paid for."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evaluation import ProviderParams
from schemas.run import ModelSpec, SamplingSpec
from schemas.tables import PromptRow
from tasks.sampling.requests import KeyMaker, make_requests, params_of_sample

texts = st.text(max_size=20)
params = st.fixed_dictionaries(
    {"temperature": st.floats(0, 2), "max_tokens": st.integers(1, 9)},
    optional={"seed": st.integers(), "stop": st.lists(texts, max_size=2), "top_p": st.floats(0, 1)},
)
components = st.fixed_dictionaries(
    {
        "provider": texts,
        "model": texts,
        "base_url": st.none() | texts,
        "epoch": texts,
        "system": texts,
        "user": texts,
        "ordinal": st.integers(0, 9),
        "sample_index": st.integers(0, 9),
        "params": params,
    }
)


def key(draw: dict[str, Any]) -> str:
    model = ModelSpec(provider=draw["provider"], model_id=draw["model"])
    maker = KeyMaker(model, SamplingSpec(epoch=draw["epoch"]), base_url=draw["base_url"])
    place = (draw["ordinal"], draw["sample_index"])
    return maker.key(draw["system"], draw["user"], *place, draw["params"])


@given(components, components)
def test_keys_are_equal_exactly_when_every_component_is(
    one: dict[str, Any], two: dict[str, Any]
) -> None:
    assert (key(one) == key(two)) == (repr(one) == repr(two) or one == two)


@given(components, components, st.data())
def test_a_key_changes_with_any_single_component(
    one: dict[str, Any], two: dict[str, Any], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(one)))
    assert (key(one) == key(one | {name: two[name]})) == (one[name] == two[name])


@given(components)
def test_text_cannot_slip_from_one_component_into_the_next(draw: dict[str, Any]) -> None:
    moved = draw | {"system": draw["system"] + draw["user"], "user": ""}
    assert (key(draw) == key(moved)) == (draw["user"] == "")


def test_a_known_key_stays_what_it_is() -> None:
    """Every stored sample is found by such a key.

    When this fails, the change under test makes every sample that anybody has paid for
    unreachable. Do not update the value: find out what moved the key.
    """
    draw = {
        "provider": "openai",
        "model": "model-1",
        "base_url": "http://localhost:8000/v1",
        "epoch": "monday",
        "system": "Be brief.",
        "user": "Premises: it rains\nConclusion: the ground is wet – naß\nVerdict:",
        "ordinal": 1,
        "sample_index": 2,
        "params": params_of_sample(
            ProviderParams(temperature=0.7, max_tokens=16, top_p=0.9, seed=40, stop=("END",)), 2
        ),
    }
    text = (
        '{"base_url":"http://localhost:8000/v1","epoch":"monday","model":"model-1","ordinal":1,'
        '"params":{"max_tokens":16,"seed":42,"stop":["END"],"temperature":0.7,"top_p":0.9},'
        '"provider":"openai","sample_index":2,"system":"Be brief.",'
        '"user":"Premises: it rains\\nConclusion: the ground is wet \\u2013 na\\u00df\\nVerdict:",'
        '"version":1}'
    )
    assert key(draw) == hashlib.sha256(text.encode()).hexdigest()
    assert key(draw) == "6a2b91b5baaa9a22104d4e2e842ad92275f15044f3e342c725383f54720f1a89"


@given(st.integers(-(2**53), 2**53), st.integers(0, 1000))
def test_sample_i_gets_the_base_seed_plus_i(seed: int, index: int) -> None:
    assert params_of_sample(ProviderParams(seed=seed), index)["seed"] == seed + index


def test_without_a_base_seed_no_seed_is_sent() -> None:
    assert params_of_sample(ProviderParams(), 3) == {
        "temperature": 1.0,
        "max_tokens": 1024,
        "stop": [],
    }


def prompt(**changes: Any) -> PromptRow:
    plain: dict[str, Any] = {
        "item_id": "i",
        "variant": 0,
        "fallback": False,
        "system": "s",
        "user": "u",
        "prompt_hash": "h",
        "ordinal": 0,
        "queue_place": 0,
    }
    return PromptRow(**plain | changes)


def test_every_item_is_wanted_n_times_in_order() -> None:
    sampling = SamplingSpec(n_samples=2, params=ProviderParams(seed=5), epoch="e")
    keys = KeyMaker(ModelSpec(provider="p", model_id="m"), sampling, base_url=None)
    found = list(
        make_requests([prompt(item_id="a"), prompt(item_id="b", ordinal=1)], keys, sampling)
    )
    assert [(r.item_id, r.sample_index, r.params["seed"]) for r in found] == [
        ("a", 0, 5),
        ("a", 1, 6),
        ("b", 0, 5),
        ("b", 1, 6),
    ]
    assert len({request.key for request in found}) == 4


@pytest.mark.parametrize(
    "change", [{"item_id": "j"}, {"variant": 1}, {"fallback": True}, {"queue_place": 3}]
)
def test_where_a_reply_belongs_is_no_part_of_its_key(change: dict[str, Any]) -> None:
    sampling = SamplingSpec(n_samples=1)
    keys = KeyMaker(ModelSpec(provider="p", model_id="m"), sampling, base_url=None)
    plain, changed = make_requests([prompt(), prompt(**change)], keys, sampling)
    assert plain.key == changed.key


def test_the_number_of_samples_is_no_part_of_a_key() -> None:
    model = ModelSpec(provider="p", model_id="m")
    few, many = (SamplingSpec(n_samples=n) for n in (2, 3))
    drawn = [
        [r.key for r in make_requests([prompt()], KeyMaker(model, s, base_url=None), s)]
        for s in (few, many)
    ]
    assert drawn[1][:2] == drawn[0]
