"""What a verifier of texts says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from schemas.pack import Profile
from schemas.pack_task import REDACTED

__all__ = ["REDACTED", "Profile", "TextVerdict", "candidate_facts"]

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
