"""Every figure over one set of items."""

from collections.abc import Sequence

import numpy as np

from schemas.metrics import Interval, Metric, OverallMetrics, VerdictCounts
from tasks.statistics.agreement import NO_ITEMS
from tasks.statistics.beside import beside_panel, beside_references, prevalence_cautions
from tasks.statistics.codes import ABSTAIN, BAD, GOOD, Codes
from tasks.statistics.columns import Columns, make_columns
from tasks.statistics.coverage import coverage
from tasks.statistics.dispersion import aggregate, disperse
from tasks.statistics.intervals import IntervalSpec, wilson
from tasks.statistics.judgement import AnalystLike, Judgement, count_analysts
from tasks.statistics.measuring import CLASSIC, Measurer, Request
from tasks.statistics.panels import group_by_panel, measure_panels
from tasks.statistics.references import CONSENSUS, resolve_reference
from tasks.statistics.two_level import with_two_level
from tasks.statistics.unjudged import NO_JUDGED_ITEMS, with_unjudged


def measure(
    judgements: Sequence[Judgement],
    analysts: Sequence[AnalystLike],
    primary_panel: str | None = None,
    references: Sequence[str] = (CONSENSUS,),
    request: Request = CLASSIC,
) -> OverallMetrics:
    """Coverage, agreement and dispersion of the model, and agreement among the analysts.

    Args:
        judgements: The items, each with one verdict per analyst.
        analysts: The analysts in the order of those verdicts; empty when they are not known, and
            then they have positions but neither names nor panels.
        primary_panel: The panel that stands for the analysts; the alphabetically first by default.
        references: Whom to compare the model with, at least one; see `resolve_reference`.
        request: What to measure beyond the classic figures.

    Raises:
        UserError: An item has a wrong number of verdicts or a negative count of votes, or a
            reference or the primary panel is unknown.
    """
    n_analysts = count_analysts(judgements, analysts)
    analyst_ids = tuple(analyst.id for analyst in analysts)
    chosen = [resolve_reference(one, analyst_ids, n_analysts) for one in references]
    panels = group_by_panel(analysts, primary_panel)
    columns = make_columns(judgements, n_analysts)
    by_label = {
        one.label: columns.consensus if one.column is None else columns.analysts[:, one.column]
        for one in chosen
    }
    measurer = Measurer.of(request)
    spread = disperse(judgements)
    model_counts, reference_counts = _sides(columns.model, next(iter(by_label.values())))
    measured = OverallMetrics(
        n=len(judgements),
        n_missing=int((~columns.judged).sum()),
        coverage=_rate(columns.model, NO_ITEMS, request),
        coverage_judged=_rate(
            columns.model[columns.judged], NO_JUDGED_ITEMS if judgements else NO_ITEMS, request
        ),
        analyst_ids=analyst_ids,
        coverage_per_analyst=(
            tuple(coverage(rater) for rater in columns.analysts.T) if judgements else ()
        ),
        fleiss_kappa=measurer("fleiss", np.column_stack((columns.analysts, columns.model))),
        inter_analyst_fleiss=measurer("fleiss", columns.analysts),
        panels=measure_panels(columns.analysts, panels, measurer) if panels else None,
        cohens_kappa={
            label: measurer("cohen", np.column_stack((columns.model, reference)))
            for label, reference in by_label.items()
        },
        verdict_distributions={
            item.item_id: its for item, its in zip(judgements, spread, strict=True)
        },
        aggregate_dispersion=aggregate(spread),
        aggregate_dispersion_judged=aggregate(
            [its for item, its in zip(judgements, spread, strict=True) if not item.is_missing]
        ),
        m_counts=model_counts,
        r_counts=reference_counts,
    )
    return _extended(measured, columns, by_label, request)


def _extended(
    measured: OverallMetrics, columns: Columns, references: dict[str, Codes], request: Request
) -> OverallMetrics:
    """The figures with those that were asked for beyond the classic ones."""
    measurer = Measurer.of(request)
    if request.interval is not None and request.interval.method == "two-level":
        measured = _two_level(measured, columns, references, request.interval, request)
    weighted = _weighted(columns, references, measurer) if request.by_margin else {}
    if not request.further:
        return measured.model_copy(update={"further": weighted})
    beside = beside_references(columns, references, measurer) | beside_panel(columns, measurer)
    extended = measured.model_copy(
        update={
            "further": weighted | beside,
            "cautions": prevalence_cautions(measured.cohens_kappa, beside),
        }
    )
    return with_unjudged(extended, columns, references, request.tie_break)


def _two_level(
    measured: OverallMetrics,
    columns: Columns,
    references: dict[str, Codes],
    spec: IntervalSpec,
    request: Request,
) -> OverallMetrics:
    def beside_analysts(model: Codes) -> Codes:
        return np.column_stack((columns.analysts, model))

    fleiss = with_two_level(
        measured.fleiss_kappa,
        "fleiss",
        columns,
        beside_analysts,
        spec,
        request.tie_break,
    )
    kappas = {}
    for label, kappa in measured.cohens_kappa.items():

        def beside_reference(model: Codes, label: str = label) -> Codes:
            return np.column_stack((model, references[label]))

        kappas[label] = with_two_level(
            kappa, "cohen", columns, beside_reference, spec, request.tie_break
        )
    return measured.model_copy(update={"fleiss_kappa": fleiss, "cohens_kappa": kappas})


def _weighted(
    columns: Columns, references: dict[str, Codes], measurer: Measurer
) -> dict[str, Metric]:
    """The kappas with every item weighing as much as its margin, under keys of their own."""
    margins = columns.margins
    table = np.column_stack((columns.analysts, columns.model))
    found = {"fleiss_kappa[margin-weighted]": measurer("fleiss", table, weights=margins)}
    for label, reference in references.items():
        key = f"cohens_kappa[{label},margin-weighted]"
        pairs = np.column_stack((columns.model, reference))
        found[key] = measurer("cohen", pairs, weights=margins)
    return found


def _rate(codes: Codes, if_empty: str, request: Request) -> Metric:
    found = coverage(codes, if_empty)
    if request.interval is None or found.value is None:
        return found
    interval = wilson(int((codes < ABSTAIN).sum()), len(codes), request.interval.confidence)
    assert isinstance(interval, Interval)
    return found.model_copy(update={"interval": interval})


def _sides(model: Codes, reference: Codes) -> tuple[VerdictCounts, VerdictCounts]:
    both = (model < ABSTAIN) & (reference < ABSTAIN)
    one, other = (
        VerdictCounts(good=int((rater[both] == GOOD).sum()), bad=int((rater[both] == BAD).sum()))
        for rater in (model, reference)
    )
    return one, other
