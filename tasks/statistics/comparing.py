"""Two evaluations of one benchmark, item by item."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from schemas.base import Verdict
from schemas.comparison import (
    AgreementGate,
    Comparison,
    ComparisonFamily,
    Correction,
    FlippedItem,
    SettingPair,
)
from schemas.evaluation import Evaluation
from tasks.statistics.adjusting import adjust_tests
from tasks.statistics.agreement import cohens_kappa
from tasks.statistics.coverage import coverage
from tasks.statistics.evaluations import judgements_of
from tasks.statistics.judgement import Judgement, Tally
from tasks.statistics.outcomes import Outcomes, outcomes_of_verdicts
from tasks.statistics.paired_tests import PairedSpec, compare_outcomes
from tasks.statistics.pairing import aligned, settings_that_differ
from tasks.statistics.referring import Referred

GATE_TV: Final = 0.10
GATE_SAMPLES: Final = 30
LEAST_OVERLAP: Final = 0.5

NO_DISTANCE = "no item has a usable sample in both runs"
LITTLE_OVERLAP = "both took a side on fewer than half of the items"

# A distance that is the gate's edge on paper must not fall below it by rounding.
_ROUNDING = 1e-12

_Floats = npt.NDArray[np.float64]
_Settings = Mapping[str, Any]


def compare_runs(
    a: Evaluation,
    b: Evaluation,
    reference: Referred,
    settings: PairedSpec,
    recorded: tuple[_Settings | None, _Settings | None] = (None, None),
) -> Comparison:
    """What two runs have in common, and whether one agrees with the reference more often.

    Args:
        a: The first run.
        b: The second one; items that only it has are left out.
        reference: Whom to agree with, and its verdict per item.
        settings: How the tests are done.
        recorded: Settings that the evaluations themselves do not hold, where they are known.

    Raises:
        UserError: The runs cannot be compared.
    """
    differences, unchecked = settings_that_differ(a, b, recorded)
    pairs = aligned(a, b)
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    said_a, said_b = [one.verdict for one in left], [one.verdict for one in right]
    kappa = cohens_kappa(said_a, said_b)
    is_little = not pairs or kappa.n / len(pairs) < LEAST_OVERLAP
    distances = tv_distances(left, right)
    known = distances[~np.isnan(distances)]
    found = {"coverage_a": coverage(said_a), "coverage_b": coverage(said_b)}
    reasons = {key: one.reason for key, one in found.items() if one.reason is not None}
    if is_little or kappa.reason is not None:
        reasons["cross_run_kappa"] = LITTLE_OVERLAP if is_little and pairs else str(kappa.reason)
    if not len(known):
        reasons["mean_tv_distance"] = NO_DISTANCE
    wanted = [reference.verdicts.get(one.item_id, "abstain") for one in left]
    return Comparison(
        run_a=a.id,
        run_b=b.id,
        n_items=len(pairs),
        n_only_in_b=len(b.items) - len(pairs),
        n_both_substantive=kappa.n,
        n_missing_a=sum(one.is_missing for one in left),
        n_missing_b=sum(one.is_missing for one in right),
        coverage_a=found["coverage_a"].value,
        coverage_b=found["coverage_b"].value,
        cross_run_kappa=None if is_little else kappa.value,
        insufficient_overlap=is_little,
        mean_tv_distance=float(known.mean()) if len(known) else None,
        n_tv_distance=len(known),
        per_item_tv={
            one.item_id: None if np.isnan(tv) else tv
            for one, tv in zip(left, distances.tolist(), strict=True)
        },
        agreement_gate=_gate(left, right, distances),
        flipped_items=_flips(left, right),
        differences={key: SettingPair(a=one, b=other) for key, (one, other) in differences.items()},
        unchecked=unchecked,
        reference=reference.label,
        tests=compare_outcomes(_passes(left, wanted), _passes(right, wanted), settings),
        reasons=reasons,
    )


def aligned_outcomes(runs: Sequence[Evaluation], reference: Referred) -> list[Outcomes]:
    """What passed in one run or in two, item by item in the order of the first.

    Raises:
        UserError: The second lacks items of the first, or is of another benchmark.
    """
    if len(runs) == 1:
        columns = [judgements_of(runs[0])]
    else:
        settings_that_differ(runs[0], runs[1], (None, None))
        pairs = aligned(runs[0], runs[1])
        columns = [[one for one, _ in pairs], [other for _, other in pairs]]
    return [
        _passes(column, [reference.verdicts.get(one.item_id, "abstain") for one in column])
        for column in columns
    ]


def adjust_family(comparisons: Sequence[Comparison], correction: Correction) -> ComparisonFamily:
    """Comparisons with the same first run, their p-values adjusted for how many there are."""
    adjusted = adjust_tests([one.tests for one in comparisons], correction)
    return ComparisonFamily(
        baseline=comparisons[0].run_a,
        correction=correction,
        comparisons=tuple(
            one.model_copy(update={"tests": tests})
            for one, tests in zip(comparisons, adjusted, strict=True)
        ),
    )


def tv_distances(left: Sequence[Judgement], right: Sequence[Judgement]) -> _Floats:
    """Total variation distance of the two runs' sample shares per item; NaN without samples."""
    one, other = _counts(left), _counts(right)
    with np.errstate(invalid="ignore"):
        shares = one / one.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
    distances: _Floats = np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    return distances


def _counts(judgements: Sequence[Judgement]) -> _Floats:
    tallies = [one.tally for one in judgements]
    return np.array(tallies, dtype=np.float64).reshape(len(tallies), 3)


def _gate(
    left: Sequence[Judgement], right: Sequence[Judgement], distances: _Floats
) -> AgreementGate:
    fewest = [min(sum(a.tally), sum(b.tally)) for a, b in zip(left, right, strict=True)]
    fits = [
        tv < GATE_TV - _ROUNDING and n >= GATE_SAMPLES
        for tv, n in zip(distances, fewest, strict=True)
    ]
    known = distances[~np.isnan(distances)]
    return AgreementGate(
        passed=bool(fits) and all(fits),
        tv_below=GATE_TV,
        samples_needed=GATE_SAMPLES,
        max_tv_distance=float(known.max()) if len(known) else None,
        fewest_samples=min(fewest, default=None),
        n_failing=fits.count(False),
    )


def _flips(left: Sequence[Judgement], right: Sequence[Judgement]) -> tuple[FlippedItem, ...]:
    return tuple(
        FlippedItem(
            item_id=a.item_id,
            verdict_a=None if a.is_missing else a.verdict,
            verdict_b=None if b.is_missing else b.verdict,
        )
        for a, b in zip(left, right, strict=True)
        if (a.verdict, a.is_missing) != (b.verdict, b.is_missing)
    )


def _passes(run: Sequence[Judgement], wanted: Sequence[Verdict]) -> Outcomes:
    """Which draws agree with the reference; where it takes no side nothing counts as drawn."""
    nothing = Tally(0, 0, 0)
    tallies = [
        one.tally if side != "abstain" else nothing for one, side in zip(run, wanted, strict=True)
    ]
    return outcomes_of_verdicts(tallies, [one.verdict for one in run], wanted)
