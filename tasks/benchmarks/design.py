"""Rules of a factorial design: declared factors and levels, and enough items in every cell."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, product

from schemas.errors import Problem
from schemas.problems import one_line
from tasks.benchmarks.names import Unknown
from tasks.benchmarks.raw import Raw, object_in, objects_in, texts, whole_number

Levels = dict[str, dict[str, None] | None]

_MOST_SHOWN = 10
_MOST_COUNTED = 10**12


def design_findings(raw: Raw) -> Iterator[Problem | Unknown]:
    """Everything that is wrong with the factors of a benchmark."""
    factors = raw.get("factors", {})
    if not isinstance(factors, dict):
        return
    declared = {name: _levels(levels) for name, levels in factors.items()}
    for i, item in objects_in(raw, "items"):
        yield from _item_levels(i, item, declared)
    for name in object_in(raw, "factor_kinds"):
        if name not in declared:
            yield Unknown("unknown_factor", ("factor_kinds", name), "factor", name, declared)
    least = whole_number(object_in(raw, "factor_constraints").get("min_items_per_cell"))
    if least is not None and least > 0 and declared:
        yield from _thin_cells(raw, declared, least)


def _levels(levels: object) -> dict[str, None] | None:
    """The levels in order, each once; None when they are no list."""
    return {text: None for _, text in texts(levels)} if isinstance(levels, list) else None


def _item_levels(i: int, item: Raw, declared: Levels) -> Iterator[Unknown]:
    for factor, level in object_in(item, "factor_levels").items():
        path = ("items", i, "factor_levels", factor)
        if factor not in declared:
            yield Unknown("unknown_factor", path, "factor", factor, declared)
            continue
        levels = declared[factor]
        if levels is not None and isinstance(level, str) and level not in levels:
            yield Unknown("unknown_level", path, "level", level, levels)


def _thin_cells(raw: Raw, declared: Levels, least: int) -> Iterator[Problem]:
    names = sorted(declared)
    levels = [declared[name] or {} for name in names]
    counted: Counter[tuple[str, ...]] = Counter()
    for _, item in objects_in(raw, "items"):
        given = object_in(item, "factor_levels")
        if len(given) >= len(names) and all(isinstance(given.get(name), str) for name in names):
            counted[tuple(given[name] for name in names)] += 1
    full = sum(1 for cell, n in counted.items() if n >= least and _is_cell(cell, levels))
    thin = _count_cells(levels) - full
    if thin:
        # A hostile design may have more cells than anybody can list: name some, count the rest.
        every = (cell for cell in product(*levels) if counted[cell] < least)
        some = list(islice(every, _MOST_SHOWN))
        shown = ", ".join(f"{' × '.join(cell)} ({counted[cell]})" for cell in some)
        count = f"more than {_MOST_COUNTED:,}" if thin > _MOST_COUNTED else str(thin)
        more = f", … {count} in all" if thin > len(some) else ""
        yield Problem(
            "thin_cell",
            "$.factor_constraints",
            one_line(f"cells with fewer than {least} items: {shown}", 400) + more,
            "add items to these cells, or lower min_items_per_cell",
        )


def _is_cell(cell: tuple[str, ...], levels: list[dict[str, None]]) -> bool:
    return all(level in choices for level, choices in zip(cell, levels, strict=True))


def _count_cells(levels: list[dict[str, None]]) -> int:
    """Cells of the full cross product; counting stops where the exact number says nothing."""
    cells = 1 if all(levels) else 0
    for choices in levels:
        if cells > 2 * _MOST_COUNTED:
            break
        cells *= len(choices)
    return cells
