"""Evaluation 1.0: what one model answered on one benchmark, sample by sample.

Fields marked `LATER` came after the first generation of the format and are left out of what we
write while they hold their default.
"""

import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, FiniteFloat

from schemas.base import Frozen, Open, ParseStatus, QuestionForm, TieBreak, Verdict
from schemas.benchmark import LATER_FIELDS, BearerIds, References
from schemas.version import VERSION

DEFAULT_FRAME = "thin-v1"


class ProviderParams(Open):
    """Decoding parameters as requested; unknown ones are carried along."""

    temperature: FiniteFloat = Field(default=1.0, description="Sampling temperature.")
    max_tokens: int = Field(default=1024, description="Longest reply, in tokens.")
    top_p: FiniteFloat | None = Field(default=None, description="Nucleus sampling.")
    seed: int | None = Field(default=None, description="Base seed; sample i uses seed + i.")
    stop: tuple[str, ...] = Field(default=(), description="Strings that end a reply.")


class ModelInfo(Frozen):
    """The model that was asked."""

    provider: str = Field(description="Kind of provider, for example `control` or `openai`.")
    model_id: str = Field(description="The model's name at that provider.")
    params: ProviderParams = Field(default=ProviderParams(), description="Decoding parameters.")


class EndorsementConfig(Frozen):
    """How the model's endorsement of an item was found."""

    n_samples: int = Field(default=5, ge=1, description="Samples per item.")
    tie_break: TieBreak = Field(default="abstain", description="Verdict of a good/bad tie.")
    verification_prompt_id: str = Field(default="default-v1", description="Prompt that was used.")
    context_builder_premise_id: str = Field(
        default="conjunction-and-v1", description="Builder of premise contexts."
    )
    context_builder_conclusion_id: str = Field(
        default="disjunction-or-v1", description="Builder of conclusion contexts."
    )
    question_form: QuestionForm = Field(default="support", description="LATER. Question asked.")
    coherence_frame_id: str = Field(
        default=DEFAULT_FRAME, description="LATER. Frame of the coherence question."
    )


class SampleUsage(Open):
    """Tokens as the provider counted them; other counts are carried along."""

    input_tokens: int | None = Field(default=None, description="Tokens of the request.")
    output_tokens: int | None = Field(default=None, description="Tokens of the reply.")


class SampleRecord(Frozen):
    """One reply, or one failure."""

    sample_index: int = Field(description="From 0.")
    raw_response: str = Field(description="The reply; empty when the call failed.")
    parsed_verdict: Verdict = Field(description="What the reply says; abstain when unreadable.")
    parse_status: ParseStatus = Field(default="ok", description="How the verdict was found.")
    request_id: str | None = Field(default=None, description="`<run>:<item>:sample-<i>`.")
    wall_time_ms: FiniteFloat | None = Field(
        default=None, description="Duration of the last attempt."
    )
    usage: SampleUsage | None = Field(default=None, description="Token counts.")
    finish_reason: str | None = Field(default=None, description="Why the reply ended.")
    reasoning_tokens: int | None = Field(default=None, description="Tokens spent on reasoning.")
    provider_error: str | None = Field(
        default=None, description="LATER. Set when the call failed: no vote was cast."
    )


class MajorityVote(Frozen):
    """Votes of the usable samples, and what they decide."""

    good: int = Field(default=0, description="Votes for good.")
    bad: int = Field(default=0, description="Votes for bad.")
    abstain: int = Field(default=0, description="Votes for abstain.")
    verdict: Verdict = Field(description="Outcome.")
    tie_broken: bool = Field(default=False, description="Whether a tie had to be decided.")


class EvaluationItem(Frozen):
    """One item with the panel's verdicts and the model's."""

    id: str = Field(description="Item id of the benchmark.")
    premises: BearerIds = Field(description="Bearer ids, sorted.")
    conclusions: BearerIds = Field(description="Bearer ids, sorted.")
    analyst_verdicts: tuple[Verdict, ...] = Field(description="Copied from the benchmark.")
    analyst_rationales: tuple[str, ...] | None = Field(
        default=None, description="Copied from the benchmark."
    )
    model_verdict: Verdict = Field(
        description="Outcome of the vote; abstain with votes 0/0/0 when no sample was usable."
    )
    samples: tuple[SampleRecord, ...] = Field(default=(), description="All draws, in order.")
    majority_vote: MajorityVote | None = Field(default=None, description="The vote.")
    tags: tuple[str, ...] = Field(default=(), description="Copied from the benchmark.")
    references: References = ()


def _null_is_canonical(value: object) -> object:
    return 0 if value is None else value


class Evaluation(Frozen):
    """One run of one model on one benchmark."""

    schema_version: Literal["1.0"] = Field(default="1.0", description="Always the text 1.0.")
    id: str = Field(description="Run id.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    benchmark_hash: str | None = Field(default=None, description="`sha256:…` of the benchmark.")
    model: ModelInfo = Field(description="Who was asked.")
    endorsement_config: EndorsementConfig = Field(
        default=EndorsementConfig(), description="How it was asked."
    )
    framework_version: str = Field(
        default=VERSION, description="Version of the tool that wrote it."
    )
    started_at: datetime.datetime | None = Field(default=None, description="Start, UTC.")
    finished_at: datetime.datetime | None = Field(default=None, description="End, UTC.")
    items: tuple[EvaluationItem, ...] = Field(description="Items in benchmark order.")
    references: References = ()
    paraphrase_variant: Annotated[
        int,
        BeforeValidator(_null_is_canonical, json_schema_input_type=int | None),
    ] = Field(default=0, description="Wording asked; null is read as 0 and never written.")


def as_written(model: Frozen | Open) -> dict[str, Any]:
    """The JSON form of a document part: nulls left out, so are later fields at their default."""
    written: dict[str, Any] = model.model_dump(mode="json", exclude_none=True)
    for name in LATER_FIELDS:
        if written.get(name) in ([], {}):
            del written[name]
    config = written.get("endorsement_config")
    if config is not None:
        if config["question_form"] == "support":
            del config["question_form"]
        if config["coherence_frame_id"] == DEFAULT_FRAME:
            del config["coherence_frame_id"]
    return written
