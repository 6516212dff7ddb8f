"""Stage: everything becomes files, checked against their schemas before they are visible."""

import datetime
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from schemas.base import Frozen
from schemas.benchmark import Benchmark, Item
from schemas.documents import (
    CheckedBenchmark,
    Document,
    MetricsDocument,
    PromptTable,
    Provenance,
    SampleTable,
    VerdictTable,
)
from schemas.evaluation import Evaluation, as_written
from schemas.run import RunOrder
from schemas.settings import read_settings
from tasks.artifacts import show_run
from tasks.measure import load_metrics
from tasks.outputs.document import cases, output_document
from tasks.outputs.evaluation import evaluation_head, evaluation_item
from tasks.outputs.gate import require_valid
from tasks.outputs.metrics import measured_details, named_metrics
from tasks.outputs.runlog import Asked, run_log
from tasks.prompting.questions import DEFAULT_TEMPLATE
from tasks.run_files import RunFiles, as_json
from tasks.stage import in_flow_run, stage
from tasks.statistics.long_form import run_rows
from tasks.storage.files import Publication, disk_errors
from tasks.storage.home import Home
from tasks.storage.places import RunPlaces, relative
from tasks.storage.tables import read_rows
from tasks.validate import load_benchmark

Row = dict[str, Any]


class Stages(Frozen):
    """What the stages before this one left behind."""

    benchmark: CheckedBenchmark = Field(description="The benchmark.")
    prompts: PromptTable = Field(description="What was asked.")
    samples: SampleTable = Field(description="What was answered.")
    verdicts: VerdictTable = Field(description="What was made of it.")
    metrics: MetricsDocument = Field(description="What was measured.")
    provenance: Provenance = Field(description="What it rests on.")


class Published(Document):
    """Where the files of a run are, relative to the working directory."""

    evaluation: str = Field(description="Evaluation file.")
    output: str = Field(description="Output document.")
    artifacts: dict[str, str] = Field(description="Parquet tables by name.")


@stage("publish-run", version=None)
def publish_run(order: RunOrder, stages: Stages) -> Published:
    """Write Parquet tables, the evaluation, and last the output document, which completes a run."""
    with Publication() as publication:
        writer = _Writer(order, stages, publication)
        tables = writer.tables()
        evaluation = writer.evaluation()
        output, document = writer.output({**tables, "evaluation": evaluation})
        writer.log()
    published = Published(
        evaluation=relative(evaluation),
        output=relative(output),
        artifacts={name: relative(path) for name, path in tables.items()},
    )
    if in_flow_run():
        show_run(document, published.model_dump())
    return published


class _Writer:
    """Writes the files of one run."""

    def __init__(self, order: RunOrder, stages: Stages, publication: Publication) -> None:
        self.order, self.stages, self.publication = order, stages, publication
        self.home = Home(read_settings().home)
        self.places = RunPlaces(order.destination, stages.benchmark.benchmark_id, order.run_id)
        self.benchmark: Benchmark = load_benchmark(self.home, stages.benchmark)
        self.metrics = load_metrics(self.home, stages.metrics)
        self.named = named_metrics(self.metrics, stages.samples)
        self.verdicts = list(read_rows(self.home.locate(stages.verdicts.file)))
        self.finished_at = datetime.datetime.now(datetime.UTC)
        labels = {
            "assent.run_id": order.run_id,
            "assent.benchmark_hash": stages.benchmark.benchmark_hash,
        }
        self.files = RunFiles(self.home, self.places, publication, labels)

    def tables(self) -> dict[str, Path]:
        """prompts, samples, verdicts and metrics as Parquet."""
        stages = self.stages
        sources = {
            "prompts": stages.prompts.file,
            "samples": stages.verdicts.samples,
            "verdicts": stages.verdicts.file,
        }
        written = {name: self.files.copy_table(name, file) for name, file in sources.items()}
        written["metrics"] = self.files.metrics_table(
            run_rows(self.named, self.metrics), stages.metrics.file
        )
        return written

    def evaluation(self) -> Path:
        """The evaluation, written item by item."""
        head = self._head()
        whole = as_written(head)
        require_valid("evaluation-1.0", whole)
        keys = list(whole)
        after = keys[keys.index("items") + 1 :]
        path = self.places.evaluation
        with self.publication.file(path) as file:
            before = {key: whole[key] for key in keys[: keys.index("items")]}
            file.write(as_json(before).removesuffix(b"\n}") + b',\n  "items": [')
            separator = b"\n    "
            for item, _, samples, verdict in self._items():
                written = evaluation_item(self.order.run_id, item, samples, verdict)
                require_valid("evaluation-1.0", written, "EvaluationItem")
                file.write(separator + as_json(written).replace(b"\n", b"\n    "))
                separator = b",\n    "
            file.write(b"\n  ]" if self.verdicts else b"]")
            for key in after:
                value = as_json(whole[key]).replace(b"\n", b"\n  ")
                file.write(b",\n  " + as_json(key) + b": " + value)
            file.write(b"\n}\n")
        return path

    def _head(self) -> Evaluation:
        stages = self.stages
        head = evaluation_head(self.order, stages.benchmark, stages.prompts, stages.samples)
        return head.model_copy(
            update={"finished_at": self.finished_at, "references": self.benchmark.references}
        )

    def _items(self) -> Iterator[tuple[Item, Row, list[Row], Row]]:
        """Each item with its prompt, samples and verdict, streamed from the tables."""
        items = {item.id: item for item in self.benchmark.items}
        prompts = read_rows(self.home.locate(self.stages.prompts.file))
        samples = read_rows(self.home.locate(self.stages.verdicts.samples))
        grouped = groupby(samples, key=lambda row: row["item_id"])
        for prompt, (_, group), verdict in zip(prompts, grouped, self.verdicts, strict=True):
            yield items[prompt["item_id"]], prompt, list(group), verdict

    def log(self) -> None:
        """The run log, when one was asked for; appended, as logs are."""
        if self.order.destination.log_file is None:
            return
        path = Path(self.order.destination.log_file)
        asked = Asked(
            n_items=self.stages.prompts.n_prompts,
            prompt_id=self.stages.prompts.prompt_id,
            template_id=self.benchmark.template_id or DEFAULT_TEMPLATE,
            strip_tex=self.order.spec.prompting.strip_tex,
        )
        events = run_log(self._head(), asked, self._items(), self.finished_at)
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                for event in events:
                    file.write(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE))

    def output(self, files: dict[str, Path]) -> tuple[Path, Row]:
        """The output document; its presence says that the run is complete."""
        engine = "prefect" if in_flow_run() else "embedded"
        document = output_document(
            self.order,
            self.benchmark,
            self.stages.samples,
            self.named,
            measured=measured_details(self.metrics, self.named),
            cases=cases(self.benchmark, self.verdicts, self.metrics),
            provenance=self.stages.provenance.block | {"engine": engine},
            artifacts=self.files.blocks(files),
            moment=self.files.moment(self.finished_at),
        )
        require_valid("output-v1", document)
        self.files.document(self.places.output, document)
        return self.places.output, document
