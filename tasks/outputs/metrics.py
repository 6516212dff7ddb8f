"""The metrics of a run as its output document and its tables name them."""

import re
from typing import Any

from schemas.documents import SampleTable
from schemas.metrics import Metric, OverallMetrics
from schemas.metrics_block import top_level

_BRACKETS = re.compile(r"[\[\],-]+")


def snake_case(key: str) -> str:
    """`cohens_kappa[analyst[0]]` becomes `cohens_kappa_analyst_0`."""
    return _BRACKETS.sub("_", key).rstrip("_")


def named_metrics(metrics: OverallMetrics, samples: SampleTable) -> dict[str, Metric]:
    """Every headline number by its snake_case name."""
    n = metrics.n

    def count(value: int) -> Metric:
        return Metric(value=value, n=n)

    def of_votes(value: float | None, of: int) -> Metric:
        if samples.n_undrawn:
            return Metric.undefined("not all samples were drawn (--curtail)")
        return (
            Metric.undefined("no item was judged") if value is None else Metric(value=value, n=of)
        )

    spread = metrics.aggregate_dispersion_judged
    named = {
        "n_items": count(n),
        "n_judged": count(metrics.n_judged),
        "n_missing": count(metrics.n_missing),
        "n_substantive": count(metrics.n_substantive),
        "n_samples": Metric(value=samples.n_samples, n=samples.n_samples),
        "n_failed_samples": Metric(value=samples.n_failed, n=samples.n_samples),
        "n_undrawn_samples": Metric(value=samples.n_undrawn, n=samples.n_samples),
        "n_unjudged_samples": Metric(value=metrics.n_unjudged_samples or 0, n=samples.n_samples),
        "mean_entropy_judged": of_votes(spread.mean_entropy, spread.n_items),
        "mean_margin_judged": of_votes(spread.mean_margin, spread.n_items),
        "fraction_thin_margin_judged": of_votes(spread.fraction_thin_margin, spread.n_items),
        "n_tie_broken": of_votes(spread.n_tie_broken, n),
    }
    named |= {snake_case(key): metric for key, metric in top_level(metrics).items()}
    if metrics.panels:
        named["cross_panel_kappa"] = metrics.panels.cross_panel_kappa
    return named


def measured_details(metrics: OverallMetrics, named: dict[str, Metric]) -> dict[str, Any]:
    """What stands beside the numbers in `results.details`, by their names."""
    return {
        "intervals": {k: m.interval.model_dump() for k, m in named.items() if m.interval},
        "no_interval": {k: m.no_interval for k, m in named.items() if m.no_interval},
        "chance": {k: m.chance for k, m in named.items() if m.chance is not None},
        "bounds": {k: m.bounds.model_dump() for k, m in named.items() if m.bounds},
        "no_bounds": {k: m.no_bounds for k, m in named.items() if m.no_bounds},
        "policies": {
            policy: {snake_case(key): metric.value for key, metric in figures.items()}
            for policy, figures in metrics.policies.items()
        },
        "under_powered": metrics.is_under_powered,
        "cautions": [caution.model_dump() for caution in metrics.cautions],
    }
