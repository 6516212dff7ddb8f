"""How measured numbers look: tables for people, rows for spreadsheets."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from flows.cli.console import printable, say
from schemas.metrics import Metric, OverallMetrics
from schemas.metrics_block import top_level
from tasks.statistics.cells import Cell
from tasks.statistics.decomposition import Decomposed
from tasks.statistics.long_form import OVERALL, measured_rows
from tasks.statistics.measuring import THREE_CLASS

HEAD = ("metric", "value", "95 % interval", "n", "chance")
BOUNDS_HEAD = "unjudged samples could make it"


def cell_name(cell: Cell) -> str:
    """A cell in a few words."""
    value = cell.value if isinstance(cell.value, str) else json.dumps(cell.value)
    return f"{cell.by} {cell.name}={value}" if cell.name else f"{cell.by} {value}"


def print_tables(found: Decomposed) -> None:
    """Aligned tables, the whole first."""
    for title, measured in _parts(found):
        rows = list(_rows(measured))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        say(title)
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            say(f"  {'  '.join(cells)}".rstrip())
        say()


def print_markdown(found: Decomposed) -> None:
    """The same tables in Markdown."""
    for title, measured in _parts(found):
        head, *rows = _rows(measured)
        say(f"### {title}\n")
        say(f"| {' | '.join(head)} |")
        say(f"|{'---|' * len(head)}")
        for row in rows:
            say(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
        say()


def print_csv(found: Decomposed) -> None:
    """Every number in long form."""
    rows = list(measured_rows(OVERALL, "", found.overall))
    for cell, measured in found.cells:
        name = cell_name(cell).removeprefix(f"{cell.by} ")
        rows += measured_rows(cell.by, name, measured)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {k: printable(v) if isinstance(v, str) else v for k, v in r.items()} for r in rows
    )
    say(text.getvalue().rstrip("\n"))


def _parts(found: Decomposed) -> Iterator[tuple[str, OverallMetrics]]:
    yield _title("overall", found.overall), found.overall
    for cell, measured in found.cells:
        yield _title(printable(cell_name(cell)), measured), measured


def _title(name: str, measured: OverallMetrics) -> str:
    weak = ", under-powered" if measured.is_under_powered else ""
    return (
        f"{name}: {measured.n} items, {measured.n_missing} missing, "
        f"{measured.n_substantive} where both took a side{weak}"
    )


def _rows(measured: OverallMetrics) -> Iterator[tuple[str, ...]]:
    top = top_level(measured)
    # Missing items are no abstentions, and the primary panel stands for the analysts.
    hidden = {"coverage"}
    if "inter_analyst_fleiss_primary" in top:
        hidden.add("inter_analyst_fleiss")
    shown = {key: metric for key, metric in top.items() if key not in hidden and _is_main(key)}
    if measured.panels is not None:
        shown["cross_panel_kappa"] = measured.panels.cross_panel_kappa
    bounded = any(metric.bounds or metric.no_bounds for metric in shown.values())
    yield (*HEAD, BOUNDS_HEAD) if bounded else HEAD
    for key, metric in shown.items():
        row = (printable(key), *_figures(metric))
        yield (*row, _bounds(metric)) if bounded else row


def _is_main(key: str) -> bool:
    """Over three classes only the kappas are shown; the other formats have everything."""
    return THREE_CLASS not in key or "kappa" in key


def _figures(metric: Metric) -> tuple[str, ...]:
    if metric.value is None:
        return f"undefined: {metric.reason}", "", str(metric.n), ""
    return f"{metric.value:.3f}", _interval(metric), str(metric.n), _share(metric.chance)


def _interval(metric: Metric) -> str:
    if metric.interval is None:
        return metric.no_interval or "-"
    return f"{metric.interval.lo:.3f} to {metric.interval.hi:.3f} ({metric.interval.method})"


def _bounds(metric: Metric) -> str:
    if metric.bounds is None:
        return metric.no_bounds or ""
    return f"{metric.bounds.lowest:.3f} to {metric.bounds.highest:.3f}"


def _share(value: Any) -> str:
    return "" if value is None else f"{value:.3f}"
