"""Finds the provider that a model's name asks for."""

import hashlib
from typing import NamedTuple

from pydantic import SecretStr

from schemas.errors import UserError
from schemas.run import DrawSpec, ModelSpec
from tasks.providers.control import CONTROLS, Control
from tasks.providers.presets import PRESETS
from tasks.providers.replay import Replay
from tasks.sampling.engine import Provider
from tasks.storage.files import read_regular

KNOWN = ("control", "replay", *PRESETS)


class OpenProvider(NamedTuple):
    """A provider ready to be asked."""

    provider: Provider
    model_id: str
    """The model's name as results show it."""
    uses_store: bool
    """Whether its replies are kept; recorded ones are not."""


class Source(NamedTuple):
    """What a model's replies rest on beside its name."""

    sha256: str | None = None
    """Digest of the recording."""
    base_url: str | None = None
    """Endpoint, without credentials."""


def check_model(model: ModelSpec) -> Source:
    """Refuse a model that cannot be asked; say what its replies rest on."""
    if model.provider in PRESETS:
        from tasks.providers.addresses import find_address

        return Source(base_url=find_address(model).base_url)
    if model.base_url is not None:
        raise UserError(
            f"{model.provider}/… has no address", where="--base-url", code="bad_base_url"
        )
    if model.provider == "replay":
        return Source(sha256=hashlib.sha256(read_regular(model.model_id)).hexdigest())
    if model.provider != "control":
        raise UserError(
            f"unknown provider {model.provider!r}",
            where="--model",
            fix=f"use one of {', '.join(f'{name}/…' for name in KNOWN)}",
            code="unknown_model",
        )
    if model.model_id not in CONTROLS:
        raise UserError(
            f"unknown model {str(model)!r}",
            where="--model",
            fix=f"use one of {', '.join(f'control/{name}' for name in sorted(CONTROLS))}",
            code="unknown_model",
        )
    return Source()


def open_provider(
    draw: DrawSpec, concurrency: int = 1, headers: tuple[tuple[str, SecretStr], ...] = ()
) -> OpenProvider:
    """Open the provider of a model.

    Args:
        draw: Who is asked for what.
        concurrency: Calls at the same time, at most.
        headers: What to send beside our own headers.

    Raises:
        UserError: The model is unknown, or its recording cannot be used.
    """
    model = draw.model
    check_model(model)
    if model.provider == "replay":
        replay = Replay(model.model_id)
        return OpenProvider(replay, replay.model_id, uses_store=False)
    if model.provider == "control":
        return OpenProvider(Control(model.model_id), model.model_id, uses_store=True)
    provider = _open_http(model, concurrency, headers)
    return OpenProvider(provider, model.model_id, uses_store=True)


def _open_http(
    model: ModelSpec, concurrency: int, headers: tuple[tuple[str, SecretStr], ...]
) -> Provider:
    # Only here: the client costs more start-up time than a small evaluation.
    from tasks.providers.addresses import find_address, proxy_passwords, require_usable_proxy
    from tasks.providers.client import Client
    from tasks.providers.http import HttpProvider

    preset, address = PRESETS[model.provider], find_address(model)
    if address.key_block is not None:
        raise UserError(
            f"the key of {model.provider} is in a Prefect block, which only a run on Prefect reads",
            where=f"key_blocks.{model.provider}",
            fix=f"use --engine prefect, or set {preset.key_variable}",
            code="no_key",
        )
    require_usable_proxy(address.base_url)
    sent = {"content-type": "application/json", **dict(preset.headers)}
    secrets = [*(value for _, value in headers), *proxy_passwords()]
    if address.key is not None:
        secrets.append(address.key)
        key = address.key.get_secret_value()
        if preset.dialect == "messages":
            sent["x-api-key"] = key
        else:
            sent["authorization"] = f"Bearer {key}"
    sent |= {name.lower(): value.get_secret_value() for name, value in headers}
    client = Client(sent, concurrency)
    return HttpProvider(preset.dialect, address.base_url, model.model_id, client, secrets)
