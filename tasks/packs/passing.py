"""Rates of passing: their intervals, and what repeated attempts are worth.

References:
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association, 22(158), 209-212.
    Chen, M. et al. (2021). Evaluating large language models trained on code. arXiv:2107.03374
    (pass@k without bias).
    Yao, S. et al. (2024). tau-bench. arXiv:2406.12045 (pass^k: all of k attempts pass).
    Cameron, A. C. and Miller, D. L. (2015). A practitioner's guide to cluster-robust inference.
    Journal of Human Resources, 50(2), 317-372 (factor G/(G-1), t with G-1 degrees of freedom).
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import comb, sqrt
from statistics import NormalDist
from typing import Final

from schemas.errors import UserError
from schemas.metrics import Interval, Metric

LEVEL: Final = 0.95
NOTHING_JUDGED: Final = "nothing was judged"
TOO_FEW_ATTEMPTS: Final = "no row has that many judged attempts"


def wilson_interval(passed: int, total: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share.

    Raises:
        UserError: The counts make no share.
    """
    if not 0 <= passed <= total or total == 0:
        raise UserError(f"{passed} of {total} is no share")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = passed / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    # At the ends the interval reaches them exactly; rounding would step over or stop short.
    low = 0.0 if passed == 0 else middle - half
    high = 1.0 if passed == total else middle + half
    return Interval(lo=low, hi=high, method="wilson")


def pass_rate(outcomes: Sequence[bool], groups: Sequence[Hashable] | None = None) -> Metric:
    """Share of attempts that passed, with its interval.

    Args:
        outcomes: One per judged attempt.
        groups: Which attempts belong together, when they are not independent of each other.
    """
    total, passed = len(outcomes), sum(outcomes)
    if not total:
        return Metric.undefined(NOTHING_JUDGED)
    interval: Interval | None = wilson_interval(passed, total)
    if groups is not None and len(set(groups)) < total:
        interval = clustered_interval(outcomes, groups)
    return Metric(value=passed / total, n=total, interval=interval)


def clustered_interval(
    outcomes: Sequence[bool], groups: Sequence[Hashable], level: float = LEVEL
) -> Interval | None:
    """Interval of a share when attempts come in groups; `None` with a single group.

    Where all attempts end alike there is no spread to measure: then each group counts as one
    attempt, and the interval is Wilson's.
    """
    sizes: dict[Hashable, list[int]] = {}
    for outcome, group in zip(outcomes, groups, strict=True):
        size = sizes.setdefault(group, [0, 0])
        size[0] += outcome
        size[1] += 1
    total, passed, n_groups = len(outcomes), sum(outcomes), len(sizes)
    if n_groups < 2:
        return None
    if passed in (0, total):
        alike = wilson_interval(n_groups if passed else 0, n_groups, level)
        return alike.model_copy(update={"method": "wilson over groups"})
    share = passed / total
    squares = sum((good - share * size) ** 2 for good, size in sizes.values())
    error = sqrt(n_groups / (n_groups - 1) * squares) / total
    half = _student(n_groups - 1, level) * error
    method = "cluster-robust"
    return Interval(lo=max(0.0, share - half), hi=min(1.0, share + half), method=method)


def pass_at_k(attempts: int, passed: int, k: int) -> Fraction:
    """Chance that one of k attempts passes, without bias, from n attempts of which c passed.

    One minus the share of subsets of size k that hold no attempt that passed.

    Raises:
        UserError: There are fewer than k attempts, or the counts make no sense.
    """
    _check(attempts, passed, k)
    return 1 - Fraction(comb(attempts - passed, k), comb(attempts, k))


def pass_hat_k(attempts: int, passed: int, k: int) -> Fraction:
    """Chance that all of k attempts pass, without bias: subsets of size k in which all passed.

    Raises:
        UserError: There are fewer than k attempts, or the counts make no sense.
    """
    _check(attempts, passed, k)
    return Fraction(comb(passed, k), comb(attempts, k))


def mean_over_rows(values: Iterable[Fraction]) -> Metric:
    """The mean of one exact value per row; `n` counts rows."""
    found = list(values)
    if not found:
        return Metric.undefined(TOO_FEW_ATTEMPTS)
    mean = sum(found, Fraction(0)) / len(found)
    return Metric(value=float(mean), n=len(found), interval=_mean_interval(found, float(mean)))


def _mean_interval(values: Sequence[Fraction], mean: float) -> Interval | None:
    """Student's interval of a mean over rows; `None` when the rows show no spread."""
    n = len(values)
    squares = sum((float(value) - mean) ** 2 for value in values)
    if n < 2 or squares == 0:
        return None
    half = _student(n - 1, LEVEL) * sqrt(squares / (n - 1) / n)
    return Interval(lo=max(0.0, mean - half), hi=min(1.0, mean + half), method="student")


def _check(attempts: int, passed: int, k: int) -> None:
    if not (0 <= passed <= attempts and 1 <= k <= attempts):
        raise UserError(f"k = {k} needs at least {k} attempts: {passed} of {attempts} passed")


def _student(degrees: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))
