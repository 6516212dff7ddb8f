"""Stage: digests of everything that a run rests on."""

import hashlib
import importlib.metadata
from pathlib import Path
from typing import Any

from schemas.documents import (
    CheckedBenchmark,
    MetricsDocument,
    PromptTable,
    Provenance,
    SampleTable,
    VerdictTable,
)
from schemas.run import DrawSpec, JudgingSpec, RunSpec
from schemas.version import VERSION
from tasks.sampling.requests import KEY_VERSION
from tasks.stage import stage
from tasks.storage.tables import TABLE_VERSION

_PACKAGES = (
    "google-re2",
    "httpx",
    "jsonschema",
    "numpy",
    "prefect",
    "pyarrow",
    "pydantic",
    "sqlalchemy",
)


def describe_environment() -> dict[str, Any]:
    """Versions of what computes the numbers, and the digest of the lock when it is at hand."""
    lock = Path(__file__).resolve().parent.parent / "requirements.lock"
    return {
        "assent": VERSION,
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "lock_sha256": hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else None,
    }


@stage("gather-provenance", version=1)
def gather_provenance(
    spec: RunSpec,
    benchmark: CheckedBenchmark,
    tables: tuple[PromptTable, SampleTable, VerdictTable, MetricsDocument],
    asked: tuple[DrawSpec, JudgingSpec],
    environment: dict[str, Any],
) -> Provenance:
    """The provenance block, without time, host and git, which belong to the moment of writing."""
    prompts, samples, verdicts, metrics = tables
    draw, judging = asked
    seed = spec.sampling.params.seed
    return Provenance(
        block={
            "benchmark": {
                "id": benchmark.benchmark_id,
                "hash": benchmark.benchmark_hash,
                "file_sha256": benchmark.source_sha256,
            },
            "prompts": {
                "sha256": prompts.file.sha256,
                "n": prompts.n_prompts,
                "prompt_id": prompts.prompt_id,
                "coherence_frame_id": prompts.coherence_frame_id,
                "premise_builder": prompts.premise_builder_id,
                "conclusion_builder": prompts.conclusion_builder_id,
                "plugins": list(prompts.plugins),
            },
            "model": {
                "provider": draw.model.provider,
                "model_id": samples.model_id,
                "recording_sha256": draw.source_sha256,
                "base_url": draw.base_url,
                "parameters": draw.sampling.params.model_dump(mode="json", exclude_none=True),
                "seeds": None if seed is None else [seed, seed + draw.sampling.n_samples - 1],
                "epoch": draw.sampling.epoch,
            },
            "samples": {
                "sha256": samples.file.sha256,
                "n": samples.n_samples,
                "n_failed": samples.n_failed,
                "request_digest": samples.request_digest,
                "request_key_version": KEY_VERSION,
            },
            "verdicts": {
                "sha256": verdicts.file.sha256,
                "parser": judging.voting.parser,
                "parser_version": judging.parser_version,
                "parse_regex": judging.parse_regex,
                "n_missing": verdicts.n_missing,
            },
            "metrics": {"sha256": metrics.file.sha256},
            "table_version": TABLE_VERSION,
            "sandbox": None,
            "environment": environment,
        }
    )
