"""Variance components of a crossed design with one mean per cell, by the method of moments.

Expected mean squares of a random effects model are solved for its variances; draws within cells
are taken out of the lowest of them. With unequal numbers of draws this is the analysis of
unweighted means.

Reference:
    Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance Components. Wiley, chapters 4
    and 5.
"""

from itertools import combinations
from math import prod

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Source = tuple[int, ...]


def sources(n_facets: int) -> list[Source]:
    """Every facet and every set of facets that may interact, small sets first."""
    return [
        chosen for size in range(1, n_facets + 1) for chosen in combinations(range(n_facets), size)
    ]


def solve_components(cells: Floats, noise: float) -> dict[Source, float]:
    """The variance of each source; estimates below zero are left as they are.

    Args:
        cells: One axis per facet, each with two levels or more; the mean of each cell.
        noise: Variance of a cell's mean that comes from its draws alone.
    """
    squares = {source: _mean_square(cells, source) for source in sources(cells.ndim)}
    whole = tuple(range(cells.ndim))
    found = {}
    for source in squares:
        above = [other for other in squares if set(source) <= set(other)]
        signed = sum((-1) ** (len(other) - len(source)) * squares[other] for other in above)
        found[source] = signed / prod(cells.shape[axis] for axis in whole if axis not in source)
    found[whole] -= noise
    return found


def _mean_square(cells: Floats, source: Source) -> float:
    effect = np.zeros(())
    for size in range(len(source) + 1):
        for part in combinations(source, size):
            averaged = tuple(axis for axis in range(cells.ndim) if axis not in part)
            effect = effect + (-1) ** (len(source) - size) * cells.mean(averaged, keepdims=True)
    of_levels = prod(cells.shape[axis] for axis in source)
    freedom = prod(cells.shape[axis] - 1 for axis in source)
    return float((effect**2).sum() * cells.size / of_levels / freedom)
