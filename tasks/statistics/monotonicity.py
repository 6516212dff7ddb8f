"""Do verdicts move along their ladders as the tiers say?

Items that differ in one tier form a ladder. With bad below good, verdicts should never fall (or
never rise) as the tier goes up. Steps where the model took no side are gaps and are passed over.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

from schemas.base import Verdict
from schemas.benchmark import Benchmark, Direction, Item, MonotonicityStep
from schemas.checks import Ladder, LadderStatus, LadderStep, MonotonicityReport, VariationRow
from schemas.evaluation import Evaluation
from tasks.statistics.evaluations import items_by_id, judgements_of
from tasks.statistics.judgement import Judgement

UNSPECIFIED = "unspecified"

_HEIGHT: Mapping[Verdict | None, int] = {"bad": 0, "good": 1}

Key = tuple[str | None, str, str | None]
Rung = tuple[Item, MonotonicityStep]


def check_monotonicity(evaluation: Evaluation, benchmark: Benchmark) -> MonotonicityReport:
    """Every ladder of the benchmark as the model climbed it.

    Raises:
        UserError: Two items of the evaluation have the same id.
    """
    items_by_id(evaluation)
    judged = {item.item_id: item for item in judgements_of(evaluation)}
    groups: dict[Key, list[Rung]] = defaultdict(list)
    for item in benchmark.items:
        step = item.monotonicity_step
        if step is not None and item.id in judged:
            groups[item.ladder, step.family, step.fixed].append((item, step))
    ordered = sorted(groups.items(), key=lambda group: tuple(name or "" for name in group[0]))
    ladders = tuple(_ladder(key, rungs, judged) for key, rungs in ordered)
    return MonotonicityReport(
        evaluation_id=evaluation.id,
        benchmark_id=benchmark.id,
        ladders=ladders,
        variations=_variations(benchmark, judged),
        n_violations=sum(len(ladder.violations) for ladder in ladders),
    )


def _ladder(key: Key, rungs: list[Rung], judged: Mapping[str, Judgement]) -> Ladder:
    expected = rungs[0][1].expected
    steps = [
        LadderStep(
            item_id=item.id,
            tier=step.tier,
            tier_index=step.tier_index,
            verdict=None if judged[item.id].is_missing else judged[item.id].verdict,
        )
        for item, step in sorted(rungs, key=lambda rung: rung[1].tier_index)
    ]
    sides = [step for step in steps if step.verdict in _HEIGHT]
    violations = tuple(
        (low.item_id, high.item_id) for low, high in pairwise(sides) if _breaks(low, high, expected)
    )
    return Ladder(
        ladder=key[0],
        family=key[1],
        fixed=key[2],
        expected=expected,
        steps=tuple(steps),
        n_gaps=len(steps) - len(sides),
        n_missing=sum(step.verdict is None for step in steps),
        status=_status(len(violations), len(sides)),
        violations=violations,
    )


def _breaks(low: LadderStep, high: LadderStep, expected: Direction) -> bool:
    rise = _HEIGHT[high.verdict] - _HEIGHT[low.verdict]
    return rise < 0 if expected == "non_decreasing" else rise > 0


def _status(n_violations: int, n_sides: int) -> LadderStatus:
    if n_violations:
        return "violated"
    return "insufficient" if n_sides < 2 else "monotone"


def _variations(benchmark: Benchmark, judged: Mapping[str, Judgement]) -> tuple[VariationRow, ...]:
    """Verdicts per kind of variation, in alphabetical order."""
    verdicts: dict[str, Counter[Verdict]] = defaultdict(Counter)
    missing = Counter[str]()
    for item in benchmark.items:
        if item.id in judged:
            kind = item.variation or UNSPECIFIED
            verdicts[kind][judged[item.id].verdict] += 1
            missing[kind] += judged[item.id].is_missing
    return tuple(
        VariationRow(
            variation=kind,
            n=given.total(),
            good=given["good"],
            bad=given["bad"],
            abstain=given["abstain"],
            n_missing=missing[kind],
            coverage=(given["good"] + given["bad"]) / given.total(),
        )
        for kind, given in sorted(verdicts.items())
    )
