"""The verdict to agree with, item by item."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemas.base import Verdict
from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation
from tasks.statistics.consensus import consensus, plurality_consensus
from tasks.statistics.references import resolve_reference

PLURALITY = "plurality"
"""The panel's most frequent verdict where abstaining counts as one."""


class Referred(NamedTuple):
    """Whom to agree with, and what they say of each item."""

    label: str
    verdicts: Mapping[str, Verdict]


def reference_verdicts(
    request: str, evaluation: Evaluation, benchmark: Benchmark | None = None
) -> Referred:
    """What the reference says of every item.

    Args:
        request: `consensus`, `plurality`, or `analyst:<id or index>`.
        evaluation: Holds a copy of the panel's verdicts.
        benchmark: Its verdicts take precedence, and only it knows the analysts' ids.

    Raises:
        UserError: Nobody is called that.
    """
    items = evaluation.items if benchmark is None else benchmark.items
    given = {item.id: item.analyst_verdicts for item in items}
    if request == PLURALITY:
        return Referred(PLURALITY, {key: plurality_consensus(row) for key, row in given.items()})
    ids = [] if benchmark is None else [analyst.id for analyst in benchmark.analysts]
    n_analysts = len(ids) or len(next(iter(given.values()), ()))
    chosen = resolve_reference(request, ids, n_analysts)
    return Referred(chosen.label, {key: _said(row, chosen.column) for key, row in given.items()})


def _said(row: Sequence[Verdict], column: int | None) -> Verdict:
    return consensus(row) if column is None else row[column]
