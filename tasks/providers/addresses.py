"""Where a model is asked, and with which key. Nothing ever falls back to a public endpoint."""

import contextlib
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic import SecretStr

from schemas.errors import UserError
from schemas.run import ModelSpec
from schemas.settings import read_secret, read_settings
from tasks.providers.keys import current_keys
from tasks.providers.presets import PRESETS


class Address(NamedTuple):
    """An endpoint and the key for it."""

    base_url: str
    key: SecretStr | None
    key_block: str | None = None
    """The Prefect block that holds the key, when it was not read."""


def find_address(model: ModelSpec) -> Address:
    """The endpoint of a model: the one asked for, the environment's, or the preset's.

    Raises:
        UserError: The address cannot be used, or a public endpoint would be asked without a key.
    """
    preset = PRESETS[model.provider]
    stated = read_secret(preset.base_url_variable)
    base_url = model.base_url or (stated.get_secret_value() if stated else None)
    # The environment comes first: it is what a person sets for one command.
    stated_key = read_secret(preset.key_variable) or current_keys().get(model.provider)
    key = _sendable(stated_key, model.provider, preset.key_variable) if stated_key else None
    key_block = None if key else read_settings().key_blocks.get(model.provider)
    if base_url is None:
        base_url = preset.base_url
        if preset.is_public and key is None and key_block is None:
            raise UserError(
                f"{model.provider} needs a key",
                where=preset.key_variable,
                fix=f"set {preset.key_variable}, or name another endpoint with --base-url",
                code="no_key",
            )
    fault = url_fault(base_url)
    if fault:
        place = "--base-url" if model.base_url else preset.base_url_variable
        raise UserError(f"the address cannot be used: {fault}", where=place, code="bad_base_url")
    return Address(base_url.rstrip("/"), key, key_block)


def _sendable(key: SecretStr, provider: str, variable: str) -> SecretStr | None:
    """A key as a header takes it; a line end that was copied along is dropped."""
    value = key.get_secret_value().strip()
    if not value.isascii() or not value.isprintable():
        raise UserError(
            f"the key of {provider} holds characters that no key has",
            where=variable,
            fix="copy it again, without quotes, blanks and line ends",
            code="bad_key",
        )
    return SecretStr(value) if value else None


def proxy_passwords() -> list[SecretStr]:
    """Passwords in the addresses of the environment's proxies; errors may repeat them."""
    found = []
    for address in getproxies().values():
        with contextlib.suppress(ValueError):
            password = urlsplit(address).password
            if password:
                found += [SecretStr(password), SecretStr(unquote(password))]
    return found


def require_usable_proxy(base_url: str) -> None:
    """Refuse a proxy that we cannot speak through, where an address would be asked through it.

    Raises:
        UserError: It is no http(s) proxy; its address, which may hold a password, is not repeated.
    """
    target, proxies = urlsplit(base_url), getproxies()
    proxy = proxies.get(target.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(target.netloc):
        return
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UserError(
            "the proxy cannot be used: it is no http:// or https:// address",
            where="HTTP_PROXY, HTTPS_PROXY or ALL_PROXY",
            fix="for example http://127.0.0.1:3128; NO_PROXY names hosts that need none",
            code="bad_proxy",
        )


def url_fault(url: str) -> str | None:
    """Why an address cannot be used; the address itself may hold a secret and is not repeated."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "it is not a URL"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return "it does not start with http:// or https:// and a host"
    if parts.username is not None or parts.password is not None:
        return "it holds credentials; give them as a key"
    if parts.query or parts.fragment:
        return "it has a query or a fragment"
    return None
