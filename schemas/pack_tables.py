"""Rows of the Parquet tables of a pack run, where they differ from those of an evaluation."""

from typing import Literal

from pydantic import Field

from schemas.base import Frozen
from schemas.tables import SampleRow


class AnswerRow(SampleRow):
    """An answer out of a file, as a sample."""

    candidate_field: str = Field(description="text, patch or workspace.")
    missing: bool = Field(description="A workspace that is not there.")


class PackSampleRow(SampleRow):
    """samples.parquet of a pack run: each sample with its result."""

    candidate_field: str | None = Field(
        description="What the reply is taken for: text, patch or workspace; null without one."
    )
    result: Literal["passed", "failed", "error", "pending"] = Field(
        description="`pending` when the call failed or nothing judges the row."
    )
    reason: str | None = Field(description="Why, where there is more to say than right or wrong.")
    phase: str | None = Field(description="What the verifier was doing, where that matters.")
    verifier_version: str | None = Field(description="Name and version of the verifier.")


class PackVerdictRow(Frozen):
    """verdicts.parquet of a pack run: one row per row of the pack."""

    item_id: str = Field(description="Row of the pack.")
    family: str = Field(description="Its family.")
    status: Literal["judged", "missing", "error", "pending"] = Field(
        description="`judged`: some attempt has a verdict; `missing`: every call failed."
    )
    score: float | None = Field(description="Share of judged attempts that passed; else null.")
    n_samples: int = Field(description="Attempts, failed calls included.")
    n_passed: int = Field(description="Attempts that passed.")
    n_failed: int = Field(description="Attempts that did not.")
    n_errors: int = Field(description="Attempts that could not be judged.")
    n_pending: int = Field(description="Attempts without a candidate or a verifier.")
    n_failed_samples: int = Field(description="Of these, calls that failed.")
    reason: str | None = Field(description="The first reason that an attempt gives.")
    row_digest: str | None = Field(description="SHA-256 of the row and the files it names.")
    metadata_json: str = Field(description="The row's own metadata.")
