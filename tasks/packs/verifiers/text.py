"""The verifiers of the text families behind one function."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from schemas.errors import ConfigError
from tasks.packs.verifiers.free_response import verify_free_response
from tasks.packs.verifiers.multiple_choice import verify_multiple_choice
from tasks.packs.verifiers.preparing import visible
from tasks.packs.verifiers.short_answer import verify_short_answer
from tasks.packs.verifiers.verdicts import Profile, TextVerdict, candidate_facts

LARGEST_CANDIDATE: Final = 10 * 1024 * 1024
"""In bytes of UTF-8."""

_VERIFIERS: Final[Mapping[str, Callable[[Mapping[str, Any], str, Profile], TextVerdict]]] = {
    "multiple_choice": verify_multiple_choice,
    "short_answer": verify_short_answer,
    "free_response": verify_free_response,
}
TEXT_FAMILIES: Final = frozenset(_VERIFIERS)

VERIFIER_VERSIONS: Final[Mapping[tuple[str, Profile], int]] = {
    ("multiple_choice", "target"): 1,
    ("multiple_choice", "compat"): 1,
    ("short_answer", "target"): 1,
    ("short_answer", "compat"): 1,
    ("free_response", "target"): 1,
    ("free_response", "compat"): 1,
}
"""Recorded with every verdict; raised when a reply may be judged differently than before."""


def verify_text(
    family: str, values: Mapping[str, Any], reply: str, profile: Profile = "target"
) -> TextVerdict:
    """Whether a reply passes a row of a text family.

    Args:
        family: `multiple_choice`, `short_answer` or `free_response`.
        values: The row's input and eval fields by name.
        reply: The candidate.
        profile: How it is read.

    Raises:
        ConfigError: The row cannot be verified.
        TypeError: The family is none of these three.
    """
    if family not in _VERIFIERS:
        raise TypeError(f"{family!r} is no family of texts")
    if _is_too_large(reply):
        return TextVerdict(False, "candidate_too_large", candidate_facts(reply))
    blank = not (visible(reply) if profile == "target" else reply).strip()
    # A blank reply is judged too, because a row that cannot be verified is an error for any reply.
    verdict = _VERIFIERS[family](values, reply, profile)
    return verdict._replace(passed=False, reason="empty_candidate") if blank else verdict


def verifier_version(family: str, profile: Profile) -> str:
    """Name and version of a verifier, as records keep it: `short_answer/target/1`."""
    if (family, profile) not in VERIFIER_VERSIONS:
        raise ConfigError(f"no verifier for {family!r} in the profile {profile!r}")
    return f"{family}/{profile}/{VERIFIER_VERSIONS[family, profile]}"


def _is_too_large(reply: str) -> bool:
    if 4 * len(reply) <= LARGEST_CANDIDATE:
        return False
    return len(reply.encode("utf-8", "surrogatepass")) > LARGEST_CANDIDATE
