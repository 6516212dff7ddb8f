"""The `evaluate_pack` flow: one pack, one model or one file of answers, one set of settings.

`evaluate_pack(pack="…", model="control/echo")` from Python, and the same parameters as a
deployment. It always runs on Prefect; `flows/pack_pipeline.py` holds what it does.
"""

import flows.prefect_settings  # noqa: F401  isort: skip - must come before Prefect

from typing import Annotated

from prefect import flow
from pydantic import Field

from flows.pack_options import make_pack_order
from flows.pack_pipeline import run_pack
from flows.preflight import preflight_pack
from flows.progress_artifact import progress_artifact
from schemas.pack import Profile
from schemas.pack_run import PackRunResult
from tasks.key_blocks import read_key_blocks
from tasks.providers.keys import using_keys
from tasks.sampling.monitor import watching


@flow(
    name="evaluate_pack",
    flow_run_name="{pack} x {model}",
    validate_parameters=True,
    persist_result=False,
)
def evaluate_pack(
    pack: str | None = None,
    model: str | None = None,
    answers: str | None = None,
    harness: str | None = None,
    config: str | None = None,
    tasks: str | None = None,
    profile: Profile = "target",
    limit: Annotated[int, Field(ge=1)] | None = None,
    items: list[str] | None = None,
    base_url: str | None = None,
    extra_body: str | None = None,
    n_samples: Annotated[int, Field(ge=1, le=10_000)] = 1,
    temperature: Annotated[float, Field(ge=0)] = 1.0,
    max_tokens: Annotated[int, Field(ge=1)] = 1024,
    top_p: float | None = None,
    seed: int | None = None,
    stop: list[str] | None = None,
    extract_code: bool = False,
    deny_command: list[str] | None = None,
    allow_dangerous_commands: bool = False,
    by: list[str] | None = None,
    group_by: str | None = None,
    epoch: str = "",
    fresh: bool = False,
    concurrency: Annotated[int, Field(ge=1)] = 16,
    timeout: Annotated[float, Field(gt=0)] = 60.0,
    max_retries: Annotated[int, Field(ge=0)] = 5,
    max_calls: int | None = None,
    rpm: int | None = None,
    max_cost: float | None = None,
    max_failed: Annotated[float, Field(ge=0, le=1)] = 0.05,
    run_id: str | None = None,
    output_dir: str = ".",
) -> PackRunResult:
    """Ask a model about every row of a pack and have the replies judged.

    Args:
        pack: A directory with a manifest, or the manifest.
        model: provider/model, for example openai/gpt-4.1-mini.
        answers: File of answers, instead of a model.
        harness: Command that answers; needs a sandbox.
        config: Tester file that names pack, run and harness.
        tasks: Rows; else tasks.jsonl by the manifest.
        profile: target, or compat with the public tool.
        limit: Only the first rows.
        items: Only these rows.
        base_url: Endpoint, when it is not the provider's own.
        extra_body: JSON object with further keys of each request.
        n_samples: Samples per row.
        temperature: Sampling temperature.
        max_tokens: Longest reply, in tokens.
        top_p: Nucleus sampling.
        seed: Base seed; sample i uses seed + i.
        stop: Strings that end a reply.
        extract_code: Take code of answers out of fences too.
        deny_command: Commands no checker may use.
        allow_dangerous_commands: Let checkers use the commands they need.
        by: Metadata keys with a pass rate per value.
        group_by: Rows equal in this metadata key are not independent.
        epoch: Draws of other epochs are independent.
        fresh: Redraw everything in a new epoch.
        concurrency: Most calls at a time.
        timeout: Deadline of a request, seconds.
        max_retries: Further requests per sample.
        max_calls: Most requests of the run.
        rpm: Requests that may start in a minute.
        max_cost: Most US dollars to spend.
        max_failed: Share that may fail.
        run_id: Name of the run.
        output_dir: Where results go.

    Returns:
        What `assent pack run --format json` prints, as an object.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    order = make_pack_order(**given)
    keys = read_key_blocks(order.spec.model.provider)
    with using_keys(keys), watching() as monitor:
        preflight_pack(order)
        with progress_artifact(order.run_id, monitor):
            return run_pack(order)
