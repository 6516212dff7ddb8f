"""Runs a flow on Prefect from the command line."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from flows.temporary_server import temporary_server
from schemas.pack_run import PackRunResult
from schemas.run import CycleResult, RunResult


def run_on_prefect(options: dict[str, Any], *, server: str | None) -> RunResult | CycleResult:
    """The `evaluate` flow in this process, recorded by a Prefect server.

    Args:
        options: Parameters of the flow.
        server: Address of the server; None for one that lives as long as this command.
    """
    with _recorded_by(server):
        from flows.evaluate import evaluate

        _quieten()
        result: RunResult | CycleResult = evaluate(**options)
        return result


def run_pack_on_prefect(options: dict[str, Any], *, server: str | None) -> PackRunResult:
    """The `evaluate_pack` flow in this process, recorded by a Prefect server."""
    with _recorded_by(server):
        from flows.evaluate_pack import evaluate_pack

        _quieten()
        result: PackRunResult = evaluate_pack(**options)
        return result


@contextmanager
def _recorded_by(server: str | None) -> Iterator[None]:
    with nullcontext(server) if server else temporary_server() as url:
        from prefect.settings import PREFECT_API_URL, temporary_settings

        with temporary_settings({PREFECT_API_URL: url}):
            yield


def _quieten() -> None:
    """Errors reach the user as one line of ours; Prefect's tracebacks would bury it."""
    for name in ("prefect", "prefect.flow_runs", "prefect.task_runs"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
