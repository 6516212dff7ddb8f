"""The output document of an inferential run."""

import datetime
from collections.abc import Mapping
from typing import Any

from schemas.benchmark import Benchmark
from schemas.documents import SampleTable
from schemas.metrics import Metric, OverallMetrics
from schemas.output import (
    SCHEMA_PATH,
    ArtifactBlock,
    BenchmarkBlock,
    ErrorBlock,
    GitBlock,
    HostBlock,
    Metadata,
    ModelBlock,
    OutputDocument,
    Results,
    RunBlock,
)
from schemas.run import RunOrder
from tasks.outputs.commands import command_of
from tasks.statistics import consensus

Row = dict[str, Any]


def utc(moment: datetime.datetime) -> str:
    """A time as documents write it."""
    return moment.astimezone(datetime.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def cases(benchmark: Benchmark, verdicts: list[Row], metrics: OverallMetrics) -> list[Row]:
    """One case per item that was asked."""
    items = {item.id: item for item in benchmark.items}
    found = []
    for row in verdicts:
        reference = consensus(items[row["item_id"]].analyst_verdicts)
        spread = metrics.verdict_distributions[row["item_id"]]
        judged = row["status"] == "judged"
        found.append(
            {
                "id": row["item_id"],
                "status": row["status"],
                "verdict": row["verdict"],
                "consensus": reference,
                "agrees": row["verdict"] == reference if judged else None,
                "votes": {key: row[key] for key in ("good", "bad", "abstain")},
                "tie_broken": row["tie_broken"],
                "n_failed": row["n_failed"],
                "n_unparseable": row["n_unparseable"],
                "n_clipped": row["n_clipped"],
                "n_undrawn": row["n_undrawn"],
                "entropy": spread.entropy if judged else None,
                "margin": spread.margin if judged else None,
            }
        )
    return found


def output_document(
    order: RunOrder,
    benchmark: Benchmark,
    samples: SampleTable,
    metrics: Mapping[str, Metric],
    *,
    measured: Row,
    cases: list[Row],
    provenance: Row,
    artifacts: tuple[ArtifactBlock, ...],
    moment: "Moment",
) -> Row:
    """The whole document, in the form that is written."""
    spec = order.spec
    undefined = {name: m.reason for name, m in metrics.items() if m.value is None}
    is_partial = len(cases) < len(benchmark.items)
    tags = ["inferential", *(["partial"] if is_partial else [])]
    error = failure(order, samples)
    document = OutputDocument(
        **{"$schema": SCHEMA_PATH},
        schema_version="v1",
        metadata=Metadata(
            benchmark=BenchmarkBlock(name=benchmark.id),
            model=ModelBlock(
                name=samples.model_id or spec.model.model_id,
                provider=spec.model.provider,
                parameters=spec.sampling.params.model_dump(mode="json", exclude_none=True),
            ),
            run=RunBlock(
                id=order.run_id,
                started_at=utc(order.started_at),
                finished_at=utc(moment.finished_at),
                git=moment.git,
                command=command_of(spec),
                host=moment.host,
            ),
            tags=tuple(tags),
        ),
        results=Results(
            status="error" if error else "ok",
            metrics={name: m.value for name, m in metrics.items() if m.value is not None},
            error=ErrorBlock(message=error, type="TooManyFailedSamples") if error else None,
            details={
                "run_spec": spec.model_dump(mode="json"),
                "provenance": provenance,
                "n": {name: m.n for name, m in metrics.items()},
                "undefined": undefined,
                **measured,
                "selection": {
                    "partial": is_partial,
                    "items_in_benchmark": len(benchmark.items),
                    "items_asked": len(cases),
                },
            },
            cases=tuple(cases),
            artifacts=artifacts,
        ),
    )
    written = document.model_dump(mode="json", by_alias=True, exclude_none=True)
    # Nulls inside open parts mean something: put those back as they were.
    written["results"]["details"] = document.results.details
    written["results"]["cases"] = cases
    return written


def failure(order: RunOrder, samples: SampleTable) -> str | None:
    """What to say when more samples failed than the run allows."""
    return failed_share(samples, order.spec.max_failed)


def failed_share(samples: SampleTable, max_failed: float) -> str | None:
    """What to say when more samples failed than a share of them."""
    if not samples.n_samples:
        return None
    share = samples.n_failed / samples.n_samples
    if share <= max_failed:
        return None
    return (
        f"{samples.n_failed} of {samples.n_samples} samples failed ({share:.1%}), "
        f"more than --max-failed {max_failed:g} allows"
    )


class Moment:
    """What belongs to the moment of writing: time, repository, machine."""

    def __init__(
        self, finished_at: datetime.datetime, git: GitBlock | None, host: HostBlock
    ) -> None:
        self.finished_at, self.git, self.host = finished_at, git, host
