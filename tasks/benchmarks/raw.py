"""Careful access to a raw document of which any part may have the wrong type."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

Raw = dict[str, Any]

_WHOLE_NUMBER = TypeAdapter(int)


def object_in(raw: object, key: str) -> Raw:
    """The object at a key; empty when it is missing or something else."""
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, dict) else {}


def list_in(raw: object, key: str) -> list[Any]:
    """The list at a key; empty when it is missing or something else."""
    value = raw.get(key) if isinstance(raw, dict) else None
    return value if isinstance(value, list) else []


def objects_in(raw: object, key: str) -> Iterator[tuple[int, Raw]]:
    """The objects in the list at a key, with their index in the file."""
    return ((i, value) for i, value in enumerate(list_in(raw, key)) if isinstance(value, dict))


def texts(values: object) -> Iterator[tuple[int, str]]:
    """The texts in a list, with their index in the file; nothing when it is no list."""
    found = values if isinstance(values, list) else []
    return ((i, value) for i, value in enumerate(found) if isinstance(value, str))


def bearer_names(values: list[Any]) -> Iterator[tuple[int, str]]:
    """Scalars as bearer ids, with their index in the file."""
    for i, value in enumerate(values):
        if not isinstance(value, (list, dict)):
            yield i, value if isinstance(value, str) else str(value)


def whole_number(value: object) -> int | None:
    """The integer that the model reads here, also from "5" or 5.0; None when it reads none."""
    try:
        return None if value is None else _WHOLE_NUMBER.validate_python(value)
    except ValidationError:
        return None
