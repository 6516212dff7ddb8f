"""Everything about an inferential benchmark that needs no I/O.

`check_benchmark` and `check_evaluation` take the bytes of a file and report every problem at once,
with a stable code and a JSON location. `benchmark_hash` is the identity that results refer to;
it has two profiles because the format's field set grew.
"""

from tasks.benchmarks.checking import Checked, check_benchmark, check_evaluation
from tasks.benchmarks.hashing import HashProfile, benchmark_hash, later_fields

__all__ = [
    "Checked",
    "HashProfile",
    "benchmark_hash",
    "check_benchmark",
    "check_evaluation",
    "later_fields",
]
