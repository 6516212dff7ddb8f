"""What was measured: every number with the count behind it, or with the reason why there is none.

An undefined figure is null with a reason, never 0.0 and never NaN. An item without any usable
sample is *missing*. Figures under their classic names count it as an abstention, so that they
compare with published ones; beside each stands one over the judged items alone (`…_judged`).
"""

from typing import Annotated, Self

from pydantic import Field, FiniteFloat, model_validator

from schemas.base import Frozen, Verdict

Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Interval(Frozen):
    """A range of plausible values, and how it was found."""

    lo: FiniteFloat = Field(description="Lower end.")
    hi: FiniteFloat = Field(description="Upper end.")
    method: str = Field(description="Name of the method.")
    iterations: int | None = Field(default=None, description="Draws, when the method draws.")


class Bounds(Frozen):
    """Lowest and highest value over all ways in which unjudged samples could have gone."""

    lowest: FiniteFloat | None = Field(description="Null when no way gives a defined value.")
    highest: FiniteFloat | None = Field(description="Null likewise.")
    n_open: Count = Field(description="Items whose verdict could have been another.")


class Metric(Frozen):
    """A number and the count behind it, or the reason why it is undefined."""

    value: FiniteFloat | None = Field(description="The number; null when undefined.")
    n: Count = Field(description="Items that the number rests on.")
    reason: str | None = Field(
        default=None, min_length=1, description="Why there is no number; null when there is one."
    )
    interval: Interval | None = Field(default=None, description="Uncertainty, when asked for.")
    chance: Share | None = Field(
        default=None, description="For agreement: what chance alone would give of it."
    )
    bounds: Bounds | None = Field(
        default=None, description="Range over everything that unjudged samples could have said."
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

    @property
    def n_judged(self) -> int:
        """Items with at least one usable sample."""
        return self.n - self.n_missing

    @property
    def n_substantive(self) -> int:
        """Items where both the model and the first reference took a side."""
        return next(iter(self.cohens_kappa.values())).n

    def to_json(self) -> dict[str, object]:
        """The flat block that `assent metrics` prints.

        `reasons` says why for every null, `ns` gives the count behind every number; both address
        a number inside another object by a dotted key.
        """
        top, inner = self._top_level(), self._inside_panels()
        intervals = {f"{key}_ci": m.interval.model_dump() for key, m in top.items() if m.interval}
        per_analyst = [metric.value for metric in self.coverage_per_analyst]
        return {
            "n": self.n,
            "n_missing": self.n_missing,
            "n_judged": self.n_judged,
            "n_substantive": self.n_substantive,
            **{key: metric.value for key, metric in top.items()},
            **intervals,
            "coverage_per_analyst": per_analyst,
            "coverage_per_analyst_named": self._named_coverage(),
            **self._panel_block(),
            "verdict_distributions": {
                item_id: spread.model_dump()
                for item_id, spread in self.verdict_distributions.items()
            },
            **{key: spread.model_dump() for key, spread in self._dispersions().items()},
            "reasons": self._reasons(top | inner),
            "ns": self._counts(top | inner),
        }

    def _named_coverage(self) -> dict[str, float | None]:
        # Without items no analyst has a coverage, yet every analyst has a name.
        values = [metric.value for metric in self.coverage_per_analyst]
        return dict(zip(self.analyst_ids, values or [None] * len(self.analyst_ids), strict=False))

    def _top_level(self) -> dict[str, Metric]:
        primary = (
            {"inter_analyst_fleiss_primary": self.panels.inter_analyst_fleiss[self.panels.primary]}
            if self.panels
            else {}
        )
        return {
            "coverage": self.coverage,
            "coverage_judged": self.coverage_judged,
            "fleiss_kappa": self.fleiss_kappa,
            "inter_analyst_fleiss": self.inter_analyst_fleiss,
            **primary,
            **{f"cohens_kappa[{label}]": kappa for label, kappa in self.cohens_kappa.items()},
        }

    def _inside_panels(self) -> dict[str, Metric]:
        if self.panels is None:
            return {}
        within = self.panels.inter_analyst_fleiss.items()
        return {
            **{f"panels.inter_analyst_fleiss.{panel}": kappa for panel, kappa in within},
            "panels.cross_panel_kappa": self.panels.cross_panel_kappa,
        }

    def _panel_block(self) -> dict[str, object]:
        if self.panels is None:
            return {}
        within = self.panels.inter_analyst_fleiss.items()
        return {
            "panels": {
                "primary": self.panels.primary,
                "inter_analyst_fleiss": {panel: kappa.value for panel, kappa in within},
                "cross_panel_kappa": self.panels.cross_panel_kappa.value,
            }
        }

    def _dispersions(self) -> dict[str, AggregateDispersion]:
        return {
            "aggregate_dispersion": self.aggregate_dispersion,
            "aggregate_dispersion_judged": self.aggregate_dispersion_judged,
        }

    def _reasons(self, metrics: dict[str, Metric]) -> dict[str, str]:
        # A mean over no items is undefined for the very reason that the coverage of them is.
        empty = {
            "aggregate_dispersion": self.coverage.reason,
            "aggregate_dispersion_judged": self.coverage_judged.reason,
        }
        return (
            {key: metric.reason for key, metric in metrics.items() if metric.reason}
            | {
                f"{key}.{name}": reason
                for key, spread in self._dispersions().items()
                if (reason := empty[key])
                for name, value in spread
                if value is None
            }
            | self._reasons_of_coverage()
        )

    def _reasons_of_coverage(self) -> dict[str, str]:
        reason = self.coverage.reason
        named = (f"coverage_per_analyst_named.{name}" for name in self.analyst_ids)
        return dict.fromkeys(named, reason) if reason else {}

    def _counts(self, metrics: dict[str, Metric]) -> dict[str, int]:
        return {
            **{key: metric.n for key, metric in metrics.items()},
            "coverage_per_analyst": self.n,
            "coverage_per_analyst_named": self.n,
            **{key: spread.n_items for key, spread in self._dispersions().items()},
        }
