"""Intervals of coefficients: how far the value could be from that of all items one might ask.

Methods:
    dirichlet: Quantiles of the posterior in `tasks.statistics.draws`, stretched where needed to
        contain the estimate. The tails are those of Student's t on one less than the number of
        units, because the spread is itself estimated. The default.
    bootstrap: Bias-corrected and accelerated (Efron 1987), or plain percentiles where that is
        undefined; the name says which.
    subsampling: Politis and Romano (1994), with draws of n^0.7 items.

Rates get Wilson's (1927). `benchmarks/coverage.py` measures how often each contains the truth.
"""

from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from schemas.metrics import Interval
from tasks.statistics.coefficients import Floats
from tasks.statistics.draws import bootstrap_sums, posterior_sums, subsample_places
from tasks.statistics.units import Units

Method = Literal["dirichlet", "bootstrap", "subsampling", "two-level"]

FEWEST_FOR_SUBSAMPLING = 10
ONE_UNIT = "one item, or one cluster of items, does not show any spread"
NO_DRAW = "undefined in every draw"

# Keeps these draws apart from whatever else is drawn from the same seed.
_STREAM = 0x8A90ABA9


class IntervalSpec(NamedTuple):
    """How intervals are found."""

    method: Method = "dirichlet"
    iterations: int = 1000
    seed: int = 0
    confidence: float = 0.95
    subsample_size: int | None = None

    @property
    def tail(self) -> float:
        """Share of draws beyond each end."""
        return (1 - self.confidence) / 2

    def generator(self) -> np.random.Generator:
        """The random numbers of a figure.

        Each figure starts anew: none shifts the draws of another, and figures of the same features
        see the same draws, so that intervals of one number and its double do not differ.
        """
        return np.random.default_rng([2 * abs(self.seed) + (self.seed < 0), _STREAM])


def dirichlet(units: Units, estimate: float, spec: IntervalSpec) -> Interval | str:
    """The posterior interval, or why there is none."""
    if units.effective_number <= 1 + 1e-9:
        return ONE_UNIT
    values = units.measure.values(posterior_sums(units, spec.iterations, spec.generator()))
    tail = _student_tail(spec.tail, units.effective_number - 1)
    lo, hi = np.quantile(values, [tail, 1 - tail])
    return _interval(
        min(float(lo), estimate), max(float(hi), estimate), "dirichlet", spec.iterations
    )


def bootstrap(units: Units, estimate: float, spec: IntervalSpec) -> Interval | str:
    """The bootstrap interval, BCa where that is defined, or why there is none."""
    if units.number < 2:
        return ONE_UNIT
    drawn = units.measure.values(bootstrap_sums(units, spec.iterations, spec.generator()))
    values = drawn[~np.isnan(drawn)]
    if not len(values):
        return NO_DRAW
    tails = _bca_tails(units, values, estimate, spec.tail)
    method = "bootstrap-percentile" if tails is None else "bootstrap-bca"
    lo, hi = np.quantile(values, tails or (spec.tail, 1 - spec.tail))
    return _interval(float(lo), float(hi), method, spec.iterations)


def subsampling(
    units: Units, features: Floats, estimate: float, spec: IntervalSpec
) -> Interval | str:
    """The subsampling interval, or why there is none; it is not cut off at -1 and 1.

    Args:
        units: The units; their clusters play no part here.
        features: Those of every item, zeros for items that do not count.
        estimate: The value over all items.
        spec: Seed, number of draws and their size.
    """
    n_items = len(features)
    if n_items < FEWEST_FOR_SUBSAMPLING:
        return f"subsampling needs {FEWEST_FOR_SUBSAMPLING} items, there are {n_items}"
    size = spec.subsample_size or max(2, round(n_items**0.7))
    if not 2 <= size < n_items:
        return f"a draw of {size} items is not between 2 and {n_items - 1}"
    places = subsample_places(n_items, size, spec.iterations, spec.seed)
    drawn = units.measure.values(np.stack([features[place].sum(axis=0) for place in places]))
    values = np.sort(drawn[~np.isnan(drawn)])
    if not len(values):
        return _interval(estimate, estimate, "subsampling", spec.iterations)
    ends = int(spec.tail * len(values)), max(0, int((1 - spec.tail) * len(values)) - 1)
    scale, mean = float(np.sqrt(size / n_items)), float(values.mean())
    lo, hi = (estimate + scale * (float(values[end]) - mean) for end in ends)
    return _interval(lo, hi, "subsampling", spec.iterations)


def wilson(hits: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a rate; None without trials."""
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = hits / n
    centre = share + z**2 / (2 * n)
    reach = z * float(np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)))
    lo, hi = ((centre + sign * reach) / (1 + z**2 / n) for sign in (-1, 1))
    # The ends are exact at 0 and 1; rounding must not leave them.
    return _interval(max(0.0, lo) if hits else 0.0, min(1.0, hi) if hits < n else 1.0, "wilson")


def quantiles(drawn: Floats, estimate: float, spec: IntervalSpec, method: str) -> Interval | str:
    """Plain percentiles of draws, stretched to contain the estimate."""
    values = drawn[~np.isnan(drawn)]
    if not len(values):
        return NO_DRAW
    lo, hi = np.quantile(values, [spec.tail, 1 - spec.tail])
    return _interval(min(float(lo), estimate), max(float(hi), estimate), method, spec.iterations)


def _interval(lo: float, hi: float, method: str, iterations: int | None = None) -> Interval:
    return Interval(lo=lo, hi=hi, method=method, iterations=iterations)


def _student_tail(tail: float, degrees: float) -> float:
    """Share of draws to leave out, so that a normal posterior would give Student's interval."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(stdtrit(degrees, tail)))


def _bca_tails(
    units: Units, values: Floats, estimate: float, tail: float
) -> tuple[float, float] | None:
    from scipy.special import ndtr, ndtri

    # Half of the ties count as below: a coefficient of few items takes few values.
    below = float((values < estimate).mean() + (values == estimate).mean() / 2)
    if not 0 < below < 1:
        return None
    left_out = units.measure.values(units.sums - units.features)
    if np.isnan(left_out).any():
        return None
    jackknife = np.average(left_out, weights=units.counts) - left_out
    square = float(units.counts @ jackknife**2)
    if square < 1e-24:
        return None
    acceleration = float(units.counts @ jackknife**3) / (6 * square**1.5)
    bias = float(ndtri(below))
    shifted = [bias + float(ndtri(p)) for p in (tail, 1 - tail)]
    bent = [1 - acceleration * z for z in shifted]
    if min(bent) <= 0:
        return None
    lo, hi = (float(ndtr(bias + z / b)) for z, b in zip(shifted, bent, strict=True))
    return lo, hi
