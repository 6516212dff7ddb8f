"""The run log: what happened, one JSON object per line."""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from schemas.benchmark import Item
from schemas.evaluation import Evaluation, as_written
from schemas.version import VERSION

Row = dict[str, Any]


class Asked(NamedTuple):
    """How the items were asked, as far as an evaluation does not say."""

    n_items: int
    prompt_id: str
    template_id: str
    strip_tex: bool


def run_log(
    head: Evaluation,
    asked: Asked,
    items: Iterable[tuple[Item, Row, list[Row], Row]],
    finished_at: datetime.datetime,
) -> Iterator[Row]:
    """Events of a run; `items` gives each item with its prompt, samples and verdict."""
    config = as_written(head)["endorsement_config"]
    common = {"benchmark_id": head.benchmark_id, "framework_version": VERSION, "run_id": head.id}
    stamp = finished_at.astimezone(datetime.UTC).isoformat(timespec="milliseconds")

    def event(name: str, level: str = "info", **fields: Any) -> Row:
        ts = stamp.replace("+00:00", "Z")
        return {"ts": ts, "level": level, "logger": "assent", "event": name, **fields, **common}

    yield event(
        "run.started",
        benchmark_hash=head.benchmark_hash,
        n_items=asked.n_items,
        provider=head.model.provider,
        model_id=head.model.model_id,
        params=head.model.params.model_dump(mode="json", exclude_none=True),
        endorsement_config=config,
        verification_prompt_id=asked.prompt_id,
        template_id=asked.template_id,
        coherence_frame_id=head.endorsement_config.coherence_frame_id,
        strip_tex=asked.strip_tex,
        paraphrase_variant=head.paraphrase_variant,
    )
    for item, prompt, samples, verdict in items:
        yield event(
            "item.started",
            item_id=item.id,
            n_samples=len(samples),
            tie_break=head.endorsement_config.tie_break,
            premise_ids=list(item.premises),
            conclusion_ids=list(item.conclusions),
            prompt_hash=prompt["prompt_hash"],
            prompt=prompt["user"],
            system=prompt["system"],
            question_form=head.endorsement_config.question_form,
            verification_prompt_id=asked.prompt_id,
        )
        for row in samples:
            yield _sample(event, head, row)
        votes = {key: verdict[key] for key in ("tie_broken", "good", "bad", "abstain")}
        yield event("item.completed", item_id=item.id, verdict=verdict["verdict"], **votes)
    elapsed = (finished_at - head.started_at).total_seconds() if head.started_at else None
    yield event("run.finished", n_items=asked.n_items, wall_time_s=elapsed)


def _sample(event: Any, head: Evaluation, row: Row) -> Row:
    place = {key: row[key] for key in ("item_id", "sample_index")}
    if row["status"] == "failed":
        failed: Row = event(
            "sample.failed", "error", **place, prompt_hash=row["prompt_hash"], err=row["error"]
        )
        return failed
    kept = (
        "prompt_hash",
        "parsed_verdict",
        "parse_status",
        "wall_time_ms",
        "input_tokens",
        "output_tokens",
        "finish_reason",
        "reasoning_tokens",
    )
    completed: Row = event(
        "sample.completed",
        **place,
        provider=head.model.provider,
        model_id=row["model_id"],
        request_id=f"{head.id}:{row['item_id']}:sample-{row['sample_index']}",
        raw_response=row["text"],
        **{key: row[key] for key in kept},
    )
    return completed
