"""Prefect's settings as we need them. Import this before Prefect: afterwards it has no effect.

`setdefault` throughout: whatever the user has set stays.
"""

import logging
import os
import sys

DEFAULTS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    # 20 s, the default, is too short on a busy machine.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    # Without these a server that stops with the command forgets most of its task runs.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "0.2",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
}


def under_a_worker() -> bool:
    """Whether a Prefect worker started this process; it then governs logging."""
    return "PREFECT__FLOW_RUN_ID" in os.environ  # noqa: TID251 - Prefect's own variable


def apply() -> None:
    """Set what the user has not set."""
    if "prefect" in sys.modules and not under_a_worker():
        logging.getLogger(__name__).warning(
            "Prefect was imported before Assent: its logging and telemetry stay as they are"
        )
    for name, value in DEFAULTS.items():
        if not (under_a_worker() and name.startswith("PREFECT_LOGGING")):
            os.environ.setdefault(name, value)  # noqa: TID251 - Prefect reads it


apply()
