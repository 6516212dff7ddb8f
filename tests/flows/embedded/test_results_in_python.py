"""What Python gets is what the command prints."""

import json

import pytest

from flows.options import make_order
from flows.pipelines import run_cycle, run_evaluation
from tests.support.runs import Desk, paraphrased


def test_a_result_is_the_printed_document(desk: Desk) -> None:
    desk.write()
    order, _ = make_order(benchmark="bench.json", model="control/coin", run_id="r")
    run_evaluation(order)
    printed = desk.evaluate("--run-id", "r")
    result = run_evaluation(order)
    assert json.loads(json.dumps(result.to_json())) == printed
    assert dict(result) == printed
    assert list(result) == list(result.keys()) == list(printed)
    assert len(result) == len(printed)
    assert all(result[key] == value for key, value in printed.items())
    assert list(result.items()) == list(printed.items())
    assert list(result.values()) == list(printed.values())
    assert "run_id" in result
    assert "n_samples" not in result
    assert result.get("no such key", "none") == "none"
    with pytest.raises(KeyError):
        _ = result["too_many_failed"]


def test_the_result_of_a_cycle_is_the_printed_document(desk: Desk) -> None:
    desk.write(paraphrased())
    order, _ = make_order(benchmark="bench.json", model="control/coin", run_id="r")
    run_cycle(order)
    printed = desk.evaluate("--paraphrase-cycle", "--run-id", "r")
    result = run_cycle(order)
    assert dict(result) == printed
    assert result["runs"][1]["variant"] == 1
