"""One coefficient after the other, each with its interval in the form that was asked for."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from schemas.base import TieBreak
from schemas.metrics import Interval, Metric
from tasks.statistics.agreement import SIDES, agreement, checked_weights
from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Coefficient, Floats, Kind
from tasks.statistics.intervals import IntervalSpec, bootstrap, dirichlet, subsampling
from tasks.statistics.units import Clusters, item_features, make_units

NAMES: Final[dict[Kind, str]] = {
    "cohen": "cohens_kappa",
    "fleiss": "fleiss_kappa",
    "raw": "raw_agreement",
    "brennan_prediger": "brennan_prediger",
    "ac1": "gwet_ac1",
    "alpha": "krippendorff_alpha",
}
BESIDE_KAPPA: Final[tuple[Kind, ...]] = ("raw", "brennan_prediger", "ac1", "alpha")
THREE_CLASS: Final = "_three_class"


NOT_TWO_LEVEL: Final = "two-level intervals are found for the model's kappas only"


class Request(NamedTuple):
    """What to measure beyond the classic figures."""

    further: bool = False
    interval: IntervalSpec | None = None
    by_margin: bool = False
    clusters: Sequence[str] | None = None
    tie_break: TieBreak = "abstain"


CLASSIC: Final = Request()


class Measurer(NamedTuple):
    """Measures coefficients over one set of items."""

    interval: IntervalSpec | None
    clusters: Clusters | None

    @classmethod
    def of(cls, request: Request) -> "Measurer":
        """For a request."""
        if request.clusters is None:
            return cls(request.interval, None)
        _, places = np.unique(np.array(request.clusters, dtype=str), return_inverse=True)
        return cls(request.interval, places)

    def __call__(
        self,
        kind: Kind,
        table: Codes,
        n_classes: int = SIDES,
        weights: Floats | None = None,
    ) -> Metric:
        """The coefficient, with an interval or the reason why it has none."""
        found = agreement(kind, table, weights, n_classes)
        if self.interval is None or found.value is None:
            return found
        measure = Coefficient(kind, n_classes)
        item_weights = checked_weights(weights, len(table))
        return with_interval(found, self._find(measure, table, item_weights, found.value))

    def _find(
        self, measure: Coefficient, table: Codes, weights: Floats, value: float
    ) -> Interval | str:
        spec = self.interval
        assert spec is not None
        if spec.method == "two-level":
            return NOT_TWO_LEVEL
        if spec.method == "subsampling":
            units = make_units(measure, table, weights)
            return subsampling(units, item_features(measure, table, weights), value, spec)
        units = make_units(measure, table, weights, self.clusters)
        find = bootstrap if spec.method == "bootstrap" else dirichlet
        return find(units, value, spec)


def with_interval(metric: Metric, found: Interval | str) -> Metric:
    """A metric with its interval, or with the reason why it has none."""
    name = "interval" if isinstance(found, Interval) else "no_interval"
    return metric.model_copy(update={name: found})
