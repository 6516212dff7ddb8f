"""What is measured over the results of a pack."""

from typing import Any

from pydantic import Field

from schemas.base import Frozen
from schemas.metrics import Count, Metric


class PackCounts(Frozen):
    """How many results there are of each kind; errors and pending ones are no failures."""

    total: Count = Field(description="Results.")
    verified: Count = Field(description="Those with a verdict: passed and failed.")
    passed: Count = Field(description="Those that passed.")
    failed: Count = Field(description="Those that did not.")
    errors: Count = Field(description="Those that could not be judged.")
    pending: Count = Field(description="Those without an answer or a verifier.")


class PackCell(Frozen):
    """The pass rate of a part of the rows."""

    by: str = Field(description="`family` or `metadata`.")
    name: str | None = Field(default=None, description="The metadata key; null for a family.")
    value: Any = Field(description="What the rows of this part have in common.")
    counts: PackCounts = Field(description="Results of this part.")
    pass_rate: Metric = Field(description="Share of verified attempts that passed.")


class PackMeasures(Frozen):
    """All figures over one set of results."""

    counts: PackCounts = Field(description="Over all results.")
    n_rows: Count = Field(description="Rows, however often each was attempted.")
    group_by: str | None = Field(description="Metadata key whose rows belong together, if any.")
    n_groups: Count = Field(description="Groups of verified attempts that count as independent.")
    pass_rate: Metric = Field(description="Share of verified attempts that passed.")
    pass_at: dict[str, Metric] = Field(
        description="pass@k by k: one of k attempts passes; empty when rows have one attempt."
    )
    pass_hat: dict[str, Metric] = Field(
        description="pass^k by k: all of k attempts pass; empty when rows have one attempt."
    )
    cells: tuple[PackCell, ...] = Field(description="By family, then by metadata key.")
