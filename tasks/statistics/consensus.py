"""What a panel says as a whole: two rules, which differ when analysts abstain."""

from collections.abc import Sequence

from schemas.base import Verdict


def consensus(verdicts: Sequence[Verdict]) -> Verdict:
    """The side that more analysts took; `abstain` when both have equally many.

    Abstentions do not weigh: (good, abstain, abstain) is good.
    """
    lead = verdicts.count("good") - verdicts.count("bad")
    if lead == 0:
        return "abstain"
    return "good" if lead > 0 else "bad"


def plurality_consensus(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict given more often than each other one; `abstain` on any tie.

    Abstaining is a third verdict here: (good, abstain, abstain) is abstain.
    """
    good, bad, abstain = (verdicts.count(verdict) for verdict in ("good", "bad", "abstain"))
    if good > max(bad, abstain):
        return "good"
    return "bad" if bad > max(good, abstain) else "abstain"
