"""Evaluation files as the statistics see them: votes per item, and what each sample said.

Promises: votes come from the recorded tally, else from the samples; a failed sample casts none.
An item whose calls all failed is *missing*: it reads `abstain`, but the model did not abstain.
"""

from collections.abc import Iterable, Mapping, Sequence

from schemas.base import Verdict
from schemas.errors import UserError
from schemas.evaluation import EndorsementConfig, Evaluation, EvaluationItem, SampleRecord
from tasks.judging.curtailing import settled_verdict
from tasks.statistics.judgement import Judgement, Tally

_MOST_VOTES = 2**53
"""Beyond it, doubles lose count."""


def has_failed(sample: SampleRecord) -> bool:
    """Whether there is no reply; older files say so by the status alone."""
    return sample.provider_error is not None or sample.parse_status == "sample_failed"


def usable_verdicts(item: EvaluationItem) -> list[Verdict]:
    """What the samples said, in their order, failed ones left out."""
    return [sample.parsed_verdict for sample in item.samples if not has_failed(sample)]


def count(verdicts: Sequence[Verdict]) -> Tally:
    """How often each verdict stands there."""
    return Tally(verdicts.count("good"), verdicts.count("bad"), verdicts.count("abstain"))


def tally_of(item: EvaluationItem) -> Tally:
    """The votes of an item: as recorded, else counted over the samples without an error.

    Files of the first generation record no errors and count failed calls as abstentions.
    """
    if item.majority_vote is not None:
        vote = item.majority_vote
        return Tally(vote.good, vote.bad, vote.abstain)
    return count([s.parsed_verdict for s in item.samples if s.provider_error is None])


def is_missing(item: EvaluationItem, tally: Tally) -> bool:
    """Whether the item was asked and no reply could be used.

    A bare verdict without samples and votes is taken at its word.
    """
    nobody_voted = item.majority_vote is not None and sum(tally) == 0
    all_failed = bool(item.samples) and all(map(has_failed, item.samples))
    return item.model_verdict == "abstain" and (nobody_voted or all_failed)


def judgements_of(evaluation: Evaluation) -> list[Judgement]:
    """The items of an evaluation, in file order.

    Raises:
        UserError: An item has a count of votes that cannot be.
    """
    return [_judgement(item, evaluation.endorsement_config) for item in evaluation.items]


def items_by_id(evaluation: Evaluation) -> Mapping[str, EvaluationItem]:
    """The items under their ids.

    Raises:
        UserError: Two items have the same id.
    """
    found = {item.id: item for item in evaluation.items}
    if len(found) != len(evaluation.items):
        twice = _first_repeated(item.id for item in evaluation.items)
        raise UserError(
            f"the evaluation {evaluation.id!r} has two items called {twice!r}",
            fix="keep one of them",
            code="duplicate_id",
        )
    return found


def n_undrawn(item: EvaluationItem, config: EndorsementConfig) -> int:
    """Samples of an item that were not asked for because those before had settled its verdict."""
    left = config.n_samples - len(item.samples)
    if left <= 0 or not item.samples:
        return 0
    said = {s.sample_index: None if has_failed(s) else s.parsed_verdict for s in item.samples}
    return 0 if settled_verdict(said, config.n_samples, config.tie_break) is None else left


def checked_tally(item: EvaluationItem) -> Tally:
    """The votes of an item.

    Raises:
        UserError: A count of votes cannot be.
    """
    tally = tally_of(item)
    if min(tally) < 0 or max(tally) > _MOST_VOTES:
        raise UserError(
            f"item {item.id!r} has an impossible count of votes",
            fix="write counts from 0",
            code="tally",
        )
    return tally


def _judgement(item: EvaluationItem, config: EndorsementConfig) -> Judgement:
    tally = checked_tally(item)
    return Judgement(
        item_id=item.id,
        analyst_verdicts=item.analyst_verdicts,
        verdict=item.model_verdict,
        tally=tally,
        tie_broken=item.majority_vote is not None and item.majority_vote.tie_broken,
        is_missing=is_missing(item, tally),
        n_unjudged=sum(s.parse_status != "ok" or has_failed(s) for s in item.samples),
        n_undrawn=n_undrawn(item, config),
        n_read_abstain=_read_abstentions(item.samples) if item.samples else None,
    )


def _read_abstentions(samples: Sequence[SampleRecord]) -> int:
    return sum(
        s.parsed_verdict == "abstain" and s.parse_status == "ok" and not has_failed(s)
        for s in samples
    )


def _first_repeated(ids: Iterable[str]) -> str:
    seen = set[str]()
    return next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]  # add returns None, which is false
