"""Intervals that draw items and, within each, samples.

The other intervals take the verdict on an item as it is and ask what other items would have given.
This one also asks what other samples of the same items would have given: it draws items with
replacement, draws each one's votes again from its own shares, votes anew, and centres the draws on
the estimate. It tells how much of the doubt more samples could remove, and it is on the wide side,
since the verdicts already carry the luck of their samples (Davison and Hinkley 1997, section 3.8).
"""

from collections.abc import Callable

import numpy as np

from schemas.base import TieBreak
from schemas.metrics import Interval, Metric
from tasks.statistics.agreement import SIDES
from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Coefficient, Kind
from tasks.statistics.columns import Columns
from tasks.statistics.intervals import NO_DRAW, IntervalSpec, quantiles
from tasks.statistics.measuring import with_interval
from tasks.statistics.revoting import vote_codes
from tasks.statistics.units import item_features

METHOD = "two-level"


def with_two_level(
    metric: Metric,
    kind: Kind,
    columns: Columns,
    table_of: Callable[[Codes], Codes],
    spec: IntervalSpec,
    tie_break: TieBreak,
) -> Metric:
    """A kappa of the model with its two-level interval.

    Args:
        metric: The kappa.
        kind: Which one.
        columns: The items.
        table_of: The table of ratings for a column of the model's verdicts.
        spec: Number of draws, and the seed.
        tie_break: The verdict of a tie of good and bad.
    """
    if metric.value is None:
        return metric
    found = _interval(metric.value, kind, columns, table_of, spec, tie_break)
    return with_interval(metric.model_copy(update={"no_interval": None}), found)


def _interval(
    value: float,
    kind: Kind,
    columns: Columns,
    table_of: Callable[[Codes], Codes],
    spec: IntervalSpec,
    tie_break: TieBreak,
) -> Interval | str:
    rng, measure = spec.generator(), Coefficient(kind, SIDES)
    n_items = len(columns.model)
    sizes = columns.tallies.sum(axis=1)
    voted = sizes > 0
    shares = columns.tallies[voted] / sizes[voted, None]
    values = np.empty(spec.iterations)
    model = columns.model.copy()
    for draw in range(spec.iterations):
        again = rng.multinomial(sizes[voted], shares)
        coin = rng.integers(0, 2, len(again), dtype=np.int8)
        model[voted] = vote_codes(again, tie_break, coin)
        features = item_features(measure, table_of(model), np.ones(n_items))
        picked = rng.multinomial(n_items, np.full(n_items, 1 / n_items))
        values[draw] = measure.values(picked @ features)
    known = values[~np.isnan(values)]
    if not len(known):
        return NO_DRAW
    # Votes drawn again from few samples waver more than the votes did, which pulls all draws down.
    centred = np.clip(known - known.mean() + value, -1.0, 1.0)
    return quantiles(centred, value, spec, METHOD)
