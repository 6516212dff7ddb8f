"""Rows of the Parquet tables: names, types and meanings of their columns.

`tasks/storage/tables.py` derives the Arrow schemas from these models, `docs/formats.md` its tables.
"""

from typing import Literal

from pydantic import Field

from schemas.base import Frozen, ParseStatus, Verdict


class PromptRow(Frozen):
    """prompts.parquet: one row per item and variant, in item order."""

    item_id: str = Field(description="Item of the benchmark.")
    variant: int = Field(description="Wording; 0 is the canonical one.")
    fallback: bool = Field(description="Some bearer lacks this wording and kept its canonical one.")
    system: str = Field(description="System message.")
    user: str = Field(description="User message.")
    prompt_hash: str = Field(description="`sha256:` of the user message.")
    ordinal: int = Field(
        description="Place among items with the same messages, by item id; part of request keys."
    )
    queue_place: int = Field(
        description="Place among items with the same user message, by file order; for replay."
    )


class SampleRow(Frozen):
    """samples.parquet: one row per sample, in item order, then by sample index."""

    item_id: str = Field(description="Item of the benchmark.")
    variant: int = Field(description="Wording; 0 is the canonical one.")
    sample_index: int = Field(description="From 0.")
    request_key: str = Field(description="Identity of the draw in the sample store.")
    prompt_hash: str = Field(description="`sha256:` of the user message.")
    status: Literal["ok", "failed"] = Field(description="Whether there is a reply.")
    text: str = Field(description="The reply; empty when the call failed.")
    model_id: str | None = Field(description="Model as the provider named it.")
    finish_reason: str | None = Field(description="Why the reply ended.")
    wall_time_ms: float | None = Field(description="Duration of the last attempt.")
    input_tokens: int | None = Field(description="Tokens of the request.")
    output_tokens: int | None = Field(description="Tokens of the reply.")
    reasoning_tokens: int | None = Field(description="Tokens spent on reasoning.")
    usage_json: str | None = Field(description="All token counts of the provider, as JSON.")
    provider_request_id: str | None = Field(description="The provider's name for the call.")
    error: str | None = Field(description="Why the call failed.")


class JudgedSampleRow(SampleRow):
    """samples.parquet as published: each sample with what it was read as."""

    parsed_verdict: Verdict | None = Field(
        description="What the reply says; abstain when unreadable, null when there is none."
    )
    parse_status: ParseStatus = Field(description="How the verdict was found.")


class VerdictRow(Frozen):
    """verdicts.parquet: one row per item."""

    item_id: str = Field(description="Item of the benchmark.")
    variant: int = Field(description="Wording; 0 is the canonical one.")
    status: Literal["judged", "missing"] = Field(
        description="`missing`: no usable sample, so the model said nothing."
    )
    verdict: Verdict | None = Field(description="Outcome of the vote; null when missing.")
    good: int = Field(description="Votes for good.")
    bad: int = Field(description="Votes for bad.")
    abstain: int = Field(description="Votes for abstain, unreadable replies included.")
    tie_broken: bool = Field(description="Whether a tie had to be decided.")
    n_samples: int = Field(description="Samples drawn, failed ones included.")
    n_failed: int = Field(description="Samples whose call failed: no vote.")
    n_unparseable: int = Field(description="Replies without a readable label.")
    n_clipped: int = Field(description="Unreadable replies that hit the token limit.")
    n_undrawn: int = Field(description="Samples not asked for: the verdict was settled.")


class MetricRow(Frozen):
    """metrics.parquet: one row per number, in long form."""

    scope: str = Field(
        description="`overall`; `panel`; `policy`: unjudged samples counted in one way; `bounds`: "
        "range over everything that they could have said. In CSV also `tag` and the other parts."
    )
    cell: str = Field(description="Which panel, policy or part; empty for the whole.")
    metric: str = Field(description="Name as in the output document; in CSV the printed key.")
    value: float | None = Field(description="Null when undefined.")
    n: int | None = Field(description="Items behind the value.")
    low: float | None = Field(description="Lower end of the interval, where there is one.")
    high: float | None = Field(description="Upper end of the interval, where there is one.")
    method: str | None = Field(description="How the interval was found.")
    reason: str | None = Field(description="Why the value, or else its interval, is undefined.")
