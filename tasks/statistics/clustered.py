"""Standard errors and tests of a logistic regression whose samples come in items.

The plain clustered covariance is too small on few items, and referring it to the normal
distribution makes that worse. Here each item's sum of residuals is divided by the square root of
one less its leverage (Kauermann and Carroll 2001, known as CR2), and tests are referred to
distributions whose degrees of freedom say how many items really inform an effect (Bell and
McCaffrey 2002 for one effect, Pustejovsky and Tipton 2018 for several).

All samples of an item have the same levels, so an item is one row with a number of samples.

References:
    Bell, R. M. and McCaffrey, D. F. (2002). Bias reduction in standard errors for linear
    regression with multi-stage samples. Survey Methodology, 28(2), 169-181.
    Kauermann, G. and Carroll, R. J. (2001). A note on the efficiency of sandwich covariance matrix
    estimation. Journal of the American Statistical Association, 96(456), 1387-1396.
    Pustejovsky, J. E. and Tipton, E. (2018). Small-sample methods for cluster-robust variance
    estimation and hypothesis testing in fixed effects models. Journal of Business and Economic
    Statistics, 36(4), 672-683.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tasks.statistics.coefficients import Floats
from tasks.statistics.factor_design import Design

METHOD: Final = "CR2 errors clustered by item, Satterthwaite degrees of freedom"
LONE_ITEM: Final = "it rests on one item, whose own luck cannot be told from it"
SINGULAR: Final = "the covariance of its coefficients is singular"
TOO_FEW_ITEMS: Final = "too few items inform its levels for a joint test"

_ALONE = 1e-8


class Cells(NamedTuple):
    """Items that are alike in levels and number of samples, each kind once."""

    rows: Floats
    number: Floats
    weights: Floats
    leverage: Floats
    squares: Floats
    """Squared sums of residuals, added up over the items of each kind."""


class Clustered(NamedTuple):
    """Coefficients with what their uncertainty is computed from."""

    params: Floats
    bread: Floats
    """Inverse of the information."""
    cells: Cells

    @classmethod
    def of(cls, design: Design, params: Floats, bread: Floats) -> "Clustered":
        """The fitted coefficients of a design."""
        _, first, sizes = np.unique(design.clusters, return_index=True, return_counts=True)
        rows = design.matrix[first]
        chance = 1 / (1 + np.exp(-rows @ params))
        residuals = np.bincount(design.clusters, design.agrees) - sizes * chance
        described = np.column_stack((sizes, rows)).astype(np.float64)
        kinds, places = np.unique(described, axis=0, return_inverse=True)
        places = places.ravel()
        own: Floats = kinds[:, 1:]
        likely = 1 / (1 + np.exp(-own @ params))
        weights = kinds[:, 0] * likely * (1 - likely)
        cells = Cells(
            rows=own,
            number=np.bincount(places).astype(np.float64),
            weights=weights,
            leverage=weights * np.einsum("gi,ij,gj->g", own, bread, own),
            squares=np.bincount(places, residuals**2).astype(np.float64),
        )
        return cls(params, bread, cells)

    @property
    def errors(self) -> Floats:
        """Standard errors; infinite for a coefficient that rests on one item alone."""
        reach = self.cells.rows @ self.bread
        moved = reach**2 * self.cells.weights[:, None] / np.diag(self.bread)
        rests = (moved[~self._spread] > _ALONE).any(axis=0)
        return np.where(rests, np.inf, np.sqrt(np.diag(self.covariance())))

    def covariance(self) -> Floats:
        """The CR2 covariance of the coefficients."""
        pulls = self._pulls(range(len(self.params)))
        found: Floats = (pulls * self.cells.squares[:, None]).T @ pulls
        return found

    def degrees(self, places: Sequence[int]) -> float:
        """How many independent squares the covariance of these coefficients is worth."""
        cells, pulls = self.cells, self._pulls(places)
        expected = cells.weights * (1 - cells.leverage)
        # Standardised, so that the covariance is expected to be that of independent ones.
        target = (pulls * (cells.number * expected)[:, None]).T @ pulls
        alike = pulls @ np.linalg.solve(target, pulls.T)
        scaled = cells.rows * cells.weights[:, None]
        shared = -scaled @ self.bread @ scaled.T
        own = np.diag(shared)
        total = cells.number @ (shared * alike) ** 2 @ cells.number
        total += cells.number @ ((expected**2 - own**2) * np.diag(alike) ** 2)
        return float(len(places) * (len(places) + 1) / (2 * total))

    def joint_p(self, places: Sequence[int]) -> float | str:
        """The test that these coefficients are all zero, or why there is none."""
        from scipy.special import fdtrc

        if np.isinf(self.errors[list(places)]).any():
            return LONE_ITEM
        covariance = self.covariance()[np.ix_(places, places)]
        number = len(places)
        if np.linalg.matrix_rank(covariance, hermitian=True) < number:
            return SINGULAR
        degrees = self.degrees(places)
        left = degrees - number + 1
        if left <= 0:
            return TOO_FEW_ITEMS
        effects = self.params[list(places)]
        wald = float(effects @ np.linalg.solve(covariance, effects))
        return float(fdtrc(number, left, wald * left / (degrees * number)))

    @property
    def _spread(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Items that do not alone determine a coefficient."""
        return self.cells.leverage < 1 - _ALONE

    def _pulls(self, places: Sequence[int]) -> Floats:
        """How far a unit of an item's residual moves the coefficients, leverage undone."""
        rest = np.where(self._spread, 1 - self.cells.leverage, 1.0)
        found: Floats = (self.cells.rows @ self.bread)[:, list(places)] / np.sqrt(rest)[:, None]
        return np.where(self._spread[:, None], found, 0.0)
