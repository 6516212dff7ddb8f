"""Stage: a file becomes a checked benchmark."""

import hashlib

from schemas.benchmark import Benchmark
from schemas.documents import CheckedBenchmark
from schemas.errors import UserError
from schemas.settings import read_settings
from tasks.benchmarks import benchmark_hash, check_benchmark
from tasks.stage import stage
from tasks.storage.files import read_regular
from tasks.storage.home import Home


def fingerprint(path: str) -> str:
    """SHA-256 of a file as it is now."""
    return hashlib.sha256(read_regular(path)).hexdigest()


@stage("validate-benchmark", version=1, ignore=("path",))
def validate_benchmark(path: str, sha256: str) -> CheckedBenchmark:
    """The benchmark in normalised form.

    Raises:
        InvalidFile: It breaks a rule; every problem is listed.
    """
    data = read_regular(path)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise UserError("the file changed while it was read", where=path, code="file_changed")
    benchmark = check_benchmark(data).require(path)
    normalised = benchmark.model_dump_json(exclude_none=True).encode()
    return CheckedBenchmark(
        file=Home(read_settings().home).keep("validate", normalised, ".json"),
        source_sha256=sha256,
        benchmark_id=benchmark.id,
        benchmark_hash=benchmark_hash(benchmark),
        n_items=len(benchmark.items),
        n_variants=benchmark.n_variants,
        plugins=benchmark.plugins,
    )


def load_benchmark(home: Home, checked: CheckedBenchmark) -> Benchmark:
    """The benchmark behind its document; it was checked when it was stored."""
    return Benchmark.model_validate_json(home.locate(checked.file).read_bytes())
