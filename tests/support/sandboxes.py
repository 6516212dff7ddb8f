"""The sandbox of this machine, and commands in it."""

from typing import Any

from tasks.sandbox.finding import find_sandbox
from tasks.sandbox.interface import Backend, Command, Outcome


def backend() -> Backend:
    found = find_sandbox()
    assert found.backend is not None, found.reason
    return found.backend


def run(*argv: str, **settings: Any) -> Outcome:
    return backend().start(Command(argv, **settings)).collect()


def run_python(code: str, **settings: Any) -> Outcome:
    return run("python3", "-I", "-c", code, **settings)
