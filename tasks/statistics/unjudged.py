"""What unjudged samples could have changed: bounds, and figures under three policies."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from schemas.base import TieBreak
from schemas.metrics import Bounds, Metric, OverallMetrics
from tasks.statistics.agreement import ALL_VERDICTS, NO_ITEMS, SIDES, agreement
from tasks.statistics.beside import where_both_took_a_side
from tasks.statistics.bounds import fleiss_bounds, pair_bounds, rate_bounds
from tasks.statistics.codes import MISSING, Codes
from tasks.statistics.coefficients import Coefficient, Kind
from tasks.statistics.columns import Columns
from tasks.statistics.completions import completion_bounds
from tasks.statistics.coverage import coverage
from tasks.statistics.measuring import BESIDE_KAPPA, NAMES, THREE_CLASS
from tasks.statistics.revoting import reachable, under_policy

POLICIES: Final = ("leave_out", "wrong", "abstain")
MOVING_WEIGHTS: Final = "its weights would move with the samples, too"
WEIGHTED: Final = "margin-weighted]"
NO_JUDGED_ITEMS: Final = "no item has a usable sample"


def with_unjudged(
    measured: OverallMetrics,
    columns: Columns,
    references: Mapping[str, Codes],
    tie_break: TieBreak,
) -> OverallMetrics:
    """The figures with their bounds, and the main ones under each policy."""
    n_unjudged = int(columns.n_unjudged.sum())
    changes: dict[str, object] = {"n_unjudged_samples": n_unjudged}
    if n_unjudged:
        changes |= _bounded(measured, columns, references, tie_break)
        first = next(iter(references))
        changes["policies"] = {
            policy: _under(columns, first, references[first], tie_break, policy)
            for policy in POLICIES
        }
    return measured.model_copy(update=changes)


def _bounded(
    measured: OverallMetrics,
    columns: Columns,
    references: Mapping[str, Codes],
    tie_break: TieBreak,
) -> dict[str, object]:
    reached = reachable(columns, tie_break)
    n_open = int((reached.sum(axis=1) > 1).sum())
    # Whatever the unjudged samples had said, their items would be judged.
    ever_judged = reached[reached.any(axis=1)]
    # Where nothing was judged the value leaves the item out, which is no verdict at all.
    silent = (columns.n_open > 0) & (columns.settled.sum(axis=1) == 0)
    or_missing = np.column_stack((reached, silent))
    further = dict(measured.further)
    for label, reference in references.items():
        for kind in BESIDE_KAPPA:
            key = f"{NAMES[kind]}[{label}]"
            further[key] = _with(further[key], pair_bounds(kind, reached, reference))
        for kind in ("cohen", *BESIDE_KAPPA):
            key = f"{NAMES[kind]}{THREE_CLASS}[{label}]"
            found = completion_bounds(
                Coefficient(kind, ALL_VERDICTS), or_missing, reference[:, np.newaxis]
            )
            further[key] = _with(further[key], found)
    for n_classes, suffix in ((SIDES, ""), (ALL_VERDICTS, THREE_CLASS)):
        for kind in BESIDE_KAPPA if n_classes == SIDES else ("fleiss", *BESIDE_KAPPA):
            key = f"{NAMES[kind]}{suffix}"
            found = completion_bounds(Coefficient(kind, n_classes), or_missing, columns.analysts)
            further[key] = _with(further[key], found)
    for key in further:
        if key.endswith(WEIGHTED):
            further[key] = _with(further[key], MOVING_WEIGHTS)
    return {
        "coverage": _with(measured.coverage, rate_bounds(reached, n_open)),
        "coverage_judged": _with(measured.coverage_judged, rate_bounds(ever_judged, n_open)),
        "fleiss_kappa": _with(measured.fleiss_kappa, fleiss_bounds(reached, columns.analysts)),
        "cohens_kappa": {
            label: _with(kappa, pair_bounds("cohen", reached, references[label]))
            for label, kappa in measured.cohens_kappa.items()
        },
        "further": further,
    }


def _under(
    columns: Columns, label: str, reference: Codes, tie_break: TieBreak, policy: str
) -> dict[str, Metric]:
    model = under_policy(columns, reference, tie_break, policy)
    pairs = np.column_stack((model, reference))
    both = where_both_took_a_side(pairs)
    kinds: tuple[Kind, ...] = ("cohen", *BESIDE_KAPPA)
    judged = model[model != MISSING]
    return {
        "coverage_judged": coverage(judged, NO_JUDGED_ITEMS if len(model) else NO_ITEMS),
        **{
            f"{NAMES[kind]}[{label}]": agreement(kind, pairs if kind == "cohen" else both)
            for kind in kinds
        },
        "fleiss_kappa": agreement("fleiss", np.column_stack((columns.analysts, model))),
    }


def _with(metric: Metric, found: Bounds | str | None) -> Metric:
    if found is None:
        return metric
    name = "bounds" if isinstance(found, Bounds) else "no_bounds"
    return metric.model_copy(update={name: found})
