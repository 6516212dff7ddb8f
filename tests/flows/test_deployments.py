"""The shipped deployments on a real server with a real process worker."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.prefect_server import BIN, CHECKOUT, environment, running

CACHEABLE = {
    "validate-benchmark",
    "expand-prompts",
    "draw-samples",
    "judge-samples",
    "measure-agreement",
    "gather-provenance",
}
PATIENCE_SECONDS = 120


class Deployed:
    """The deployments on a server, and the commands that a user would type."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.env = environment(
            PREFECT_API_URL=url,
            PREFECT_HOME=str(folder / "client"),
            ASSENT_CHECKOUT=str(CHECKOUT),
            ASSENT_HOME=str(folder / "state"),
        )

    def prefect(self, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(BIN / "prefect"), *args],
            env=self.env,
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def ask(self, path: str, query: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = httpx.post(f"{self.url}{path}", json=query).json()
        return found

    def run(self, **parameters: str) -> subprocess.CompletedProcess[str]:
        given = [f"--param={name}={value}" for name, value in parameters.items()]
        return self.prefect("deployment", "run", "evaluate/local", *given, "--watch", check=False)

    def states_of_latest_run(self) -> dict[str, str]:
        """State of each stage in the latest flow run of `evaluate/local`, as the server has it."""
        runs = self.ask(
            "/flow_runs/filter",
            {
                "flows": {"name": {"any_": ["evaluate"]}},
                "deployments": {"name": {"any_": ["local"]}},
                "sort": "START_TIME_DESC",
                "limit": 1,
            },
        )
        query = {"flow_runs": {"id": {"any_": [runs[0]["id"]]}}}
        deadline = time.monotonic() + 30
        while True:  # task runs are recorded a moment after the flow run has ended
            found = {
                task["name"].rsplit("-", 1)[0]: task["state_name"]
                for task in self.ask("/task_runs/filter", query)
            }
            if len(found) > len(CACHEABLE) or time.monotonic() > deadline:
                return found
            time.sleep(0.5)


@pytest.fixture(scope="module")
def deployed(prefect_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    it = Deployed(prefect_url, tmp_path_factory.mktemp("deployed"))
    it.prefect("work-pool", "create", "assent-process", "--type", "process", "--overwrite")
    it.prefect("--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml")
    worker = [str(BIN / "prefect"), "worker", "start", "--pool", "assent-process", "--limit", "2"]
    with running(worker, it.env, it.folder / "worker.log"):
        yield it


def test_a_deployed_run_ends_in_files_and_the_next_one_is_cached(deployed: Deployed) -> None:
    parameters = {
        "benchmark": "examples/stop_sign/benchmark.json",
        "model": "control/coin",
        "n_samples": "3",
        "output_dir": str(deployed.folder / "out"),
    }
    for run_id in ("first", "second"):
        done = deployed.run(**parameters, run_id=run_id)
        log = (deployed.folder / "worker.log").read_text()[-3000:]
        assert done.returncode == 0, done.stdout + done.stderr + log
    states = deployed.states_of_latest_run()
    assert {name: states[name] for name in CACHEABLE} == dict.fromkeys(CACHEABLE, "Cached")
    assert states["publish-run"] == "Completed"
    out = deployed.folder / "out"
    output = json.loads((out / "outputs/stop-sign-v1/second.json").read_text())
    assert output["results"]["metrics"]["n_samples"] == 48
    assert (out / "evaluations/stop-sign-v1/second.json").is_file()
    tables = {path.name for path in (out / "outputs/artifacts/second").iterdir()}
    assert tables == {
        "prompts.parquet",
        "samples.parquet",
        "verdicts.parquet",
        "metrics.parquet",
    }


def test_a_failing_run_is_seen_by_whoever_watches(deployed: Deployed) -> None:
    done = deployed.run(benchmark="examples/nowhere.json", model="control/coin")
    assert done.returncode == 1


def test_a_bad_parameter_is_refused_before_a_run_exists(deployed: Deployed) -> None:
    done = deployed.run(
        benchmark="examples/stop_sign/benchmark.json", model="control/coin", n_samples="0"
    )
    assert done.returncode == 1
    assert "n_samples" in done.stdout + done.stderr


def test_both_deployments_are_listed(deployed: Deployed) -> None:
    listed = deployed.prefect("deployment", "ls").stdout
    assert "evaluate/local" in listed
    assert "evaluate/nightly" in listed


def test_the_schedule_creates_runs(deployed: Deployed) -> None:
    query = {
        "deployments": {"name": {"any_": ["nightly"]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := deployed.ask("/flow_runs/filter", query)):
        assert time.monotonic() < deadline, "the scheduler created no run"
        time.sleep(0.5)
    assert {run["next_scheduled_start_time"][11:16] for run in found} == {"02:00"}


@pytest.mark.parametrize("flow", ["evaluate", "evaluate_pack", "sweep"])
def test_the_form_describes_every_parameter(deployed: Deployed, flow: str) -> None:
    query = {
        "flows": {"name": {"any_": [flow]}},
        "deployments": {"name": {"any_": ["local"]}},
    }
    [local] = deployed.ask("/deployments/filter", query)
    properties = local["parameter_openapi_schema"]["properties"]
    assert all("description" in schema for schema in properties.values())
    whole = properties["n_samples"]
    assert (whole if "minimum" in whole else whole["anyOf"][0])["minimum"] == 1


def test_both_deployments_of_the_sweep_are_listed(deployed: Deployed) -> None:
    listed = deployed.prefect("deployment", "ls").stdout
    assert "sweep/local" in listed
    assert "sweep/nightly-suite" in listed


def test_a_deployed_sweep_ends_in_files(deployed: Deployed) -> None:
    out = deployed.folder / "sweep"
    given = ["--param=suite=deployments/suites/example.yaml", f"--param=output_dir={out}"]
    done = deployed.prefect("deployment", "run", "sweep/local", *given, "--watch", check=False)
    log = (deployed.folder / "worker.log").read_text()[-3000:]
    assert done.returncode == 0, done.stdout + done.stderr + log
    study = json.loads((out / "studies/example-suite.json").read_text())
    assert [len(sweep["rows"]) for sweep in study["sweeps"]] == [3, 3, 3]
    assert len(list((out / "evaluations").glob("*/*.json"))) == 9


def test_a_deployed_run_of_a_pack_ends_in_files(deployed: Deployed) -> None:
    out = deployed.folder / "packs"
    given = {"pack": "examples/packs/short_answer", "model": "control/echo", "run_id": "r"}
    words = [
        f"--param={name}={value}" for name, value in (given | {"output_dir": str(out)}).items()
    ]
    done = deployed.prefect(
        "deployment", "run", "evaluate_pack/local", *words, "--watch", check=False
    )
    log = (deployed.folder / "worker.log").read_text()[-3000:]
    assert done.returncode == 0, done.stdout + done.stderr + log
    output = json.loads((out / "outputs/everyday-numbers/r.json").read_text())
    assert output["results"]["metrics"]["n_rows"] == 3
    assert (out / "outputs/artifacts/r/candidates.jsonl").is_file()
