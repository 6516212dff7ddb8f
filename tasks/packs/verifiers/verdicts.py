"""What a verifier of texts says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

Profile = Literal["target", "compat"]
"""`target` is our reading; `compat` reproduces the numbers of the tool that packs come from."""

REDACTED: Final = "[redacted]"
"""Stands wherever a hidden value would."""

_SHOWN: Final = 1_000


class TextVerdict(NamedTuple):
    """Whether a reply passes, and how that was found; hidden values are left out."""

    passed: bool
    reason: str | None = None
    metadata: Mapping[str, Any] = MappingProxyType({})


def candidate_facts(reply: str) -> dict[str, Any]:
    """What is said about every candidate: its trimmed text, clipped, and its length."""
    trimmed = reply.strip()
    return {"candidate": trimmed[:_SHOWN], "candidate_characters": len(trimmed)}
