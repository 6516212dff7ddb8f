"""Certificates and proxies of the environment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.model_server import Turn, model_server
from tests.support.prefect_server import free_port
from tests.support.tls import self_signed, tunnel

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def secure(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Path]]:
    """A bench whose server shows a certificate of its own, and that certificate."""
    certificate, context = self_signed(tmp_path_factory.mktemp("tls"))
    with model_server(context) as server:
        bench.server = server
        yield bench, certificate


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(secure: Any) -> None:
    bench, _ = secure
    found = bench.evaluate("--max-retries", "0")
    assert (found.code, found.document["failed"]) == (1, 1)
    assert bench.server.asked == []


def test_a_certificate_named_in_the_environment_is_trusted(
    secure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, certificate = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert bench.evaluate().document["failed"] == 0
    assert len(bench.server.asked) == 1


def test_https_goes_through_the_proxy_of_the_environment(
    secure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, certificate = secure
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with tunnel() as (address, asked):
        monkeypatch.setenv("HTTPS_PROXY", f"http://{address}")
        assert bench.evaluate().document["failed"] == 0
    assert asked == [f"CONNECT {bench.server.url.removeprefix('https://')} HTTP/1.1"]
    assert len(bench.server.asked) == 1


def test_http_goes_through_the_proxy_of_the_environment(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The model server stands in for the proxy: it answers whatever host is asked for.
    monkeypatch.setenv("HTTP_PROXY", bench.server.url)
    found = bench.evaluate("--base-url", "http://model.invalid/v1")
    assert found.document["failed"] == 0
    assert bench.server.headers[0]["Host"] == "model.invalid"


def test_hosts_that_need_no_proxy_are_asked_directly(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert bench.evaluate("--max-retries", "0").document["failed"] == 0


# aiohttp's own class for this is on its way out there, and httpx-aiohttp still uses it.
@pytest.mark.filterwarnings("ignore:.*(BasicAuth|proxy_auth):DeprecationWarning")
def test_the_password_of_a_proxy_appears_nowhere(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "proxy-pass-word-77"
    address = bench.server.url.removeprefix("http://")
    monkeypatch.setenv("HTTP_PROXY", f"http://user:{password}@{address}")
    bench.server.script = lambda _prompt, _n: Turn(f"harmless {password} GOOD")
    found = bench.evaluate("--base-url", "http://model.invalid/v1")
    assert bench.server.headers[0]["Proxy-Authorization"].startswith("Basic ")
    written = b"".join(p.read_bytes() for p in Path().rglob("*") if p.is_file())
    assert b"harmless" in written
    assert password.encode() not in written
    assert password not in found.err + str(found.document)


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("SSL_CERT_FILE", "/nowhere/at-all.pem", "bad_certificates"),
        ("SSL_CERT_FILE", "b.json", "bad_certificates"),
        ("HTTP_PROXY", "ftp://user:proxy-pass-word@127.0.0.1:1", "bad_proxy"),
        ("HTTP_PROXY", "socks5://user:proxy-pass-word@127.0.0.1:1", "bad_proxy"),
        ("HTTP_PROXY", "http://user:proxy-pass-word@[", "bad_proxy"),
    ],
)
def test_settings_that_cannot_be_used_are_named_in_one_line(
    bench: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, code: str
) -> None:
    monkeypatch.setenv(variable, value)
    found = bench.evaluate()
    [error] = found.document["errors"]
    assert (found.code, error["code"]) == (2, code)
    assert variable in str(error)
    assert "proxy-pass-word" not in str(error) + found.err
    assert bench.server.asked == []
