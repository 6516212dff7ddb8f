"""May two evaluations be read as a test and its retest?"""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.benchmark import Benchmark
from schemas.errors import Problem, UserError
from schemas.evaluation import Evaluation
from tasks.benchmarks.hashing import benchmark_hash, later_fields
from tasks.statistics.pairing import BESIDE

BESIDE_RETEST = (*BESIDE, "prompt_id")
"""Settings that only output documents record; the prompt's id names the question's template."""

Settings = Mapping[str, Any]
Recorded = tuple[Settings | None, Settings | None]


def require_retest(
    a: Evaluation, b: Evaluation, benchmark: Benchmark | None, recorded: Recorded
) -> tuple[str, ...]:
    """Make sure that nothing but the draws differs; the settings that nobody could check.

    Args:
        a: The first run.
        b: The second run.
        benchmark: Tells whether two hashes are of the same content.
        recorded: Settings that the evaluations themselves do not hold, where they are known.

    Raises:
        UserError: The runs differ in the benchmark, the model or a setting.
    """
    if a.benchmark_id != b.benchmark_id:
        raise UserError(
            f"{a.id!r} is of the benchmark {a.benchmark_id!r}, {b.id!r} of {b.benchmark_id!r}",
            fix="name two runs of one benchmark",
            code="benchmark_mismatch",
        )
    _require_one_content(a, b, benchmark)
    left, right = _settings(a, recorded[0]), _settings(b, recorded[1])
    differing = [
        f"{key} ({left[key]!r} and {right[key]!r})"
        for key in sorted(left.keys() & right.keys())
        if left[key] != right[key]
    ]
    # A parameter that only one run names is a difference; a setting not recorded is not known.
    differing += [
        f"{key} ({left.get(key)!r} and {right.get(key)!r})"
        for key in sorted(left.keys() ^ right.keys())
        if key not in BESIDE_RETEST
    ]
    if differing:
        raise UserError(
            f"{a.id!r} and {b.id!r} differ in {', '.join(differing)}",
            fix="retest with the same model and settings; assent compare takes runs that differ",
            code="not_comparable",
        )
    return tuple(key for key in BESIDE_RETEST if key not in left or key not in right)


def same_draws(a: Evaluation, b: Evaluation, recorded: Recorded) -> tuple[Problem, ...]:
    """A warning when the second run is likely to hold the draws of the first."""
    epochs = [None if known is None else known.get("epoch") for known in recorded]
    if a.id == b.id:
        what = f"both files are the run {a.id!r}"
    elif epochs[0] is not None and epochs[0] == epochs[1]:
        what = "both runs are of one epoch: with one sample store they share their draws"
    else:
        return ()
    return (
        Problem(
            "same_draws",
            "$",
            f"{what}; their agreement says nothing about stability",
            "evaluate again with --fresh, or with another --epoch",
        ),
    )


def _require_one_content(a: Evaluation, b: Evaluation, benchmark: Benchmark | None) -> None:
    found = {one.benchmark_hash for one in (a, b)} - {None}
    if len(found) < 2:
        return
    if benchmark is not None and found <= _hashes(benchmark):
        return
    raise UserError(
        f"the benchmark was changed between {a.id!r} and {b.id!r}: their hashes differ",
        fix="retest on the benchmark as it was; if only the tool's version changed, name the "
        "benchmark with --benchmark, and both hashes are recognised",
        code="not_comparable",
    )


def _hashes(benchmark: Benchmark) -> set[str]:
    """The hash of a benchmark in every profile that has room for it."""
    own = {benchmark_hash(benchmark)}
    return own if later_fields(benchmark) else own | {benchmark_hash(benchmark, "0.5")}


def _settings(evaluation: Evaluation, recorded: Settings | None) -> dict[str, Any]:
    model = evaluation.model
    return {
        "provider": model.provider,
        "model_id": model.model_id,
        "paraphrase_variant": evaluation.paraphrase_variant,
        **dict(_flat("params", model.params.model_dump(mode="json"))),
        **dict(_flat("endorsement_config", evaluation.endorsement_config.model_dump(mode="json"))),
        **{key: value for key, value in (recorded or {}).items() if key in BESIDE_RETEST},
    }


def _flat(name: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((f"{name}.{key}", value) for key, value in values.items())
