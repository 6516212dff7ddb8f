"""How much the samples of an item agree with each other.

Entropy is Shannon's (1948), divided by ln 3: 0 when all samples say the same, 1 when the three
verdicts are equally frequent. Margin is the lead of the most frequent verdict over the second,
as a share of the samples. Without samples both are 0.
"""

from collections.abc import Iterable, Sequence
from math import fsum

import numpy as np
import numpy.typing as npt

from schemas.errors import UserError
from schemas.metrics import AggregateDispersion, Dispersion
from tasks.statistics.judgement import Judgement, Tally

THIN_MARGIN = 0.4

_Floats = npt.NDArray[np.float64]


def entropy(tallies: Sequence[Tally]) -> _Floats:
    """Entropy of each tally, from 0 (unanimous) to 1 (evenly spread)."""
    shares = _shares(tallies)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    spread: _Floats = np.clip(0.0 - (shares * logs).sum(axis=1) / np.log(3), 0.0, 1.0)
    return spread


def margin(tallies: Sequence[Tally]) -> _Floats:
    """Lead of the first verdict over the second in each tally, from 0 (tied) to 1 (unanimous)."""
    counts = _counts(tallies)
    ranked = np.sort(counts, axis=1)
    # Subtracting counts, not shares, keeps a lead of 2 in 5 equal to 0.4.
    return (ranked[:, 2] - ranked[:, 1]) / _sizes(counts)


def disperse(judgements: Sequence[Judgement]) -> tuple[Dispersion, ...]:
    """The dispersion of each item.

    Raises:
        UserError: A tally holds a negative count.
    """
    for item in judgements:
        if min(item.tally) < 0:
            raise UserError(f"item {item.item_id!r} has a negative count of votes", code="tally")
    tallies = [item.tally for item in judgements]
    columns = zip(judgements, entropy(tallies).tolist(), margin(tallies).tolist(), strict=True)
    return tuple(
        Dispersion(
            good=item.tally.good,
            bad=item.tally.bad,
            abstain=item.tally.abstain,
            n_samples=sum(item.tally),
            verdict=item.verdict,
            tie_broken=item.tie_broken,
            entropy=item_entropy,
            margin=item_margin,
        )
        for item, item_entropy, item_margin in columns
    )


def aggregate(dispersions: Sequence[Dispersion]) -> AggregateDispersion:
    """Means and counts over items; the means are None when there are none."""
    n_thin = sum(item.margin < THIN_MARGIN for item in dispersions)
    return AggregateDispersion(
        n_items=len(dispersions),
        mean_entropy=_mean(item.entropy for item in dispersions),
        mean_margin=_mean(item.margin for item in dispersions),
        n_thin_margin=n_thin,
        fraction_thin_margin=_mean(float(item.margin < THIN_MARGIN) for item in dispersions),
        thin_margin_threshold=THIN_MARGIN,
        n_tie_broken=sum(item.tie_broken for item in dispersions),
    )


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return fsum(known) / len(known) if known else None


def _counts(tallies: Sequence[Tally]) -> _Floats:
    return np.array(tallies, dtype=np.float64).reshape(len(tallies), 3)


def _sizes(counts: _Floats) -> _Floats:
    """Samples per tally, with 1 for none: the shares of nothing are then 0."""
    sizes: _Floats = np.maximum(counts.sum(axis=1), 1.0)
    return sizes


def _shares(tallies: Sequence[Tally]) -> _Floats:
    counts = _counts(tallies)
    return counts / _sizes(counts)[:, np.newaxis]
