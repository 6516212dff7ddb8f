"""Pass or fail, item by item: what two runs of any kind must be turned into to be compared.

For evaluations a draw passes when it agrees with the reference, for packs when it is verified.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.base import Verdict
from schemas.errors import UserError

Counts = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Outcomes(NamedTuple):
    """One run: per item how many of its draws passed, and whether the item as a whole did."""

    passed: Counts
    drawn: Counts
    decided: Flags

    @property
    def usable(self) -> Flags:
        """Items with at least one draw; the others are missing."""
        return self.drawn > 0

    @property
    def shares(self) -> Floats:
        """Share of draws that passed, 0 where there are none."""
        return self.passed / np.maximum(self.drawn, 1)

    def take(self, rows: Flags) -> "Outcomes":
        """Some of the items."""
        return Outcomes(self.passed[rows], self.drawn[rows], self.decided[rows])


def outcomes_of_draws(draws: Sequence[Sequence[bool]]) -> Outcomes:
    """Outcomes of items that are decided by the majority of their draws; half is not enough."""
    return outcomes_of_counts([sum(item) for item in draws], [len(item) for item in draws])


def outcomes_of_counts(passed: Sequence[int], drawn: Sequence[int]) -> Outcomes:
    """The same, where only the numbers of draws are known."""
    hits, tries = np.array(passed, dtype=np.int64), np.array(drawn, dtype=np.int64)
    return Outcomes(hits, tries, 2 * hits > tries)


def outcomes_of_verdicts(
    tallies: Sequence[Sequence[int]], verdicts: Sequence[Verdict], reference: Sequence[Verdict]
) -> Outcomes:
    """Outcomes of items where agreeing with the reference is passing; abstaining is not.

    Args:
        tallies: Votes for good, bad and abstain per item; all zero when the item is missing.
        verdicts: The run's verdict per item.
        reference: The verdict to agree with; `abstain` where there is none, which nobody meets.
    """
    column = {"good": 0, "bad": 1}
    passed = [
        votes[column[wanted]] if wanted in column else 0
        for votes, wanted in zip(tallies, reference, strict=True)
    ]
    decided = [
        said == wanted and wanted in column
        for said, wanted in zip(verdicts, reference, strict=True)
    ]
    return Outcomes(
        np.array(passed, dtype=np.int64),
        np.array([sum(votes) for votes in tallies], dtype=np.int64),
        np.array(decided, dtype=np.bool_),
    )


def shared(a: Outcomes, b: Outcomes) -> tuple[Outcomes, Outcomes]:
    """The items that both runs judged.

    Raises:
        UserError: The runs are not aligned.
    """
    if len(a.drawn) != len(b.drawn):
        raise UserError(f"one run has {len(a.drawn)} items, the other {len(b.drawn)}")
    both = a.usable & b.usable
    return a.take(both), b.take(both)
