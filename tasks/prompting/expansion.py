"""Every prompt of a benchmark under one variant."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from schemas.base import QuestionForm
from schemas.benchmark import Benchmark, ContextBuilder, Item, PluginBuilder
from schemas.errors import UserError
from schemas.tables import PromptRow
from tasks.prompting.contexts import BuildContext, template_builder, wording
from tasks.prompting.plugins import Plugin
from tasks.prompting.questions import (
    Question,
    coherence_question,
    prompt_hash,
    support_question,
)


class Wordings(NamedTuple):
    """How a benchmark is asked: everything that decides the text of a prompt but the variant."""

    question: Question
    form: QuestionForm
    strip_tex: bool
    premise: BuildContext
    conclusion: BuildContext
    plugins: tuple[str, ...]

    def ask(self, benchmark: Benchmark, item: Item, variant: int) -> tuple[str, bool]:
        """User message of an item, and whether some bearer fell back to its canonical text."""
        premises = [
            wording(benchmark.bearers[b], variant, strip=self.strip_tex) for b in item.premises
        ]
        conclusions = [
            wording(benchmark.bearers[b], variant, strip=self.strip_tex) for b in item.conclusions
        ]
        fallback = any(w.fallback for w in (*premises, *conclusions))
        if self.form == "coherence":
            held = self.premise([w.text for w in premises]) if premises else ""
            denied = [self.conclusion([w.text]) for w in conclusions]
            return self.question.coherence(held, denied), fallback
        grounds = self.premise([w.text for w in premises])
        concluded = self.conclusion([w.text for w in conclusions])
        return self.question.support(grounds, concluded), fallback


def make_wordings(
    benchmark: Benchmark,
    form: QuestionForm,
    frame: str | None,
    *,
    strip_tex: bool,
    load_plugin: Callable[[str], Plugin] | None,
) -> Wordings:
    """Fix how a benchmark is asked.

    Args:
        benchmark: What is asked.
        form: Support or coherence.
        frame: Coherence frame asked for, if any.
        strip_tex: Whether `$…$` loses its dollars.
        load_plugin: Resolves a plugin builder; None when plugins are not allowed.

    Raises:
        UserError: A plugin is needed and not allowed, or an id is unknown.
    """
    identities: list[str] = []

    def builder(spec: ContextBuilder) -> BuildContext:
        if not isinstance(spec, PluginBuilder):
            return template_builder(spec)
        if load_plugin is None:
            raise UserError(
                f"the benchmark needs the plugin builder {spec.plugin!r}, which is code",
                where="$.context_builders",
                fix="read that code, then run again with --allow-plugins",
                code="plugin_not_allowed",
            )
        plugin = load_plugin(spec.plugin)
        identities.append(plugin.identity)
        return plugin.build

    question = (
        coherence_question(benchmark, frame)
        if form == "coherence"
        else support_question(benchmark.verification_prompt)
    )
    premise = builder(benchmark.context_builders.premise)
    conclusion = builder(benchmark.context_builders.conclusion)
    return Wordings(question, form, strip_tex, premise, conclusion, tuple(identities))


def require_variant(benchmark: Benchmark, variant: int) -> None:
    """Refuse a variant that the benchmark does not have."""
    if not 0 <= variant < benchmark.n_variants:
        raise UserError(
            f"variant {variant} does not exist: the benchmark has {benchmark.n_variants}",
            fix=f"use 0 to {benchmark.n_variants - 1}",
            code="unknown_variant",
        )


def expand(benchmark: Benchmark, wordings: Wordings, variant: int) -> list[PromptRow]:
    """One prompt per item, in file order.

    Items with equal messages each keep their own draws, told apart by `ordinal`. An item whose
    text is its canonical one keeps its canonical ordinal, so that variants share those draws.
    """
    canonical = {item.id: wordings.ask(benchmark, item, 0)[0] for item in benchmark.items}
    asked = {item.id: wordings.ask(benchmark, item, variant) for item in benchmark.items}
    texts = {item_id: text for item_id, (text, _) in asked.items()}
    ordinals = _ordinals(canonical, texts)
    places = _places(texts)
    return [
        PromptRow(
            item_id=item.id,
            variant=variant,
            fallback=asked[item.id][1],
            system=wordings.question.system,
            user=texts[item.id],
            prompt_hash=prompt_hash(texts[item.id]),
            ordinal=ordinals[item.id],
            queue_place=places[item.id],
        )
        for item in benchmark.items
    ]


def _ordinals(canonical: dict[str, str], texts: dict[str, str]) -> dict[str, int]:
    own = _places({item_id: canonical[item_id] for item_id in sorted(canonical)})
    kept = {item_id: own[item_id] for item_id, text in texts.items() if text == canonical[item_id]}
    taken: defaultdict[str, set[int]] = defaultdict(set)
    for item_id, ordinal in kept.items():
        taken[texts[item_id]].add(ordinal)
    following: dict[str, Iterator[int]] = {}
    for item_id in sorted(texts.keys() - kept.keys()):
        text = texts[item_id]
        free = following.setdefault(text, _free(taken[text]))
        kept[item_id] = next(free)
    return kept


def _free(taken: set[int]) -> Iterator[int]:
    number = 0
    while True:
        if number not in taken:
            yield number
        number += 1


def _places(texts: dict[str, str]) -> dict[str, int]:
    """Place of each item among those with the same text, in the order given."""
    seen: defaultdict[str, int] = defaultdict(int)
    places = {}
    for item_id, text in texts.items():
        places[item_id] = seen[text]
        seen[text] += 1
    return places
