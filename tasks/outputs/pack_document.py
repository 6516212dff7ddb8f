"""The output document of a pack run."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.documents import SampleTable
from schemas.metrics import Metric
from schemas.output import (
    SCHEMA_PATH,
    ArtifactBlock,
    BenchmarkBlock,
    ErrorBlock,
    Metadata,
    ModelBlock,
    OutputDocument,
    Results,
    RunBlock,
)
from schemas.pack_documents import SoundPack
from schemas.pack_measures import PackMeasures
from schemas.pack_run import PackOrder, PackRunSpec
from tasks.outputs.document import Moment, failed_share, utc
from tasks.statistics.long_form import OVERALL, metric_row, named_rows

Row = dict[str, Any]


def named_measures(measures: PackMeasures, samples: SampleTable) -> dict[str, Metric]:
    """Every headline number by its snake_case name."""
    counts = measures.counts
    named = {
        "n_rows": Metric(value=measures.n_rows, n=measures.n_rows),
        "n_samples": Metric(value=samples.n_samples, n=samples.n_samples),
        "n_failed_samples": Metric(value=samples.n_failed, n=samples.n_samples),
    }
    for name, value in counts.model_dump().items():
        named["n_results" if name == "total" else f"n_{name}"] = Metric(value=value, n=counts.total)
    named["pass_rate"] = measures.pass_rate
    named |= {f"pass_at_{k}": metric for k, metric in measures.pass_at.items()}
    named |= {f"pass_hat_{k}": metric for k, metric in measures.pass_hat.items()}
    return named


def pack_rows(measures: PackMeasures, samples: SampleTable) -> Iterator[Row]:
    """Everything measured in a pack run as rows, the pass rate of every part included."""
    yield from named_rows(OVERALL, "", named_measures(measures, samples))
    for cell in measures.cells:
        value = cell.value if isinstance(cell.value, str) else json.dumps(cell.value)
        yield metric_row(cell.name or cell.by, value, "pass_rate", cell.pass_rate)


def pack_cases(verdicts: list[Row]) -> list[Row]:
    """One case per row that was selected."""
    kept = (
        *("family", "status", "score", "reason", "n_samples", "n_passed", "n_failed"),
        *("n_errors", "n_pending", "n_failed_samples", "row_digest"),
    )
    return [{"id": row["item_id"], **{key: row[key] for key in kept}} for row in verdicts]


def pack_failure(order: PackOrder, samples: SampleTable) -> str | None:
    """What to say when more samples failed than the run allows."""
    return failed_share(samples, order.spec.max_failed)


def pack_document(
    order: PackOrder,
    pack: SoundPack,
    samples: SampleTable,
    measures: PackMeasures,
    *,
    cases: list[Row],
    provenance: Row,
    artifacts: tuple[ArtifactBlock, ...],
    moment: Moment,
) -> Row:
    """The whole document, in the form that is written."""
    spec = order.spec
    metrics = named_measures(measures, samples)
    is_partial = spec.reading.limit is not None or bool(spec.items)
    error = pack_failure(order, samples)
    document = OutputDocument(
        **{"$schema": SCHEMA_PATH},
        schema_version="v1",
        metadata=Metadata(
            benchmark=BenchmarkBlock(name=pack.pack_id, version=str(pack.version)),
            model=_model(spec, samples),
            run=RunBlock(
                id=order.run_id,
                started_at=utc(order.started_at),
                finished_at=utc(moment.finished_at),
                git=moment.git,
                command=pack_command(spec),
                host=moment.host,
            ),
            tags=("pack", *(["partial"] if is_partial else [])),
        ),
        results=Results(
            status="error" if error else "ok",
            metrics={name: m.value for name, m in metrics.items() if m.value is not None},
            error=ErrorBlock(message=error, type="TooManyFailedSamples") if error else None,
            details=_details(spec, pack, measures, metrics, provenance, len(cases), is_partial),
            cases=tuple(cases),
            artifacts=artifacts,
        ),
    )
    written = document.model_dump(mode="json", by_alias=True, exclude_none=True)
    # Nulls inside open parts mean something: put those back as they were.
    written["results"]["details"] = document.results.details
    written["results"]["cases"] = cases
    return written


def _model(spec: PackRunSpec, samples: SampleTable) -> ModelBlock:
    if spec.has_answers:
        return ModelBlock(name=spec.model.model_id, provider=spec.model.provider)
    return ModelBlock(
        name=samples.model_id or spec.model.model_id,
        provider=spec.model.provider,
        parameters=spec.sampling.params.model_dump(mode="json", exclude_none=True),
    )


def _details(
    spec: PackRunSpec,
    pack: SoundPack,
    measures: PackMeasures,
    metrics: Mapping[str, Metric],
    provenance: Row,
    n_cases: int,
    is_partial: bool,
) -> Row:
    return {
        "run_spec": spec.model_dump(mode="json"),
        "provenance": provenance,
        "n": {name: m.n for name, m in metrics.items()},
        "undefined": {name: m.reason for name, m in metrics.items() if m.value is None},
        "measures": measures.model_dump(mode="json"),
        "selection": {
            "partial": is_partial,
            # Rows beyond the limit are not read, so nobody knows how many there are.
            "rows_in_pack": pack.n_rows if spec.reading.limit is None else None,
            "rows_selected": n_cases,
        },
    }


def pack_command(spec: PackRunSpec) -> str:
    """`assent pack run …` with every setting that differs from its default."""
    plain = PackRunSpec(place=spec.place, model=spec.model)
    params, plain_params = spec.sampling.params, plain.sampling.params
    words = ["assent", "pack", "run", spec.place.pack]
    words += (
        ["--answers", spec.model.model_id] if spec.has_answers else ["--model", str(spec.model)]
    )
    for flag, value, default in (
        ("--tasks", spec.place.tasks, None),
        ("--profile", spec.reading.profile, plain.reading.profile),
        ("--limit", spec.reading.limit, None),
        ("--base-url", spec.model.base_url, None),
        ("--n-samples", spec.sampling.n_samples, plain.sampling.n_samples),
        ("--temperature", params.temperature, plain_params.temperature),
        ("--max-tokens", params.max_tokens, plain_params.max_tokens),
        ("--top-p", params.top_p, None),
        ("--seed", params.seed, None),
        ("--epoch", spec.sampling.epoch, ""),
        ("--group-by", spec.measuring.group_by, None),
        ("--max-failed", spec.max_failed, plain.max_failed),
    ):
        if value != default:
            words += [flag, str(value)]
    for flag, values in (
        ("--stop", params.stop),
        ("--items", spec.items),
        ("--by", spec.measuring.by),
        ("--deny-command", spec.judging.deny_commands),
    ):
        for value in values:
            words += [flag, value]
    if params.model_extra:
        words += ["--extra-body", json.dumps(params.model_extra)]
    if spec.has_answers and spec.judging.extract_code:
        words.append("--extract-code")
    if not spec.judging.disallow_dangerous_commands:
        words.append("--allow-dangerous-commands")
    return shlex.join(words)
