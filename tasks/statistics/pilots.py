"""What a pilot run, or a guess, says about spread: the ground that a plan stands on."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from schemas.errors import UserError
from schemas.planning import Spread
from tasks.statistics.outcomes import Outcomes

USUAL_ICC: Final = 0.5
USUAL_CORRELATION: Final = 0.5


def assumed_spread(
    rate: float, icc: float = USUAL_ICC, correlation: float = USUAL_CORRELATION
) -> Spread:
    """Spread from a guessed rate: outcomes of 0 and 1 have variance rate (1 - rate)."""
    total = rate * (1 - rate)
    return Spread(
        source="assumptions",
        assumed=("rate", "icc", "correlation"),
        rate=rate,
        between_items=icc * total,
        within_items=(1 - icc) * total,
        icc=icc,
        correlation=correlation,
        n_items=0,
    )


def pilot_spread(
    runs: Sequence[Outcomes], icc: float | None = None, correlation: float | None = None
) -> Spread:
    """Spread as one or two aligned pilot runs show it.

    The rate counts two made-up passes and two failures among the items, so that a pilot in which
    all draws pass still leaves room for doubt. Draws give the variance within items, what is left
    of the items' variance is theirs (analysis of variance of unequal groups). What the pilot
    cannot tell is taken from the assumptions.

    Raises:
        UserError: Fewer than two items have a usable sample in every run.
    """
    used = np.logical_and.reduce([run.usable for run in runs])
    n_items = int(used.sum())
    if n_items < 2:
        raise UserError(
            f"{n_items} items of the pilot have a reference and a usable sample; a plan needs two",
            fix="name a larger pilot, or give --rate",
            code="too_few_items",
        )
    kept = [run.take(used) for run in runs]
    rate = (sum(float(run.shares.mean()) for run in kept) / len(kept) * n_items + 2) / (n_items + 4)
    total = rate * (1 - rate)
    assumed: list[str] = []
    share = icc if icc is not None else _estimated_icc(kept)
    if icc is not None or share is None:
        assumed.append("icc")
    share = USUAL_ICC if share is None else share
    related = correlation if correlation is not None else _estimated_correlation(kept)
    if correlation is not None or related is None:
        assumed.append("correlation")
    return Spread(
        source="pilot",
        assumed=tuple(assumed),
        rate=rate,
        between_items=share * total,
        within_items=(1 - share) * total,
        icc=share,
        correlation=USUAL_CORRELATION if related is None else related,
        n_items=n_items,
    )


def _estimated_icc(runs: Sequence[Outcomes]) -> float | None:
    """Share of the variance that is the items'; None when draws do not tell.

    A pilot without any spread, or with one draw an item, does not.
    """
    parts = [_split_variance(run) for run in runs]
    known = [part for part in parts if part is not None]
    if len(known) < len(runs):
        return None
    within = sum(of_draws for of_draws, _ in known)
    between = sum(max(0.0, of_items) for _, of_items in known)
    return between / (between + within) if between + within > 0 else None


def _estimated_correlation(runs: Sequence[Outcomes]) -> float | None:
    """Of the items' own shares in two runs, freed from the noise of the draws."""
    parts = [part for run in runs if (part := _split_variance(run)) is not None and part[1] > 0]
    if len(parts) < 2:
        return None
    shared = float(np.cov(runs[0].shares, runs[1].shares)[0, 1])
    return float(np.clip(shared / (parts[0][1] * parts[1][1]) ** 0.5, -1.0, 1.0))


def _split_variance(run: Outcomes) -> tuple[float, float] | None:
    """Variance of draws within items, and of items; None with one draw an item."""
    freedom = int((run.drawn - 1).sum())
    if freedom == 0:
        return None
    of_draws = float((run.drawn * run.shares * (1 - run.shares)).sum()) / freedom
    of_items = float(run.shares.var(ddof=1)) - of_draws * float((1 / run.drawn).mean())
    return of_draws, of_items
