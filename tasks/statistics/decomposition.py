"""The metrics document: an evaluation as a whole, and the parts that were asked for."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from schemas.benchmark import Analyst, Benchmark
from schemas.evaluation import Evaluation
from schemas.metrics import Caution, OverallMetrics
from tasks.statistics.cells import Cell
from tasks.statistics.evaluations import judgements_of
from tasks.statistics.judgement import Judgement
from tasks.statistics.measuring import Request
from tasks.statistics.overall import measure
from tasks.statistics.references import CONSENSUS


class Decomposed(NamedTuple):
    """The whole and its parts, measured."""

    overall: OverallMetrics
    cells: list[tuple[Cell, OverallMetrics]]

    @property
    def cautions(self) -> list[Caution]:
        """What to know about the whole, and which parts are empty."""
        empty = [cell.caution for cell, _ in self.cells if cell.caution]
        return [*self.overall.cautions, *empty]

    def to_json(self) -> dict[str, Any]:
        """The document that `assent metrics` prints."""
        whole = self.overall.to_json()
        panels = {"panels": whole["panels"]} if "panels" in whole else {}
        return {"overall": whole, "cells": [_cell(*one) for one in self.cells], **panels}


def decompose(
    evaluation: Evaluation,
    benchmark: Benchmark | None,
    cells: Sequence[Cell],
    references: Sequence[str],
    request: Request,
) -> Decomposed:
    """Measure an evaluation and parts of it; the first reference governs the parts.

    Raises:
        UserError: A reference is unknown, or the verdicts do not fit the analysts.
    """
    items = judgements_of(evaluation)
    analysts = benchmark.analysts if benchmark else ()
    primary = benchmark.primary_panel if benchmark else None
    overall = measure(items, analysts, primary, references, request)
    parts = []
    for cell in cells:
        part = [items[row] for row in cell.rows]
        its_request = _request_of(cell, request)
        if cell.panel is None:
            measured = measure(part, analysts, primary, references[:1], its_request)
        else:
            members, part = _only_panel(part, analysts, cell.panel)
            measured = measure(part, members, cell.panel, (CONSENSUS,), its_request)
        parts.append((cell, measured))
    return Decomposed(overall, parts)


def _request_of(cell: Cell, request: Request) -> Request:
    if request.clusters is None:
        return request
    return request._replace(clusters=[request.clusters[row] for row in cell.rows])


def _only_panel(
    items: list[Judgement], analysts: Sequence[Analyst], panel: str
) -> tuple[list[Analyst], list[Judgement]]:
    columns = [i for i, analyst in enumerate(analysts) if analyst.panel == panel]
    return [analysts[i] for i in columns], [
        item._replace(analyst_verdicts=tuple(item.analyst_verdicts[i] for i in columns))
        for item in items
    ]


def _cell(cell: Cell, measured: OverallMetrics) -> dict[str, Any]:
    block = measured.to_json()
    # Every item is in the whole already.
    del block["verdict_distributions"]
    return {**cell.head(), **block}
