"""The evaluation document, part by part: a head and one item after the other."""

from collections.abc import Sequence
from typing import Any

from schemas.benchmark import Item
from schemas.documents import CheckedBenchmark, PromptTable, SampleTable
from schemas.evaluation import (
    EndorsementConfig,
    Evaluation,
    EvaluationItem,
    MajorityVote,
    ModelInfo,
    SampleRecord,
    SampleUsage,
    as_written,
)
from schemas.run import RunOrder

Row = dict[str, Any]


def evaluation_head(
    order: RunOrder,
    benchmark: CheckedBenchmark,
    prompts: PromptTable,
    samples: SampleTable,
) -> Evaluation:
    """The evaluation without its items."""
    spec = order.spec
    return Evaluation(
        id=order.run_id,
        benchmark_id=benchmark.benchmark_id,
        benchmark_hash=benchmark.benchmark_hash,
        model=ModelInfo(
            provider=spec.model.provider,
            model_id=samples.model_id or spec.model.model_id,
            params=spec.sampling.params,
        ),
        endorsement_config=EndorsementConfig(
            n_samples=spec.sampling.n_samples,
            tie_break=spec.voting.tie_break,
            verification_prompt_id=prompts.verification_prompt_id,
            context_builder_premise_id=prompts.premise_builder_id,
            context_builder_conclusion_id=prompts.conclusion_builder_id,
            question_form=spec.prompting.question_form,
            coherence_frame_id=prompts.coherence_frame_id,
        ),
        started_at=order.started_at,
        paraphrase_variant=spec.prompting.variant,
        items=(),
    )


def evaluation_item(run_id: str, item: Item, samples: Sequence[Row], verdict: Row) -> Row:
    """One item in the form that is written."""
    document = EvaluationItem(
        id=item.id,
        premises=item.premises,
        conclusions=item.conclusions,
        analyst_verdicts=item.analyst_verdicts,
        analyst_rationales=item.analyst_rationales,
        model_verdict=verdict["verdict"] or "abstain",
        samples=tuple(_sample(run_id, row) for row in samples),
        majority_vote=MajorityVote(
            good=verdict["good"],
            bad=verdict["bad"],
            abstain=verdict["abstain"],
            verdict=verdict["verdict"] or "abstain",
            tie_broken=verdict["tie_broken"],
        ),
        tags=item.tags,
        references=item.references,
    )
    return as_written(document)


def _sample(run_id: str, row: Row) -> SampleRecord:
    usage = {key: row[key] for key in ("input_tokens", "output_tokens") if row[key] is not None}
    return SampleRecord(
        sample_index=row["sample_index"],
        raw_response=row["text"],
        parsed_verdict=row["parsed_verdict"] or "abstain",
        parse_status=row["parse_status"],
        request_id=f"{run_id}:{row['item_id']}:sample-{row['sample_index']}",
        wall_time_ms=row["wall_time_ms"],
        usage=SampleUsage(**usage) if usage else None,
        finish_reason=row["finish_reason"],
        reasoning_tokens=row["reasoning_tokens"],
        provider_error=row["error"],
    )
