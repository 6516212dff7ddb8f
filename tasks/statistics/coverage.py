"""How often a rater took a side."""

from schemas.metrics import Metric
from tasks.statistics.agreement import NO_ITEMS
from tasks.statistics.codes import ABSTAIN, Column, encode


def coverage(column: Column, if_empty: str = NO_ITEMS) -> Metric:
    """Share of items where the rater said good or bad.

    Args:
        column: The rater's verdicts.
        if_empty: Reason to give when there are none.
    """
    codes = encode(column)
    if not len(codes):
        return Metric.undefined(if_empty)
    return Metric(value=float((codes < ABSTAIN).mean()), n=len(codes))
