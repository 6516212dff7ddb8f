"""From bearer ids to the text of a context."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from schemas.benchmark import Bearer, ContextBuilder, TemplateBuilder
from tasks.prompting.templates import render

BuildContext = Callable[[Sequence[str]], str]

TEX = re.compile(r"\$([^$]+)\$")
"""What TeX stripping takes for a formula."""


class Wording(NamedTuple):
    """The text of a bearer under a variant, and whether the canonical one had to stand in."""

    text: str
    fallback: bool


def strip_tex(text: str) -> str:
    """Text without the dollars of `$…$` pairs; a lone dollar stays."""
    return TEX.sub(r"\1", text)


def wording(bearer: Bearer, variant: int, *, strip: bool) -> Wording:
    """The bearer's text under a variant; variant 0 is the canonical one."""
    fallback = variant > len(bearer.paraphrases)
    text = bearer.expression if variant == 0 or fallback else bearer.paraphrases[variant - 1]
    return Wording(strip_tex(text) if strip else text, fallback)


def template_builder(builder: TemplateBuilder) -> BuildContext:
    """Join the sentences and put them into the builder's template."""

    def build(texts: Sequence[str]) -> str:
        return render(builder.template, {"expressions": builder.joiner.join(texts)})

    return build


def builder_identity(builder: ContextBuilder, default: str, default_joiner: str) -> str:
    """Name of a builder in results: the classic one for the default, else what it really is."""
    if not isinstance(builder, TemplateBuilder):
        return f"plugin:{builder.plugin}"
    if builder.template == "{expressions}" and builder.joiner == default_joiner:
        return default
    return f"template:{builder.template!r}:{builder.joiner!r}"
