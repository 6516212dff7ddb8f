from typing import Any

import pytest
from pydantic import ValidationError

from schemas.evaluation import (
    EndorsementConfig,
    Evaluation,
    MajorityVote,
    ModelInfo,
    ProviderParams,
    SampleRecord,
    as_written,
)
from schemas.version import VERSION
from tests.support.benchmarks import Raw, item, tiny_evaluation

SAMPLE = {"sample_index": 0, "raw_response": "GOOD", "parsed_verdict": "good"}


def test_a_minimal_evaluation_gets_every_default() -> None:
    raw = tiny_evaluation(items=[])
    assert Evaluation.model_validate(raw).model_dump(mode="json") == raw | {
        "schema_version": "1.0",
        "benchmark_hash": None,
        "model": raw["model"]
        | {
            "params": {
                "temperature": 1.0,
                "max_tokens": 1024,
                "top_p": None,
                "seed": None,
                "stop": [],
            }
        },
        "endorsement_config": {
            "n_samples": 5,
            "tie_break": "abstain",
            "verification_prompt_id": "default-v1",
            "context_builder_premise_id": "conjunction-and-v1",
            "context_builder_conclusion_id": "disjunction-or-v1",
            "question_form": "support",
            "coherence_frame_id": "thin-v1",
        },
        "framework_version": VERSION,
        "started_at": None,
        "finished_at": None,
        "references": [],
        "paraphrase_variant": 0,
    }


def test_a_minimal_item_gets_every_default() -> None:
    (found,) = Evaluation.model_validate(tiny_evaluation()).items
    assert found.model_dump() == {
        "id": "i1",
        "premises": ("p", "q"),
        "conclusions": ("q",),
        "analyst_verdicts": ("good", "abstain"),
        "analyst_rationales": None,
        "model_verdict": "good",
        "samples": (),
        "majority_vote": None,
        "tags": ("base-inference",),
        "references": (),
    }


def test_a_minimal_sample_and_vote_get_every_default() -> None:
    assert SampleRecord.model_validate(SAMPLE).model_dump() == SAMPLE | {
        "parse_status": "ok",
        "request_id": None,
        "wall_time_ms": None,
        "usage": None,
        "finish_reason": None,
        "reasoning_tokens": None,
        "provider_error": None,
    }
    assert MajorityVote(verdict="bad").model_dump() == {
        "good": 0,
        "bad": 0,
        "abstain": 0,
        "verdict": "bad",
        "tie_broken": False,
    }


def test_parameters_and_usage_carry_unknown_keys_along() -> None:
    params = ProviderParams.model_validate({"top_k": 40, "nested": {"a": [1]}})
    assert as_written(params)["top_k"] == 40
    assert as_written(params)["nested"] == {"a": [1]}
    sample = SampleRecord.model_validate(SAMPLE | {"usage": {"cached_tokens": 3}})
    assert as_written(sample)["usage"] == {"cached_tokens": 3}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"extra": 1}, id="evaluation"),
        pytest.param({"model": {"provider": "p", "model_id": "m", "extra": 1}}, id="model"),
        pytest.param({"endorsement_config": {"extra": 1}}, id="config"),
        pytest.param({"items": [item(model_verdict="good", extra=1)]}, id="item"),
        pytest.param(
            {"items": [item(model_verdict="good", samples=[SAMPLE | {"extra": 1}])]}, id="sample"
        ),
        pytest.param(
            {"items": [item(model_verdict="good", majority_vote={"verdict": "bad", "extra": 1})]},
            id="vote",
        ),
        pytest.param({"items": [item(model_verdict="good", rsr_target=None)]}, id="benchmark key"),
    ],
)
def test_unknown_keys_are_refused(changes: Raw) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Evaluation.model_validate(tiny_evaluation(**changes))


@pytest.mark.parametrize(
    ("written", "read"), [(None, 0), (0, 0), (3, 3), (-1, -1), ("2", 2)], ids=repr
)
def test_a_null_variant_is_read_as_the_canonical_one(written: object, read: int) -> None:
    found = Evaluation.model_validate(tiny_evaluation(paraphrase_variant=written))
    assert found.paraphrase_variant == read
    assert as_written(found)["paraphrase_variant"] == read


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"items": None}, id="items"),
        pytest.param({"references": None}, id="references"),
        pytest.param({"endorsement_config": None}, id="config"),
        pytest.param({"endorsement_config": {"coherence_frame_id": None}}, id="frame"),
        pytest.param({"items": [item(model_verdict="good", samples=None)]}, id="samples"),
        pytest.param({"items": [item(model_verdict=None)]}, id="verdict"),
        pytest.param({"endorsement_config": {"n_samples": 0}}, id="no samples"),
        pytest.param(
            {"model": {"provider": "p", "model_id": "m", "params": {"temperature": "inf"}}},
            id="infinite temperature",
        ),
    ],
)
def test_wrong_values_are_refused(changes: Raw) -> None:
    with pytest.raises(ValidationError):
        Evaluation.model_validate(tiny_evaluation(**changes))


def test_later_fields_at_their_default_are_not_written() -> None:
    written = as_written(Evaluation.model_validate(tiny_evaluation()))
    assert not {"question_form", "coherence_frame_id"} & {*written["endorsement_config"]}


@pytest.mark.parametrize(
    ("name", "value"),
    [("question_form", "coherence"), ("coherence_frame_id", "defeasible-coherence-explicit-v1")],
)
def test_later_fields_in_use_are_written(name: str, value: str) -> None:
    raw = tiny_evaluation(endorsement_config={name: value})
    written = as_written(Evaluation.model_validate(raw))["endorsement_config"]
    assert written[name] == value


def test_nulls_are_left_out_at_every_depth_and_empty_containers_stay() -> None:
    raw = tiny_evaluation(items=[item(model_verdict="good", samples=[SAMPLE])])
    written = as_written(Evaluation.model_validate(raw))
    assert "None" not in repr(written)
    assert written["references"] == []
    assert written["items"][0]["references"] == []


def test_times_are_written_in_utc_with_z() -> None:
    raw = tiny_evaluation(started_at="2026-01-02T03:04:05.678901Z")
    written = as_written(Evaluation.model_validate(raw))
    assert written["started_at"] == "2026-01-02T03:04:05.678901Z"


@pytest.mark.parametrize(
    "part", [EndorsementConfig(), ModelInfo(provider="p", model_id="m")], ids=lambda p: str(type(p))
)
def test_a_part_reads_back_the_same(part: Any) -> None:
    assert type(part).model_validate(as_written(part)) == part
