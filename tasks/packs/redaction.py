"""Takes hidden values out of what is written about a result.

A value goes when its field has the name of a hidden resource, when it equals a hidden value and is
of the same type (a hidden 1 leaves `true` alone), and, in what programs printed, wherever a hidden
text of some length stands inside. A candidate's own text is never touched.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schemas.pack_task import REDACTED, CompiledTask

SHORTEST_SUBSTRING: Final = 8


class Hidden(NamedTuple):
    """What a row hides."""

    names: frozenset[str]
    values: tuple[Any, ...]
    texts: tuple[str, ...]

    def without(self, value: Any) -> Any:
        """A value of a result's metadata, with marks in place of hidden ones."""
        if isinstance(value, dict):
            return {
                key: REDACTED if key in self.names and inner is not None else self.without(inner)
                for key, inner in value.items()
            }
        if isinstance(value, list | tuple):
            return REDACTED if self._is_hidden(value) else [self.without(v) for v in value]
        return REDACTED if self._is_hidden(value) else value

    def without_texts(self, output: str) -> str:
        """What a program printed, with marks in place of hidden texts."""
        for text in self.texts:
            output = output.replace(text, REDACTED)
        return output

    def _is_hidden(self, value: Any) -> bool:
        return any(_same(value, hidden) for hidden in self.values)


def hidden_in(task: CompiledTask) -> Hidden:
    """Names and values of everything in a row that is not public."""
    secret = {name: r.value for name, r in task.resources.items() if r.visibility != "public"}
    texts = {text for value in secret.values() for text in _texts(value)}
    long = sorted((t for t in texts if len(t) >= SHORTEST_SUBSTRING), key=len, reverse=True)
    values = (*(value for value in secret.values() if value is not None), *texts)
    return Hidden(frozenset(secret), values, tuple(long))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values that tells true from 1 and 1 from 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return _kind(one) is _kind(other) and bool(one == other)


def _kind(value: Any) -> type:
    # A reader may give fractions a type of its own.
    return float if isinstance(value, float) else type(value)
