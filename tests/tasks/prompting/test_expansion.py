from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import QuestionForm
from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.tables import PromptRow
from tasks.prompting.expansion import expand, make_wordings, require_variant
from tasks.prompting.questions import prompt_hash
from tests.support.benchmarks import benchmark, item


def prompts(
    asked: Benchmark, variant: int = 0, form: QuestionForm = "support", *, strip_tex: bool = True
) -> list[PromptRow]:
    wordings = make_wordings(asked, form, None, strip_tex=strip_tex, load_plugin=None)
    return expand(asked, wordings, variant)


def users(asked: Benchmark, variant: int = 0, **options: Any) -> list[str]:
    return [row.user for row in prompts(asked, variant, **options)]


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        pytest.param(
            {"premises": ["q", "p"], "conclusions": ["q"]},
            "Premises: x is wet and café is shut\nConclusion: café is shut\nVerdict:",
            id="premises by id, not as written",
        ),
        pytest.param(
            {"premises": [], "conclusions": ["p"]},
            "Premises: \nConclusion: x is wet\nVerdict:",
            id="no premises",
        ),
        pytest.param(
            {"premises": ["p"], "conclusions": []},
            "Premises: x is wet\nConclusion: \nVerdict:",
            id="no conclusions",
        ),
        pytest.param(
            {"premises": ["p"], "conclusions": ["q", "p"]},
            "Premises: x is wet\nConclusion: x is wet or café is shut\nVerdict:",
            id="several conclusions",
        ),
    ],
)
def test_an_item_becomes_the_support_question(sides: dict[str, list[str]], message: str) -> None:
    (row,) = prompts(benchmark(items=[item(**sides)]))
    assert row.user == message
    assert row.prompt_hash == prompt_hash(message)


@pytest.mark.parametrize(
    ("sides", "position"),
    [
        pytest.param(
            {"premises": ["p", "q"], "conclusions": ["q"]},
            "Accepted: [x is wet, café is shut]\nRejected: <café is shut>",
            id="one",
        ),
        pytest.param(
            {"premises": ["p"], "conclusions": ["p", "q"]},
            "Accepted: [x is wet]\nRejected: <x is wet>; <café is shut>",
            id="many, each by itself",
        ),
        pytest.param(
            {"premises": [], "conclusions": []},
            "Accepted: (nothing)\nRejected: (nothing)",
            id="none",
        ),
    ],
)
def test_an_item_becomes_the_coherence_question(sides: dict[str, list[str]], position: str) -> None:
    builders = {
        "premise": {"kind": "template", "template": "[{expressions}]", "joiner": ", "},
        "conclusion": {"kind": "template", "template": "<{expressions}>"},
    }
    asked = benchmark(items=[item(**sides)], context_builders=builders)
    (message,) = users(asked, form="coherence")
    assert message.startswith(f"{position}\n")


def test_dollars_are_kept_on_request() -> None:
    (message,) = users(benchmark(), strip_tex=False)
    assert "$x$ is wet" in message


def test_a_variant_words_what_it_can_and_says_where_it_fell_back() -> None:
    items = [item("both"), item("all", premises=["q"]), item("none", premises=[], conclusions=[])]
    both, full, empty = prompts(benchmark(items=items), 1)
    assert both.user.startswith("Premises: x is wet and the café is closed\n")
    assert [both.fallback, full.fallback, empty.fallback] == [True, False, False]
    assert both.variant == 1


def test_the_canonical_wording_never_falls_back() -> None:
    assert not any(row.fallback for row in prompts(benchmark()))


@pytest.mark.parametrize("variant", [-1, 2, 10**9])
def test_a_variant_that_does_not_exist_is_refused(variant: int) -> None:
    require_variant(benchmark(), 1)
    with pytest.raises(UserError, match=f"variant {variant} does not exist") as caught:
        require_variant(benchmark(), variant)
    assert caught.value.code == "unknown_variant"
    assert caught.value.fix == "use 0 to 1"


def test_equal_prompts_are_told_apart_by_item_id_for_draws_and_by_file_order_for_replay() -> None:
    rows = prompts(benchmark(items=[item("c"), item("a"), item("b"), item("z", premises=[])]))
    assert [(row.item_id, row.ordinal, row.queue_place) for row in rows] == [
        ("c", 2, 0),
        ("a", 0, 1),
        ("b", 1, 2),
        ("z", 0, 0),
    ]


def test_an_item_whose_text_stays_canonical_keeps_its_draws_in_every_variant() -> None:
    bearers = {
        "p": {"expression": "same"},
        "q": {"expression": "other", "paraphrases": ["same"]},
    }
    items = [item("a", premises=["q"], conclusions=[]), item("b", premises=["p"], conclusions=[])]
    asked = benchmark(bearers=bearers, items=items)
    assert [row.ordinal for row in prompts(asked, 0)] == [0, 0]
    assert [(row.item_id, row.ordinal) for row in prompts(asked, 1)] == [("a", 1), ("b", 0)]


WORDS = st.sampled_from(["same", "other"])
BEARERS = st.fixed_dictionaries({"expression": WORDS, "paraphrases": st.lists(WORDS, max_size=2)})


@st.composite
def repetitive(draw: st.DrawFn) -> Benchmark:
    """Benchmarks in which many items read the same under some wording."""
    bearers = {name: draw(BEARERS) for name in "pqr"}
    names = draw(st.permutations([f"i{n}" for n in range(draw(st.integers(0, 8)))]))
    sides = st.sampled_from("pqr")
    items = [item(name, premises=[draw(sides)], conclusions=[draw(sides)]) for name in names]
    return benchmark(bearers=bearers, items=items)


@given(repetitive(), st.data())
def test_no_two_items_share_a_draw_and_canonical_texts_keep_theirs(
    asked: Benchmark, data: st.DataObject
) -> None:
    canonical = {row.item_id: row for row in prompts(asked)}
    rows = prompts(asked, data.draw(st.integers(0, asked.n_variants - 1)))
    for places in ([(r.user, r.ordinal) for r in rows], [(r.user, r.queue_place) for r in rows]):
        assert max(Counter(places).values(), default=1) == 1
    for row in rows:
        if row.user == canonical[row.item_id].user:
            assert row.ordinal == canonical[row.item_id].ordinal


@given(repetitive())
def test_the_order_of_items_does_not_move_their_draws(asked: Benchmark) -> None:
    turned = asked.model_copy(update={"items": asked.items[::-1]})
    once = {row.item_id: row.ordinal for row in prompts(asked)}
    assert {row.item_id: row.ordinal for row in prompts(turned)} == once
