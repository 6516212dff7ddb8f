"""Judged items as columns, for counting them all at once and for taking some of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tasks.statistics.codes import ABSTAIN, BAD, GOOD, MISSING, Codes, encode, encode_table
from tasks.statistics.coefficients import Floats
from tasks.statistics.judgement import Judgement

Counts = npt.NDArray[np.int64]


class Columns(NamedTuple):
    """One entry per item; `model` is `MISSING` where no sample was usable."""

    analysts: Codes
    model: Codes
    consensus: Codes
    tallies: Counts
    settled: Counts
    n_unjudged: Counts
    n_open: Counts
    """Samples that may go either way: the unjudged, and what was not drawn because of them."""

    @property
    def judged(self) -> npt.NDArray[np.bool_]:
        """Whether an item has a usable sample."""
        found: npt.NDArray[np.bool_] = self.model != MISSING
        return found

    @property
    def margins(self) -> Floats:
        """Lead of the first verdict over the second among the votes, as a share of them."""
        ranked = np.sort(self.tallies, axis=1)
        lead: Floats = (ranked[:, 2] - ranked[:, 1]) / np.maximum(self.tallies.sum(axis=1), 1)
        return lead


def make_columns(judgements: Sequence[Judgement], n_analysts: int) -> Columns:
    """The columns of some items.

    Raises:
        UserError: An item has a wrong number of verdicts.
    """
    table = encode_table([item.analyst_verdicts for item in judgements], n_analysts)
    missing = np.array([item.is_missing for item in judgements], dtype=np.bool_)
    verdicts = encode([item.verdict for item in judgements])
    return Columns(
        analysts=table,
        model=np.where(missing, np.int8(MISSING), verdicts),
        consensus=consensus_codes(table),
        tallies=_counts([item.tally for item in judgements]),
        settled=_counts([item.settled for item in judgements]),
        n_unjudged=np.array([item.n_unjudged for item in judgements], dtype=np.int64),
        n_open=np.array([_open(item) for item in judgements], dtype=np.int64),
    )


def consensus_codes(table: Codes) -> Codes:
    """`tasks.statistics.consensus.consensus` of every row: the side that more took."""
    lead = (table == GOOD).sum(axis=1) - (table == BAD).sum(axis=1)
    return np.select([lead > 0, lead < 0], [GOOD, BAD], ABSTAIN).astype(np.int8)


def plurality_codes(table: Codes) -> Codes:
    """`tasks.statistics.consensus.plurality_consensus` of every row: abstaining may win."""
    counts = np.stack([(table == code).sum(axis=1) for code in (GOOD, BAD, ABSTAIN)], axis=1)
    leads = counts == counts.max(axis=1, keepdims=True)
    alone = leads.sum(axis=1) == 1
    return np.where(alone, counts.argmax(axis=1), ABSTAIN).astype(np.int8)


def _counts(tallies: Sequence[Sequence[int]]) -> Counts:
    return np.array(tallies, dtype=np.int64).reshape(len(tallies), 3)


def _open(item: Judgement) -> int:
    # Without unjudged samples the verdict is settled, whatever the undrawn ones would have said.
    return item.n_unjudged + item.n_undrawn if item.n_unjudged else 0
