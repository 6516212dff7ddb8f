"""Reading the user's files for commands that work on them directly."""

from schemas.benchmark import Benchmark
from tasks.benchmarks import check_benchmark
from tasks.storage.files import read_regular


def read_benchmark(path: str) -> Benchmark:
    """The benchmark in a file.

    Raises:
        UserError: It is missing or unreadable.
        InvalidFile: It breaks a rule; every problem is listed.
    """
    return check_benchmark(read_regular(path)).require(path)
