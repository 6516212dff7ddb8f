"""Measures results of packs: pass rates in whole and in parts, and repeated attempts.

Errors and pending rows are counted apart and are in no rate: a broken row is no wrong answer.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.metrics import Metric
from schemas.pack_measures import PackCell, PackCounts, PackMeasures
from tasks.packs.passing import mean_over_rows, pass_at_k, pass_hat_k, pass_rate


class Attempt(NamedTuple):
    """One result of a row, with what the row says about itself."""

    task_id: str
    family: str
    status: str
    metadata: Mapping[str, Any]


def count(statuses: Iterable[str]) -> PackCounts:
    """How many results there are of each kind."""
    found = list(statuses)
    passed, failed = found.count("passed"), found.count("failed")
    return PackCounts(
        total=len(found),
        verified=passed + failed,
        passed=passed,
        failed=failed,
        errors=found.count("error"),
        pending=found.count("pending"),
    )


def measure_pack(
    attempts: Sequence[Attempt], *, by: Sequence[str] = (), group_by: str | None = None
) -> PackMeasures:
    """All figures over the results of a pack.

    Args:
        attempts: Every result; a row may have several.
        by: Metadata keys whose values get a rate each.
        group_by: Metadata key whose value says which rows belong together. Attempts at one row
            always do; a row without the key stands alone.
    """
    group = _grouping(group_by)
    judged = [attempt for attempt in attempts if attempt.status in ("passed", "failed")]
    return PackMeasures(
        counts=count(attempt.status for attempt in attempts),
        n_rows=len({attempt.task_id for attempt in attempts}),
        group_by=group_by,
        n_groups=len({group(attempt) for attempt in judged}),
        pass_rate=_rate(judged, group),
        pass_at=_repeated(judged, pass_at_k),
        pass_hat=_repeated(judged, pass_hat_k),
        cells=(*_cells(attempts, group), *(c for key in by for c in _cells(attempts, group, key))),
    )


_Group = Callable[[Attempt], tuple[str, str]]


def _grouping(key: str | None) -> _Group:
    def group(attempt: Attempt) -> tuple[str, str]:
        if key is None or attempt.metadata.get(key) is None:
            return "row", attempt.task_id
        return "group", _written(attempt.metadata[key])

    return group


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _rate(judged: Sequence[Attempt], group: _Group) -> Metric:
    passed = [attempt.status == "passed" for attempt in judged]
    return pass_rate(passed, [group(attempt) for attempt in judged])


def _repeated(judged: Sequence[Attempt], estimate: Callable[..., Any]) -> dict[str, Metric]:
    """An estimate for every k up to the most attempts that a row has; rows with fewer are out."""
    attempts: dict[str, int] = {}
    passed: dict[str, int] = {}
    for attempt in judged:
        attempts[attempt.task_id] = attempts.get(attempt.task_id, 0) + 1
        passed[attempt.task_id] = passed.get(attempt.task_id, 0) + (attempt.status == "passed")
    most = max(attempts.values(), default=0)
    if most < 2:
        return {}
    return {
        str(k): mean_over_rows(
            estimate(n, passed[task_id], k) for task_id, n in attempts.items() if n >= k
        )
        for k in range(1, most + 1)
    }


def _cells(
    attempts: Sequence[Attempt], group: _Group, key: str | None = None
) -> Iterable[PackCell]:
    parts: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if key is None:
            parts.setdefault(_written(attempt.family), []).append(attempt)
        elif attempt.metadata.get(key) is not None:
            parts.setdefault(_written(attempt.metadata[key]), []).append(attempt)
    for value in sorted(parts):
        part = parts[value]
        judged = [attempt for attempt in part if attempt.status in ("passed", "failed")]
        yield PackCell(
            by="family" if key is None else "metadata",
            name=key,
            value=json.loads(value),
            counts=count(attempt.status for attempt in part),
            pass_rate=_rate(judged, group),
        )
