"""What was measured: every number with the count behind it, or with the reason why there is none.

An undefined figure is null with a reason, never 0.0 and never NaN. An item without any usable
sample is *missing*. Figures under their classic names count it as an abstention, so that they
compare with published ones; beside each stands one over the judged items alone (`…_judged`).
"""

from typing import Annotated, Any, Self

from pydantic import Field, FiniteFloat, model_validator

from schemas.base import Frozen, Verdict

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]

UNDER_POWERED_BELOW = 10
"""Agreement over fewer items is marked as under-powered."""


class Interval(Frozen):
    """A range of plausible values, and how it was found."""

    lo: FiniteFloat = Field(description="Lower end.")
    hi: FiniteFloat = Field(description="Upper end.")
    method: str = Field(description="Name of the method.")
    iterations: int | None = Field(default=None, description="Draws, when the method draws.")


class Bounds(Frozen):
    """Lowest and highest value over all ways in which unjudged samples could have gone."""

    lowest: FiniteFloat = Field(description="Lowest value that is defined.")
    highest: FiniteFloat = Field(description="Highest value that is defined.")
    n_open: Count = Field(description="Items whose verdict could have been another.")


class Metric(Frozen):
    """A number and the count behind it, or the reason why it is undefined."""

    value: FiniteFloat | None = Field(description="The number; null when undefined.")
    n: Count = Field(description="Items that the number rests on.")
    reason: str | None = Field(
        default=None, min_length=1, description="Why there is no number; null when there is one."
    )
    interval: Interval | None = Field(default=None, description="Uncertainty, when asked for.")
    no_interval: str | None = Field(
        default=None, description="Why there is no interval although one was asked for."
    )
    chance: Share | None = Field(
        default=None, description="For agreement: what chance alone would give of it."
    )
    bounds: Bounds | None = Field(
        default=None, description="Range over everything that unjudged samples could have said."
    )
    no_bounds: str | None = Field(
        default=None, description="Why there are no bounds although samples were not judged."
    )

    @model_validator(mode="after")
    def _is_a_number_or_a_reason(self) -> Self:
        if (self.value is None) != (self.reason is not None):
            raise ValueError("a metric has either a value or a reason")
        return self

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> Self:
        """The metric that cannot be computed, and why."""
        return cls(value=None, n=n, reason=reason)


class Dispersion(Frozen):
    """How the usable samples of one item are spread over the three verdicts."""

    good: Count = Field(description="Samples that said good.")
    bad: Count = Field(description="Samples that said bad.")
    abstain: Count = Field(description="Samples that took no side.")
    n_samples: Count = Field(description="Usable samples; 0 when the item is missing.")
    verdict: Verdict = Field(description="The model's verdict on the item.")
    tie_broken: bool = Field(description="Whether a tie had to be decided.")
    entropy: Share = Field(description="Shannon entropy of the shares, in units of ln 3.")
    margin: Share = Field(description="Lead of the largest share over the second.")


class AggregateDispersion(Frozen):
    """How decided the model was over a set of items; nulls when the set is empty."""

    n_items: Count = Field(description="Items in the set.")
    mean_entropy: Share | None = Field(description="Mean entropy.")
    mean_margin: Share | None = Field(description="Mean margin.")
    n_thin_margin: Count = Field(description="Items whose margin is below the threshold.")
    fraction_thin_margin: Share | None = Field(description="Their share.")
    thin_margin_threshold: float = Field(description="Margins strictly below it are thin.")
    n_tie_broken: Count = Field(description="Items where a tie had to be decided.")


class PanelAgreement(Frozen):
    """Agreement within each panel of analysts, and between two of them."""

    primary: str = Field(description="The panel that stands for the analysts.")
    inter_analyst_fleiss: dict[str, Metric] = Field(description="Fleiss' kappa per panel.")
    cross_panel_kappa: Metric = Field(description="Cohen's kappa between two panels' pluralities.")


class VerdictCounts(Frozen):
    """How often a rater said what, over the items where both raters took a side."""

    good: Count = Field(description="Items that the rater called good.")
    bad: Count = Field(description="Items that the rater called bad.")
    abstain: Count = Field(default=0, description="Always 0: both took a side.")


class Caution(Frozen):
    """Something to know before a number is used."""

    code: str = Field(description="A short stable word for machines.")
    message: str = Field(description="One line for people.")


class OverallMetrics(Frozen):
    """Everything measured over one set of items."""

    n: Count = Field(description="Items, missing ones included.")
    n_missing: Count = Field(description="Items without any usable sample.")
    coverage: Metric = Field(description="Share of items where the model took a side.")
    coverage_judged: Metric = Field(description="The same over judged items.")
    analyst_ids: tuple[str, ...] = Field(description="Names of the analysts; empty when unknown.")
    coverage_per_analyst: tuple[Metric, ...] = Field(
        description="Share of items where each analyst took a side; empty when there are no items."
    )
    fleiss_kappa: Metric = Field(description="Fleiss' kappa of the analysts and the model.")
    inter_analyst_fleiss: Metric = Field(description="Fleiss' kappa of all analysts.")
    panels: PanelAgreement | None = Field(description="Null when no analyst belongs to a panel.")
    cohens_kappa: dict[str, Metric] = Field(
        min_length=1,
        description="Cohen's kappa of the model and each reference; the first one governs.",
    )
    verdict_distributions: dict[str, Dispersion] = Field(description="Samples per item id.")
    aggregate_dispersion: AggregateDispersion = Field(description="Over all items.")
    aggregate_dispersion_judged: AggregateDispersion = Field(description="Over judged items.")
    m_counts: VerdictCounts = Field(description="What the model said on `n_substantive` items.")
    r_counts: VerdictCounts = Field(description="What the first reference said on them.")
    further: dict[str, Metric] = Field(
        default={}, description="Coefficients beside the kappas, and weighted ones, by key."
    )
    n_unjudged_samples: Count | None = Field(
        default=None, description="Samples that failed, were clipped or could not be read."
    )
    policies: dict[str, dict[str, Metric]] = Field(
        default={}, description="Main figures under each way of counting unjudged samples."
    )
    cautions: tuple[Caution, ...] = Field(default=(), description="What to know before use.")

    @property
    def is_under_powered(self) -> bool:
        """Whether fewer than ten items stand behind the agreement with the first reference."""
        return self.n_substantive < UNDER_POWERED_BELOW

    @property
    def n_judged(self) -> int:
        """Items with at least one usable sample."""
        return self.n - self.n_missing

    @property
    def n_substantive(self) -> int:
        """Items where both the model and the first reference took a side."""
        return next(iter(self.cohens_kappa.values())).n

    def to_json(self) -> dict[str, Any]:
        """The flat block that `assent metrics` prints: see `schemas.metrics_block`."""
        from schemas.metrics_block import flat_block

        return flat_block(self)
