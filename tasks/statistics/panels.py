"""Analysts in panels: agreement within each, and between two of them."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.errors import UserError
from schemas.metrics import Metric, PanelAgreement
from tasks.statistics.agreement import cohens_kappa, fleiss_kappa
from tasks.statistics.codes import Codes, encode
from tasks.statistics.consensus import plurality_consensus
from tasks.statistics.judgement import AnalystLike, Judgement


class Panels(NamedTuple):
    """The columns of each panel's analysts, by panel name in alphabetical order."""

    primary: str
    columns: dict[str, list[int]]


def group_by_panel(analysts: Sequence[AnalystLike], primary_panel: str | None) -> Panels | None:
    """The panels, or None when no analyst belongs to one.

    The primary panel is the given one, otherwise the alphabetically first.

    Raises:
        UserError: No analyst belongs to the given primary panel.
    """
    names = sorted({analyst.panel for analyst in analysts if analyst.panel is not None})
    if primary_panel is not None and primary_panel not in names:
        raise UserError(
            f"unknown primary panel {primary_panel!r}",
            fix=f"use one of: {', '.join(names) or 'none is declared'}",
            code="unknown_panel",
        )
    if not names:
        return None
    columns = {
        name: [index for index, analyst in enumerate(analysts) if analyst.panel == name]
        for name in names
    }
    return Panels(names[0] if primary_panel is None else primary_panel, columns)


def measure_panels(judgements: Sequence[Judgement], table: Codes, panels: Panels) -> PanelAgreement:
    """Agreement within every panel, and between the panels when there are exactly two.

    Args:
        judgements: The items.
        table: Their analysts' verdicts as codes.
        panels: Which columns belong to which panel.
    """
    return PanelAgreement(
        primary=panels.primary,
        inter_analyst_fleiss={
            name: fleiss_kappa(table[:, columns]) for name, columns in panels.columns.items()
        },
        cross_panel_kappa=_cross_panel_kappa(judgements, panels),
    )


def _cross_panel_kappa(judgements: Sequence[Judgement], panels: Panels) -> Metric:
    if len(panels.columns) != 2:
        return Metric.undefined(f"needs exactly two panels, there are {len(panels.columns)}")
    one, other = (_plurality(judgements, columns) for columns in panels.columns.values())
    return cohens_kappa(one, other)


def _plurality(judgements: Sequence[Judgement], columns: Sequence[int]) -> Codes:
    return encode(
        [
            plurality_consensus([item.analyst_verdicts[index] for index in columns])
            for item in judgements
        ]
    )
