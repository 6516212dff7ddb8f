"""What the figures are computed from: per item the panel's verdicts and the model's vote."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from schemas.base import Verdict
from schemas.errors import UserError


class Tally(NamedTuple):
    """Votes of the usable samples of one item."""

    good: int
    bad: int
    abstain: int


class Judgement(NamedTuple):
    """One item as it was judged; a missing one has no usable sample and reads `abstain`.

    Samples that failed, were clipped or could not be read are *unjudged*. The tally may count some
    of them as abstentions; `n_read_abstain` are the abstentions that the model did express.
    Samples that were *undrawn* could not have changed the verdict of those that were.
    """

    item_id: str
    analyst_verdicts: tuple[Verdict, ...]
    verdict: Verdict
    tally: Tally
    tie_broken: bool = False
    is_missing: bool = False
    n_unjudged: int = 0
    n_undrawn: int = 0
    n_read_abstain: int | None = None

    @property
    def settled(self) -> Tally:
        """Votes of the samples that were read."""
        read = self.tally.abstain if self.n_read_abstain is None else self.n_read_abstain
        return self.tally._replace(abstain=read)


class AnalystLike(Protocol):
    """The part of an analyst that matters here."""

    @property
    def id(self) -> str:
        """Name, unique among the analysts."""

    @property
    def panel(self) -> str | None:
        """Panel that the analyst belongs to, if any."""


def count_analysts(judgements: Sequence[Judgement], analysts: Sequence[AnalystLike]) -> int:
    """Number of verdicts that every item has.

    Args:
        judgements: The items.
        analysts: Who gave the verdicts; empty when their names are not known.

    Raises:
        UserError: An item has more or fewer verdicts than there are analysts.
    """
    expected = len(analysts)
    if not analysts and judgements:
        expected = len(judgements[0].analyst_verdicts)
    for item in judgements:
        if len(item.analyst_verdicts) != expected:
            raise UserError(
                f"item {item.item_id!r} has {len(item.analyst_verdicts)} analyst verdicts "
                f"where {expected} are expected",
                fix="give one verdict per analyst on every item",
                code="verdict_count",
            )
    return expected
