"""What became of one draw."""

from dataclasses import dataclass, field
from typing import Any, Literal

from tasks.sampling.requests import Request


@dataclass(frozen=True, slots=True)
class Reply:
    """What a provider answered."""

    text: str
    model_id: str | None = None
    finish_reason: str | None = None
    wall_time_ms: float | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    reasoning_tokens: int | None = None
    provider_request_id: str | None = None


class CallFailed(Exception):
    """A call that gave no reply; it becomes a failed sample, never a verdict."""


@dataclass(frozen=True, slots=True)
class Record:
    """A sample: a reply, or a failure with its cause."""

    key: str
    prompt_hash: str
    status: Literal["ok", "failed"]
    reply: Reply
    error: str | None = None


def succeeded(request: Request, reply: Reply) -> Record:
    """The record of an answered call."""
    return Record(request.key, request.prompt_hash, "ok", reply)


def failed(request: Request, cause: str) -> Record:
    """The record of a call that gave no reply."""
    return Record(request.key, request.prompt_hash, "failed", Reply(""), cause)
