"""Verdicts as small integers, so that whole columns are counted at once.

Substantive verdicts come first: `code < ABSTAIN` says that a side was taken.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from schemas.base import Verdict
from schemas.errors import UserError

GOOD, BAD, ABSTAIN = 0, 1, 2
MISSING = 3
"""No rating at all, as when no sample of an item could be used."""

Codes = npt.NDArray[np.int8]
Column = Sequence[Verdict] | Codes
Table = Sequence[Sequence[Verdict]] | Codes

_CODE_OF: dict[Verdict, int] = {"good": GOOD, "bad": BAD, "abstain": ABSTAIN}


def encode(column: Column) -> Codes:
    """One code per verdict; codes are handed back as they are."""
    if isinstance(column, np.ndarray):
        return column
    return np.fromiter(map(_CODE_OF.__getitem__, column), dtype=np.int8, count=len(column))


def encode_table(table: Table, n_raters: int | None = None) -> Codes:
    """One row of codes per item, one column per rater; codes are handed back as they are.

    Args:
        table: One tuple of verdicts per item.
        n_raters: Width of the table; the first row's when not given.

    Raises:
        UserError: Rows have different lengths.
    """
    if isinstance(table, np.ndarray):
        return table
    width = n_raters if n_raters is not None else len(table[0]) if table else 0
    for index, row in enumerate(table):
        if len(row) != width:
            raise UserError(
                f"row {index} has {len(row)} verdicts where {width} are expected",
                fix="give every item one verdict per rater",
                code="verdict_count",
            )
    return encode(list(chain.from_iterable(table))).reshape(len(table), width)
