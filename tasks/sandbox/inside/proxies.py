"""What stands for the candidate's objects in the tests: calls are forwarded, judgement is not.

Equality, order and arithmetic are never forwarded: an object that answers them could be equal to
anything.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class CandidateError(Exception):
    """An error of a kind that only the candidate knows."""


class Handle:
    """An object of the candidate."""

    def __init__(self, candidate: Any, number: int, classes: list[int]) -> None:
        for name, value in (("_c", candidate), ("_n", number), ("_k", frozenset(classes))):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)
        return self._c.ask("get", self._n, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._c.ask("set", self._n, name, value)

    def __iter__(self) -> Iterator[Any]:
        return self._c.iterate(self._c.ask("iter", self._n))  # type: ignore[no-any-return]

    def __next__(self) -> Any:
        return self._c.ask("next", self._n)

    def __len__(self) -> int:
        return _plain(self._c.ask("len", self._n), int)

    def __bool__(self) -> bool:
        return _plain(self._c.ask("bool", self._n), bool)

    def __str__(self) -> str:
        return _plain(self._c.ask("str", self._n), str)

    def __repr__(self) -> str:
        return _plain(self._c.ask("repr", self._n), str)

    def __getitem__(self, key: Any) -> Any:
        return self._c.ask("item", self._n, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._c.ask("set_item", self._n, key, value)

    def __delitem__(self, key: Any) -> None:
        self._c.ask("del_item", self._n, key)

    def __enter__(self) -> Any:
        return self._c.ask("enter", self._n)

    def __exit__(self, *_: object) -> None:
        self._c.ask("exit", self._n)


class Function(Handle):
    """A function or method of the candidate."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """What the candidate answers."""
        return self._c.talk("call", self._n, args, options)


class CandidateClass(type):
    """A class of the candidate: calling it makes an object there."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        """A new object there."""
        return cls._c.talk("call", cls._n, args, options)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return cls._c.ask("get", cls._n, name)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Handle) and cls._n in value._k


def _plain(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}")
    return value
