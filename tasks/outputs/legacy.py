"""Shapes that result files had before there was a format."""

from typing import Any, Literal

from tasks.outputs.paths import is_generic

LegacyShape = Literal["L1", "L2", "L3", "L4"]


def legacy_shapes(document: Any) -> tuple[LegacyShape, ...]:
    """Which old shapes a document has; other keys do not matter."""
    if not isinstance(document, dict):
        return ()
    keys = document.keys()
    tests: tuple[tuple[LegacyShape, bool], ...] = (
        ("L1", {"config", "results"} <= keys),
        ("L2", {"metrics", "metadata"} <= keys),
        ("L3", {"scores", "details"} <= keys),
        ("L4", "schema_version" in keys and "$schema" not in keys),
    )
    return tuple(shape for shape, holds in tests if holds)


def has_legacy_name(name: str) -> bool:
    """Whether a file name is one that old tools gave their results."""
    return is_generic(name) or name.lower().endswith(("_results.json", "-results.json"))
