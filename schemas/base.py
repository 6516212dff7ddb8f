"""What every model of ours shares: frozen values, no unknown keys, closed vocabularies."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["good", "bad", "abstain"]
ParseStatus = Literal["ok", "unparseable", "sample_failed", "budget_clipped"]
TieBreak = Literal["abstain", "good", "bad", "first"]
QuestionForm = Literal["support", "coherence"]
ParserName = Literal["final-answer", "first-match"]


class Frozen(BaseModel):
    """A value: it never changes after it was checked, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Open(BaseModel):
    """A value that carries keys we do not know along unchanged."""

    model_config = ConfigDict(frozen=True, extra="allow")
