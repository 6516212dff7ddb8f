"""Does an evaluation have the structure that its benchmark implies?

Four checks. Containment: an item whose premises and conclusions overlap holds by its form, so it
always counts as satisfied. Roles: around a base inference that the model endorses, supporters
should stay good, defeaters turn bad, irrelevant additions change nothing. Stability: base cases
of one target get one verdict. Thin margins: agreement with the panel should not hang on few votes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from schemas.base import Verdict
from schemas.benchmark import Benchmark, Item
from schemas.checks import Anomaly, ArityGroups, StructureCheck, StructureReport
from schemas.evaluation import Evaluation
from tasks.statistics.consensus import consensus
from tasks.statistics.dispersion import THIN_MARGIN, margin
from tasks.statistics.evaluations import items_by_id, judgements_of
from tasks.statistics.judgement import Judgement

BASE, SUPPORTER, DEFEATER, IRRELEVANT = ROLES = (
    "base-inference",
    "supporter",
    "defeater",
    "irrelevant-addition",
)

NOTHING_TO_CHECK: Final = "the check applies to no item"

_NO_REPLY = "; it has no usable sample and only reads abstain"

Judged = Mapping[str, Judgement]


def check_structure(
    evaluation: Evaluation, benchmark: Benchmark, thin_margin: float = THIN_MARGIN
) -> StructureReport:
    """The four checks on an evaluation of this benchmark.

    Args:
        evaluation: What the model said.
        benchmark: What was asked; items that the evaluation lacks are passed over.
        thin_margin: Margins strictly below it are thin.

    Raises:
        UserError: Two items of the evaluation have the same id.
    """
    items_by_id(evaluation)
    judged = {item.item_id: item for item in judgements_of(evaluation)}
    targets = _by_target(benchmark.items)
    checks = (
        _containment(benchmark.items, judged),
        _roles(targets, judged),
        _stability(targets, judged),
        _margins(list(judged.values()), thin_margin),
    )
    total = sum(len(check.anomalies) for check in checks)
    return StructureReport(
        evaluation_id=evaluation.id,
        benchmark_id=benchmark.id,
        thin_margin_threshold=thin_margin,
        checks=checks,
        arity=group_by_arity(benchmark.items),
        total_anomalies=total,
        all_satisfied=total == 0,
    )


def group_by_arity(items: Sequence[Item]) -> ArityGroups:
    """Item ids by number of conclusions, in file order."""
    return ArityGroups(
        exclusivity=tuple(item.id for item in items if not item.conclusions),
        single=tuple(item.id for item in items if len(item.conclusions) == 1),
        exhaustivity=tuple(item.id for item in items if len(item.conclusions) > 1),
    )


def role_of(item: Item) -> str | None:
    """What an item does for its target: its first tag that names a role."""
    return next((tag for tag in item.tags if tag in ROLES), None)


def _by_target(items: Iterable[Item]) -> list[list[Item]]:
    """Items per target, in order of first appearance."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Item]] = defaultdict(list)
    for item in items:
        if item.rsr_target is not None:
            groups[item.rsr_target.X, item.rsr_target.A].append(item)
    return list(groups.values())


def _containment(items: Iterable[Item], judged: Judged) -> StructureCheck:
    held = [item.id for item in items if not set(item.premises).isdisjoint(item.conclusions)]
    return _check("containment_closure", held, [], judged)


def _roles(targets: Iterable[Sequence[Item]], judged: Judged) -> StructureCheck:
    checked: list[str] = []
    anomalies: list[Anomaly] = []
    for items in targets:
        base = _shared_side(items, judged)
        for item in items if base is not None else ():
            expected = _expected_of(role_of(item), base)
            actual = judged[item.id].verdict if item.id in judged else "abstain"
            if expected is None or actual == "abstain":
                continue
            checked.append(item.id)
            if actual != expected:
                why = f"the base case is {base}, and this item is marked {role_of(item)}"
                anomalies.append(_anomaly(item.id, expected, actual, why))
    return _check("rsr_role_consistency", checked, anomalies, judged)


def _shared_side(items: Sequence[Item], judged: Judged) -> Verdict | None:
    """The side that all base cases got; None when they differ, abstain or were not asked."""
    said = {
        judged[item.id].verdict for item in items if role_of(item) == BASE and item.id in judged
    }
    return said.pop() if said in ({"good"}, {"bad"}) else None


def _expected_of(role: str | None, base: Verdict | None) -> Verdict | None:
    """What a role implies; None where it implies nothing."""
    if role == IRRELEVANT:
        return base
    if base != "good":
        return None
    implied: dict[str | None, Verdict] = {SUPPORTER: "good", DEFEATER: "bad"}
    return implied.get(role)


def _stability(targets: Iterable[Sequence[Item]], judged: Judged) -> StructureCheck:
    checked: list[str] = []
    anomalies: list[Anomaly] = []
    for items in targets:
        bases = [item.id for item in items if role_of(item) == BASE and item.id in judged]
        if len(bases) < 2:
            continue
        checked += bases
        verdicts = [judged[item_id].verdict for item_id in bases]
        if len(set(verdicts)) > 1:
            others = f"the {len(bases)} base cases of one target got different verdicts"
            for item_id, verdict in zip(bases, verdicts, strict=True):
                why = others + (_NO_REPLY if judged[item_id].is_missing else "")
                anomalies.append(_anomaly(item_id, "one verdict for all base cases", verdict, why))
    return _check("base_case_stability", checked, anomalies, judged)


def _margins(judgements: Sequence[Judgement], thin_margin: float) -> StructureCheck:
    agreeing = [
        item
        for item in judgements
        if item.verdict != "abstain"
        and item.verdict == consensus(item.analyst_verdicts)
        and sum(item.tally) > 0  # A bare verdict has no margin to be thin.
    ]
    margins = margin([item.tally for item in agreeing]).tolist()
    anomalies = [
        _anomaly(
            item.item_id,
            f"a margin of at least {thin_margin:g}",
            f"{lead:.3f}",
            f"model and panel agree on {item.verdict}, but its votes were {item.tally.good} good, "
            f"{item.tally.bad} bad, {item.tally.abstain} abstain",
        )
        for item, lead in zip(agreeing, margins, strict=True)
        if lead < thin_margin
    ]
    checked = [item.item_id for item in agreeing]
    return _check("thin_margin_agreement", checked, anomalies, {})


def _anomaly(item_id: str, expected: str, actual: str, explanation: str) -> Anomaly:
    return Anomaly(item_id=item_id, expected=expected, actual=actual, explanation=explanation)


def _check(
    name: str, checked: Sequence[str], anomalies: Sequence[Anomaly], judged: Judged
) -> StructureCheck:
    n_satisfying = len(checked) - len(anomalies)
    return StructureCheck(
        name=name,
        items_checked=len(checked),
        items_satisfying=n_satisfying,
        items_missing=sum(one in judged and judged[one].is_missing for one in checked),
        rate=n_satisfying / len(checked) if checked else None,
        reason=None if checked else NOTHING_TO_CHECK,
        anomalies=tuple(anomalies),
    )
