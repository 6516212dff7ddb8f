"""The flat block of numbers that `assent metrics` and `assent evaluate` print.

`reasons` says why for every null, `ns` gives the count behind every number, `chance` what chance
alone would give of an agreement; all three address a number inside another object by a dotted key.
"""

from typing import TYPE_CHECKING, Any

from schemas.metrics import UNDER_POWERED_BELOW, AggregateDispersion, Metric

if TYPE_CHECKING:
    from schemas.metrics import OverallMetrics


def flat_block(measured: "OverallMetrics") -> dict[str, Any]:
    """Every number by its key."""
    top = top_level(measured)
    everything = top | _inside_panels(measured) | _inside_policies(measured)
    return {
        "n": measured.n,
        "n_missing": measured.n_missing,
        "n_judged": measured.n_judged,
        "n_substantive": measured.n_substantive,
        "m_counts": measured.m_counts.model_dump(),
        "r_counts": measured.r_counts.model_dump(),
        "under_powered": measured.is_under_powered,
        "under_powered_threshold": UNDER_POWERED_BELOW,
        **{key: metric.value for key, metric in top.items()},
        **_intervals(top),
        **_bounds(top),
        "coverage_per_analyst": [metric.value for metric in measured.coverage_per_analyst],
        "coverage_per_analyst_named": _named_coverage(measured),
        **_panel_block(measured),
        **_unjudged_block(measured),
        "verdict_distributions": {
            item_id: spread.model_dump()
            for item_id, spread in measured.verdict_distributions.items()
        },
        **{key: spread.model_dump() for key, spread in _dispersions(measured).items()},
        "chance": {key: m.chance for key, m in everything.items() if m.chance is not None},
        "cautions": [caution.model_dump() for caution in measured.cautions],
        "reasons": _reasons(measured, everything),
        "ns": _counts(measured, everything),
    }


def top_level(measured: "OverallMetrics") -> dict[str, Metric]:
    """The numbers that are not inside another object, by key."""
    panels = measured.panels
    primary = (
        {"inter_analyst_fleiss_primary": panels.inter_analyst_fleiss[panels.primary]}
        if panels
        else {}
    )
    return {
        "coverage": measured.coverage,
        "coverage_judged": measured.coverage_judged,
        "fleiss_kappa": measured.fleiss_kappa,
        "inter_analyst_fleiss": measured.inter_analyst_fleiss,
        **primary,
        **{f"cohens_kappa[{label}]": kappa for label, kappa in measured.cohens_kappa.items()},
        **measured.further,
    }


def _intervals(top: dict[str, Metric]) -> dict[str, Any]:
    return {
        f"{key}_ci": m.interval.model_dump() if m.interval else None
        for key, m in top.items()
        if m.interval or m.no_interval
    }


def _bounds(top: dict[str, Metric]) -> dict[str, Any]:
    return {
        f"{key}_bounds": m.bounds.model_dump() if m.bounds else None
        for key, m in top.items()
        if m.bounds or m.no_bounds
    }


def _named_coverage(measured: "OverallMetrics") -> dict[str, float | None]:
    # Without items no analyst has a coverage, yet every analyst has a name.
    values = [metric.value for metric in measured.coverage_per_analyst]
    ids = measured.analyst_ids
    return dict(zip(ids, values or [None] * len(ids), strict=False))


def _inside_panels(measured: "OverallMetrics") -> dict[str, Metric]:
    if measured.panels is None:
        return {}
    within = measured.panels.inter_analyst_fleiss.items()
    return {
        **{f"panels.inter_analyst_fleiss.{panel}": kappa for panel, kappa in within},
        "panels.cross_panel_kappa": measured.panels.cross_panel_kappa,
    }


def _panel_block(measured: "OverallMetrics") -> dict[str, Any]:
    if measured.panels is None:
        return {}
    within = measured.panels.inter_analyst_fleiss
    inside = {f"inter_analyst_fleiss.{panel}": kappa for panel, kappa in within.items()}
    inside["cross_panel_kappa"] = measured.panels.cross_panel_kappa
    return {
        "panels": {
            "primary": measured.panels.primary,
            "inter_analyst_fleiss": {panel: kappa.value for panel, kappa in within.items()},
            "cross_panel_kappa": measured.panels.cross_panel_kappa.value,
            **_intervals(inside),
        }
    }


def _inside_policies(measured: "OverallMetrics") -> dict[str, Metric]:
    return {
        f"policies.{policy}.{key}": metric
        for policy, figures in measured.policies.items()
        for key, metric in figures.items()
    }


def _unjudged_block(measured: "OverallMetrics") -> dict[str, Any]:
    if measured.n_unjudged_samples is None:
        return {}
    return {
        "n_unjudged_samples": measured.n_unjudged_samples,
        "policies": {
            policy: {key: metric.value for key, metric in figures.items()}
            for policy, figures in measured.policies.items()
        },
    }


def _dispersions(measured: "OverallMetrics") -> dict[str, AggregateDispersion]:
    return {
        "aggregate_dispersion": measured.aggregate_dispersion,
        "aggregate_dispersion_judged": measured.aggregate_dispersion_judged,
    }


def _reasons(measured: "OverallMetrics", metrics: dict[str, Metric]) -> dict[str, str]:
    # A mean over no items is undefined for the very reason that the coverage of them is.
    empty = {
        "aggregate_dispersion": measured.coverage.reason,
        "aggregate_dispersion_judged": measured.coverage_judged.reason,
    }
    return (
        {key: metric.reason for key, metric in metrics.items() if metric.reason}
        | {f"{key}_ci": m.no_interval for key, m in metrics.items() if m.no_interval}
        | {f"{key}_bounds": m.no_bounds for key, m in metrics.items() if m.no_bounds}
        | {
            f"{key}.{name}": reason
            for key, spread in _dispersions(measured).items()
            if (reason := empty[key])
            for name, value in spread
            if value is None
        }
        | _reasons_of_coverage(measured)
    )


def _reasons_of_coverage(measured: "OverallMetrics") -> dict[str, str]:
    reason = measured.coverage.reason
    named = (f"coverage_per_analyst_named.{name}" for name in measured.analyst_ids)
    return dict.fromkeys(named, reason) if reason else {}


def _counts(measured: "OverallMetrics", metrics: dict[str, Metric]) -> dict[str, int]:
    return {
        **{key: metric.n for key, metric in metrics.items()},
        "coverage_per_analyst": measured.n,
        "coverage_per_analyst_named": measured.n,
        **{key: spread.n_items for key, spread in _dispersions(measured).items()},
    }
