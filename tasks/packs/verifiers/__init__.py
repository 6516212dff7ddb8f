"""Verifiers of candidates: pure functions of a row's values and a candidate.

Promises: time proportional to the candidate times the number of answers, also for hostile texts;
no hidden value in a verdict; a version per family and profile that is raised when a verdict may
change. Texts above 10 MiB fail.

Traps: `compat` reproduces another tool's reading, faults included; use it only to compare numbers.
"""

from tasks.packs.verifiers.text import (
    TEXT_FAMILIES,
    VERIFIER_VERSIONS,
    verifier_version,
    verify_text,
)
from tasks.packs.verifiers.verdicts import REDACTED, Profile, TextVerdict

__all__ = [
    "REDACTED",
    "TEXT_FAMILIES",
    "VERIFIER_VERSIONS",
    "Profile",
    "TextVerdict",
    "verifier_version",
    "verify_text",
]
