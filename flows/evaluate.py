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
from schemas.base import ParserName, QuestionForm, TieBreak
from schemas.run import CycleResult, RunResult


@flow(
    name="evaluate",
    flow_run_name="{benchmark} x {model}",
    validate_parameters=True,
    persist_result=False,
)
def evaluate(
    benchmark: Annotated[str, Field(description="Path of the benchmark file.")],
    model: Annotated[str, Field(description="provider/model, for example control/coin.")],
    n_samples: Annotated[int, Field(ge=1, description="Samples per item.")] = 5,
    temperature: Annotated[float, Field(ge=0, description="Sampling temperature.")] = 1.0,
    max_tokens: Annotated[int, Field(ge=1, description="Longest reply, in tokens.")] = 1024,
    top_p: Annotated[float | None, Field(description="Nucleus sampling.")] = None,
    seed: Annotated[int | None, Field(description="Base seed; sample i uses seed + i.")] = None,
    stop: Annotated[list[str] | None, Field(description="Strings that end a reply.")] = None,
    tie_break: Annotated[TieBreak, Field(description="Verdict of a good/bad tie.")] = "abstain",
    parser: Annotated[ParserName, Field(description="How a reply is read.")] = "final-answer",
    question_form: Annotated[QuestionForm, Field(description="Question asked.")] = "support",
    coherence_frame: Annotated[str | None, Field(description="Coherence frame.")] = None,
    strip_tex: Annotated[bool, Field(description="Drop the dollars of $…$.")] = True,
    paraphrase_variant: Annotated[int, Field(ge=0, description="Wording asked.")] = 0,
    paraphrase_cycle: Annotated[bool, Field(description="Ask every wording.")] = False,
    epoch: Annotated[str, Field(description="Draws of other epochs are independent.")] = "",
    fresh: Annotated[bool, Field(description="Redraw everything in a new epoch.")] = False,
    limit: Annotated[int | None, Field(description="Only the first items.")] = None,
    items: Annotated[list[str] | None, Field(description="Only these items.")] = None,
    tag: Annotated[list[str] | None, Field(description="Only items with these tags.")] = None,
    concurrency: Annotated[int, Field(ge=1, description="Most calls at a time.")] = 16,
    timeout: Annotated[float, Field(gt=0, description="Deadline of a request, seconds.")] = 60.0,
    max_retries: Annotated[int, Field(ge=0, description="Further requests per sample.")] = 5,
    max_calls: Annotated[int | None, Field(description="Most requests of the run.")] = None,
    max_failed: Annotated[float, Field(ge=0, le=1, description="Share that may fail.")] = 0.05,
    run_id: Annotated[str | None, Field(description="Name of the run.")] = None,
    output_dir: Annotated[str, Field(description="Where results go.")] = ".",
    output: Annotated[str | None, Field(description="Other place of the evaluation.")] = None,
    log: Annotated[str | None, Field(description="Run log, appended to.")] = None,
    allow_plugins: Annotated[bool, Field(description="Let plugin builders run.")] = False,
) -> RunResult | CycleResult:
    """Ask a model about every item of a benchmark and measure its agreement with the panel."""
    given = {name: value for name, value in locals().items() if value is not None}
    order, cycle = make_order(**given)
    preflight(order, cycle=cycle)
    return run_cycle(order) if cycle else run_evaluation(order)
