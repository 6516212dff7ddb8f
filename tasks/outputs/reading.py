"""Reads output documents of every version that we know, and says clearly what it cannot read."""

from typing import Any

from schemas.errors import InvalidFile, Problem
from tasks.outputs.legacy import legacy_shapes
from tasks.outputs.validation import check_output

KNOWN_VERSIONS = ("v1",)

Row = dict[str, Any]


def read_output(data: bytes, file: str) -> Row:
    """A valid output document.

    Raises:
        InvalidFile: It has another version, an old shape, or problems; all of them are listed.
    """
    checked = check_output(data)
    document = checked.value
    if isinstance(document, dict) and not checked.errors:
        return document
    raise InvalidFile("cannot be read", file=file, problems=_why(document) or checked.errors)


def _why(document: Any) -> list[Problem]:
    """The one reason that makes all other problems pointless."""
    version = document.get("schema_version") if isinstance(document, dict) else None
    if "$schema" in (document or ()) and isinstance(version, str) and version not in KNOWN_VERSIONS:
        known = ", ".join(KNOWN_VERSIONS)
        message = f"version {version!r} is not known here; this program reads {known}"
        fix = "use a newer Assent"
        return [Problem("unknown_version", "$.schema_version", message, fix)]
    shapes = legacy_shapes(document)
    if shapes:
        message = f"has an old shape ({', '.join(shapes)})"
        return [Problem("legacy_shape", "$", message, "run assent outputs migrate on it")]
    return []
