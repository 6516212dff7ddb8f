"""Judged items of an evaluation file, ours or of any other tool that writes the format."""

from collections.abc import Sequence

from schemas.evaluation import Evaluation, EvaluationItem, SampleRecord
from tasks.statistics.judgement import Judgement, Tally


def judgements_of(evaluation: Evaluation) -> list[Judgement]:
    """The items of an evaluation as they were judged."""
    return [_judgement(item) for item in evaluation.items]


def has_failed(sample: SampleRecord) -> bool:
    """Whether there is no reply; older files say so by the status alone."""
    return sample.provider_error is not None or sample.parse_status == "sample_failed"


def _judgement(item: EvaluationItem) -> Judgement:
    failed = [sample for sample in item.samples if has_failed(sample)]
    unread = [
        sample for sample in item.samples if sample.parse_status != "ok" and not has_failed(sample)
    ]
    tally = _tally(item)
    nobody_voted = item.majority_vote is not None and sum(tally) == 0
    # Files of the first generation count failed calls as abstentions.
    all_failed = bool(item.samples) and len(failed) == len(item.samples)
    return Judgement(
        item_id=item.id,
        analyst_verdicts=item.analyst_verdicts,
        verdict=item.model_verdict,
        tally=tally,
        tie_broken=item.majority_vote is not None and item.majority_vote.tie_broken,
        is_missing=item.model_verdict == "abstain" and (nobody_voted or all_failed),
        n_unjudged=len(failed) + len(unread),
        n_read_abstain=_read_abstentions(item.samples) if item.samples else None,
    )


def _tally(item: EvaluationItem) -> Tally:
    if item.majority_vote is not None:
        vote = item.majority_vote
        return Tally(vote.good, vote.bad, vote.abstain)
    said = [s.parsed_verdict for s in item.samples if s.provider_error is None]
    return Tally(said.count("good"), said.count("bad"), said.count("abstain"))


def _read_abstentions(samples: Sequence[SampleRecord]) -> int:
    return sum(
        s.parsed_verdict == "abstain" and s.parse_status == "ok" and not has_failed(s)
        for s in samples
    )
