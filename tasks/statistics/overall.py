"""Every figure over one set of items."""

from collections.abc import Sequence

import numpy as np

from schemas.metrics import OverallMetrics
from tasks.statistics.agreement import NO_ITEMS, cohens_kappa, fleiss_kappa
from tasks.statistics.codes import Codes, encode, encode_table
from tasks.statistics.consensus import consensus
from tasks.statistics.coverage import coverage
from tasks.statistics.dispersion import aggregate, disperse
from tasks.statistics.judgement import AnalystLike, Judgement, count_analysts
from tasks.statistics.panels import group_by_panel, measure_panels
from tasks.statistics.references import CONSENSUS, resolve_reference

NO_JUDGED_ITEMS = "no item has a usable sample"


def measure(
    judgements: Sequence[Judgement],
    analysts: Sequence[AnalystLike],
    primary_panel: str | None = None,
    references: Sequence[str] = (CONSENSUS,),
) -> OverallMetrics:
    """Coverage, agreement and dispersion of the model, and agreement among the analysts.

    Args:
        judgements: The items, each with one verdict per analyst.
        analysts: The analysts in the order of those verdicts; empty when they are not known, and
            then they have positions but neither names nor panels.
        primary_panel: The panel that stands for the analysts; the alphabetically first by default.
        references: Whom to compare the model with, at least one; see `resolve_reference`.

    Raises:
        UserError: An item has a wrong number of verdicts or a negative count of votes, or a
            reference or the primary panel is unknown.
    """
    n_analysts = count_analysts(judgements, analysts)
    analyst_ids = tuple(analyst.id for analyst in analysts)
    chosen = [resolve_reference(request, analyst_ids, n_analysts) for request in references]
    panels = group_by_panel(analysts, primary_panel)

    table = encode_table([item.analyst_verdicts for item in judgements], n_analysts)
    model = encode([item.verdict for item in judgements])
    agreed = encode([consensus(item.analyst_verdicts) for item in judgements])
    judged = np.array([not item.is_missing for item in judgements], dtype=np.bool_)
    spread = disperse(judgements)

    def verdicts_of(column: int | None) -> Codes:
        return agreed if column is None else table[:, column]

    return OverallMetrics(
        n=len(judgements),
        n_missing=int((~judged).sum()),
        coverage=coverage(model),
        coverage_judged=coverage(model[judged], NO_JUDGED_ITEMS if judgements else NO_ITEMS),
        analyst_ids=analyst_ids,
        coverage_per_analyst=tuple(coverage(rater) for rater in table.T) if judgements else (),
        fleiss_kappa=fleiss_kappa(np.column_stack((table, model))),
        inter_analyst_fleiss=fleiss_kappa(table),
        panels=measure_panels(judgements, table, panels) if panels else None,
        cohens_kappa={one.label: cohens_kappa(model, verdicts_of(one.column)) for one in chosen},
        verdict_distributions={
            item.item_id: its for item, its in zip(judgements, spread, strict=True)
        },
        aggregate_dispersion=aggregate(spread),
        aggregate_dispersion_judged=aggregate(
            [its for item, its in zip(judgements, spread, strict=True) if not item.is_missing]
        ),
    )
