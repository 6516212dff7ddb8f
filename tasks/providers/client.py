"""The HTTP client. The only module that knows which library sends our requests."""

import ssl
from collections.abc import Mapping

import httpx
from httpx_aiohttp import HttpxAiohttpClient

from schemas.errors import UserError

# A connection must come about quickly; how long a reply takes is the caller's deadline.
CONNECT_SECONDS = 10.0
_EXTENSIONS = {"timeout": httpx.Timeout(None, connect=CONNECT_SECONDS).as_dict()}


class Answer:
    """Status, headers and body of a response."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class NoAnswer(Exception):
    """The request got no response: refused, cut off, or not understood."""


class Client:
    """One pool of connections for a whole run, as large as its concurrency.

    Proxies and certificates are those of the environment, as httpx takes them.

    Raises:
        UserError: The environment names a proxy or certificates that cannot be used.
    """

    def __init__(self, headers: Mapping[str, str], concurrency: int) -> None:
        self._ways: dict[str, tuple[httpx.URL, httpx.AsyncBaseTransport]] = {}
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        try:
            # With a transport of our own making httpx would leave out the proxies.
            self._client = HttpxAiohttpClient(limits=limits, headers=dict(headers))
        except (OSError, ssl.SSLError) as error:
            raise UserError(
                f"the certificates cannot be read ({error.strerror or type(error).__name__})",
                where="SSL_CERT_FILE or SSL_CERT_DIR",
                fix="name a PEM file of the authorities that you trust",
                code="bad_certificates",
            ) from None
        except (ValueError, httpx.InvalidURL):
            # Its text repeats the address, which may hold a password.
            raise UserError(
                "the address of a proxy cannot be used",
                where="HTTP_PROXY, HTTPS_PROXY or ALL_PROXY",
                fix="for example http://127.0.0.1:3128",
                code="bad_proxy",
            ) from None

        self._headers = self._client.headers.raw

    async def post(self, url: str, body: bytes) -> Answer:
        """Send a JSON document.

        Raises:
            NoAnswer: There is no response.
        """
        try:
            # Past the client, straight to its transport for this address: cookies, redirects and
            # authentication, of which we use none, take much of a call's processor time.
            address, transport = self._way_to(url)
            request = httpx.Request(
                "POST", address, headers=self._headers, content=body, extensions=_EXTENSIONS
            )
            response = await transport.handle_async_request(request)
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        return Answer(response.status_code, response.headers, content)

    def _way_to(self, url: str) -> tuple[httpx.URL, httpx.AsyncBaseTransport]:
        if url not in self._ways:
            address = httpx.URL(url)
            self._ways[url] = address, self._client._transport_for_url(address)
        return self._ways[url]

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()
