"""The HTTP client. The only module that knows which library sends our requests."""

from collections.abc import Mapping

import httpx
from httpx_aiohttp import AiohttpTransport

# A connection must come about quickly; how long a reply takes is the caller's deadline.
CONNECT_SECONDS = 10.0


class Answer:
    """Status, headers and body of a response."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class NoAnswer(Exception):
    """The request got no response: refused, cut off, or not understood."""


class Client:
    """One pool of connections for a whole run, as large as its concurrency."""

    def __init__(self, headers: Mapping[str, str], concurrency: int) -> None:
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        self._client = httpx.AsyncClient(
            transport=AiohttpTransport(limits=limits),
            headers=dict(headers),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        )

    async def post(self, url: str, body: bytes) -> Answer:
        """Send a JSON document.

        Raises:
            NoAnswer: There is no response.
        """
        try:
            response = await self._client.post(url, content=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        return Answer(response.status_code, response.headers, response.content)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()
