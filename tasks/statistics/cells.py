"""Parts of an evaluation that are measured by themselves: by tag, target, factor, panel."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from schemas.benchmark import Benchmark, Item
from schemas.errors import UserError
from schemas.evaluation import Evaluation
from schemas.metrics import Caution

Target = tuple[tuple[str, ...], tuple[str, ...]]


class Cell(NamedTuple):
    """Some of the items, and what they have in common."""

    by: str
    value: Any
    rows: list[int]
    name: str | None = None
    panel: str | None = None
    caution: Caution | None = None

    def head(self) -> dict[str, Any]:
        """How the cell is named in a document."""
        named = {} if self.name is None else {"name": self.name}
        return {"by": self.by, **named, "value": self.value}


def by_tag(evaluation: Evaluation, tag: str) -> Cell:
    """Items with a tag."""
    rows = [i for i, item in enumerate(evaluation.items) if tag in item.tags]
    return _or_empty(Cell("tag", tag, rows), f"no item has the tag {tag!r}")


def by_target(evaluation: Evaluation, benchmark: Benchmark, target: Target) -> Cell:
    """Items with an RSR target, compared as two sets."""
    wanted = tuple(map(frozenset, target))
    items = _items(benchmark)
    rows = [
        i
        for i, item in enumerate(evaluation.items)
        if (its := items.get(item.id)) is not None
        and its.rsr_target is not None
        and (frozenset(its.rsr_target.X), frozenset(its.rsr_target.A)) == wanted
    ]
    value = {"X": sorted(set(target[0])), "A": sorted(set(target[1]))}
    message = f"no item has the RSR target {value}"
    return _or_empty(Cell("rsr_target", value, rows), message)


def by_factor(evaluation: Evaluation, benchmark: Benchmark, factor: str) -> list[Cell]:
    """One cell per declared level of a factor.

    Raises:
        UserError: No such factor is declared.
    """
    if factor not in benchmark.factors:
        raise UserError(
            f"unknown factor {factor!r}",
            where="--by-factor",
            fix=f"use one of: {', '.join(benchmark.factors) or 'none is declared'}",
            code="unknown_factor",
        )
    items = _items(benchmark)
    levels = [_levels(items, item.id) for item in evaluation.items]
    return [
        _or_empty(
            Cell(
                "factor",
                level,
                [i for i, its in enumerate(levels) if its.get(factor) == level],
                factor,
            ),
            f"no item has level {level!r} of factor {factor!r}",
        )
        for level in benchmark.factors[factor]
    ]


def by_factor_cell(evaluation: Evaluation, benchmark: Benchmark) -> list[Cell]:
    """One cell per combination of levels that some item has, in order of first appearance."""
    items = _items(benchmark)
    cells: dict[tuple[tuple[str, str], ...], tuple[dict[str, str], list[int]]] = {}
    for i, item in enumerate(evaluation.items):
        levels = _levels(items, item.id)
        if levels:
            value = {name: levels[name] for name in sorted(levels)}
            cells.setdefault(tuple(value.items()), (value, []))[1].append(i)
    return [Cell("factor_cell", value, rows) for value, rows in cells.values()]


def by_variation(evaluation: Evaluation, benchmark: Benchmark) -> list[Cell]:
    """One cell per kind of variation that some item has, in order of first appearance."""
    items = _items(benchmark)
    found: dict[str, list[int]] = {}
    for i, item in enumerate(evaluation.items):
        its = items.get(item.id)
        if its is not None and its.variation is not None:
            found.setdefault(its.variation, []).append(i)
    return [Cell("variation", value, rows) for value, rows in found.items()]


def by_panel(evaluation: Evaluation, benchmark: Benchmark) -> list[Cell]:
    """One cell per panel: all items, compared with that panel alone."""
    names = sorted({a.panel for a in benchmark.analysts if a.panel is not None})
    everything = list(range(len(evaluation.items)))
    return [Cell("panel", name, everything, panel=name) for name in names]


def clusters_of(evaluation: Evaluation, benchmark: Benchmark, by: str) -> list[str]:
    """A label per item; items with the same one stand or fall together.

    Args:
        evaluation: The items.
        benchmark: What they belong to.
        by: `rsr_target` or `ladder`; an item without one stands alone.
    """
    items, labels = _items(benchmark), []
    for place, item in enumerate(evaluation.items):
        its = items.get(item.id)
        found = None
        if its is not None and by == "ladder":
            found = its.ladder
        elif its is not None and its.rsr_target is not None:
            found = repr((its.rsr_target.X, its.rsr_target.A))
        labels.append(f"alone {place}" if found is None else f"with {found}")
    return labels


def _items(benchmark: Benchmark) -> Mapping[str, Item]:
    return {item.id: item for item in benchmark.items}


def _levels(items: Mapping[str, Item], item_id: str) -> Mapping[str, str]:
    item = items.get(item_id)
    return {} if item is None else item.factor_levels


def _or_empty(cell: Cell, message: str) -> Cell:
    if cell.rows:
        return cell
    return cell._replace(caution=Caution(code="empty_part", message=message))
