"""Runs a flow on Prefect from the command line."""

import logging
from contextlib import nullcontext
from typing import Any

from flows.temporary_server import temporary_server
from schemas.run import CycleResult, RunResult


def run_on_prefect(options: dict[str, Any], *, server: str | None) -> RunResult | CycleResult:
    """The `evaluate` flow in this process, recorded by a Prefect server.

    Args:
        options: Parameters of the flow.
        server: Address of the server; None for one that lives as long as this command.
    """
    with nullcontext(server) if server else temporary_server() as url:
        from prefect.settings import PREFECT_API_URL, temporary_settings

        from flows.evaluate import evaluate

        # Errors reach the user as one line of ours; Prefect's tracebacks would bury it.
        for name in ("prefect", "prefect.flow_runs", "prefect.task_runs"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with temporary_settings({PREFECT_API_URL: url}):
            result: RunResult | CycleResult = evaluate(**options)
            return result
