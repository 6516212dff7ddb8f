"""Whom the model is compared with: the consensus of the analysts, or one of them."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.errors import UserError

CONSENSUS = "consensus"


class Reference(NamedTuple):
    """A rater to compare with; `column` is the analyst's place, None for the consensus."""

    label: str
    column: int | None


def resolve_reference(request: str, analyst_ids: Sequence[str], n_analysts: int) -> Reference:
    """The reference that a request means.

    Args:
        request: `consensus`, a label `analyst[<index>]`, or `analyst:<x>` where x is an index
            (negative ones count from the end) or, failing that, an analyst's id.
        analyst_ids: Known ids in column order; empty when they are not known.
        n_analysts: Number of analysts.

    Raises:
        UserError: Nobody is called that.
    """
    if request == CONSENSUS:
        return Reference(CONSENSUS, None)
    by_name = {analyst_id: index for index, analyst_id in enumerate(analyst_ids)}
    by_name |= {str(index): index % n_analysts for index in range(-n_analysts, n_analysts)}
    requests = {f"analyst:{name}": index for name, index in by_name.items()}
    requests |= {_label(index): index for index in range(n_analysts)}
    if request not in requests:
        known = ", ".join(analyst_ids) or ", ".join(map(str, range(n_analysts))) or "none"
        raise UserError(
            f"unknown reference {request!r}",
            fix=f"use 'consensus' or 'analyst:<id or index>'; known analysts: {known}",
            code="unknown_reference",
        )
    return Reference(_label(requests[request]), requests[request])


def _label(index: int) -> str:
    return f"analyst[{index}]"
