"""The progress of a run on a Prefect server."""

import secrets
import time
from pathlib import Path
from typing import Any

import pytest

from flows import progress_artifact as module
from flows.progress_artifact import progress_artifact
from tasks.sampling.monitor import Monitor
from tests.support.prefect_server import free_port

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "stop_sign" / "benchmark.json"


def shown(run_id: str) -> list[Any]:
    """Progress artifacts of a run, as the server has them."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

    wanted = ArtifactFilter(key=ArtifactFilterKey(any_=[f"{run_id}-progress"]))
    with get_client(sync_client=True) as client:
        return client.read_artifacts(artifact_filter=wanted)


@pytest.fixture
def run_id() -> str:
    return f"run-{secrets.token_hex(4)}"


def test_a_finished_run_shows_one_artifact_at_100(on_prefect: Path, run_id: str) -> None:
    from flows.evaluate import evaluate

    evaluate(benchmark=str(EXAMPLE), model="control/coin", run_id=run_id)
    (found,) = shown(run_id)
    assert (found.type, found.data) == ("progress", 100.0)
    assert found.flow_run_id is not None


def wait_for(run_id: str, share: float) -> None:
    deadline = time.monotonic() + 30
    while [found.data for found in shown(run_id)] != [share]:
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_the_artifact_follows_the_counts_of_its_own_run(
    on_prefect: Path, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect import flow

    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)

    @flow(persist_result=False)
    def sampling() -> None:
        monitor = Monitor(done=50, total=50)  # of a run before, in the same command
        with progress_artifact(run_id, monitor):
            monitor.total += 8
            monitor.done += 2
            wait_for(run_id, 25.0)
            monitor.done += 4
            wait_for(run_id, 75.0)

    sampling()
    assert [found.data for found in shown(run_id)] == [100.0]


def test_a_run_that_fails_does_not_end_at_100(
    on_prefect: Path, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect import flow

    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)

    @flow(persist_result=False)
    def failing() -> None:
        monitor = Monitor()
        with progress_artifact(run_id, monitor):
            monitor.total, monitor.done = 4, 1
            wait_for(run_id, 25.0)
            raise KeyError("broken")

    with pytest.raises(KeyError):
        failing()
    assert [found.data for found in shown(run_id)] == [25.0]


def test_a_server_that_is_gone_does_not_disturb_the_run(
    on_prefect: Path, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect import flow
    from prefect.context import SyncClientContext
    from prefect.settings import PREFECT_API_URL, temporary_settings

    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    gone = f"http://127.0.0.1:{free_port()}/api"

    @flow(persist_result=False)
    def sampling() -> int:
        monitor = Monitor()
        # The flow's own client would still find the server.
        client = SyncClientContext.__var__.set(None)  # type: ignore[arg-type]  # none at all
        with temporary_settings({PREFECT_API_URL: gone}), progress_artifact(run_id, monitor):
            monitor.total = monitor.done = 4
        SyncClientContext.__var__.reset(client)
        return monitor.done

    assert sampling() == 4
    assert shown(run_id) == []
