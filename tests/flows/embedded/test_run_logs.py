"""The run log: what happened, one JSON object per line."""

import json
from pathlib import Path

import pytest

from tests.support.runs import Desk, Json, benchmark, paraphrased


def lines(path: str) -> list[Json]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_the_run_log_tells_the_run_in_order(awkward: Json) -> None:
    events = [line["event"] for line in lines("run.log")]
    replied = ["item.started", "sample.completed", "sample.completed", "item.completed"]
    failed = ["item.started", "sample.failed", "sample.failed", "item.completed"]
    assert events == ["run.started", *(replied * 4), *failed, "run.finished"]


FIELDS = {
    "run.started": "benchmark_hash n_items provider model_id params endorsement_config "
    "verification_prompt_id template_id coherence_frame_id strip_tex paraphrase_variant",
    "item.started": "item_id n_samples tie_break premise_ids conclusion_ids prompt_hash prompt "
    "system question_form verification_prompt_id",
    "sample.completed": "item_id sample_index provider model_id request_id prompt_hash "
    "raw_response parsed_verdict parse_status wall_time_ms input_tokens output_tokens "
    "finish_reason reasoning_tokens",
    "sample.failed": "item_id sample_index prompt_hash err",
    "item.completed": "item_id verdict tie_broken good bad abstain",
    "run.finished": "n_items wall_time_s",
}


@pytest.mark.parametrize("event", FIELDS)
def test_every_event_of_the_run_log_has_its_fields(awkward: Json, event: str) -> None:
    del awkward
    everywhere = {"ts", "level", "logger", "event", "benchmark_id", "framework_version", "run_id"}
    found = [line for line in lines("run.log") if line["event"] == event]
    assert found
    for line in found:
        assert line.keys() == everywhere | set(FIELDS[event].split())
        assert list(line)[:4] == ["ts", "level", "logger", "event"]
        assert line["ts"].endswith("Z")
        assert len(line["ts"]) == len("2026-01-01T00:00:00.000Z")


def test_the_run_log_of_a_missing_item_has_no_verdict(awkward: Json) -> None:
    del awkward
    ends = [line for line in lines("run.log") if line["event"] == "item.completed"]
    assert [line["verdict"] for line in ends] == ["good", "abstain", "abstain", "abstain", None]


def test_a_run_log_is_appended_to(desk: Desk) -> None:
    desk.write(benchmark(1))
    for _ in range(2):
        desk.evaluate("--log", "logs/run.log")
    assert [line["event"] for line in lines("logs/run.log")].count("run.started") == 2


def test_a_cycle_logs_every_wording_to_a_file_of_its_own(desk: Desk) -> None:
    desk.write(paraphrased())
    desk.evaluate("--paraphrase-cycle", "--log", "run.log", "--question-form", "coherence")
    started = [lines(f"run-v{k}.log")[0] for k in (0, 1)]
    assert [line["paraphrase_variant"] for line in started] == [0, 1]
    assert started[0]["verification_prompt_id"] == "framework-default-v1:coherence:thin-v1"
    assert started[0]["template_id"] == "framework-default-v1"
