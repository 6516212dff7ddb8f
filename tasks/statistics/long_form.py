"""Metrics as rows: scope, cell, metric, value, n, low, high, method, reason."""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.metrics import Metric, OverallMetrics
from schemas.metrics_block import top_level

OVERALL, PANELS, POLICY, BOUNDS = "overall", "panel", "policy", "bounds"

Row = dict[str, Any]


def metric_row(scope: str, cell: str, name: str, metric: Metric) -> Row:
    """One metric as a row."""
    interval = metric.interval
    return {
        "scope": scope,
        "cell": cell,
        "metric": name,
        "value": metric.value,
        "n": metric.n,
        "low": interval.lo if interval else None,
        "high": interval.hi if interval else None,
        "method": interval.method if interval else None,
        "reason": metric.reason or metric.no_interval,
    }


def named_rows(scope: str, cell: str, metrics: Mapping[str, Metric]) -> Iterator[Row]:
    """Metrics by name, and below them their bounds under a scope of its own."""
    for name, metric in metrics.items():
        yield metric_row(scope, cell, name, metric)
    for name, metric in metrics.items():
        if metric.bounds is not None:
            yield metric_row(BOUNDS, cell, name, metric) | {
                "low": metric.bounds.lowest,
                "high": metric.bounds.highest,
                "method": "all completions",
                "reason": None,
            }
        elif metric.no_bounds is not None:
            yield metric_row(BOUNDS, cell, name, metric) | {
                "low": None,
                "high": None,
                "method": None,
                "reason": metric.no_bounds,
            }


def run_rows(named: Mapping[str, Metric], measured: OverallMetrics) -> Iterator[Row]:
    """Everything measured in a run, under the names of its output document."""
    yield from named_rows(OVERALL, "", named)
    yield from _inner_rows("", measured)


def measured_rows(scope: str, cell: str, measured: OverallMetrics) -> Iterator[Row]:
    """Everything measured over one set of items."""
    yield from named_rows(scope, cell, top_level(measured))
    yield from _inner_rows(cell, measured)


def _inner_rows(cell: str, measured: OverallMetrics) -> Iterator[Row]:
    for policy, figures in measured.policies.items():
        yield from named_rows(POLICY, f"{cell} {policy}".strip(), figures)
    if measured.panels is not None:
        for panel, kappa in measured.panels.inter_analyst_fleiss.items():
            yield metric_row(PANELS, panel, "inter_analyst_fleiss", kappa)
        yield metric_row(PANELS, "", "cross_panel_kappa", measured.panels.cross_panel_kappa)
