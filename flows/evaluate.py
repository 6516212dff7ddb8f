"""The `evaluate` flow: one benchmark, one model, one set of settings.

`evaluate(benchmark="…", model="control/coin")` from Python, and the same parameters as a
deployment. It always runs on Prefect; `flows/pipelines.py` holds what it does.
"""

import flows.prefect_settings  # noqa: F401  isort: skip - must come before Prefect

from typing import Annotated

from prefect import flow
from pydantic import Field

from flows.options import make_order
from flows.pipelines import run_cycle, run_evaluation
from flows.preflight import preflight
from flows.progress_artifact import progress_artifact
from schemas.base import ParserName, QuestionForm, TieBreak
from schemas.run import CycleResult, RunResult
from tasks.key_blocks import read_key_blocks
from tasks.providers.keys import using_keys
from tasks.sampling.monitor import watching


@flow(
    name="evaluate",
    flow_run_name="{benchmark} x {model}",
    validate_parameters=True,
    persist_result=False,
)
def evaluate(
    benchmark: str,
    model: str,
    base_url: str | None = None,
    extra_body: str | None = None,
    n_samples: Annotated[int, Field(ge=1, le=10_000)] = 5,
    temperature: Annotated[float, Field(ge=0)] = 1.0,
    max_tokens: Annotated[int, Field(ge=1)] = 1024,
    top_p: float | None = None,
    seed: int | None = None,
    stop: list[str] | None = None,
    tie_break: TieBreak = "abstain",
    parser: ParserName = "final-answer",
    question_form: QuestionForm = "support",
    coherence_frame: str | None = None,
    strip_tex: bool = True,
    paraphrase_variant: Annotated[int, Field(ge=0)] = 0,
    paraphrase_cycle: bool = False,
    epoch: str = "",
    fresh: bool = False,
    curtail: bool = False,
    limit: int | None = None,
    items: list[str] | None = None,
    tag: list[str] | None = None,
    concurrency: Annotated[int, Field(ge=1)] = 16,
    timeout: Annotated[float, Field(gt=0)] = 60.0,
    max_retries: Annotated[int, Field(ge=0)] = 5,
    max_calls: int | None = None,
    rpm: int | None = None,
    max_cost: float | None = None,
    max_failed: Annotated[float, Field(ge=0, le=1)] = 0.05,
    run_id: str | None = None,
    output_dir: str = ".",
    output: str | None = None,
    log: str | None = None,
    allow_plugins: bool = False,
) -> RunResult | CycleResult:
    """Ask a model about every item of a benchmark and measure its agreement with the panel.

    Args:
        benchmark: Path of the benchmark file.
        model: provider/model, for example control/coin.
        base_url: Endpoint, when it is not the provider's own.
        extra_body: JSON object with further keys of each request.
        n_samples: Samples per item.
        temperature: Sampling temperature.
        max_tokens: Longest reply, in tokens.
        top_p: Nucleus sampling.
        seed: Base seed; sample i uses seed + i.
        stop: Strings that end a reply.
        tie_break: Verdict of a good/bad tie.
        parser: How a reply is read.
        question_form: Question asked.
        coherence_frame: Coherence frame.
        strip_tex: Drop the dollars of $…$.
        paraphrase_variant: Wording asked.
        paraphrase_cycle: Ask every wording.
        epoch: Draws of other epochs are independent.
        fresh: Redraw everything in a new epoch.
        curtail: Ask no more about an item whose verdict is settled.
        limit: Only the first items.
        items: Only these items.
        tag: Only items with these tags.
        concurrency: Most calls at a time.
        timeout: Deadline of a request, seconds.
        max_retries: Further requests per sample.
        max_calls: Most requests of the run.
        rpm: Requests that may start in a minute.
        max_cost: Most US dollars to spend.
        max_failed: Share that may fail.
        run_id: Name of the run.
        output_dir: Where results go.
        output: Other place of the evaluation.
        log: Run log, appended to.
        allow_plugins: Let plugin builders run.

    Returns:
        What `assent evaluate --format json` prints, as an object.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    order, cycle = make_order(**given)
    keys = read_key_blocks(order.spec.model.provider)
    with using_keys(keys), watching() as monitor:
        preflight(order, cycle=cycle)
        with progress_artifact(order.run_id, monitor):
            return run_cycle(order) if cycle else run_evaluation(order)
