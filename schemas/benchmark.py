"""Inferential benchmark 1.0: bearers, a panel of analysts, and the implications they labelled.

Fields marked `LATER` came after the first generation of the format. They are left out of what we
write while they hold their default, so that first-generation readers still load our files.
Rules beyond types live in `tasks/benchmarks/rules.py`.
"""

import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field

from schemas.base import Frozen, Verdict

FactorKind = Literal["substantive", "experimentally_controlled"]
VariationType = Literal[
    "base", "strengthen", "contested", "defeat", "abstain_anchor", "monotonicity_step"
]
PlaceholderVerdict = Literal["good", "bad", "abstain", "contested"]
Direction = Literal["non_decreasing", "non_increasing"]

LATER_FIELDS = (
    "template_id",
    "coherence_frame_id",
    "ordinal_families",
    "copresence_rules",
    "entailment_rules",
    "regularities",
    "targets",
)
LATER_ITEM_FIELDS = (
    "ladder",
    "target",
    "construction_note",
    "variation",
    "placeholder",
    "monotonicity_step",
)


def _promote_citation(value: object) -> object:
    return {"citation": value} if isinstance(value, str) else value


def _as_sorted_ids(value: object) -> object:
    """Bearer ids as a set in code point order; scalars are read as text."""
    if not isinstance(value, (list, tuple)) or any(isinstance(x, (list, dict)) for x in value):
        return value
    return sorted({x if isinstance(x, str) else str(x) for x in value})


class Reference(Frozen):
    """A source that a reader can look up."""

    citation: str = Field(description="The work, as one would cite it.")
    doi: str | None = Field(default=None, description="Digital object identifier.")
    url: str | None = Field(default=None, description="Where it can be read.")
    section: str | None = Field(default=None, description="The part that matters.")
    note: str | None = Field(default=None, description="Why it is cited.")


References = Annotated[
    tuple[
        Annotated[
            Reference, BeforeValidator(_promote_citation, json_schema_input_type=Reference | str)
        ],
        ...,
    ],
    Field(description="Sources; a bare string stands for its citation."),
]
BearerIds = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_sorted_ids, json_schema_input_type=list[str | float | bool | None]),
]


class Bearer(Frozen):
    """A sentence that can be a premise or a conclusion."""

    expression: str = Field(description="Canonical wording; `$…$` marks TeX.")
    paraphrases: tuple[str, ...] = Field(default=(), description="Other wordings, variant 1 first.")
    references: References = ()
    ordinal_family: str | None = Field(
        default=None, description="LATER. The ordinal family that this bearer belongs to."
    )


class Analyst(Frozen):
    """One member of the panel."""

    id: str = Field(description="Unique among the analysts.")
    display_name: str | None = Field(default=None, description="Name for people.")
    notes: str | None = Field(default=None, description="Anything worth knowing.")
    panel: str | None = Field(default=None, description="Panel; all analysts have one or none has.")
    expertise_description: str | None = Field(
        default=None, description="LATER. What makes this analyst an expert."
    )


class TemplateBuilder(Frozen):
    """Joins sentences and puts them into a template."""

    kind: Literal["template"] = Field(description="Always `template`.")
    template: str = Field(default="{expressions}", description="Holds `{expressions}`.")
    joiner: str = Field(
        default=" and ",
        description="Stands between sentences. A conclusion builder that is written out without "
        "a joiner also gets ' and '.",
    )


class PluginBuilder(Frozen):
    """Code of the benchmark's author; runs only when plugins are allowed."""

    kind: Literal["plugin"] = Field(description="Always `plugin`.")
    plugin: str = Field(description="`module:attribute` of a callable: sentences to text.")


ContextBuilder = Annotated[TemplateBuilder | PluginBuilder, Discriminator("kind")]


class ContextBuilders(Frozen):
    """How premises and conclusions become text."""

    premise: ContextBuilder = Field(
        default=TemplateBuilder(kind="template", joiner=" and "),
        description="Builder of the premise context.",
    )
    conclusion: ContextBuilder = Field(
        default=TemplateBuilder(kind="template", joiner=" or "),
        description="Builder of the conclusion context.",
    )


class VerificationPrompt(Frozen):
    """The benchmark's own support question."""

    template: str = Field(
        description="User message; holds `{premise_context}` and `{conclusion_context}`."
    )
    system: str | None = Field(default=None, description="System message; ours when missing.")
    parse_regex: str | None = Field(
        default=None, description="RE2 pattern whose group 1 is the verdict; first match counts."
    )
    id: str | None = Field(default=None, description="Name of this prompt in results.")


class FactorConstraints(Frozen):
    """Demands on the factorial design."""

    min_items_per_cell: int | None = Field(
        default=None, description="Every cell of the full cross product holds at least so many."
    )


class CopresenceRule(Frozen):
    """LATER. Families of which one tier each is present at the same time."""

    families: tuple[str, ...] = Field(min_length=2, description="Two or more ordinal families.")
    exhaustivity: bool = Field(default=False, description="Whether the tiers leave nothing out.")


class EntailmentRule(Frozen):
    """LATER. One bearer entails another."""

    antecedent: str = Field(description="Bearer id.")
    consequent: str = Field(description="Bearer id.")


class Regularity(Frozen):
    """LATER. A pattern that the benchmark is meant to show."""

    description: str = Field(description="The pattern in words.")
    test_item_ids: tuple[str, ...] = Field(default=(), description="Items that test it.")


class RsrTarget(Frozen):
    """The implication whose range of subjunctive robustness an item probes."""

    X: BearerIds = Field(description="Premises of the target.")
    A: BearerIds = Field(description="Conclusions of the target.")


class ConstructionMetadata(Frozen):
    """How an item came about."""

    authored_by: str | None = Field(default=None, description="Author.")
    authored_on: datetime.date | None = Field(default=None, description="Day, YYYY-MM-DD.")
    source: str | None = Field(default=None, description="Where it was taken from.")
    authored_blind_to_models: tuple[str, ...] = Field(
        default=(), description="Models whose answers the author had not seen."
    )


class MonotonicityStep(Frozen):
    """LATER. One step on a ladder of tiers."""

    family: str = Field(description="Ordinal family of the ladder.")
    tier: str = Field(description="Bearer id of this step's tier.")
    tier_index: int = Field(description="Position of the tier in its family, from 0.")
    expected: Direction = Field(
        default="non_decreasing", description="Where verdicts go as the tier rises."
    )
    fixed: str | None = Field(default=None, description="Bearer id that is held fixed.")


class Item(Frozen):
    """One implication, with what each analyst said of it."""

    id: str = Field(description="Unique among the items.")
    premises: BearerIds = Field(description="Bearer ids; kept as a sorted set.")
    conclusions: BearerIds = Field(description="Bearer ids; kept as a sorted set.")
    analyst_verdicts: tuple[Verdict, ...] = Field(description="One per analyst, in their order.")
    analyst_rationales: tuple[str, ...] | None = Field(
        default=None, description="One per analyst when present; may be empty text."
    )
    tags: tuple[str, ...] = Field(default=(), description="Labels for decompositions.")
    rsr_target: RsrTarget | None = Field(default=None, description="Target implication.")
    references: References = ()
    factor_levels: dict[str, str] = Field(default={}, description="Level per declared factor.")
    construction_metadata: ConstructionMetadata | None = Field(
        default=None, description="How the item came about."
    )
    ladder: str | None = Field(default=None, description="LATER. Ladder the item belongs to.")
    target: str | None = Field(default=None, description="LATER. One of the declared targets.")
    construction_note: str | None = Field(default=None, description="LATER. Author's note.")
    variation: VariationType | None = Field(default=None, description="LATER. Kind of variation.")
    placeholder: PlaceholderVerdict | None = Field(
        default=None, description="LATER. Author's guess; never read by a metric."
    )
    monotonicity_step: MonotonicityStep | None = Field(
        default=None, description="LATER. The item's step on its ladder."
    )


class Benchmark(Frozen):
    """A whole benchmark."""

    schema_version: Literal["1.0"] = Field(default="1.0", description="Always the text 1.0.")
    id: str = Field(description="Names the benchmark; becomes a directory name.")
    title: str | None = Field(default=None, description="Title for people.")
    domain: str | None = Field(default=None, description="Subject area.")
    description: str | None = Field(default=None, description="What it is about.")
    bearers: dict[str, Bearer] = Field(description="Sentences by id.")
    analysts: tuple[Analyst, ...] = Field(min_length=1, description="The panel.")
    context_builders: ContextBuilders = Field(
        default=ContextBuilders(), description="How contexts become text."
    )
    verification_prompt: VerificationPrompt | None = Field(
        default=None, description="The benchmark's own support question."
    )
    items: tuple[Item, ...] = Field(description="The implications.")
    factors: dict[str, tuple[str, ...]] = Field(default={}, description="Levels per factor.")
    factor_constraints: FactorConstraints | None = Field(
        default=None, description="Demands on the design."
    )
    factor_kinds: dict[str, FactorKind] = Field(default={}, description="Kind per factor.")
    primary_panel: str | None = Field(default=None, description="The panel that tables show.")
    references: References = ()
    template_id: str | None = Field(
        default=None, description="LATER. Template of the coherence question."
    )
    coherence_frame_id: str | None = Field(
        default=None, description="LATER. Frame of the coherence question."
    )
    ordinal_families: dict[str, tuple[str, ...]] = Field(
        default={}, description="LATER. Bearer ids per family, lowest tier first."
    )
    copresence_rules: tuple[CopresenceRule, ...] = Field(
        default=(), description="LATER. Families present together."
    )
    entailment_rules: tuple[EntailmentRule, ...] = Field(
        default=(), description="LATER. Entailments between bearers."
    )
    regularities: tuple[Regularity, ...] = Field(
        default=(), description="LATER. Patterns that the benchmark is meant to show."
    )
    targets: tuple[str, ...] = Field(default=(), description="LATER. Allowed item targets.")

    @property
    def n_variants(self) -> int:
        """Number of wordings: the canonical one plus the most paraphrases of any bearer."""
        return 1 + max((len(b.paraphrases) for b in self.bearers.values()), default=0)

    @property
    def plugins(self) -> tuple[str, ...]:
        """Plugin builders that the benchmark asks for."""
        both = (self.context_builders.premise, self.context_builders.conclusion)
        return tuple(b.plugin for b in both if isinstance(b, PluginBuilder))
