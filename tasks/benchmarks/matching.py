"""Does an evaluation belong to a benchmark?"""

from schemas.benchmark import Benchmark
from schemas.errors import Problem, UserError
from schemas.evaluation import Evaluation
from tasks.benchmarks.hashing import benchmark_hash, later_fields


def require_match(evaluation: Evaluation, benchmark: Benchmark) -> tuple[Problem, ...]:
    """Warnings about an evaluation of this benchmark.

    Raises:
        UserError: It is an evaluation of another benchmark.
    """
    if evaluation.benchmark_id != benchmark.id:
        raise UserError(
            f"the evaluation {evaluation.id!r} is of the benchmark {evaluation.benchmark_id!r}, "
            f"not of {benchmark.id!r}",
            fix="name the benchmark that was evaluated",
            code="benchmark_mismatch",
        )
    recorded = evaluation.benchmark_hash
    if recorded is None or recorded == benchmark_hash(benchmark):
        return ()
    if not later_fields(benchmark) and recorded == benchmark_hash(benchmark, "0.5"):
        return ()
    return (
        Problem(
            "hash_mismatch",
            "$.benchmark_hash",
            "the benchmark was changed since this evaluation, or the hash is of another file",
            "use the benchmark as it was evaluated",
        ),
    )
