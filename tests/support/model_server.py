"""A real HTTP server that speaks both dialects and misbehaves on demand.

A script decides what happens to the n-th request of each prompt: a reply, a status, a hang, a cut
connection, nonsense. Everything that was asked is kept.
"""

import asyncio
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass(frozen=True)
class Turn:
    """What happens to one request."""

    text: str = "GOOD"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    finish_reason: str = "stop"
    delay_seconds: float = 0.0
    cut: bool = False


Script = Callable[[str, int], Turn]


class ModelServer:
    """Answers by its script and remembers what it was asked."""

    def __init__(self) -> None:
        self.script: Script = lambda _prompt, _n: Turn()
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self.url = ""
        self._counts: defaultdict[str, int] = defaultdict(int)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Play the turn of this request."""
        body = await request.json()
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        self.paths.append(request.path)
        prompt = body["messages"][-1]["content"]
        number = self._counts[prompt]
        self._counts[prompt] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._play(request, body, self.script(prompt, number))
        finally:
            self.in_flight -= 1

    async def _play(
        self, request: web.Request, body: dict[str, Any], turn: Turn
    ) -> web.StreamResponse:
        await asyncio.sleep(turn.delay_seconds)
        if turn.cut:
            assert request.transport is not None
            request.transport.close()
        if turn.body is not None or turn.status != 200:
            return web.Response(body=turn.body, status=turn.status, headers=turn.headers)
        is_chat = request.path.endswith("/chat/completions")
        document = _chat(body, turn) if is_chat else _messages(body, turn)
        return web.json_response(document, headers={"x-request-id": "req-1", **turn.headers})


def _chat(body: dict[str, Any], turn: Turn) -> dict[str, Any]:
    message = {"role": "assistant", "content": turn.text}
    usage = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
    details = {"completion_tokens_details": {"reasoning_tokens": 2}}
    return {
        "id": "chat-1",
        "model": f"{body['model']}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": turn.finish_reason}],
        "usage": usage | details,
    }


def _messages(body: dict[str, Any], turn: Turn) -> dict[str, Any]:
    return {
        "id": "msg-1",
        "model": f"{body['model']}-2026",
        "content": [{"type": "text", "text": turn.text}],
        "stop_reason": turn.finish_reason,
        "usage": {"input_tokens": 20, "output_tokens": 3},
    }


@contextmanager
def model_server(tls: ssl.SSLContext | None = None) -> Iterator[ModelServer]:
    """A server on a free loopback port, in a thread of its own; with TLS when it gets a context."""
    server, started, loop = ModelServer(), threading.Event(), asyncio.new_event_loop()

    async def serve() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", server.handle)
        app.router.add_post("/v1/messages", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        server.url = f"{'https' if tls else 'http'}://127.0.0.1:{runner.addresses[0][1]}"
        return runner

    def run() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(serve())
        started.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
