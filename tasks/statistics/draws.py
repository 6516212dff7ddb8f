"""Draws of a coefficient, by which its uncertainty is seen.

`posterior_sums` weighs the units at random as the Bayesian bootstrap does (Rubin 1981), and adds
pseudo-items of every possible rating that together hold one disagreement. For two raters and two
classes this is exactly the Dirichlet posterior of the cross table with 1/2 added to each cell
(Jeffreys' prior); the form with weights on units carries over to more raters and classes, to
clusters and to weighted items.

`bootstrap_sums` draws units with replacement (Efron 1979), `subsample_places` items without
(Politis and Romano 1994), in the order of CPython's `random.Random(seed).sample`.
"""

import random
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tasks.statistics.coefficients import Floats
from tasks.statistics.units import Units

_MOST_AT_A_TIME = 4_000_000


def posterior_sums(units: Units, draws: int, rng: np.random.Generator) -> Floats:
    """Summed features under random weights of the units and of the pseudo-items."""
    pseudo, masses = units.measure.pseudo_items(units.n_raters)
    shapes = units.counts.astype(np.float64)
    found = []
    for some in _batches(draws, len(shapes) + len(masses)):
        of_units = rng.standard_gamma(shapes, (some, len(shapes)))
        of_pseudo = rng.standard_gamma(masses, (some, len(masses)))
        sums = of_units @ units.features + units.pseudo_weight * (of_pseudo @ pseudo)
        # Alpha depends on the number of items: every draw stands for as many as there are.
        total = of_units.sum(axis=1) + of_pseudo.sum(axis=1)
        found.append(sums * (units.number / total)[:, None])
    return np.concatenate(found)


def bootstrap_sums(units: Units, draws: int, rng: np.random.Generator) -> Floats:
    """Summed features of as many units as there are, drawn with replacement."""
    shares = units.counts / units.number
    return np.concatenate(
        [
            rng.multinomial(units.number, shares, some) @ units.features
            for some in _batches(draws, len(shares))
        ]
    )


def _batches(draws: int, width: int) -> Iterator[int]:
    """How many draws to make at a time, so that memory does not grow with them."""
    size = max(1, _MOST_AT_A_TIME // max(1, width))
    for start in range(0, draws, size):
        yield min(size, draws - start)


@lru_cache(maxsize=4)
def subsample_places(n_items: int, size: int, draws: int, seed: int) -> npt.NDArray[np.intp]:
    """Places of the items in each draw without replacement."""
    generator = random.Random(seed)
    population = range(n_items)
    return np.array([generator.sample(population, size) for _ in range(draws)], dtype=np.intp)
