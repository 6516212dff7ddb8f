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
    with _no_search_for_cycles():
        return check_benchmark(read_regular(path)).require(path)


def read_evaluation(path: str) -> Evaluation:
    """The evaluation in a file.

    Raises:
        UserError: It is missing or unreadable.
        InvalidFile: It breaks a rule; every problem is listed.
    """
    with _no_search_for_cycles():
        return check_evaluation(read_regular(path)).require(path)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Keep Python from searching what is read for reference cycles: documents are trees.

    On an evaluation of 50,000 samples those searches take longer than the reading itself. What was
    read is set aside afterwards, so that later searches do not walk through it either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
