"""The document that `assent metrics --format json` prints.

Numbers stand under keys that name the rater they compare with, such as `gwet_ac1[consensus]`, so
both kinds of block are open; what every block has is stated here.
"""

from typing import Any

from pydantic import Field

from schemas.base import Frozen, Open
from schemas.metrics import AggregateDispersion, Caution, Count, Share, VerdictCounts


class Block(Open):
    """Everything measured over some items; `KEY_ci` and `KEY_bounds` stand beside numbers."""

    n: Count = Field(description="Items, missing ones included.")
    n_missing: Count = Field(description="Items without any usable sample.")
    n_judged: Count = Field(description="The other items.")
    n_substantive: Count = Field(description="Items where model and first reference took a side.")
    m_counts: VerdictCounts = Field(description="What the model said on those.")
    r_counts: VerdictCounts = Field(description="What the first reference said on those.")
    under_powered: bool = Field(description="Whether there are fewer of them than the threshold.")
    under_powered_threshold: Count = Field(description="Agreement over fewer items says little.")
    coverage: Share | None = Field(description="Missing items count as abstentions.")
    coverage_judged: Share | None = Field(description="The same over judged items.")
    fleiss_kappa: float | None = Field(description="Analysts and model.")
    inter_analyst_fleiss: float | None = Field(description="All analysts.")
    coverage_per_analyst: tuple[Share, ...] = Field(description="In the order of the analysts.")
    coverage_per_analyst_named: dict[str, Share | None] = Field(description="By analyst id.")
    aggregate_dispersion: AggregateDispersion = Field(description="Over all items.")
    aggregate_dispersion_judged: AggregateDispersion = Field(description="Over judged items.")
    chance: dict[str, Share] = Field(description="What chance alone would give, by key.")
    cautions: tuple[Caution, ...] = Field(description="What to know before a number is used.")
    reasons: dict[str, str] = Field(description="Why a value is null, by key.")
    ns: dict[str, Count] = Field(description="Items behind each number, by key.")


class CellBlock(Block):
    """One part of the items."""

    by: str = Field(
        description="`tag`, `rsr_target`, `factor`, `factor_cell`, `panel`, `variation`, `variant`."
    )
    name: str | None = Field(default=None, description="The factor, or the run of a variant.")
    value: Any = Field(description="Tag, target, level, levels, panel, variation or wording.")


class Warned(Frozen):
    """Something odd in the files that does not stop the measuring."""

    file: str | None = Field(description="Path as given.")
    code: str = Field(description="A short stable word for machines.")
    location: str = Field(description="Where in the file.")
    message: str = Field(description="One line for people.")
    fix: str | None = Field(description="What to do about it.")


class MetricsReport(Frozen):
    """An evaluation as a whole, and the parts that were asked for."""

    overall: Block = Field(description="All items.")
    cells: tuple[CellBlock, ...] = Field(description="Parts, in the order of the options.")
    panels: dict[str, Any] | None = Field(
        default=None, description="As in `overall`; absent without panels."
    )
    warnings: tuple[Warned, ...] = Field(description="What is odd about the files and numbers.")
