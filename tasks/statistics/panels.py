"""Analysts in panels: agreement within each, and between two of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schemas.errors import UserError
from schemas.metrics import Metric, PanelAgreement
from tasks.statistics.codes import Codes
from tasks.statistics.columns import plurality_codes
from tasks.statistics.judgement import AnalystLike
from tasks.statistics.measuring import Measurer


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


def measure_panels(table: Codes, panels: Panels, measurer: Measurer) -> PanelAgreement:
    """Agreement within every panel, and between the panels when there are exactly two.

    Args:
        table: The analysts' verdicts as codes.
        panels: Which columns belong to which panel.
        measurer: Measures a coefficient.
    """
    return PanelAgreement(
        primary=panels.primary,
        inter_analyst_fleiss={
            name: measurer("fleiss", table[:, columns]) for name, columns in panels.columns.items()
        },
        cross_panel_kappa=_cross_panel_kappa(table, panels, measurer),
    )


def _cross_panel_kappa(table: Codes, panels: Panels, measurer: Measurer) -> Metric:
    if len(panels.columns) != 2:
        return Metric.undefined(f"needs exactly two panels, there are {len(panels.columns)}")
    pluralities = [plurality_codes(table[:, columns]) for columns in panels.columns.values()]
    return measurer("cohen", np.column_stack(pluralities))
