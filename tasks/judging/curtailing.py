"""When further samples of an item cannot change its verdict any more.

A sample that was not drawn may still say anything, or fail and say nothing. The verdict is settled
when every such continuation comes to the same one under the run's own rule of ties. Only the
verdict is settled: the tally, the margin and whether a tie was broken may still be anything.
"""

from collections.abc import Mapping, Sequence

from schemas.base import TieBreak, Verdict


def settled_verdict(
    drawn: Mapping[int, Verdict | None], n_samples: int, tie_break: TieBreak
) -> Verdict | None:
    """The verdict that the full vote must come to; None while it is open.

    Args:
        drawn: What the samples drawn so far say, by sample index; None for one that failed.
        n_samples: Samples of the full vote, with indices from 0.
        tie_break: The verdict of a good/bad tie.
    """
    said = list(drawn.values())
    good, bad, abstain = said.count("good"), said.count("bad"), said.count("abstain")
    left = n_samples - len(drawn)
    possible: list[Verdict] = []
    if abstain + left >= max(good, bad) or (tie_break == "abstain" and abs(good - bad) <= left):
        possible.append("abstain")
    if good + left > max(bad, abstain) or (
        good + left == bad > abstain and _tie_goes_to("good", drawn, n_samples, tie_break)
    ):
        possible.append("good")
    if bad + left > max(good, abstain) or (
        bad + left == good > abstain and _tie_goes_to("bad", drawn, n_samples, tie_break)
    ):
        possible.append("bad")
    return possible[0] if len(possible) == 1 else None


def undrawn(drawn: Mapping[int, Verdict | None], n_samples: int) -> Sequence[int]:
    """Indices of the samples that were not drawn, in order."""
    return [index for index in range(n_samples) if index not in drawn]


def _tie_goes_to(
    side: Verdict, drawn: Mapping[int, Verdict | None], n_samples: int, tie_break: TieBreak
) -> bool:
    """Whether a side wins the good/bad tie that it reaches when all samples left say it."""
    if tie_break != "first":
        return tie_break == side
    # The other side leads and so was drawn: there is a first one.
    first = next(i for i in range(n_samples) if i not in drawn or drawn[i] in ("good", "bad"))
    return first not in drawn or drawn[first] == side
