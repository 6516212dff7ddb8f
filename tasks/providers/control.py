"""Embedded models that need no network: they drive examples and give a chance baseline.

`coin` answers by lot, the same for equal seed, messages, ordinal, index and epoch; `always-good`
and `always-bad` never waver; `echo` repeats the user message.
"""

import hashlib
import json
from collections.abc import Callable

from tasks.prompting.questions import COHERENCE_QUESTION
from tasks.sampling.records import Reply
from tasks.sampling.requests import Request

_SUPPORT = ("GOOD", "BAD", "ABSTAIN")
# A coherence question is answered with its own labels; incoherent means that the inference is good.
_COHERENCE = ("INCOHERENT", "COHERENT", "UNCLEAR")


def _labels(request: Request) -> tuple[str, str, str]:
    return _COHERENCE if request.user.endswith(COHERENCE_QUESTION) else _SUPPORT


def _coin(request: Request) -> str:
    drawn = [
        request.params.get("seed"),
        request.system,
        request.user,
        request.ordinal,
        request.sample_index,
        request.epoch,
    ]
    digest = hashlib.sha256(json.dumps(drawn).encode()).digest()
    share = int.from_bytes(digest[:8]) / 2**64
    good, bad, abstain = _labels(request)
    return good if share < 0.45 else bad if share < 0.9 else abstain


CONTROLS: dict[str, Callable[[Request], str]] = {
    "always-bad": lambda request: _labels(request)[1],
    "always-good": lambda request: _labels(request)[0],
    "coin": _coin,
    "echo": lambda request: request.user,
}


class Control:
    """A model that is a function of the request."""

    def __init__(self, name: str) -> None:
        self._answer = CONTROLS[name]
        self._name = name

    async def complete(self, request: Request) -> Reply:
        """The function's answer, at once."""
        return Reply(text=self._answer(request), model_id=self._name, finish_reason="stop")

    async def aclose(self) -> None:
        """Nothing to let go of."""
