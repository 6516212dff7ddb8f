"""What resampling works on: independent units, each with its summed features.

A unit is an item, or a cluster of items that stand or fall together, such as the variations of one
inference. Units with equal features are kept once with their number, so that the cost of a draw
depends on the number of different units and not on the number of items.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Coefficient, Floats

Clusters = npt.NDArray[np.intp]

# A row of codes is read as the digits of one number, if that is an int64.
_LARGEST = 2**62


class Units(NamedTuple):
    """Distinct units of a coefficient."""

    measure: Coefficient
    features: Floats
    counts: npt.NDArray[np.int64]
    n_raters: int
    pseudo_weight: float
    effective_number: float

    @property
    def number(self) -> int:
        """How many units there are."""
        return int(self.counts.sum())

    @property
    def sums(self) -> Floats:
        """Features summed over all units."""
        total: Floats = self.counts @ self.features
        return total


def item_features(measure: Coefficient, table: Codes, weights: Floats) -> Floats:
    """Weighted features of every item; zeros for one that does not count."""
    used = measure.usable(table)
    found = measure.features(table[used]) * weights[used, None]
    features = np.zeros((len(table), found.shape[1]))
    features[used] = found
    return features


def make_units(
    measure: Coefficient, table: Codes, weights: Floats, clusters: Clusters | None = None
) -> Units:
    """The units of a coefficient.

    Args:
        measure: The coefficient.
        table: Codes, one row per item and one column per rater.
        weights: How much each item counts.
        clusters: A number per item; items with the same one form a unit. Each is one without.
    """
    used = measure.usable(table)
    used = used[weights[used] > 0]
    masses: Floats = weights[used]
    if clusters is not None and len(used):
        _, places = np.unique(clusters[used], return_inverse=True)
        features = _added_up(item_features(measure, table, weights)[used], places)
        masses = np.bincount(places, masses).astype(np.float64)
        distinct, counts = np.unique(features, axis=0, return_counts=True)
    else:
        distinct, counts = _distinct_items(measure, table[used], masses)
    total = float(masses.sum())
    return Units(
        measure=measure,
        features=distinct,
        counts=counts,
        n_raters=table.shape[1],
        # As much as an item of mean weight; where items come in clusters more than that, since a
        # cluster tells less than its items would one by one, yet more than a single item.
        pseudo_weight=total / np.sqrt(len(used) * len(masses)) if len(used) else 0.0,
        effective_number=total**2 / float((masses**2).sum()) if total else 0.0,
    )


def _distinct_items(
    measure: Coefficient, table: Codes, weights: Floats
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Different features and how often each occurs, looking at equal rows only once."""
    base = int(table.max(initial=1)) + 1
    is_number = base ** table.shape[1] <= _LARGEST
    if len(table) and is_number and (weights == weights[0]).all():
        digits = np.int64(base) ** np.arange(table.shape[1])
        _, first, often = np.unique(table @ digits, return_index=True, return_counts=True)
        table, weights = table[first], weights[first]
    else:
        often = np.ones(len(table), dtype=np.int64)
    features = measure.features(table) * weights[:, None]
    distinct, places = np.unique(features, axis=0, return_inverse=True)
    return distinct, np.bincount(places.ravel(), often, len(distinct)).astype(np.int64)


def _added_up(features: Floats, places: npt.NDArray[np.intp]) -> Floats:
    added = np.zeros((int(places.max()) + 1, features.shape[1]))
    np.add.at(added, places, features)
    return added
