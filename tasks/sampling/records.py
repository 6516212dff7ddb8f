"""What became of one draw."""

from dataclasses import dataclass, field, replace
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
    """A call that gave no reply; it becomes a failed sample, never a verdict.

    Args:
        cause: What went wrong, in one line without secrets.
        is_transient: Whether asking again may help.
        is_overload: Whether the server has too much to do.
        is_refusal: Whether no request of this kind will ever be answered: key or model are wrong.
        retry_after_seconds: How long the server wants to be left alone.
    """

    def __init__(
        self,
        cause: str,
        *,
        is_transient: bool = False,
        is_overload: bool = False,
        is_refusal: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(cause)
        self.is_transient, self.is_overload = is_transient, is_overload
        self.is_refusal, self.retry_after_seconds = is_refusal, retry_after_seconds


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
    return Record(request.key, request.prompt_hash, "ok", _storable(reply))


def failed(request: Request, cause: str) -> Record:
    """The record of a call that gave no reply."""
    return Record(request.key, request.prompt_hash, "failed", Reply(""), storable(cause))


def storable(text: str) -> str:
    """Text as every store and file can hold it: NUL and lone surrogates become U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    units = text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass")
    return units.decode("utf-16", "replace")


_TEXTS = ("text", "model_id", "finish_reason", "provider_request_id")


def _storable(reply: Reply) -> Reply:
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        given = getattr(reply, name)
        if given is not None and (kept := storable(given)) != given:
            changed[name] = kept
    return replace(reply, **changed) if changed else reply
