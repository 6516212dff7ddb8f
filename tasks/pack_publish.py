"""Stage: a pack run becomes files, checked before they are visible."""

import datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from schemas.base import Frozen
from schemas.documents import Document, MetricsDocument, Provenance, SampleTable
from schemas.pack_documents import JudgedPack, PackPromptTable, SoundPack
from schemas.pack_run import PackOrder
from schemas.settings import read_settings
from tasks.artifacts import show_pack_run
from tasks.outputs.gate import require_valid
from tasks.outputs.pack_document import pack_cases, pack_document, pack_rows
from tasks.pack_measure import load_measures, read_attempts
from tasks.run_files import RunFiles
from tasks.stage import in_flow_run, stage
from tasks.storage.files import Publication
from tasks.storage.home import Home
from tasks.storage.pack_records import FILE_NAME, record_line
from tasks.storage.places import RunPlaces, relative
from tasks.storage.tables import read_rows


class PackStages(Frozen):
    """What the stages before this one left behind."""

    pack: SoundPack = Field(description="The pack.")
    prompts: PackPromptTable = Field(description="What was asked.")
    samples: SampleTable = Field(description="What was answered.")
    judged: JudgedPack = Field(description="What was made of it.")
    metrics: MetricsDocument = Field(description="What was measured.")
    provenance: Provenance = Field(description="What it rests on.")


class PublishedPack(Document):
    """Where the files of a run are, relative to the working directory."""

    output: str = Field(description="Output document.")
    artifacts: dict[str, str] = Field(description="Tables and records by name.")


@stage("publish-pack", version=None)
def publish_pack_run(order: PackOrder, stages: PackStages) -> PublishedPack:
    """Write tables and records, and last the output document, which completes a run."""
    home = Home(read_settings().home)
    places = RunPlaces(order.destination, stages.pack.pack_id, order.run_id)
    labels = {"assent.run_id": order.run_id, "assent.pack_sha256": stages.pack.sha256}
    with Publication() as publication:
        files = RunFiles(home, places, publication, labels)
        written = _tables(files, stages)
        written["candidates"] = _records(files, order, stages)
        document = _document(files, order, stages, written)
        require_valid("output-v1", document)
        files.document(places.output, document)
    published = PublishedPack(
        output=relative(places.output),
        artifacts={name: relative(path) for name, path in written.items()},
    )
    if in_flow_run():
        show_pack_run(document, published.output)
    return published


def _tables(files: RunFiles, stages: PackStages) -> dict[str, Path]:
    sources = {
        "prompts": stages.prompts.file,
        "samples": stages.judged.samples,
        "verdicts": stages.judged.file,
    }
    written = {name: files.copy_table(name, file) for name, file in sources.items()}
    measures = load_measures(files.home, stages.metrics)
    rows = pack_rows(measures, stages.samples)
    written["metrics"] = files.metrics_table(rows, stages.metrics.file)
    return written


def _records(files: RunFiles, order: PackOrder, stages: PackStages) -> Path:
    """One line per attempt, now that the run has a name."""
    path = files.places.artifact(FILE_NAME)
    with files.publication.file(path) as file:
        for attempt in read_attempts(files.home, stages.judged):
            file.write(record_line({**attempt["record"], "run_id": order.run_id}))
    return path


def _document(
    files: RunFiles, order: PackOrder, stages: PackStages, written: dict[str, Path]
) -> dict[str, Any]:
    engine = "prefect" if in_flow_run() else "embedded"
    verdicts = list(read_rows(files.home.locate(stages.judged.file)))
    return pack_document(
        order,
        stages.pack,
        stages.samples,
        load_measures(files.home, stages.metrics),
        cases=pack_cases(verdicts),
        provenance=stages.provenance.block | {"engine": engine},
        artifacts=files.blocks(written),
        moment=files.moment(datetime.datetime.now(datetime.UTC)),
    )
