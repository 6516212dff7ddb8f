"""Two runs of one pack, row by row: an attempt passes when it is verified.

Attempts with an error, and those that are pending, are neither passed nor failed: they are counted
apart, and a row without any judged attempt in one of the runs is left out of the tests.
"""

from collections.abc import Sequence
from typing import Any, Final

from schemas.comparison import Correction, SettingPair
from schemas.errors import UserError
from schemas.pack_comparison import (
    AttemptCounts,
    ChangedRow,
    PackComparison,
    PackComparisonFamily,
    PackRunOutcomes,
    RowOutcome,
)
from tasks.statistics.adjusting import adjust_tests
from tasks.statistics.outcomes import Outcomes, outcomes_of_counts
from tasks.statistics.paired_tests import PairedSpec, compare_outcomes

NO_ROWS: Final = "no row has a judged attempt in both runs"

_CODE = "code_completion"

Rows = Sequence[RowOutcome]


def compare_pack_runs(
    a: PackRunOutcomes, b: PackRunOutcomes, settings: PairedSpec
) -> PackComparison:
    """Whether one of two runs passes more often, on the rows that both have.

    Raises:
        UserError: The runs are of different packs, or were judged differently.
    """
    by_id = {row.id: row for row in b.rows}
    left = [row for row in a.rows if row.id in by_id]
    right = [by_id[row.id] for row in left]
    _require_comparable(a, b, {row.family for row in left})
    shared = {row.id for row in left}
    tests = compare_outcomes(_passes(left), _passes(right), settings)
    if tests.reason is not None:
        tests = tests.model_copy(update={"reason": NO_ROWS})
    return PackComparison(
        run_a=a.run_id,
        run_b=b.run_id,
        pack_id=a.pack_id,
        pack_sha256=a.pack_sha256,
        n_rows=len(left),
        only_in_a=tuple(row.id for row in a.rows if row.id not in shared),
        only_in_b=tuple(row.id for row in b.rows if row.id not in shared),
        attempts_a=_count(left),
        attempts_b=_count(right),
        changed_rows=tuple(
            ChangedRow(
                row_id=one.id,
                passed_a=one.n_passed,
                judged_a=one.n_judged,
                passed_b=other.n_passed,
                judged_b=other.n_judged,
            )
            for one, other in zip(left, right, strict=True)
            if _changed(one, other)
        ),
        differences={
            key: SettingPair(a=value, b=b.settings.get(key))
            for key, value in a.settings.items()
            if value != b.settings.get(key)
        },
        tests=tests,
    )


def adjust_pack_family(
    comparisons: Sequence[PackComparison], correction: Correction
) -> PackComparisonFamily:
    """Comparisons with the same first run, their p-values adjusted for how many there are."""
    adjusted = adjust_tests([one.tests for one in comparisons], correction)
    return PackComparisonFamily(
        baseline=comparisons[0].run_a,
        correction=correction,
        comparisons=tuple(
            one.model_copy(update={"tests": tests})
            for one, tests in zip(comparisons, adjusted, strict=True)
        ),
    )


def _require_comparable(a: PackRunOutcomes, b: PackRunOutcomes, families: set[str]) -> None:
    """Refuse runs of other content, and those whose shared rows were asked or judged otherwise."""
    if a.pack_id != b.pack_id:
        raise UserError(
            f"{a.run_id!r} is of the pack {a.pack_id!r}, {b.run_id!r} of {b.pack_id!r}",
            fix="compare runs of one pack",
            code="benchmark_mismatch",
        )
    if a.pack_sha256 != b.pack_sha256:
        raise UserError(
            f"the pack {a.pack_id!r} was changed between {a.run_id!r} and {b.run_id!r}",
            fix="run the pack as it is now for both: replies that are still wanted are reused",
            code="not_comparable",
        )
    left, right = _judging(a, families), _judging(b, families)
    differing = [
        f"{key} ({left[key]!r} and {right[key]!r})"
        for key in left
        if key in right and left[key] != right[key]
    ]
    if differing:
        raise UserError(
            f"{a.run_id!r} and {b.run_id!r} differ in {', '.join(differing)}",
            fix="run the pack again with the same profile, verifiers and policy for both",
            code="not_comparable",
        )


def _judging(run: PackRunOutcomes, families: set[str]) -> dict[str, Any]:
    """What must be the same; a family that was not judged has no verifier."""
    known = {f"verifier of {name}": run.verifiers[name] for name in families & run.verifiers.keys()}
    rules = run.judging
    if _CODE not in families:
        rules = {key: value for key, value in rules.items() if key != "extract_code"}
    return {**rules, **dict(sorted(known.items()))}


def _passes(rows: Rows) -> Outcomes:
    return outcomes_of_counts([row.n_passed for row in rows], [row.n_judged for row in rows])


def _count(rows: Rows) -> AttemptCounts:
    return AttemptCounts(
        passed=sum(row.n_passed for row in rows),
        failed=sum(row.n_failed for row in rows),
        errors=sum(row.n_errors for row in rows),
        pending=sum(row.n_pending for row in rows),
        rows_unjudged=sum(row.n_judged == 0 for row in rows),
    )


def _changed(one: RowOutcome, other: RowOutcome) -> bool:
    """Whether the shares differ, told without dividing."""
    both = one.n_judged > 0 and other.n_judged > 0
    return both and one.n_passed * other.n_judged != other.n_passed * one.n_judged
