"""Stages: results of a pack run become measures and provenance."""

import json
from collections.abc import Iterator
from typing import Any

from schemas.documents import MetricsDocument, Provenance, SampleTable
from schemas.pack_documents import JudgedPack, PackPromptTable, SoundPack
from schemas.pack_measures import PackMeasures
from schemas.pack_run import PackMeasuringSpec
from schemas.run import DrawSpec
from schemas.settings import read_settings
from tasks.pack_judge import VerifierSettings
from tasks.packs.measures import Attempt, measure_pack
from tasks.sampling.requests import KEY_VERSION
from tasks.stage import stage
from tasks.storage.home import Home
from tasks.storage.tables import TABLE_VERSION


@stage("measure-results", version=1)
def measure_results(judged: JudgedPack, measuring: PackMeasuringSpec) -> MetricsDocument:
    """Pass rates in whole and in parts, and what repeated attempts are worth."""
    home = Home(read_settings().home)
    keys = {*measuring.by, *([measuring.group_by] if measuring.group_by else [])}
    attempts = [
        Attempt(
            line["result"]["task_id"],
            line["record"]["task_type"],
            line["result"]["status"],
            {key: line["metadata"][key] for key in keys if key in line["metadata"]},
        )
        for line in read_attempts(home, judged)
    ]
    measures = measure_pack(attempts, by=measuring.by, group_by=measuring.group_by)
    return MetricsDocument(file=home.keep("measure", measures.model_dump_json().encode(), ".json"))


def read_attempts(home: Home, judged: JudgedPack) -> Iterator[dict[str, Any]]:
    """What is known of every attempt: its record, its result, the metadata of its row."""
    with home.locate(judged.records).open("rb") as file:
        yield from map(json.loads, file)


def load_measures(home: Home, document: MetricsDocument) -> PackMeasures:
    """The measures behind their document."""
    return PackMeasures.model_validate_json(home.locate(document.file).read_bytes())


@stage("trace-pack", version=1)
def gather_pack_provenance(
    pack: SoundPack,
    tables: tuple[PackPromptTable, SampleTable, JudgedPack, MetricsDocument],
    asked: tuple[DrawSpec, VerifierSettings],
    environment: dict[str, Any],
) -> Provenance:
    """The provenance block, without time, host and git, which belong to the moment of writing."""
    prompts, samples, judged, metrics = tables
    draw, settings = asked
    return Provenance(
        block={
            "pack": pack.model_dump(mode="json"),
            "prompts": {
                "sha256": prompts.file.sha256,
                "n": prompts.n_prompts,
                "rendering_version": prompts.rendering,
            },
            "model": _model(draw, samples, has_answers=settings.has_answers),
            "samples": {
                "sha256": samples.file.sha256,
                "n": samples.n_samples,
                "n_failed": samples.n_failed,
                "request_digest": samples.request_digest,
                "request_key_version": KEY_VERSION,
            },
            "verdicts": {
                "sha256": judged.file.sha256,
                "profile": settings.profile,
                "verifiers": list(judged.verifiers),
                "extract_code": settings.judging.extract_code,
                "n_errors": judged.n_errors,
            },
            "metrics": {"sha256": metrics.file.sha256},
            "table_version": TABLE_VERSION,
            "sandbox": settings.sandbox,
            "environment": environment,
        }
    )


def _model(draw: DrawSpec, samples: SampleTable, *, has_answers: bool) -> dict[str, Any]:
    if has_answers:
        return {"provider": draw.model.provider, "answers_sha256": draw.source_sha256}
    sampling = draw.sampling
    seed = sampling.params.seed
    return {
        "provider": draw.model.provider,
        "model_id": samples.model_id,
        "recording_sha256": draw.source_sha256,
        "base_url": draw.base_url,
        "parameters": sampling.params.model_dump(mode="json", exclude_none=True),
        "seeds": None if seed is None else [seed, seed + sampling.n_samples - 1],
        "epoch": sampling.epoch,
    }
