"""The embedded models, and how a model's name finds its provider."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from schemas.errors import UserError
from schemas.run import DrawSpec, ModelSpec, SamplingSpec
from tasks.prompting.questions import COHERENCE_QUESTION
from tasks.providers import open_provider
from tasks.providers.control import CONTROLS, Control
from tasks.sampling.requests import Request

SUPPORT = Request("k", "i", 0, 0, 0, 0, 1, "GOOD BAD ABSTAIN", "user", "h", {}, "")
COHERENCE = replace(SUPPORT, user=f"Accepted: a\nRejected: b\n{COHERENCE_QUESTION}")


def draw(model: str) -> DrawSpec:
    spec = ModelSpec.parse(model)
    return DrawSpec(model=spec, source_sha256=None, sampling=SamplingSpec())


def answer(name: str, request: Request) -> str:
    return asyncio.run(Control(name).complete(request)).text


@pytest.mark.parametrize(
    ("name", "request_", "text"),
    [
        ("always-good", SUPPORT, "GOOD"),
        ("always-bad", SUPPORT, "BAD"),
        ("always-good", COHERENCE, "INCOHERENT"),
        ("always-bad", COHERENCE, "COHERENT"),
        ("echo", SUPPORT, "user"),
    ],
)
def test_a_control_answers_in_the_labels_of_the_question(
    name: str, request_: Request, text: str
) -> None:
    assert answer(name, request_) == text


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"seed": 1}},
        {"user": "other"},
        {"system": "other"},
        {"ordinal": 1},
        {"sample_index": 1},
        {"epoch": "monday"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_coin_falls_anew_for_any_other_draw_and_the_same_for_the_same(
    change: dict[str, Any],
) -> None:
    def tosses(**given: Any) -> list[str]:
        # Enough draws that two independent series are never equal.
        users = [f"{given.get('user', 'user')} {i}" for i in range(60)]
        return [answer("coin", replace(SUPPORT, **given | {"user": u})) for u in users]

    assert tosses() == tosses()
    assert tosses(**change) != tosses()


def test_the_coin_is_fair_and_sometimes_stands_on_its_edge() -> None:
    tosses = Counter(answer("coin", replace(SUPPORT, sample_index=i)) for i in range(4000))
    assert tosses["GOOD"] == pytest.approx(1800, abs=150)
    assert tosses["BAD"] == pytest.approx(1800, abs=150)
    assert tosses["ABSTAIN"] == pytest.approx(400, abs=90)


def test_the_coin_does_not_care_where_its_answer_belongs() -> None:
    moved = replace(SUPPORT, item_id="j", variant=3, queue_place=9, key="other", n_samples=50)
    assert answer("coin", moved) == answer("coin", SUPPORT)


@pytest.mark.parametrize("name", sorted(CONTROLS))
def test_every_control_opens_counts_as_calls_and_uses_the_store(name: str) -> None:
    opened = open_provider(draw(f"control/{name}"))
    assert (opened.model_id, opened.uses_store) == (name, True)
    asyncio.run(opened.provider.aclose())


@pytest.mark.parametrize(
    ("model", "known"),
    [("control/dice", "control/coin"), ("nobody/x", "control/…, replay/…")],
)
def test_an_unknown_model_is_refused_with_the_known_ones(model: str, known: str) -> None:
    with pytest.raises(UserError) as caught:
        open_provider(draw(model))
    assert known in caught.value.fix


def test_a_model_is_split_at_its_first_slash() -> None:
    spec = ModelSpec.parse("replay//tmp/a/b.jsonl")
    assert (spec.provider, spec.model_id) == ("replay", "/tmp/a/b.jsonl")
    assert str(spec) == "replay//tmp/a/b.jsonl"
