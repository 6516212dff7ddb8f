"""Does an evaluation belong to a benchmark, and is it whole?"""

from schemas.benchmark import Benchmark
from schemas.errors import Problem, UserError
from schemas.evaluation import Evaluation
from tasks.benchmarks.hashing import benchmark_hash, later_fields
from tasks.statistics.evaluations import n_undrawn


def noticed(evaluation: Evaluation, benchmark: Benchmark | None) -> tuple[Problem, ...]:
    """Warnings about an evaluation, of this benchmark when one is given.

    Raises:
        UserError: It is an evaluation of another benchmark.
    """
    found = _curtailed(evaluation)
    return found if benchmark is None else (*_mismatches(evaluation, benchmark), *found)


def _curtailed(evaluation: Evaluation) -> tuple[Problem, ...]:
    left = sum(n_undrawn(item, evaluation.endorsement_config) for item in evaluation.items)
    if not left:
        return ()
    return (
        Problem(
            "curtailed",
            "$.items",
            f"{left} samples were not drawn; verdicts stand, but entropy, margins, distances and "
            "shares of samples rest on what was drawn",
            "evaluate without --curtail for figures of that kind; only the rest is asked",
        ),
    )


def _mismatches(evaluation: Evaluation, benchmark: Benchmark) -> tuple[Problem, ...]:
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
