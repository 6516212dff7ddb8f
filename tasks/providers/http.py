"""Models behind HTTP: OpenAI-compatible chat, and Anthropic messages.

A provider builds one request, reads one answer, and says of a failure whether waiting may help.
Secrets are scrubbed from everything that leaves this module.
"""

import datetime
import email.utils
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from tasks.providers.client import Answer, Client, NoAnswer
from tasks.providers.presets import Dialect, as_sent
from tasks.sampling.records import CallFailed, Reply
from tasks.sampling.requests import Request

TRANSIENT_STATUSES = {408, 409, 425, 429, *range(500, 600)}
OVERLOAD_STATUSES = {429, 503, 529}
REFUSED_STATUSES = {401, 403, 404}
CLIPPED = {"length", "max_tokens"}
SHORTEST_SECRET = 8
REDACTED = "[redacted]"
LONGEST_MESSAGE = 200
# Far more than is shown: a key that begins in what is shown ends in what is read.
LONGEST_READ = 20_000


class HttpProvider:
    """A model at an address.

    Args:
        dialect: How the server is spoken to.
        base_url: Its address, without credentials.
        model: The model's name there.
        client: Who sends requests.
        secrets: What must never appear in a record or message.
    """

    def __init__(
        self,
        dialect: Dialect,
        base_url: str,
        model: str,
        client: Client,
        secrets: Sequence[SecretStr] = (),
    ) -> None:
        path = "/chat/completions" if dialect == "chat" else "/v1/messages"
        self._url = base_url.rstrip("/") + path
        self._dialect, self._model, self._client = dialect, model, client
        self._secrets = _to_scrub(secrets)

    async def complete(self, request: Request) -> Reply:
        """The model's reply."""
        body = json.dumps(self._body(request)).encode()
        started = time.perf_counter()
        try:
            answer = await self._client.post(self._url, body)
        except NoAnswer as error:
            raise CallFailed(self._scrubbed(str(error)), is_transient=True) from None
        if answer.status != 200:
            raise self._refusal(answer)
        return self._read(answer, (time.perf_counter() - started) * 1000)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()

    def _body(self, request: Request) -> dict[str, Any]:
        params = as_sent(self._dialect, self._model, request.params)
        asked = {"role": "user", "content": request.user}
        if self._dialect == "messages":
            return {"model": self._model, "system": request.system, "messages": [asked], **params}
        told = {"role": "system", "content": request.system}
        return {"model": self._model, "messages": [told, asked], **params}

    def _read(self, answer: Answer, wall_time_ms: float) -> Reply:
        try:
            document = json.loads(answer.body)
            read = _read_chat if self._dialect == "chat" else _read_messages
            text, finish_reason, usage, reasoning = read(document)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise CallFailed("the reply is malformed", is_transient=True) from None
        if not text.strip() and finish_reason not in CLIPPED:
            raise CallFailed("the reply is blank", is_transient=True)
        return Reply(
            text=self._scrubbed(text),
            model_id=self._text(document.get("model")),
            finish_reason=self._text(finish_reason),
            wall_time_ms=round(wall_time_ms, 3),
            usage={self._scrubbed(k): v for k, v in usage.items() if _is_count(v)},
            reasoning_tokens=reasoning if _is_count(reasoning) else None,
            provider_request_id=self._text(_request_id(answer, document)),
        )

    def _refusal(self, answer: Answer) -> CallFailed:
        status = answer.status
        # Before it is cut: the half of a key is a secret too.
        said = self._scrubbed(_message(answer.body))[:LONGEST_MESSAGE]
        return CallFailed(
            f"HTTP {status}{f': {said}' if said else ''}",
            is_transient=status in TRANSIENT_STATUSES,
            is_overload=status in OVERLOAD_STATUSES,
            is_refusal=status in REFUSED_STATUSES or "model_not_found" in said,
            retry_after_seconds=retry_after(answer.headers),
        )

    def _text(self, value: object) -> str | None:
        return self._scrubbed(value) if isinstance(value, str) else None

    def _scrubbed(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return text


def _to_scrub(secrets: Sequence[SecretStr]) -> list[str]:
    """What to look for: each secret, and the words of one such as `Bearer …`; long ones first."""
    known = [secret.get_secret_value() for secret in secrets]
    parts = {part for secret in known for part in (secret, *secret.split())}
    return sorted((p for p in parts if len(p) >= SHORTEST_SECRET), key=len, reverse=True)


def _read_chat(document: Any) -> tuple[str, str | None, dict[str, Any], Any]:
    choice = document["choices"][0]
    content = choice["message"]["content"]
    counted = document.get("usage") or {}
    usage = dict(counted)
    usage["input_tokens"] = counted.get("prompt_tokens")
    usage["output_tokens"] = counted.get("completion_tokens")
    reasoning = (counted.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return _text_or_empty(content), choice.get("finish_reason"), usage, reasoning


def _read_messages(document: Any) -> tuple[str, str | None, dict[str, Any], Any]:
    parts = [part["text"] for part in document["content"] if part.get("type") == "text"]
    return "".join(parts), document.get("stop_reason"), dict(document.get("usage") or {}), None


def _text_or_empty(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, list):  # in parts; those that are no text are thoughts and the like
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError("the content of a chat message is text")
    return content


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _request_id(answer: Answer, document: Mapping[str, Any]) -> object:
    for name in ("x-request-id", "request-id"):
        if name in answer.headers:
            return answer.headers[name]
    return document.get("id")


def _message(body: bytes) -> str:
    """What a server says went wrong, in one line."""
    try:
        document = json.loads(body)
        error = document.get("error", document)
        parts = [error.get("code"), error.get("message")] if isinstance(error, dict) else [error]
        text = " ".join(part for part in parts if isinstance(part, str))
    except (ValueError, AttributeError, RecursionError):
        text = body.decode("utf-8", "replace")
    text = text[:LONGEST_READ]
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait; it may name a number or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        seconds = (moment - datetime.datetime.now(datetime.UTC)).total_seconds()
    return max(0.0, seconds) if seconds == seconds and abs(seconds) < 1e9 else None
