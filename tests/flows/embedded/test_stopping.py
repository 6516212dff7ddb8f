"""Runs that end early: nothing is published, nothing paid for is lost, the next run goes on."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.runs import Desk, Json, Scripted, benchmark, load, paraphrased, rows

N_ITEMS, N_SAMPLES = 150, 250
TOTAL = N_ITEMS * N_SAMPLES
COMMAND = [
    *(str(Path(sys.executable).parent / "assent"), "evaluate", "bench.json"),
    *("--model", "control/coin", "--n-samples", str(N_SAMPLES)),
    *("--engine", "embedded", "--format", "json"),
]


def test_a_used_up_budget_publishes_nothing_and_says_so(desk: Desk) -> None:
    desk.write()
    outcome = desk.try_evaluate("--max-calls", "7", "--run-id", "r1")
    assert outcome.code == 3
    assert outcome.json == {
        "run_id": "r1",
        "evaluation": None,
        "output": None,
        "artifacts": {},
        "calls": 7,
        "reused": 0,
        "failed": 0,
        "metrics": None,
        "stopped": "max_calls",
    }
    assert "--max-calls 7" in outcome.err
    assert "same command again" in outcome.err.splitlines()[-1]
    assert desk.files() == set()


def test_after_a_used_up_budget_only_the_rest_is_paid(desk: Desk) -> None:
    desk.write()
    budget = ("--max-calls", "7")
    stopped = [desk.evaluate(*budget, code=3) for _ in range(2)]
    assert [(doc["calls"], doc["reused"]) for doc in stopped] == [(7, 0), (7, 7)]
    done = desk.evaluate(*budget)
    assert (done["calls"], done["reused"]) == (6, 14)


def test_a_budget_that_just_suffices_is_not_used_up(desk: Desk) -> None:
    desk.write()
    assert desk.evaluate("--max-calls", "20")["calls"] == 20


def test_a_budget_of_nothing_is_enough_when_everything_is_there(desk: Desk) -> None:
    desk.write()
    assert desk.evaluate("--max-calls", "0", code=3)["calls"] == 0
    desk.evaluate()
    assert desk.evaluate("--max-calls", "0")["reused"] == 20


def test_a_cycle_whose_budget_ends_in_its_second_wording_publishes_neither(desk: Desk) -> None:
    desk.write(paraphrased())
    stopped = desk.evaluate("--paraphrase-cycle", "--max-calls", "17", code=3)
    assert (stopped["calls"], stopped["evaluation"]) == (17, None)
    assert (stopped["runs"], stopped["comparison"], stopped["stopped"]) == ([], None, "max_calls")
    assert desk.files() == set()
    runs = desk.evaluate("--paraphrase-cycle")["runs"]
    assert [run["calls"] for run in runs] == [0, 3]


def test_after_fresh_the_way_on_names_the_epoch(desk: Desk) -> None:
    desk.write()
    outcome = desk.try_evaluate("--fresh", "--max-calls", "7")
    epoch = f"fresh-{outcome.json['run_id']}"
    assert f"--epoch {epoch} in place of --fresh" in outcome.err.splitlines()[-1]
    assert desk.evaluate("--epoch", epoch)["reused"] == 7


def test_fresh_with_a_run_id_goes_on_by_itself(desk: Desk) -> None:
    desk.write()
    outcome = desk.try_evaluate("--fresh", "--run-id", "r1", "--max-calls", "7")
    assert "same command again" in outcome.err.splitlines()[-1]
    assert desk.evaluate("--fresh", "--run-id", "r1")["reused"] == 7


def test_an_interruption_prints_one_document_and_the_way_on(
    desk: Desk, use_provider: Callable[[Scripted], Scripted]
) -> None:
    class Interrupting(Scripted):
        async def complete(self, request: Json) -> Json:
            if len(self.asked) == 3:
                signal.raise_signal(signal.SIGINT)
            return await super().complete(request)

    desk.write()
    provider = use_provider(Interrupting({"claim": ["GOOD"]}))
    outcome = desk.try_evaluate("--concurrency", "1", "--max-calls", "19")
    assert outcome.code == 130
    assert outcome.json["stopped"] == "interrupted"
    assert "interrupted; nothing was published" in outcome.err.splitlines()[-1]
    assert (desk.files(), provider.closed) == (set(), 1)


def committed(folder: Path) -> int:
    store = folder / ".assent" / "samples.sqlite"
    if not store.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            found: int = connection.execute("SELECT count(*) FROM samples").fetchone()[0]
            return found
    except sqlite3.OperationalError:  # the tables are not there yet
        return 0


@contextmanager
def in_the_middle(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own that has stored some of its samples, and not all."""
    process = subprocess.Popen(
        COMMAND, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 60
        while committed(folder) == 0 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        yield process
    finally:
        process.kill()
        process.communicate()


def prepare(folder: Path) -> Path:
    folder.mkdir()
    (folder / "bench.json").write_text(json.dumps(benchmark(N_ITEMS)))
    return folder


def finish(folder: Path) -> Json:
    done = subprocess.run(COMMAND, cwd=folder, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    table = rows(folder / result["artifacts"]["samples"])
    metrics = load(folder / result["output"])["results"]["metrics"]
    return result, table, metrics


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """Samples and metrics of a run that nobody stopped."""
    _, table, metrics = finish(prepare(tmp_path_factory.mktemp("runs") / "undisturbed"))
    return table, metrics


@pytest.mark.parametrize("wish", [signal.SIGINT, signal.SIGTERM], ids=lambda wish: wish.name)
def test_ctrl_c_ends_a_run_at_once_and_the_next_one_goes_on(
    tmp_path: Path, undisturbed: Json, wish: signal.Signals
) -> None:
    folder = prepare(tmp_path / "interrupted")
    with in_the_middle(folder) as process:
        pressed = time.monotonic()
        process.send_signal(wish)
        out, err = process.communicate(timeout=30)
        waited = time.monotonic() - pressed
    assert process.returncode == 130
    assert waited < 5
    assert json.loads(out)["stopped"] == "interrupted"
    assert "Run the same command again to continue" in err.splitlines()[-1]
    assert not (folder / "outputs").exists()
    assert not (folder / "evaluations").exists()
    kept = committed(folder)
    assert 0 < kept < TOTAL

    result, table, metrics = finish(folder)
    assert (result["calls"], result["reused"]) == (TOTAL - kept, kept)
    assert (table, metrics) == undisturbed


def test_a_killed_run_loses_at_most_what_was_not_yet_stored(
    tmp_path: Path, undisturbed: Json
) -> None:
    folder = prepare(tmp_path / "killed")
    with in_the_middle(folder) as process:
        process.kill()
        process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "outputs").exists()
    kept = committed(folder)
    assert 0 < kept < TOTAL

    result, table, metrics = finish(folder)
    assert (result["calls"], result["reused"]) == (TOTAL - kept, kept)
    assert (table, metrics) == undisturbed
