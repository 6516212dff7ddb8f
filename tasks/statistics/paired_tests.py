"""Tests of two runs on the same items, where items are the units and draws are not.

References:
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika, 12(2), 153-157. The exact form is the sign test.
    Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
    Applications in Genetics and Molecular Biology, 9(1), 39.
    Bonett, D. G. and Price, R. M. (2012). Adjusted Wald confidence interval for a difference of
    binomial proportions based on paired data. Journal of Educational and Behavioral Statistics,
    37(4), 479-488.
"""

from math import prod
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from schemas.comparison import (
    Difference,
    McNemar,
    NonInferiority,
    NonInferiorityOutcome,
    PairedTests,
    PermutationTest,
)
from schemas.metrics import Interval
from tasks.statistics.outcomes import Counts, Flags, Floats, Outcomes, shared

NO_ITEMS = "no item has a reference and a usable sample in both runs"

_MOST_EXACT = 200_000
"""So many sums are counted one by one; beyond, exchanges are drawn at random."""

# Sums that are equal on paper must not count as smaller by rounding.
_ROUNDING = 1e-9


class PairedSpec(NamedTuple):
    """How the tests are done."""

    iterations: int = 10_000
    seed: int = 0
    confidence: float = 0.95
    margin: float | None = None


def compare_outcomes(a: Outcomes, b: Outcomes, settings: PairedSpec) -> PairedTests:
    """Every test of two aligned runs; an item that one of them did not judge is left out."""
    n_all = len(a.drawn)
    a, b = shared(a, b)
    n = len(a.drawn)
    if n == 0:
        return PairedTests(
            n_items=0,
            n_left_out=n_all,
            pass_rate_a=None,
            pass_rate_b=None,
            mcnemar=None,
            permutation=None,
            difference=None,
            difference_of_verdicts=None,
            non_inferiority=None,
            reason=NO_ITEMS,
        )
    by_draws = b.shares - a.shares
    by_verdicts = b.decided.astype(np.float64) - a.decided
    difference = mean_difference(by_draws, settings.confidence)
    return PairedTests(
        n_items=n,
        n_left_out=n_all - n,
        pass_rate_a=float(a.shares.mean()),
        pass_rate_b=float(b.shares.mean()),
        mcnemar=mcnemar(a.decided, b.decided),
        permutation=permutation_test(by_draws, settings.iterations, settings.seed),
        difference=difference,
        difference_of_verdicts=mean_difference(by_verdicts, settings.confidence),
        non_inferiority=None
        if settings.margin is None
        else non_inferiority(difference, settings.margin, settings.confidence),
        reason=None,
    )


def mcnemar(a: Flags, b: Flags) -> McNemar:
    """McNemar's exact test (1947): are items that only one passed split evenly?"""
    both, only_a = int((a & b).sum()), int((a & ~b).sum())
    only_b, neither = int((~a & b).sum()), int((~a & ~b).sum())
    p = exact_mcnemar(only_a, only_b)
    return McNemar(
        both=both, only_a=only_a, only_b=only_b, neither=neither, p_value=p, p_adjusted=p
    )


def exact_mcnemar(only_a: int, only_b: int) -> float:
    """Two-sided p-value of so many discordant items; 1 when there are none."""
    from scipy.special import bdtr

    tail = float(bdtr(min(only_a, only_b), only_a + only_b, 0.5))
    return min(1.0, 2 * tail)


def permutation_test(differences: Floats, iterations: int, seed: int) -> PermutationTest:
    """Exchange the two runs at random within each item, as one may if they do not differ.

    Items with the same size of difference are exchanged together: how many of them keep their
    sign is binomial. So the work does not grow with the number of items, and where few sums are
    possible all of them are counted.
    """
    sizes, counts = np.unique(_sizes(differences), return_counts=True)
    observed = abs(float(differences.sum())) - _ROUNDING
    if prod(int(count) + 1 for count in counts) <= _MOST_EXACT:
        sums, chances = _all_sums(sizes, counts)
        p = float(chances[np.abs(sums) >= observed].sum())
        return PermutationTest(
            p_value=min(1.0, p), p_adjusted=min(1.0, p), method="exact", iterations=None, seed=None
        )
    kept = np.random.default_rng(seed).binomial(counts, 0.5, (iterations, len(counts)))
    reached = int((np.abs((2 * kept - counts) @ sizes) >= observed).sum())
    p = (reached + 1) / (iterations + 1)
    return PermutationTest(
        p_value=p, p_adjusted=p, method="monte-carlo", iterations=iterations, seed=seed
    )


def mean_difference(differences: Floats, confidence: float) -> Difference:
    """The mean with an interval that holds on few items, after Bonett and Price (2012).

    Two made-up items, one that only the first and one that only the second run passed, pull the
    interval in and give it width even when all items agree. With one draw an item this is their
    interval; with several, the shares of an item take the place of its outcomes.
    """
    n = len(differences)
    centre = float(differences.sum()) / (n + 2)
    square = (float(differences @ differences) + 2) / (n + 2)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    reach = z * ((square - centre**2) / (n + 2)) ** 0.5
    mean = float(differences.mean())
    return Difference(
        value=mean,
        n=n,
        interval=Interval(
            lo=max(-1.0, min(mean, centre - reach)),
            hi=min(1.0, max(mean, centre + reach)),
            method="bonett-price",
        ),
    )


def non_inferiority(difference: Difference, margin: float, confidence: float) -> NonInferiority:
    """Three outcomes: surely not worse by the margin, surely worse, or not known yet."""
    outcome: NonInferiorityOutcome = "undecided"
    if difference.interval.lo > -margin:
        outcome = "pass"
    elif difference.interval.hi < -margin:
        outcome = "fail"
    return NonInferiority(margin=margin, outcome=outcome, confidence=confidence)


def _sizes(differences: Floats) -> Floats:
    """Sizes of the differences that are not zero; rounded, so that equal ones are equal."""
    sizes: Floats = np.abs(differences).round(12)
    return sizes[sizes > 0]


def _all_sums(sizes: Floats, counts: Counts) -> tuple[Floats, Floats]:
    """Every sum that exchanging can give, with its chance."""
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        kept = np.arange(count + 1)
        of_kept = _fair_coins(count)
        sums = np.add.outer(sums, (2 * kept - count) * size).ravel()
        chances = np.multiply.outer(chances, of_kept).ravel()
    return sums, chances


def _fair_coins(count: int) -> Floats:
    """Chances of 0 to `count` heads; by logarithms, because large factorials overflow."""
    from scipy.special import gammaln

    kept = np.arange(count + 1, dtype=np.float64)
    logs = gammaln(count + 1) - gammaln(kept + 1) - gammaln(count - kept + 1) - count * np.log(2)
    chances: Floats = np.asarray(np.exp(logs), dtype=np.float64)
    return chances
