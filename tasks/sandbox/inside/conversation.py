"""The talk of the tests with the candidate, seen from the tests."""

import builtins
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from tasks.sandbox.inside.encoding import NotData, Packer, Reader
from tasks.sandbox.inside.link import Closed, Link
from tasks.sandbox.inside.proxies import CandidateClass, CandidateError, Function, Handle

NOTHING = object()
"""A global of the candidate that tests do not get to see."""

# Modules that tests may use because the candidate imported them: our own copies.
MODULES = frozenset(
    {
        *("array", "base64", "bisect", "calendar", "cmath", "collections", "copy", "csv"),
        *("dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "hashlib"),
        *("heapq", "io", "itertools", "json", "math", "numbers", "operator", "random", "re"),
        *("statistics", "string", "struct", "textwrap", "time", "typing", "unicodedata", "uuid"),
    }
)


class Candidate:
    """What the tests know of the other side."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._handles: dict[int, Any] = {}
        self._errors: dict[str, type[BaseException]] = {}
        self._callbacks: list[Callable[..., Any]] = []

    def load(self, source: str) -> dict[str, Any]:
        """The public globals of a candidate."""
        self._link.send({"candidate": source})
        loaded = self._settle([])
        return loaded if type(loaded) is dict else {}

    def ask(self, do: str, number: int, *args: Any) -> Any:
        """Do something with an object there."""
        return self.talk(do, number, args, {})

    def iterate(self, handle: Any) -> Iterator[Any]:
        """What an iterator of the candidate gives."""
        if not isinstance(handle, Handle):
            raise TypeError("not an iterator")
        while True:
            try:
                value = handle._c.ask("next", handle._n)
            except StopIteration:
                return
            yield value

    def talk(self, do: str, number: int, args: Any, options: Any) -> Any:
        """Have something done there, and do what it asks of us meanwhile."""
        packer = Packer(self._own)
        message = {"do": do, "target": number}
        message["args"] = packer.pack(tuple(args))
        message["options"] = packer.pack(options)
        self._link.send(message)
        return self._settle(packer.objects)

    def _settle(self, objects: list[Any]) -> Any:
        while True:
            reply = self._link.receive()
            if not isinstance(reply, dict):
                raise Closed
            if "callback" in reply:
                self._call_back(reply)
                continue
            try:
                value, error = self._result(reply, objects)
            except (NotData, KeyError, TypeError, ValueError, IndexError, RecursionError):
                raise Closed from None
            if error is not None:
                raise error
            return value

    def _result(
        self, reply: dict[str, Any], objects: list[Any]
    ) -> tuple[Any, BaseException | None]:
        reader = Reader(self._theirs, objects)
        ours = len(objects)
        made = reader.read(reply["value"]) if "value" in reply else None
        args = reader.read(reply["args"]) if "error" in reply else ()
        more = reader.read(reply["more"]) if "error" in reply else {}
        for at, content in reply["changed"]:
            if type(at) is not int or not 0 <= at < ours:
                raise Closed
            reader.fill(objects[at], content)
        return made, self._error(reply["error"], args, more) if "error" in reply else None

    def _error(self, kinds: Any, args: Any, more: Any) -> BaseException:
        names = [name for name in kinds if isinstance(name, str)]
        found = (self._errors.get(name) or _builtin_error(name) for name in names)
        kind = next((k for k in found if k is not None), CandidateError)
        if type(args) is not tuple or type(more) is not dict:
            raise Closed
        try:
            error = kind(*args)
        except Exception:
            error = CandidateError(*args)
        for name, value in more.items():
            if type(name) is str and name.isidentifier() and not hasattr(error, name):
                error.__dict__[name] = value
        return error

    def _call_back(self, message: dict[str, Any]) -> None:
        objects: list[Any] = []
        reader = Reader(self._theirs, objects)
        try:
            wanted = self._callbacks[_position(message["callback"])]
            args, options = reader.read(message["args"]), reader.read(message["options"])
        except (NotData, KeyError, TypeError, IndexError, RecursionError):
            raise Closed from None
        packer = Packer(self._own)
        packer.know(objects)
        given = len(objects)
        try:
            reply: dict[str, Any] = {"value": packer.pack(wanted(*args, **options))}
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            reply = {"error": kinds, "args": ["t", [str(error)]]}
        reply["changed"] = [[at, packer.content(objects[at])] for at in range(given)]
        self._link.send(reply)

    def _own(self, value: Any) -> list[Any]:
        """Something of the tests that is no data."""
        if isinstance(value, Handle) or type(value) is CandidateClass:
            return ["h", value._n]
        if isinstance(value, type) and _is_builtin(value):
            return ["builtin", value.__name__]
        if callable(value):
            return ["call", self._keep(value)]
        if hasattr(type(value), "__next__"):
            return ["iterator", self._keep(lambda: next(value))]
        raise NotData(f"tests cannot hand a {type(value).__name__} to a candidate")

    def _keep(self, callback: Callable[..., Any]) -> int:
        self._callbacks.append(callback)
        return len(self._callbacks) - 1

    def _theirs(self, tag: str, rest: list[Any]) -> Any:
        """Something of the candidate that is no data."""
        if tag == "h":
            number, about, classes = rest
            if number not in self._handles:
                self._handles[number] = self._made(number, about, classes)
            return self._handles[number]
        if tag == "builtin":
            found = getattr(builtins, rest[0], None)
            return found if isinstance(found, type) else CandidateError
        if tag == "global":
            # Each global was written by itself, with numbers of its own.
            return Reader(self._theirs, []).read(rest[0])
        if tag == "module":
            return importlib.import_module(rest[0]) if rest[0] in MODULES else NOTHING
        raise NotData("not a value")

    def _made(self, number: Any, about: dict[str, Any], classes: Any) -> Any:
        if type(number) is not int or not all(type(one) is int for one in classes):
            raise NotData("not a number")
        name = about["name"] if type(about["name"]) is str else ""
        if "bases" in about:
            known = (_builtin_error(base) for base in about["bases"] if type(base) is str)
            base = next((k for k in known if k is not None), Exception)
            return self._errors.setdefault(name, type(name, (base,), {}))
        if about.get("class"):
            return CandidateClass(name, (), {"_c": self, "_n": number})
        kind = Function if about["callable"] else Handle
        made = kind(self, number, classes)
        return self._waiting(number) if about["async"] else made

    def _waiting(self, number: int) -> Callable[..., Any]:
        async def call(*args: Any, **options: Any) -> Any:
            return self.talk("await", number, args, options)

        return call


def _builtin_error(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _position(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise IndexError(number)
    return number


def _is_builtin(kind: type) -> bool:
    return vars(builtins).get(kind.__name__) is kind
