"""Runs a flow on Prefect from the command line."""

import flows.prefect_settings  # noqa: F401  isort: skip - must come before Prefect

import logging
import time
from typing import Any

from flows.evaluate import evaluate
from schemas.run import CycleResult, RunResult

DRAIN_SECONDS = 2.0


def run_on_prefect(options: dict[str, Any], *, server: str | None) -> RunResult | CycleResult:
    """The `evaluate` flow in this process, recorded by a Prefect server."""
    # Errors reach the user as one line of ours; Prefect's tracebacks of the same would bury it.
    for name in ("prefect.flow_runs", "prefect.task_runs", "prefect"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        result: RunResult | CycleResult = evaluate(**options)
        return result
    finally:
        if server is None:
            # A server of our own forgets what is still queued when the command ends.
            time.sleep(DRAIN_SECONDS)
