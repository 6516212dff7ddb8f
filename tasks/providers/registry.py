"""Finds the provider that a model's name asks for."""

import hashlib
from typing import NamedTuple

from schemas.errors import UserError
from schemas.run import ModelSpec
from tasks.providers.control import CONTROLS, Control
from tasks.providers.replay import Replay
from tasks.sampling.engine import Provider
from tasks.storage.files import read_regular

KNOWN = ("control", "replay")


class OpenProvider(NamedTuple):
    """A provider ready to be asked."""

    provider: Provider
    model_id: str
    """The model's name as results show it."""
    uses_store: bool
    """Whether its replies are kept; recorded ones are not."""


def check_model(model: ModelSpec) -> str | None:
    """Refuse a model that does not exist; the digest of what it reads, where it reads a file."""
    if model.provider not in KNOWN:
        raise UserError(
            f"unknown provider {model.provider!r}",
            where="--model",
            fix=f"use one of {', '.join(f'{name}/…' for name in KNOWN)}",
            code="unknown_model",
        )
    if model.provider == "replay":
        return hashlib.sha256(read_regular(model.model_id)).hexdigest()
    if model.model_id not in CONTROLS:
        raise UserError(
            f"unknown model {str(model)!r}",
            where="--model",
            fix=f"use one of {', '.join(f'control/{name}' for name in sorted(CONTROLS))}",
            code="unknown_model",
        )
    return None


def open_provider(model: ModelSpec) -> OpenProvider:
    """Open the provider of a model.

    Raises:
        UserError: The model is unknown, or its recording cannot be used.
    """
    check_model(model)
    if model.provider == "replay":
        replay = Replay(model.model_id)
        return OpenProvider(replay, replay.model_id, uses_store=False)
    return OpenProvider(Control(model.model_id), model.model_id, uses_store=True)
