"""Votes taken again, over whole columns of tallies."""

import numpy as np
import numpy.typing as npt

from schemas.base import TieBreak
from tasks.statistics.codes import ABSTAIN, BAD, GOOD, MISSING, Codes
from tasks.statistics.columns import Columns, Counts

_SIDE = {"good": GOOD, "bad": BAD, "abstain": ABSTAIN}


def vote_codes(tallies: Counts, tie_break: TieBreak, first: Codes) -> Codes:
    """The verdict of each tally of good, bad and abstain; nobody's vote is `MISSING`.

    Args:
        tallies: One row of three counts per item.
        tie_break: The verdict of a tie of good and bad.
        first: What such a tie gives under `first`, where the order of the samples decides.
    """
    top = tallies.max(axis=-1)
    leads = tallies == top[..., None]
    alone = leads.sum(axis=-1) == 1
    is_sides_tie = leads[..., GOOD] & leads[..., BAD] & ~leads[..., ABSTAIN]
    settled = first if tie_break == "first" else np.full_like(first, _SIDE[tie_break])
    codes = np.where(alone, tallies.argmax(axis=-1), np.where(is_sides_tie, settled, ABSTAIN))
    return np.where(top == 0, MISSING, codes).astype(np.int8)


def reachable(columns: Columns, tie_break: TieBreak) -> npt.NDArray[np.bool_]:
    """Which verdicts, good, bad or abstain, an item could have got from all its samples.

    Giving all of them to one verdict is the best that can be done for it. Only an abstention can
    also come about by a tie of good and bad. Under `first` a tie may go either way, since the
    unjudged samples may come first.
    """
    given, n_open = columns.settled, columns.n_open
    reached = np.zeros((len(n_open), 3), dtype=np.bool_)
    for code in (GOOD, BAD, ABSTAIN):
        favoured = given.copy()
        favoured[:, code] += n_open
        reached[:, code] = vote_codes(favoured, tie_break, _all(code, n_open)) == code
    if tie_break == "abstain":
        reached[:, ABSTAIN] |= abs(given[:, GOOD] - given[:, BAD]) <= n_open
    fixed = n_open == 0
    reached[fixed] = columns.model[fixed, None] == np.arange(3)
    return reached


def under_policy(columns: Columns, reference: Codes, tie_break: TieBreak, policy: str) -> Codes:
    """The model's verdicts when unjudged samples are counted in one way.

    Args:
        columns: The items.
        reference: What the right verdict is taken to be.
        tie_break: The verdict of a tie of good and bad; under `first` such an item keeps the
            verdict it has.
        policy: `leave_out`; `abstain`: each votes to abstain; `wrong`: each votes against the
            reference, and is left out where that took no side.
    """
    tallies = columns.settled.copy()
    if policy == "abstain":
        tallies[:, ABSTAIN] += columns.n_unjudged
    elif policy == "wrong":
        tallies[:, BAD] += np.where(reference == GOOD, columns.n_unjudged, 0)
        tallies[:, GOOD] += np.where(reference == BAD, columns.n_unjudged, 0)
    again = vote_codes(tallies, tie_break, columns.model)
    return np.where(columns.n_unjudged > 0, again, columns.model)


def _all(verdict: int, like: Counts) -> Codes:
    return np.full(len(like), verdict, dtype=np.int8)
