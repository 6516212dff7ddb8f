"""The pipeline of a pack run, as a plain paragraph of stages.

As in `flows/pipelines.py`, nothing here knows which engine carries the stages out.
"""

from schemas.documents import SampleTable
from schemas.pack_documents import PackPromptTable, SoundPack
from schemas.pack_run import PackOrder, PackRunResult, PackRunSpec
from schemas.run import DrawSpec
from schemas.settings import read_settings
from tasks.outputs.pack_document import named_measures, pack_failure
from tasks.pack_judge import judge_rows, verifier_settings
from tasks.pack_measure import (
    gather_pack_provenance,
    load_measures,
    measure_results,
    read_attempts,
)
from tasks.pack_publish import PackStages, PublishedPack, publish_pack_run
from tasks.pack_rows import expand_rows, fingerprint_pack, take_answers, validate_pack
from tasks.provenance import describe_environment
from tasks.providers.registry import check_model
from tasks.sample import draw_samples
from tasks.sampling.monitor import current_monitor, watching
from tasks.storage.home import Home
from tasks.validate import fingerprint


def run_pack(order: PackOrder) -> PackRunResult:
    """Ask a model about every row of a pack, have verifiers judge the replies, and publish."""
    spec = order.spec
    with watching():
        monitor = current_monitor()
        calls, reused = monitor.calls, monitor.reused
        draw, settings = draw_spec(spec), verifier_settings(spec)
        place, reading, items = spec.place, spec.reading, spec.items
        pack = validate_pack(place, reading, fingerprint_pack(place, reading))
        prompts = expand_rows(place, reading, pack, items)
        samples = _samples(order, pack, prompts, draw)
        judged = judge_rows(place, reading, pack, items, samples, settings)
        metrics = measure_results(judged, spec.measuring)
        tables = (prompts, samples, judged, metrics)
        provenance = gather_pack_provenance(pack, tables, (draw, settings), describe_environment())
        stages = PackStages(
            pack=pack,
            prompts=prompts,
            samples=samples,
            judged=judged,
            metrics=metrics,
            provenance=provenance,
        )
        published = publish_pack_run(order, stages)
        return _result(order, stages, published, monitor.calls - calls, monitor.reused - reused)


def draw_spec(spec: PackRunSpec) -> DrawSpec:
    """Who is asked for which draws, with the digest of a file that answers."""
    if spec.has_answers:
        return DrawSpec(
            model=spec.model,
            source_sha256=fingerprint(spec.model.model_id),
            sampling=spec.sampling,
        )
    source = check_model(spec.model)
    return DrawSpec(
        model=spec.model,
        source_sha256=source.sha256,
        base_url=source.base_url,
        sampling=spec.sampling,
    )


def _samples(
    order: PackOrder, pack: SoundPack, prompts: PackPromptTable, draw: DrawSpec
) -> SampleTable:
    spec = order.spec
    if spec.has_answers:
        return take_answers(spec.place, spec.reading, pack, spec.items, spec.model.model_id)
    return draw_samples(prompts, draw, order.effort)


def _result(
    order: PackOrder, stages: PackStages, published: PublishedPack, calls: int, reused: int
) -> PackRunResult:
    samples, home = stages.samples, Home(read_settings().home)
    measures = load_measures(home, stages.metrics)
    named = named_measures(measures, samples)
    if not calls and not reused and not order.spec.has_answers:
        # A cached sampling stage asks nobody, not even the store: all of it is reused.
        reused = samples.n_samples - samples.n_failed
    return PackRunResult(
        run_id=order.run_id,
        output=published.output,
        artifacts=published.artifacts,
        calls=calls,
        reused=reused,
        failed=samples.n_failed,
        metrics={name: m.value for name, m in named.items() if m.value is not None},
        results=tuple(attempt["result"] for attempt in read_attempts(home, stages.judged)),
        summary={**measures.counts.model_dump(), "score": measures.pass_rate.value},
        measures=measures.model_dump(mode="json"),
        n_samples=samples.n_samples,
        too_many_failed=pack_failure(order, samples) is not None,
    )
