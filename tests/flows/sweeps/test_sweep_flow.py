"""The sweep flow on a real Prefect server."""

import json
from pathlib import Path

import pytest

from flows.cli.main import run
from schemas.errors import UserError
from tests.support.runs import benchmark, load

VARY: dict[str, list[int | float | str]] = {"n_samples": [3, 5, 9]}


@pytest.fixture
def bench(on_prefect: Path) -> str:
    (on_prefect / "bench.json").write_text(json.dumps(benchmark()))
    return "bench.json"


def test_both_engines_write_the_same_document(bench: str) -> None:
    from flows.sweep import sweep

    args = ["sweep", bench, "--model", "control/coin", "--vary", "n_samples=3,5,9"]
    args += ["--name", "same", "--engine", "embedded", "--quiet", "--epoch", "e"]
    assert run([*args, "--output-dir", "embedded"]) == 0
    result = sweep(
        benchmarks=[bench],
        models=["control/coin"],
        vary=VARY,
        name="same",
        epoch="e",
        output_dir="on-prefect",
    )
    assert (result.id, result.calls, result.failures) == ("same-e", 0, ())
    by_hand, by_flow = (
        Path(root, "studies/same-e.json").read_text().replace(f'"{root}/', '"')
        for root in ("embedded", "on-prefect")
    )
    assert by_hand == by_flow


def test_each_value_is_a_subflow_and_draws_are_shared(bench: str, prefect_url: str) -> None:
    import httpx

    from flows.sweep import sweep

    result = sweep(benchmarks=[bench], models=["control/coin"], vary=VARY)
    assert result.calls == 4 * 9
    query = {"flow_runs": {"name": {"any_": ["bench.json x control/coin"]}}}
    found = httpx.post(f"{prefect_url}/flow_runs/filter", json=query).json()
    assert len([one for one in found if one["parent_task_run_id"]]) >= 3


def test_a_failed_run_fails_the_flow_after_all_others_are_finished(bench: str) -> None:
    from flows.sweep import CellsFailed, sweep

    Path("evaluations/small/t-n_samples=5.json").mkdir(parents=True)
    with pytest.raises(CellsFailed, match="1 of 3 runs failed: t-n_samples=5"):
        sweep(benchmarks=[bench], models=["control/coin"], vary=VARY, name="t")
    [found] = load("studies/t.json")["sweeps"]
    assert [row["value"] for row in found["rows"]] == ["3", "9"]


def test_the_command_reports_a_failed_run_of_the_flow(
    bench: str,
    prefect_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", prefect_url)
    Path("evaluations/small/t-n_samples=5.json").mkdir(parents=True)
    args = ["sweep", bench, "--model", "control/coin", "--vary", "n_samples=3,5", "--name", "t"]
    assert run([*args, "--engine", "prefect", "--quiet", "--format", "json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert [failure["run_id"] for failure in printed["failures"]] == ["t-n_samples=5"]


def test_a_wrong_parameter_is_a_user_error_and_nothing_runs(bench: str) -> None:
    from flows.sweep import sweep

    with pytest.raises(UserError, match="unknown parameter"):
        sweep(benchmarks=[bench], models=["control/coin"], vary={"colour": ["red"]})
    assert not Path("outputs").exists()


def test_a_scheduled_sweep_draws_anew_for_its_time(bench: str) -> None:
    from flows.sweep import sweep

    result = sweep(
        benchmarks=[bench],
        models=["control/coin"],
        vary={"n_samples": [1]},
        name="night",
        epoch_from_schedule=True,
    )
    assert result.calls == 4
    epoch = load(result.document)["settings"]["epoch"]
    assert result.id == f"night-{epoch}"
