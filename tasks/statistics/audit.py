"""Failed calls that a run may have counted as answers, and what the figures are without them.

Known: the sample says that its call failed. Suspected: the sample abstains on a blank reply or,
where calls take time, without a duration. Recordings and control models answer at once, so there
only a blank reply is suspect.
"""

from typing import NamedTuple

from schemas.base import Verdict
from schemas.checks import AuditedFigures, AuditReport, ChangedVerdict, ItemFailures
from schemas.evaluation import Evaluation, EvaluationItem, SampleRecord
from tasks.judging import vote
from tasks.statistics.agreement import cohens_kappa
from tasks.statistics.consensus import consensus
from tasks.statistics.coverage import coverage
from tasks.statistics.evaluations import is_missing, tally_of

WITHOUT_DURATION = frozenset({"replay", "control"})
"""Providers whose replies take no measurable time."""


class _Reading(NamedTuple):
    """One item, as published and without its failures."""

    item: EvaluationItem
    known: int
    suspected: int
    recomputed: Verdict | None

    @property
    def has_failure(self) -> bool:
        return self.known + self.suspected > 0


def audit_samples(evaluation: Evaluation, path: str) -> AuditReport:
    """Known and suspected failures, and the figures with and without them.

    Args:
        evaluation: The run.
        path: The file's name as the report shall show it.
    """
    takes_time = evaluation.model.provider not in WITHOUT_DURATION
    readings = [_read(item, evaluation, takes_time=takes_time) for item in evaluation.items]
    published = [item.model_verdict for item in evaluation.items]
    recomputed: list[Verdict] = [one.recomputed or "abstain" for one in readings]
    n_missing = sum(is_missing(item, tally_of(item)) for item in evaluation.items)
    failing = [one for one in readings if one.has_failure]
    return AuditReport(
        eta_path=path,
        eta_id=evaluation.id,
        benchmark_id=evaluation.benchmark_id,
        model_id=evaluation.model.model_id,
        provider=evaluation.model.provider,
        tie_break=evaluation.endorsement_config.tie_break,
        n_items=len(readings),
        n_samples_scanned=sum(len(item.samples) for item in evaluation.items),
        n_known_provider_errors=sum(one.known for one in readings),
        n_suspected_silent_failures=sum(one.suspected for one in readings),
        n_items_with_any_failure=len(failing),
        n_items_without_samples=sum(not item.samples for item in evaluation.items),
        published=_figures(evaluation, published, n_missing),
        recomputed_failures_excluded=_figures(
            evaluation, recomputed, sum(one.recomputed is None for one in readings)
        ),
        per_item_failures=tuple(
            ItemFailures(
                id=one.item.id,
                n_samples=len(one.item.samples),
                known_provider_errors=one.known,
                suspected_silent_failures=one.suspected,
            )
            for one in failing
        ),
        changed_verdicts=tuple(
            ChangedVerdict(
                id=one.item.id, published=one.item.model_verdict, recomputed=one.recomputed
            )
            for one in readings
            if (one.recomputed or "abstain") != one.item.model_verdict
        ),
    )


def is_suspect(sample: SampleRecord, *, takes_time: bool) -> bool:
    """Whether an abstention looks like a call that failed without saying so.

    Args:
        sample: A sample that is not recorded as failed.
        takes_time: Whether a real call has a duration above zero.
    """
    if sample.parsed_verdict != "abstain":
        return False
    return not sample.raw_response.strip() or (takes_time and not sample.wall_time_ms)


def _read(item: EvaluationItem, evaluation: Evaluation, *, takes_time: bool) -> _Reading:
    sound: list[Verdict] = []
    known = suspected = 0
    for sample in item.samples:
        if sample.provider_error is not None:
            known += 1
        elif is_suspect(sample, takes_time=takes_time):
            suspected += 1
        else:
            sound.append(sample.parsed_verdict)
    if not item.samples:  # Nothing to count again: the recorded verdict is all there is.
        return _Reading(item, 0, 0, item.model_verdict)
    tally = vote(sound, evaluation.endorsement_config.tie_break)
    return _Reading(item, known, suspected, None if tally.is_missing else tally.verdict)


def _figures(evaluation: Evaluation, verdicts: list[Verdict], n_missing: int) -> AuditedFigures:
    panel = [consensus(item.analyst_verdicts) for item in evaluation.items]
    found = {"coverage": coverage(verdicts), "kappa_c": cohens_kappa(verdicts, panel)}
    return AuditedFigures(
        coverage=found["coverage"].value,
        kappa_c=found["kappa_c"].value,
        n_kappa_c=found["kappa_c"].n,
        n_missing=n_missing,
        reasons={key: one.reason for key, one in found.items() if one.reason is not None},
    )
