import datetime

import pytest
from pydantic import ValidationError

from schemas.errors import UserError
from schemas.run import (
    CycleResult,
    Destination,
    Effort,
    ModelSpec,
    PromptingSpec,
    RunOrder,
    RunSpec,
    SamplingSpec,
)


@pytest.mark.parametrize(
    ("text", "provider", "model_id"),
    [
        pytest.param("control/coin", "control", "coin", id="two parts"),
        pytest.param("openrouter/meta/llama-3", "openrouter", "meta/llama-3", id="first slash"),
        pytest.param("replay//abs/path.jsonl", "replay", "/abs/path.jsonl", id="absolute path"),
        pytest.param("replay/../up.jsonl", "replay", "../up.jsonl", id="relative path"),
    ],
)
def test_a_model_is_split_at_the_first_slash(text: str, provider: str, model_id: str) -> None:
    found = ModelSpec.parse(text)
    assert (found.provider, found.model_id) == (provider, model_id)
    assert str(found) == text


@pytest.mark.parametrize("text", ["", "coin", "control/", "/coin", "/"])
def test_a_model_without_both_parts_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError, match="provider/model") as caught:
        ModelSpec.parse(text)
    assert caught.value.where == "--model"
    assert "control/coin" in caught.value.fix


def test_a_minimal_spec_gets_every_default() -> None:
    spec = RunSpec(benchmark="b.json", model=ModelSpec.parse("control/coin"))
    assert spec.model_dump(mode="json") == {
        "benchmark": "b.json",
        "model": {"provider": "control", "model_id": "coin", "base_url": None},
        "prompting": {
            "question_form": "support",
            "coherence_frame": None,
            "strip_tex": True,
            "variant": 0,
            "allow_plugins": False,
        },
        "sampling": {
            "n_samples": 5,
            "params": {
                "temperature": 1.0,
                "max_tokens": 1024,
                "top_p": None,
                "seed": None,
                "stop": [],
            },
            "epoch": "",
            "curtail": False,
        },
        "voting": {"parser": "final-answer", "tie_break": "abstain"},
        "measuring": {"references": ["consensus"]},
        "selection": {"limit": None, "items": [], "tags": []},
        "max_failed": 0.05,
    }
    assert Effort().model_dump() == {
        "concurrency": 16,
        "timeout_seconds": 60.0,
        "max_retries": 5,
        "max_calls": None,
        "rpm": None,
        "max_cost_usd": None,
    }


@pytest.mark.parametrize(
    ("model", "field", "value"),
    [
        pytest.param(SamplingSpec, "n_samples", 0, id="no samples"),
        pytest.param(PromptingSpec, "variant", -1, id="negative variant"),
        pytest.param(Effort, "concurrency", 0, id="no concurrency"),
        pytest.param(Effort, "timeout_seconds", 0, id="no time"),
        pytest.param(Effort, "max_retries", -1, id="negative retries"),
    ],
)
def test_impossible_settings_are_refused(model: type[RunSpec], field: str, value: int) -> None:
    with pytest.raises(ValidationError):
        model.model_validate({field: value})


def order(destination: Destination) -> RunOrder:
    return RunOrder(
        spec=RunSpec(benchmark="b.json", model=ModelSpec.parse("control/coin")),
        run_id="r",
        started_at=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        destination=destination,
    )


def test_one_wording_of_a_cycle_has_its_own_id_and_files() -> None:
    one = order(Destination(evaluation_file="out/eta.json", log_file="run.log")).for_variant(2)
    assert one.run_id == "r-v2"
    assert one.spec.prompting.variant == 2
    assert one.destination.evaluation_file == "out/eta-v2.json"
    assert one.destination.log_file == "run-v2.log"


def test_one_wording_of_a_cycle_keeps_default_places() -> None:
    one = order(Destination(output_dir="here")).for_variant(1)
    assert one.destination == Destination(output_dir="here")


def test_a_result_reads_like_the_printed_document() -> None:
    result = CycleResult(runs=(), comparison=None)
    assert result["runs"] == []
    with pytest.raises(KeyError, match="model_fields"):
        result["model_fields"]
