"""Flow tests run against one real Prefect server."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def on_prefect(prefect_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh working directory whose flows are recorded by the shared server."""
    from prefect.settings import (
        PREFECT_API_URL,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        temporary_settings,
    )

    import flows.prefect_settings  # noqa: F401 - before Prefect

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSENT_HOME", raising=False)
    # Without the heartbeat a flow run ends at once instead of waiting up to a second for it.
    settings = {PREFECT_API_URL: prefect_url, PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
    with temporary_settings(settings):
        yield tmp_path
