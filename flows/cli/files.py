"""Reading the user's files for commands that work on them directly."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation
from tasks.benchmarks import check_benchmark, check_evaluation
from tasks.storage.files import read_regular


def read_benchmark(path: str) -> Benchmark:
    """The benchmark in a file.

    Raises:
        UserError: It is missing or unreadable.
        InvalidFile: It breaks a rule; every problem is listed.
    """
    return check_benchmark(read_regular(path)).require(path)


def read_evaluation(path: str) -> Evaluation:
    """The evaluation in a file.

    Raises:
        UserError: It is missing or unreadable.
        InvalidFile: It is not of the format; every problem is listed.
    """
    with _uncollected():
        return check_evaluation(read_regular(path)).require(path)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for reference cycles meanwhile: among a million new values it costs a second."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
