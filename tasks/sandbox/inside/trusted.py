"""The trusted end: runs the tests, to which the candidate is a set of proxies.

The exit status of this process is the verdict. No object of the candidate is ever here.
"""

import builtins
import json
import os
import sys
import traceback

from tasks.sandbox.inside.conversation import NOTHING, Candidate
from tasks.sandbox.inside.exits import BAD_TESTS, FAILED, NOT_IMPORTED, PASSED
from tasks.sandbox.inside.link import Link

TESTS = "tests"


def main() -> None:
    """Read the work, run the tests, and end with the verdict."""
    read, write = map(int, sys.argv[1:3])
    work = json.load(sys.stdin)
    _end(judge(Candidate(Link(read, write)), work["candidate"], work["tests"], work["defined"]))


def judge(candidate: Candidate, source: str, tests: str, defined: list[str]) -> int:
    """The verdict as an exit status.

    Args:
        candidate: The other side.
        source: What the candidate wrote.
        tests: What is run here.
        defined: Builtins that the candidate was asked to write itself.
    """
    try:
        code = compile(tests, TESTS, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return BAD_TESTS
    try:
        found = candidate.load(source)
    except BaseException as error:
        return _explained(error, NOT_IMPORTED)
    space = {
        name: value
        for name, value in found.items()
        if value is not NOTHING and (name in defined or not hasattr(builtins, name))
    }
    try:
        exec(code, {**space, "__name__": TESTS, "__builtins__": builtins})
    except BaseException as error:
        return _explained(error, FAILED)
    return PASSED


def _explained(error: BaseException, status: int) -> int:
    """Kind and line only: the message of a failed test may be what it hides."""
    lines = [
        step.lineno
        for step in traceback.extract_tb(error.__traceback__, 100)
        if step.filename == TESTS
    ]
    where = f" at line {lines[-1]} of the tests" if lines else ""
    sys.stderr.write(f"{type(error).__name__}{where}\n")
    return status


def _end(status: int) -> None:
    # Neither threads that tests left, nor anything registered for the end, has a say any more.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
