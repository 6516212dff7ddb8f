"""Careful access to a raw document of which any part may have the wrong type."""

from collections.abc import Iterator
from typing import Any

Raw = dict[str, Any]


def object_in(raw: object, key: str) -> Raw:
    """The object at a key; empty when it is missing or something else."""
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, dict) else {}


def list_in(raw: object, key: str) -> list[Any]:
    """The list at a key; empty when it is missing or something else."""
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, list) else []


def keys_of(raw: Raw, key: str) -> set[str] | None:
    """Keys of an object that references point into; None when it has the wrong type."""
    value = raw.get(key, {})
    return set(value) if isinstance(value, dict) else None


def bearer_names(values: list[Any]) -> Iterator[tuple[int, str]]:
    """Scalars as bearer ids, with their index in the file."""
    for i, value in enumerate(values):
        if not isinstance(value, (list, dict)):
            yield i, value if isinstance(value, str) else str(value)
