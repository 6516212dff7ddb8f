"""The evaluate_pack flow on a real Prefect server: caching, equal files, errors, artifacts."""

import json
import shutil
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from flows.cli.main import run
from schemas.errors import InvalidFile, Unfinished
from schemas.pack_run import PackRunResult
from tasks.sampling.monitor import Monitor, watching
from tests.support.packs import row, write_pack
from tests.support.runs import differences, load, write_lines

CACHEABLE = [
    "validate-pack",
    "expand-rows",
    "draw-samples",
    "judge-rows",
    "measure-results",
    "trace-pack",
]
ROWS = [row(id="a"), row("short_answer", id="b"), row("free_response", id="c")]


def flow_run(**options: Any) -> tuple[PackRunResult, dict[str, str]]:
    """One run of the flow, and the state in which each stage ended."""
    from flows.evaluate_pack import evaluate_pack

    monitor = Monitor()
    with watching(monitor):
        result = evaluate_pack(**({"pack": "p", "model": "control/coin"} | options))
    assert isinstance(result, PackRunResult)
    return result, {note.name: note.state for note in monitor.stages}


def cached(states: dict[str, str]) -> list[str]:
    return [name for name, state in states.items() if state == "Cached"]


@pytest.fixture
def pack(on_prefect: Path) -> Path:
    return write_pack(on_prefect / "p", ROWS)


def test_a_second_run_is_cached_in_every_cacheable_stage_and_asks_nobody(pack: Path) -> None:
    first, states = flow_run(n_samples=2)
    assert (first.calls, first.reused, cached(states)) == (6, 0, [])
    second, states = flow_run(n_samples=2)
    assert (second.calls, second.reused, cached(states)) == (0, 6, CACHEABLE)
    assert (second.metrics, second.results) == (first.metrics, first.results)


def test_a_pack_that_moved_is_the_same_pack(pack: Path) -> None:
    flow_run()
    shutil.move(pack, pack.parent / "q")
    _, states = flow_run(pack="q")
    assert cached(states) == CACHEABLE


def test_a_hidden_answer_that_changed_is_judged_anew_without_a_call(pack: Path) -> None:
    flow_run()
    write_pack(pack, [row(id="a", eval__answer=1), *ROWS[1:]])
    again, states = flow_run()
    # The prompts are made once more and come out the same, so the samples are found.
    assert cached(states) == ["draw-samples"]
    assert again.calls == 0


def test_what_could_not_be_judged_is_not_cached(on_prefect: Path) -> None:
    write_pack(on_prefect / "p", [row("code_completion", id="a")])
    flow_run()
    _, states = flow_run()
    assert states["draw-samples"] == "Cached"
    assert states["judge-rows"] == "Completed"


@pytest.mark.parametrize("stage", ["expand", "sample", "judge", "measure"])
def test_a_deleted_intermediate_file_is_made_again_without_a_call(pack: Path, stage: str) -> None:
    first, _ = flow_run()
    shutil.rmtree(Path(".assent/stages") / stage)
    second, states = flow_run()
    assert second.calls == 0
    assert 0 < len(cached(states)) < len(CACHEABLE)
    assert second.results == first.results


def test_both_engines_write_the_same_bytes_apart_from_ids_times_and_the_engines_name(
    pack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [*ROWS, row("code_completion", id="d"), row("terminal_task", id="e")]
    write_pack(pack, made)
    answers = [{"task_id": t, "text": text} for t, text in (("a", "A"), ("b", "4"), ("d", "x"))]
    write_lines(Path("a.jsonl"), answers)
    for who in ({"model": "control/coin", "n_samples": 2}, {"answers": "a.jsonl", "model": None}):
        on_prefect, _ = flow_run(run_id="prefect", output_dir="one", **who)
        flags = [
            word
            for name, value in who.items()
            if value is not None
            for word in (f"--{name.replace('_', '-')}", str(value))
        ]
        fixed = ["--engine", "embedded", "--format", "json", "--output-dir", "two"]
        capsys.readouterr()
        assert run(["pack", "run", "p", *flags, *fixed, "--run-id", "prefect"]) == 3
        plain = json.loads(capsys.readouterr().out)
        assert differences(plain, json.loads(json.dumps(on_prefect.to_json()))) <= {
            *(f"$.{key}" for key in ("output", "calls", "reused")),
            *(f"$.artifacts.{key}" for key in plain["artifacts"]),
        }
        changed = differences(load(plain["output"]), load(on_prefect.output))
        assert changed <= {
            "$.metadata.run.started_at",
            "$.metadata.run.finished_at",
            "$.results.details.provenance.engine",
        }
        for name, path in plain["artifacts"].items():
            other = on_prefect.artifacts[name]
            assert Path(path).read_bytes() == Path(other).read_bytes(), name
        tables = {name for name in plain["artifacts"] if name != "candidates"}
        assert tables == {"prompts", "samples", "verdicts", "metrics"}
        assert pq.read_table(plain["artifacts"]["verdicts"]).num_rows == 5
        shutil.rmtree("one")
        shutil.rmtree("two")


def test_the_flow_shows_a_summary_a_table_and_a_link(pack: Path, prefect_url: str) -> None:
    flow_run(run_id="shown-pack")

    def artifact(key: str) -> Any:
        return httpx.get(f"{prefect_url}/artifacts/shown-pack-{key}/latest").json()["data"]

    assert "pass_rate" in artifact("summary")
    assert [case["id"] for case in json.loads(artifact("rows"))] == ["a", "b", "c"]
    assert "shown-pack.json" in artifact("output")


def test_wrong_rows_and_a_harness_are_errors_of_the_flow(pack: Path) -> None:
    with pytest.raises(Unfinished, match="sandbox"):
        flow_run(model=None, harness="true")
    write_pack(pack, [row(id="a", eval__answer=9)])
    with pytest.raises(InvalidFile):
        flow_run()
