"""Several processes, killed processes, one store: each answer is paid for once."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tasks.storage.store_tables import metadata
from tests.flows.models.conftest import Bench
from tests.support.model_server import Turn

ASSENT = str(Path(sys.executable).parent / "assent")
CONCURRENCY = 4
KILLS = 20
DELAY_SECONDS = 0.03


def start(
    bench: Bench, folder: Path, *args: str, n_samples: int, store: str = ""
) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    (folder / "b.json").write_bytes((bench.folder / "b.json").read_bytes())
    environment = {name: v for name, v in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_STORE": store} if store else {}
    return subprocess.Popen(
        [
            *(ASSENT, "evaluate", "b.json", "--model", "vllm/m", "--run-id", "r"),
            *("--base-url", f"{bench.server.url}/v1", "--n-samples", str(n_samples)),
            *("--concurrency", str(CONCURRENCY), "--engine", "embedded", "--format", "json"),
            *args,
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return json.loads(out)


def opinion(prompt: str, _number: int) -> Turn:
    """A reply that depends on nothing but the prompt."""
    return Turn("GOOD" if sum(prompt.encode()) % 3 else "BAD", delay_seconds=DELAY_SECONDS)


def items(folder: Path) -> Any:
    document = json.loads((folder / "evaluations" / "b" / "r.json").read_text())
    for item in document["items"]:
        for sample in item["samples"]:
            sample.pop("wall_time_ms", None)
    return document["items"]


@pytest.fixture(
    params=[
        pytest.param("sqlite", id="sqlite"),
        pytest.param("postgresql", id="postgresql", marks=pytest.mark.needs("postgresql")),
    ]
)
def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of a store that several processes share."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/shared.sqlite"
        return
    url: str = request.getfixturevalue("postgres_url")
    yield url
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        metadata.drop_all(connection)
    engine.dispose()


def test_eight_processes_that_want_the_same_pay_once(bench: Bench, shared_store: str) -> None:
    bench.write(20)
    bench.server.script = opinion
    folders = [bench.folder / f"p{n}" for n in range(8)]
    processes = [start(bench, folder, n_samples=10, store=shared_store) for folder in folders]
    documents = [finish(process) for process in processes]
    asked = Counter(body["messages"][-1]["content"] for body in bench.server.asked)
    assert set(asked.values()) == {10}
    assert len(bench.server.asked) == 200
    assert sum(document["calls"] > 0 for document in documents) > 2
    assert sum(document["calls"] for document in documents) == 200
    assert {document["calls"] + document["reused"] for document in documents} == {200}
    assert [document["failed"] for document in documents] == [0] * 8
    assert all(items(folder) == items(folders[0]) for folder in folders)


def wait_until(claim: Any, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


def kill_in_flight(bench: Bench, process: subprocess.Popen[str], when: random.Random) -> bool:
    """Kill a process at a random moment of its sampling; whether calls were in flight then."""
    seen, after = len(bench.server.asked), when.randrange(1, 25)
    wait_until(lambda: len(bench.server.asked) >= seen + after or process.poll() is not None)
    time.sleep(when.uniform(0, DELAY_SECONDS))
    # Between two waves of calls answers are being written: such a moment is passed over.
    wait_until(lambda: bench.server.in_flight > 0 or process.poll() is not None)
    in_flight = bench.server.in_flight > 0 and process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return in_flight


def test_twenty_kills_at_random_cost_no_more_than_the_calls_in_flight(bench: Bench) -> None:
    bench.write(30)
    bench.server.script = opinion
    finish(start(bench, bench.folder / "calm", n_samples=20))
    needed = len(bench.server.asked)
    assert needed == 600

    when = random.Random("kills")
    folder = bench.folder / "wild"
    kills = attempts = 0
    while kills < KILLS:
        attempts += 1
        assert attempts <= 2 * KILLS, "too few of the kills met a call in flight"
        kills += kill_in_flight(bench, start(bench, folder, n_samples=20), when)
    assert len(bench.server.asked) < 2 * needed, "the run was over before the last kill"
    document = finish(start(bench, folder, n_samples=20))
    assert document["failed"] == 0
    assert document["calls"] + document["reused"] == needed
    extra = len(bench.server.asked) - 2 * needed
    assert 0 <= extra <= CONCURRENCY * kills
    assert items(folder) == items(bench.folder / "calm")


def test_what_a_killed_process_was_asking_is_asked_by_another_soon(
    bench: Bench, shared_store: str
) -> None:
    bench.write(1)
    bench.server.script = lambda _prompt, n: Turn(delay_seconds=3.0 if n < 2 else 0.0)
    held = start(bench, bench.folder / "held", n_samples=2, store=shared_store)
    wait_until(lambda: bench.server.in_flight == 2)
    other = start(bench, bench.folder / "other", n_samples=2, store=shared_store)
    held.send_signal(signal.SIGKILL)
    held.communicate()
    killed_at = time.monotonic()
    document = finish(other)
    assert time.monotonic() - killed_at < 10
    assert (document["calls"], document["failed"]) == (2, 0)
