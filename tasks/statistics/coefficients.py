"""Agreement as a function of sums over items.

Every coefficient here is computed in two steps: each item gives a row of *features*, and the
coefficient is a formula of their weighted sums. Resampling items then means weighting rows, and a
thousand resampled coefficients are one matrix product and one formula.

A formula takes sums along the last axis and gives NaN where the coefficient is undefined. All are
in their disagreement form, 1 - observed disagreement / chance disagreement (Cohen 1968), which
stays exact where agreements close to 1 would be subtracted from each other.

References:
    Brennan, R. L. and Prediger, D. J. (1981). Coefficient kappa: some uses, misuses, and
    alternatives. Educational and Psychological Measurement, 41(3), 687-699.
    Cohen, J. (1960) and Fleiss, J. L. (1971): see `tasks.statistics.agreement`.
    Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high
    agreement. British Journal of Mathematical and Statistical Psychology, 61(1), 29-48.
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
"""

from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tasks.statistics.codes import Codes

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Kind = Literal["cohen", "fleiss", "alpha", "ac1", "brennan_prediger", "raw"]

_NO_CHANCE_DISAGREEMENT: Final = 1e-12


class Disagreement(NamedTuple):
    """Observed disagreement, and the one that chance would produce."""

    observed: Floats
    by_chance: Floats

    def coefficient(self) -> Floats:
        """NaN where chance leaves nothing to disagree about, or nothing was observed."""
        possible = self.by_chance >= _NO_CHANCE_DISAGREEMENT
        safe = np.where(possible, self.by_chance, 1.0)
        # Rounding may leave the range by the last bit.
        return np.where(possible, np.maximum(-1.0, 1.0 - self.observed / safe), np.nan)


class Coefficient(NamedTuple):
    """A coefficient of some raters: how items become features, and sums of them a number."""

    kind: Kind
    n_classes: int

    def usable(self, table: Codes) -> Rows:
        """Which items count: those that two raters rated, and for the kappas all raters."""
        rated = (table < self.n_classes).sum(axis=1)
        if self.kind in {"cohen", "fleiss"}:
            return np.flatnonzero(rated == table.shape[1])
        return np.flatnonzero(rated >= (1 if self.kind == "ac1" else 2))

    def features(self, table: Codes) -> Floats:
        """One row per item of a table that holds usable items only."""
        if self.kind == "cohen":
            cells = table[:, 0].astype(np.intp) * self.n_classes + table[:, 1]
            one_hot: Floats = np.eye(self.n_classes**2)[cells]
            return one_hot
        counts = np.stack([(table == c).sum(axis=1) for c in range(self.n_classes)], axis=1)
        return self._features_of_counts(counts.astype(np.float64))

    def pseudo_items(self, n_raters: int) -> tuple[Floats, Floats]:
        """Features of every way in which an item could be rated, and how much each weighs.

        Ratings at random, as many as hold one disagreement. Many raters are hardly ever unanimous
        by chance; unanimous items weigh as much as they do with two raters all the same, lest the
        pseudo-items speak against any agreement.
        """
        k = self.n_classes
        # A random pair of ratings differs with probability (k - 1) / k.
        mass = k / (k - 1)
        if self.kind == "cohen":
            return np.eye(k**2), np.full(k**2, mass / k**2)
        profiles = [
            [profile.count(c) for c in range(k)]
            for profile in combinations_with_replacement(range(k), n_raters)
        ]
        # Whole numbers until the division, which then neither overflows nor rounds twice.
        orders, all_ways = factorial(n_raters), k**n_raters
        weights = [
            mass / k**2
            if n_raters in profile
            else mass * (orders / (prod(map(factorial, profile)) * all_ways))
            for profile in profiles
        ]
        return self._features_of_counts(np.array(profiles, dtype=np.float64)), np.array(weights)

    def _features_of_counts(self, counts: Floats) -> Floats:
        raters = counts.sum(axis=1)
        split = (counts * (raters[:, None] - counts)).sum(axis=1)
        pairs = np.maximum(raters * (raters - 1), 1.0)
        if self.kind == "alpha":
            return np.column_stack((counts, split / np.maximum(raters - 1, 1.0)))
        paired = (raters >= 2).astype(np.float64)
        if self.kind in {"brennan_prediger", "raw"}:
            return np.column_stack((paired, split / pairs))
        shares = counts / raters[:, None]
        return np.column_stack((paired, split / pairs, np.ones(len(counts)), shares))

    def disagreement(self, sums: Floats) -> Disagreement:
        """Observed and chance disagreement for each vector of summed features."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._disagreement(sums)

    def values(self, sums: Floats) -> Floats:
        """The coefficient for each vector of summed features; NaN where it is undefined."""
        found = self.disagreement(sums)
        return 1.0 - found.observed if self.kind == "raw" else found.coefficient()

    def _disagreement(self, sums: Floats) -> Disagreement:
        k, others = self.n_classes, 1.0 - np.eye(self.n_classes)
        if self.kind == "cohen":
            cells = sums.reshape(*sums.shape[:-1], k, k)
            total = sums.sum(axis=-1)
            by_chance = (cells.sum(axis=-1) * (cells.sum(axis=-2) @ others)).sum(axis=-1)
            return Disagreement((cells * others).sum(axis=(-1, -2)) / total, by_chance / total**2)
        if self.kind == "alpha":
            of_class = sums[..., :k]
            total = of_class.sum(axis=-1)
            by_chance = (of_class * (of_class @ others)).sum(axis=-1)
            return Disagreement(sums[..., k] / total, by_chance / (total * (total - 1)))
        observed = sums[..., 1] / sums[..., 0]
        if self.kind in {"brennan_prediger", "raw"}:
            return Disagreement(observed, np.full_like(observed, (k - 1) / k))
        shares = sums[..., 3:] / sums[..., 2:3]
        spread = (shares * (shares @ others)).sum(axis=-1)
        return Disagreement(observed, spread if self.kind == "fleiss" else 1 - spread / (k - 1))
