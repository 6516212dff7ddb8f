"""Values as JSON and back: data only, so that reading one runs nothing.

Lists, dicts, sets and byte arrays are numbered in the order in which they appear; a second
appearance is a reference. That keeps identity and cycles, and lets the other side say what became
of an argument. What is no data is left to the two ends, which give it a number of their own.
"""

from collections.abc import Callable
from typing import Any

MOST_BYTES = 16 * 2**20
DEEPEST = 200
_EXACT = 2**53


class NotData(Exception):
    """A value that cannot cross, or text that is no value."""


class Packer:
    """Turns values into JSON; `other` does it for what is no data."""

    def __init__(self, other: Callable[[Any], list[Any]]) -> None:
        self._other = other
        self.numbers: dict[int, int] = {}
        # Numbers are found by address, so nothing numbered may be thrown away meanwhile.
        self.objects: list[Any] = []

    def know(self, objects: list[Any]) -> None:
        """Take over the numbers that the other side has given."""
        for value in objects:
            self._number(value)

    def pack(self, value: Any, depth: int = 0) -> Any:
        """A value as JSON."""
        if depth > DEEPEST:
            raise NotData("a value is nested too deeply")
        if value is None or value is True or value is False:
            return value
        kind = _kind(value)
        if kind in _SCALARS:
            return _SCALARS[kind](value)
        if kind is tuple:
            return ["t", [self.pack(inner, depth + 1) for inner in tuple.__iter__(value)]]
        if kind is frozenset:
            return ["z", [self.pack(inner, depth + 1) for inner in frozenset.__iter__(value)]]
        if kind in (slice, range):
            parts = (value.start, value.stop, value.step)
            name = "slice" if kind is slice else "range"
            return [name, [self.pack(part, depth + 1) for part in parts]]
        if kind in _CONTAINERS:
            known = self.numbers.get(id(value))
            if known is not None:
                return ["ref", known]
            self._number(value)
            return [_CONTAINERS[kind], self.content(value, depth)]
        return self._other(value)

    def content(self, value: Any, depth: int = 0) -> Any:
        """What is in a container now."""
        kind = _kind(value)
        if kind is bytearray:
            return bytes(value).hex()
        if kind is dict:
            items = dict.items(value)
            return [[self.pack(k, depth + 1), self.pack(v, depth + 1)] for k, v in items]
        inside = list.__iter__(value) if kind is list else set.__iter__(value)
        return [self.pack(inner, depth + 1) for inner in inside]

    def _number(self, value: Any) -> None:
        self.numbers[id(value)] = len(self.objects)
        self.objects.append(value)


class Reader:
    """Turns JSON into values; `other` does it for what is no data."""

    def __init__(self, other: Callable[[str, list[Any]], Any], known: list[Any]) -> None:
        self._other = other
        self.objects = known

    def read(self, packed: Any) -> Any:
        """The value that JSON stands for."""
        if packed is None or isinstance(packed, bool | int | str):
            return packed
        if not isinstance(packed, list) or not packed or not isinstance(packed[0], str):
            raise NotData("not a value")
        tag, rest = packed[0], packed[1:]
        try:
            if tag in _READERS:
                return _READERS[tag](*rest)
            if tag in _EMPTY:
                made = _EMPTY[tag]()
                self.objects.append(made)
                self.fill(made, rest[0])
                return made
            if tag == "ref":
                return self.objects[_index(rest[0])]
            if tag in _SEQUENCES:
                return _SEQUENCES[tag](self.read(inner) for inner in rest[0])
            if tag in ("slice", "range"):
                parts = [self.read(inner) for inner in rest[0]]
                return slice(*parts) if tag == "slice" else range(*parts)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise NotData(f"not a value: {type(error).__name__}") from None
        return self._other(tag, rest)

    def fill(self, made: Any, content: Any) -> None:
        """Put content in place of what a container holds."""
        if isinstance(made, bytearray):
            made[:] = bytes.fromhex(content)
        elif isinstance(made, dict):
            pairs = [(self.read(key), self.read(value)) for key, value in content]
            made.clear()
            made.update(pairs)
        elif isinstance(made, list):
            made[:] = [self.read(inner) for inner in content]
        elif isinstance(made, set):
            inside = [self.read(inner) for inner in content]
            made.clear()
            made.update(inside)
        else:
            raise NotData("not a container")


def _kind(value: Any) -> type:
    """The plain type that a value is of: what a subclass adds, such as its equality, is lost."""
    if type(value) in _PLAIN:
        return type(value)
    for plain in _PLAIN:
        # Not isinstance, which asks the object.
        if plain in type.mro(type(value)):
            return plain
    return object


def _integer(value: Any) -> Any:
    plain = int.__index__(value)
    return plain if -_EXACT < plain < _EXACT else ["i", hex(plain)]


def _float(value: Any) -> list[Any]:
    return ["f", float.hex(value)]


def _index(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise NotData("not a reference")
    return number


_SCALARS: dict[type, Callable[[Any], Any]] = {
    int: _integer,
    float: _float,
    complex: lambda value: ["c", float.hex(value.real), float.hex(value.imag)],
    str: lambda value: "".join(str.__iter__(value)),
    bytes: lambda value: ["b", bytes.hex(value)],
}
_CONTAINERS = {list: "l", dict: "d", set: "s", bytearray: "a"}
_EMPTY: dict[str, Callable[[], Any]] = {"l": list, "d": dict, "s": set, "a": bytearray}
_SEQUENCES: dict[str, Callable[[Any], Any]] = {"t": tuple, "z": frozenset}
_READERS: dict[str, Callable[..., Any]] = {
    "i": lambda text: int(text, 16),
    "f": float.fromhex,
    "c": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)),
    "b": bytes.fromhex,
}
_PLAIN = (
    *(int, float, complex, str, bytes, tuple, frozenset),
    *(slice, range, list, dict, set, bytearray),
)
