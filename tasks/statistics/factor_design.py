"""Rows and columns of the factor model: one row per sample, one column per level but the first.

An item that lacks a declared factor is left out and counted, never read as the baseline. A level
that no row has, and a factor with one level only, have no column; the notes say so.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.base import Verdict
from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.evaluation import Evaluation
from tasks.statistics.evaluations import has_failed, items_by_id

_NAMED = 5


class Row(NamedTuple):
    """One sample."""

    item_id: str
    levels: Mapping[str, str]
    agrees: bool


class Rows(NamedTuple):
    """The samples of the fit, and how many were left out."""

    rows: tuple[Row, ...]
    n_dropped_abstain: int
    n_failed: int
    incomplete: tuple[str, ...]


class Design(NamedTuple):
    """The regression's arrays, and what its columns mean."""

    agrees: npt.NDArray[np.float64]
    matrix: npt.NDArray[np.float64]
    clusters: npt.NDArray[np.int64]
    columns: tuple[tuple[str, str], ...]
    baselines: Mapping[str, str]
    notes: tuple[str, ...]

    def describe(self, column: int) -> str:
        """What a column of the matrix stands for; the first is the intercept."""
        return "the intercept" if column == 0 else "=".join(self.columns[column - 1])


def gather_rows(
    evaluation: Evaluation, benchmark: Benchmark, reference: Mapping[str, Verdict]
) -> Rows:
    """One row per sample in which both the sample and the reference take a side."""
    answered = items_by_id(evaluation)
    rows: list[Row] = []
    incomplete: list[str] = []
    n_dropped = n_failed = 0
    for item in benchmark.items:
        if not item.factor_levels or item.id not in answered:
            continue
        if item.factor_levels.keys() < benchmark.factors.keys():
            incomplete.append(item.id)
            continue
        wanted = reference.get(item.id, "abstain")
        for sample in answered[item.id].samples:
            if has_failed(sample):
                n_failed += 1
            elif "abstain" in (wanted, sample.parsed_verdict):
                n_dropped += 1
            else:
                agrees = sample.parsed_verdict == wanted
                rows.append(Row(item.id, item.factor_levels, agrees))
    return Rows(tuple(rows), n_dropped, n_failed, tuple(incomplete))


def make_design(rows: Rows, factors: Mapping[str, Sequence[str]]) -> Design:
    """The design matrix: an intercept, then for each factor its levels after the first one seen.

    Raises:
        UserError: There is nothing to estimate from.
    """
    if not factors:
        raise not_estimable("the benchmark declares no factors", "declare factors in the benchmark")
    if not rows.rows:
        raise not_estimable(
            "no sample of an item with all factors takes a side where the reference does"
        )
    columns: list[tuple[str, str]] = []
    baselines: dict[str, str] = {}
    notes = _notes_on_items(rows.incomplete)
    for factor in sorted(factors):
        present = {row.levels[factor] for row in rows.rows}
        seen = [level for level in factors[factor] if level in present]
        unseen = [level for level in factors[factor] if level not in present]
        if unseen:
            notes.append(f"no sample has {factor} at {', '.join(unseen)}: left out")
        if len(seen) < 2:
            notes.append(f"{factor} has one level only ({seen[0]}): it has no effect to estimate")
            continue
        baselines[factor] = seen[0]
        columns += [(factor, level) for level in seen[1:]]
    if not columns:
        raise not_estimable("no factor has two levels with usable samples")
    places = {item_id: i for i, item_id in enumerate(dict.fromkeys(r.item_id for r in rows.rows))}
    matrix = np.array(
        [[1.0, *(float(row.levels[f] == level) for f, level in columns)] for row in rows.rows]
    )
    return Design(
        agrees=np.array([row.agrees for row in rows.rows], dtype=np.float64),
        matrix=matrix,
        clusters=np.array([places[row.item_id] for row in rows.rows], dtype=np.int64),
        columns=tuple(columns),
        baselines=baselines,
        notes=tuple(notes),
    )


def not_estimable(reason: str, fix: str = "add items, or merge levels") -> UserError:
    """The error for a model that these data cannot decide."""
    return UserError(
        f"the factor model cannot be estimated: {reason}", fix=fix, code="not_estimable"
    )


def _notes_on_items(incomplete: Sequence[str]) -> list[str]:
    if not incomplete:
        return []
    more = f" and {len(incomplete) - _NAMED} more" if len(incomplete) > _NAMED else ""
    named = ", ".join(incomplete[:_NAMED])
    return [f"{len(incomplete)} items lack a factor and are left out: {named}{more}"]
