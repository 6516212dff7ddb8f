"""The pipelines, as plain paragraphs of stages.

Called inside a Prefect flow run every stage is a cached, retriable task; called directly, a plain
function. Nothing here knows which.
"""

from typing import NamedTuple

from schemas.documents import PromptTable
from schemas.run import CycleResult, DrawSpec, JudgingSpec, RunOrder, RunResult, RunSpec
from schemas.settings import read_settings
from tasks.expand import expand_prompts
from tasks.judge import judge_samples
from tasks.judging import PARSER_VERSIONS
from tasks.measure import load_metrics, measure_agreement
from tasks.outputs.document import failure
from tasks.outputs.variants import compare_variants
from tasks.provenance import describe_environment, gather_provenance
from tasks.providers.registry import check_model
from tasks.publish import Stages, publish_run
from tasks.sample import draw_samples
from tasks.sampling.monitor import current_monitor, watching
from tasks.storage.home import Home
from tasks.validate import fingerprint, validate_benchmark


class Computed(NamedTuple):
    """A run before it is published."""

    order: RunOrder
    stages: Stages
    calls: int
    reused: int


def run_evaluation(order: RunOrder) -> RunResult:
    """Ask a model about every item, vote, measure its agreement with the panel, and publish."""
    with watching():
        return publish(compute(order))


def run_cycle(order: RunOrder) -> CycleResult:
    """The same evaluation under every wording of the benchmark, and how the wordings differ."""
    spec = order.spec
    with watching():
        benchmark = validate_benchmark(spec.benchmark, fingerprint(spec.benchmark))
        if benchmark.n_variants == 1:
            return CycleResult(runs=(run_evaluation(order),), comparison=None)
        # Nothing is published before every wording was asked: a cycle comes whole or not at all.
        computed = [compute(order.for_variant(k)) for k in range(benchmark.n_variants)]
        runs = tuple(publish(one) for one in computed)
    return CycleResult(runs=runs, comparison=compare_variants(runs))


def compute(order: RunOrder) -> Computed:
    """Everything of a run but its files."""
    spec, monitor = order.spec, current_monitor()
    calls, reused = monitor.calls, monitor.reused
    draw = draw_spec(spec)
    benchmark = validate_benchmark(spec.benchmark, fingerprint(spec.benchmark))
    prompts = expand_prompts(benchmark, spec.prompting, spec.selection)
    judging = judging_spec(spec, prompts)
    curtail = judging if spec.sampling.curtail else None
    samples = draw_samples(prompts, draw, order.effort, curtail)
    verdicts = judge_samples(samples, judging)
    metrics = measure_agreement(benchmark, verdicts, spec.measuring, spec.voting.tie_break)
    provenance = gather_provenance(
        spec,
        benchmark,
        (prompts, samples, verdicts, metrics),
        (draw, judging),
        describe_environment(),
    )
    stages = Stages(
        benchmark=benchmark,
        prompts=prompts,
        samples=samples,
        verdicts=verdicts,
        metrics=metrics,
        provenance=provenance,
    )
    return Computed(order, stages, monitor.calls - calls, monitor.reused - reused)


def publish(computed: Computed) -> RunResult:
    """Write the files of a run; what it came to."""
    order, stages, calls, reused = computed
    samples = stages.samples
    published = publish_run(order, stages)
    return RunResult(
        run_id=order.run_id,
        evaluation=published.evaluation,
        output=published.output,
        artifacts=published.artifacts,
        calls=calls,
        # A cached sampling stage asks nobody, not even the store: all of it is reused.
        reused=reused if calls or reused else samples.n_samples - samples.n_failed,
        failed=samples.n_failed,
        metrics=load_metrics(Home(read_settings().home), stages.metrics).to_json(),
        variant=order.spec.prompting.variant,
        n_samples=samples.n_samples,
        too_many_failed=failure(order, samples) is not None,
    )


def draw_spec(spec: RunSpec) -> DrawSpec:
    """Who is asked for which draws, with the digest of a recording as it is now."""
    source = check_model(spec.model)
    return DrawSpec(
        model=spec.model,
        source_sha256=source.sha256,
        base_url=source.base_url,
        sampling=spec.sampling,
    )


def judging_spec(spec: RunSpec, prompts: PromptTable) -> JudgingSpec:
    """How the replies to these prompts are read."""
    parser = "first-match" if prompts.parse_regex else spec.voting.parser
    return JudgingSpec(
        voting=spec.voting.model_copy(update={"parser": parser}),
        parser_version=PARSER_VERSIONS[parser],
        question_form=spec.prompting.question_form,
        parse_regex=prompts.parse_regex,
        n_samples=spec.sampling.n_samples,
    )
