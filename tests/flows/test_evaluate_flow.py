"""The evaluate flow on a real Prefect server: caching, equal files, errors, artifacts."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.cli.main import run
from schemas.errors import InvalidFile, UserError
from schemas.run import CycleResult, RunResult
from tasks.sampling.monitor import Monitor, watching
from tests.support.awkward import write_awkward

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "stop_sign" / "benchmark.json"
CACHEABLE = [
    "validate-benchmark",
    "expand-prompts",
    "draw-samples",
    "judge-samples",
    "measure-agreement",
    "gather-provenance",
]


def flow_run(**options: Any) -> tuple[RunResult, dict[str, str]]:
    """One run of the flow, and the state in which each stage ended."""
    from flows.evaluate import evaluate

    monitor = Monitor()
    with watching(monitor):
        result = evaluate(**({"benchmark": str(EXAMPLE), "model": "control/coin"} | options))
    assert isinstance(result, RunResult)
    return result, {note.name: note.state for note in monitor.stages}


def cached(states: dict[str, str]) -> list[str]:
    return [name for name, state in states.items() if state == "Cached"]


def test_a_second_run_is_cached_in_every_cacheable_stage_and_asks_nobody(on_prefect: Path) -> None:
    first, states = flow_run()
    assert (first.calls, first.reused, cached(states)) == (80, 0, [])
    second, states = flow_run()
    assert (second.calls, second.reused, cached(states)) == (0, 80, CACHEABLE)
    assert second.metrics == first.metrics


def test_settings_that_decide_nothing_do_not_miss_the_cache(on_prefect: Path) -> None:
    flow_run()
    _, states = flow_run(concurrency=3, timeout=9.0, max_calls=1000, run_id="other")
    assert cached(states) == [name for name in CACHEABLE]


def test_a_changed_tie_break_recomputes_from_the_vote_on(on_prefect: Path) -> None:
    flow_run()
    again, states = flow_run(tie_break="good")
    assert cached(states) == ["validate-benchmark", "expand-prompts", "draw-samples"]
    assert again.calls == 0


@pytest.mark.parametrize("stage", ["expand", "sample", "judge", "measure"])
def test_a_deleted_intermediate_file_is_made_again_without_a_call(
    on_prefect: Path, stage: str
) -> None:
    first, _ = flow_run()
    shutil.rmtree(Path(".assent/stages") / stage)
    second, states = flow_run()
    assert second.calls == 0
    assert 0 < len(cached(states)) < len(CACHEABLE)
    assert second.metrics == first.metrics


def test_an_edited_intermediate_file_is_not_believed(on_prefect: Path) -> None:
    first, _ = flow_run()
    [metrics] = Path(".assent/stages/measure").glob("*.json")
    metrics.write_text(metrics.read_text().replace('"n":16', '"n":99'))
    second, states = flow_run()
    assert "measure-agreement" not in cached(states)
    assert second.metrics == first.metrics


def test_a_broken_cache_record_is_a_miss(on_prefect: Path) -> None:
    flow_run()
    for record in Path(".assent/results").iterdir():
        record.write_bytes(b"{")
    _, states = flow_run()
    assert cached(states) == []


def test_a_record_of_an_unknown_class_is_a_miss(on_prefect: Path) -> None:
    flow_run()
    for record in Path(".assent/results").iterdir():
        record.write_text(record.read_text().replace("VerdictTable", "SomethingElse"))
    _, states = flow_run()
    assert "judge-samples" not in cached(states)
    assert "validate-benchmark" in cached(states)


def test_a_moved_project_still_hits(
    on_prefect: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow_run()
    moved = tmp_path_factory.mktemp("elsewhere") / "project"
    shutil.move(on_prefect, moved)
    monkeypatch.chdir(moved)
    _, states = flow_run()
    assert cached(states) == CACHEABLE


def test_samples_that_failed_are_asked_again_although_the_stage_ran_before(
    on_prefect: Path,
) -> None:
    bench, recording = write_awkward(on_prefect)
    options = {"benchmark": str(bench), "model": f"replay/{recording}", "n_samples": 4}
    first, _ = flow_run(**options)
    assert (first.failed, first.too_many_failed) == (4, True)
    _, states = flow_run(**options)
    assert cached(states)[:2] == ["validate-benchmark", "expand-prompts"]
    assert "draw-samples" not in cached(states)


def test_a_changed_recording_is_noticed(on_prefect: Path) -> None:
    bench, recording = write_awkward(on_prefect)
    options = {"benchmark": str(bench), "model": f"replay/{recording}", "items": ["i0"]}
    assert flow_run(**options)[0].metrics["verdict_distributions"]["i0"]["good"] == 5
    recording.write_text(recording.read_text().replace('"GOOD"', '"BAD"'))
    assert flow_run(**options)[0].metrics["verdict_distributions"]["i0"]["bad"] == 5


def test_prompts_of_a_plugin_builder_are_never_cached(
    on_prefect: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, _ = write_awkward(on_prefect)
    raw = json.loads(bench.read_text())
    raw["context_builders"] = {"premise": {"kind": "plugin", "plugin": "flow_plugin:shout"}}
    bench.write_text(json.dumps(raw))
    Path("flow_plugin.py").write_text("def shout(texts):\n    return ' '.join(texts).upper()\n")
    monkeypatch.syspath_prepend(str(on_prefect))
    options = {"benchmark": str(bench), "model": "control/always-good", "allow_plugins": True}
    flow_run(**options)
    _, states = flow_run(**options)
    assert states["expand-prompts"] == "Completed"
    assert states["draw-samples"] == "Cached"


def test_the_flow_runs_inside_a_running_event_loop(on_prefect: Path) -> None:
    async def notebook() -> RunResult:
        return flow_run()[0]

    assert asyncio.run(notebook()).calls == 80


def test_a_paraphrase_cycle_returns_every_run_and_their_comparison(on_prefect: Path) -> None:
    from flows.evaluate import evaluate

    result = evaluate(
        benchmark=str(EXAMPLE), model="control/coin", paraphrase_cycle=True, run_id="cycle"
    )
    assert isinstance(result, CycleResult)
    assert [r.run_id for r in result.runs] == ["cycle-v0", "cycle-v1"]
    assert result.comparison is not None
    assert result.comparison.n_items == 16


def test_a_wrong_benchmark_raises_its_problems_and_writes_nothing(on_prefect: Path) -> None:
    Path("bad.json").write_text('{"id": "x", "bearers": {}, "analysts": [], "items": []}')
    with pytest.raises(InvalidFile) as caught:
        flow_run(benchmark="bad.json")
    assert [problem.code for problem in caught.value.problems] == ["min_length"]
    assert not Path("outputs").exists()


def test_a_wrong_option_is_a_user_error(on_prefect: Path) -> None:
    with pytest.raises(UserError, match="unknown provider"):
        flow_run(model="nobody/at-all")


def test_both_engines_write_the_same_files(on_prefect: Path) -> None:
    bench, recording = write_awkward(on_prefect)
    model = f"replay/{recording.name}"
    args = ["evaluate", bench.name, "--model", model, "--n-samples", "4", "--run-id", "same"]
    assert run([*args, "--engine", "embedded", "--quiet", "--output-dir", "embedded"]) == 1
    flow_run(benchmark=bench.name, model=model, n_samples=4, run_id="same", output_dir="on-prefect")
    by_hand, by_flow = files_below(Path("embedded")), files_below(Path("on-prefect"))
    assert by_hand.keys() == by_flow.keys()
    assert len(by_hand) == 6
    for name in by_hand:
        assert masked(name, by_hand[name]) == masked(name, by_flow[name]), name
    output = json.loads(by_flow["outputs/awkward/same.json"])
    assert output["results"]["details"]["provenance"]["engine"] == "prefect"
    assert output["results"]["metrics"]["n_missing"] == 1


def files_below(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def masked(name: str, data: bytes) -> object:
    """A file without times, without the engine's name, and without digests over those."""
    if not name.endswith(".json"):
        return data
    document = json.loads(data)
    if name.startswith("evaluations/"):
        return document | {"started_at": "", "finished_at": ""}
    document["metadata"]["run"] |= {"started_at": "", "finished_at": ""}
    document["results"]["details"]["provenance"]["engine"] = ""
    for artifact in document["results"]["artifacts"]:
        if artifact["role"] == "evaluation":
            artifact["sha256"] = ""
    return document


def test_the_server_shows_a_summary_a_table_and_links(on_prefect: Path, prefect_url: str) -> None:
    import httpx

    flow_run(run_id="Shown-1")
    query = {"artifacts": {"key": {"like_": "shown-1"}}}
    found = httpx.post(f"{prefect_url}/artifacts/filter", json=query).json()
    by_key = {artifact["key"]: artifact for artifact in found}
    assert set(by_key) == {
        "shown-1-summary",
        "shown-1-items",
        "shown-1-evaluation",
        "shown-1-output",
        "shown-1-progress",
    }
    assert "| cohens_kappa_consensus |" in by_key["shown-1-summary"]["data"]
    assert len(json.loads(by_key["shown-1-items"]["data"])) == 16
