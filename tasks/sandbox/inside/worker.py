"""The untrusted end: imports the candidate and does what the tests ask of it.

Nothing here is a defence. The candidate shares this process and can change all of it; whatever it
does, only data leaves, and the other side decides.
"""

import builtins
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from tasks.sandbox.inside.encoding import NotData, Packer, Reader
from tasks.sandbox.inside.link import Link

Message = dict[str, Any]


class Worker:
    """The candidate, seen through numbers that stand for its objects."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}

    def run(self) -> None:
        """Answer until the other side is gone."""
        source = self._link.receive()["candidate"]
        self._reply(lambda: self._import(source), Reader(self._foreign, []))
        while True:
            self._answer(self._link.receive())

    def _answer(self, message: Message) -> None:
        reader = Reader(self._foreign, [])
        args = reader.read(message["args"])
        options = reader.read(message["options"])
        target = self._objects[message["target"]]
        work = _WORK[message["do"]]
        self._reply(lambda: work(target, args, options), reader)

    def _reply(self, work: Callable[[], Any], reader: Reader) -> None:
        try:
            reply = self._finished(work(), reader)
        except BaseException as error:
            reply = self._raised(error, reader)
        try:
            self._link.send(reply)
        except NotData as error:
            self._link.send(self._raised(error, Reader(self._foreign, [])))

    def _finished(self, value: Any, reader: Reader) -> Message:
        packer = Packer(self._handle)
        packer.know(reader.objects)
        return {"value": packer.pack(value), "changed": _contents(packer, reader)}

    def _raised(self, error: BaseException, reader: Reader) -> Message:
        packer = Packer(self._handle)
        packer.know(reader.objects)
        kinds = [kind.__name__ for kind in type(error).__mro__]
        try:
            args = packer.pack(tuple(error.args))
            more = packer.pack({k: v for k, v in vars(error).items() if not k.startswith("_")})
            changed = _contents(packer, reader)
        except Exception:
            args, more, changed = ["t", []], ["d", []], []
        return {"error": kinds, "args": args, "more": more, "changed": changed}

    def _import(self, source: str) -> dict[str, Any]:
        module = types.ModuleType("candidate")
        module.__file__ = "candidate.py"
        sys.modules["candidate"] = module
        exec(compile(source, "candidate.py", "exec"), vars(module))
        return {k: _Export(v) for k, v in vars(module).items() if not k.startswith("__")}

    def _handle(self, value: Any) -> list[Any]:
        if isinstance(value, _Export):
            return self._exported(value.value)
        if isinstance(value, type) and _is_builtin(value):
            return ["builtin", value.__name__]
        return ["h", self._number(value), _about(value), self._classes(type(value))]

    def _exported(self, value: Any) -> list[Any]:
        """A global: data as it is, a module by name, anything else by number."""
        if isinstance(value, types.ModuleType):
            return ["module", value.__name__]
        packer = Packer(self._handle)
        try:
            return ["global", packer.pack(value)]
        except NotData:
            return ["module", ""]

    def _classes(self, kind: type) -> list[int]:
        return [self._number(base) for base in kind.__mro__ if base.__module__ == "candidate"]

    def _number(self, value: Any) -> int:
        number = self._numbers.setdefault(id(value), len(self._numbers))
        self._objects[number] = value
        return number

    def _foreign(self, tag: str, rest: list[Any]) -> Any:
        if tag == "h":
            return self._objects[rest[0]]
        if tag == "builtin":
            return getattr(builtins, rest[0])
        if tag == "call":
            return lambda *args, **options: self._call_back(rest[0], args, options)
        if tag == "iterator":
            return self._iterate(rest[0])
        raise NotData(tag)

    def _iterate(self, number: int) -> Iterator[Any]:
        while True:
            try:
                value = self._call_back(number, (), {})
            except StopIteration:
                return
            yield value

    def _call_back(self, number: int, args: Any, options: Any) -> Any:
        packer = Packer(self._handle)
        message = {
            "callback": number,
            "args": packer.pack(tuple(args)),
            "options": packer.pack(options),
        }
        self._link.send(message)
        while True:
            reply = self._link.receive()
            if "do" in reply:
                self._answer(reply)
                continue
            reader = Reader(self._foreign, packer.objects)
            value = reader.read(reply["value"]) if "value" in reply else None
            for at, content in reply["changed"]:
                reader.fill(packer.objects[at], content)
            if "error" in reply:
                known = (getattr(builtins, name, None) for name in reply["error"])
                kind = next((k for k in known if isinstance(k, type)), RuntimeError)
                raise kind(*reader.read(reply["args"]))
            return value


class _Export:
    def __init__(self, value: Any) -> None:
        self.value = value


def _contents(packer: Packer, reader: Reader) -> list[Any]:
    """What the arguments hold now; new containers in it get numbers of their own."""
    return [[at, packer.content(value)] for at, value in enumerate(list(reader.objects))]


def _about(value: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"name": str(getattr(value, "__name__", ""))}
    about["callable"] = callable(value)
    about["async"] = inspect.iscoroutinefunction(value)
    if isinstance(value, type):
        about["class"] = True
        if issubclass(value, BaseException):
            about["bases"] = [base.__name__ for base in value.__mro__]
    return about


def _await(target: Any, args: Any, options: Any) -> Any:
    import asyncio

    return asyncio.run(target(*args, **options))


_WORK: dict[str, Callable[[Any, Any, Any], Any]] = {
    "call": lambda target, args, options: target(*args, **options),
    "await": _await,
    "get": lambda target, args, _: getattr(target, args[0]),
    "set": lambda target, args, _: setattr(target, args[0], args[1]),
    "iter": lambda target, *_: iter(target),
    "next": lambda target, *_: next(target),
    "len": lambda target, *_: len(target),
    "bool": lambda target, *_: bool(target),
    "str": lambda target, *_: str(target),
    "repr": lambda target, *_: repr(target),
    "item": lambda target, args, _: target[args[0]],
    "set_item": lambda target, args, _: target.__setitem__(args[0], args[1]),
    "del_item": lambda target, args, _: target.__delitem__(args[0]),
    "enter": lambda target, *_: target.__enter__(),
    "exit": lambda target, *_: target.__exit__(None, None, None),
}


def main() -> None:
    """Talk over what were our standard streams; the candidate's prints go elsewhere."""
    read, write = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(2, 1)
    Worker(Link(read, write)).run()


def _is_builtin(kind: type) -> bool:
    return vars(builtins).get(kind.__name__) is kind
