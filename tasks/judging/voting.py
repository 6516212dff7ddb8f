"""From the verdicts of an item's samples to the item's verdict."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from schemas.base import TieBreak, Verdict

_VERDICTS: Final[tuple[Verdict, ...]] = ("good", "bad", "abstain")


class Tally(NamedTuple):
    """The votes on one item and what they come to."""

    good: int
    bad: int
    abstain: int
    verdict: Verdict
    tie_broken: bool

    @property
    def n(self) -> int:
        """How many samples voted."""
        return self.good + self.bad + self.abstain

    @property
    def is_missing(self) -> bool:
        """Nobody voted: the verdict says abstain, but the model did not."""
        return self.n == 0


def vote(verdicts: Sequence[Verdict], tie_break: TieBreak) -> Tally:
    """Majority of the usable samples.

    A tie that includes abstain is an abstention; `tie_break` settles ties of good and bad only.

    Args:
        verdicts: In sample order, failed samples left out. Replies without a usable label vote
            abstain.
        tie_break: The verdict of a good/bad tie; `first` takes the earliest sample among them.
    """
    counts = Counter(verdicts)
    top = max(counts.values(), default=0)
    leaders = [verdict for verdict in _VERDICTS if counts[verdict] == top]
    verdict = leaders[0] if len(leaders) == 1 else _settle(verdicts, leaders, tie_break)
    return Tally(
        good=counts["good"],
        bad=counts["bad"],
        abstain=counts["abstain"],
        verdict=verdict,
        tie_broken=bool(verdicts) and len(leaders) > 1,
    )


def _settle(verdicts: Sequence[Verdict], leaders: list[Verdict], tie_break: TieBreak) -> Verdict:
    if "abstain" in leaders:  # Also when nobody voted and all three lead with none.
        return "abstain"
    if tie_break == "first":
        return next(verdict for verdict in verdicts if verdict in leaders)
    return tie_break
