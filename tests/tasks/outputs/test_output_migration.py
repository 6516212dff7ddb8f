import json
from typing import Any

import pytest
from hypothesis import given

from tasks.outputs.migration import MigrationFailed, migrate, serialise, slug
from tasks.outputs.validation import check_output
from tests.support.output_documents import leaves_of, legacy, legacy_documents, valid

SUPPLIED = {
    "metadata.benchmark.name": "b",
    "metadata.model.name": "m",
    "metadata.model.provider": "p",
    "metadata.run.started_at": "2030-01-01T00:00:00Z",
}


def run(document: Any, path: str = "old/a.json", **options: Any) -> Any:
    return migrate(json.dumps(document).encode(), path, **options)


def failure(document: Any, path: str = "old/a.json", **options: Any) -> MigrationFailed:
    with pytest.raises(MigrationFailed) as caught:
        run(document, path, **options)
    return caught.value


def test_a_flat_result_with_its_configuration() -> None:
    found = migrate(
        b'{"config":{"benchmark":"gsm8k","model":"tiny-2b","provider":"vllm","temperature":0,'
        b'"timestamp":"2025-03-04 05:06:07","seed":9},'
        b'"results":{"accuracy":0.25,"note":"short run"}}',
        "results/gsm/run_77.json",
    )
    assert found.new_path == "outputs/gsm8k/run_77.json"
    assert [w.code for w in found.warnings] == ["assumed_utc"]
    assert json.dumps(found.document, separators=(",", ":")) == (
        '{"$schema":"outputs/schemas/benchmark_schema.json","schema_version":"v1",'
        '"metadata":{"benchmark":{"name":"gsm8k"},"model":{"name":"tiny-2b","provider":"vllm",'
        '"parameters":{"temperature":0,"seed":9}},"run":{"id":"run_77",'
        '"started_at":"2025-03-04T05:06:07Z"}},"results":{"status":"ok",'
        '"metrics":{"accuracy":0.25},"details":{"note":"short run"}}}'
    )


def test_metrics_beside_metadata_under_a_generic_name() -> None:
    found = run(
        {
            "metadata": {
                "benchmark": {"name": "arc", "version": 2},
                "model": {"name": "m1", "provider": "hf"},
                "run_id": "r:1",
                "started_at": 1700000000,
                "team": "x",
            },
            "metrics": {"acc": 0.5, "per_split": {"dev": 0.4}},
        },
        "experiments/metrics.json",
    )
    assert found.new_path == "outputs/arc/r-1.json"
    assert [w.code for w in found.warnings] == ["non_numeric_metric"]
    assert found.document["metadata"] == {
        "benchmark": {"name": "arc", "version": "2"},
        "model": {"name": "m1", "provider": "hf"},
        "run": {"id": "r:1", "started_at": "2023-11-14T22:13:20Z"},
    }
    assert found.document["results"] == {
        "status": "ok",
        "metrics": {"acc": 0.5},
        "details": {
            "legacy_metrics": {"per_split": {"dev": 0.4}},
            "legacy": {"metadata": {"team": "x"}},
        },
    }


def test_a_failed_run_without_facts_is_refused_until_they_are_supplied() -> None:
    document = {
        "scores": {},
        "details": {"stage": "load"},
        "error": {"message": "out of memory", "type": "OOM"},
        "model": "m1",
    }
    refused = failure(document, "output.json")
    assert refused.code == "missing_fields"
    assert refused.missing == (
        "$.metadata.benchmark.name",
        "$.metadata.model.name",
        "$.metadata.model.provider",
        "$.metadata.run.started_at",
    )
    found = run(document, "output.json", given=SUPPLIED)
    assert found.document["results"] == {
        "status": "error",
        "metrics": {},
        "error": {"message": "out of memory", "type": "OOM"},
        "details": {"stage": "load", "legacy": {"model": "m1"}},
    }


METADATA_CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], Any]] = {
    "dataset names the benchmark": (
        {"benchmark": None, "dataset": "d"},
        ("benchmark", "name"),
        "d",
    ),
    "first alias that says something": (
        {"benchmark": "", "task_name": "t"},
        ("benchmark", "name"),
        "t",
    ),
    "number as name": ({"model": 7}, ("model", "name"), "7"),
    "backend is the provider": ({"provider": "", "backend": "v"}, ("model", "provider"), "v"),
    "checkpoint": ({"checkpoint": "c1"}, ("model", "revision"), "c1"),
    "milliseconds": (
        {"started_at": 1700000000123},
        ("run", "started_at"),
        "2023-11-14T22:13:20.123Z",
    ),
    "fraction of a second": (
        {"started_at": 0.25},
        ("run", "started_at"),
        "1970-01-01T00:00:00.25Z",
    ),
    "date alone": ({"started_at": "2030-05-06"}, ("run", "started_at"), "2030-05-06T00:00:00Z"),
    "offset kept": (
        {"started_at": "2030-05-06 07:08:09+02:00"},
        ("run", "started_at"),
        "2030-05-06T07:08:09+02:00",
    ),
    "words of a command": ({"cmd": ["run", "a b"]}, ("run", "command"), "run 'a b'"),
    "commit and dirty": (
        {"git_sha": "abc", "git_dirty": True},
        ("run", "git"),
        {"commit": "abc", "dirty": True},
    ),
    "git object": ({"git": {"commit": "abc"}}, ("run", "git"), {"commit": "abc"}),
    "hostname": ({"hostname": "h"}, ("run", "host"), {"hostname": "h"}),
    "tags": ({"tags": ["a", 2]}, ("tags",), ["a", "2"]),
    "nested run": ({"run_id": "", "run": {"id": "n"}}, ("run", "id"), "n"),
}


@pytest.mark.parametrize("case", METADATA_CASES)
def test_old_keys_find_their_place(case: str) -> None:
    changes, place, expected = METADATA_CASES[case]
    document = legacy()
    document["metadata"] |= changes
    value: Any = run(document).document["metadata"]
    for key in place:
        value = value[key]
    assert value == expected


def test_a_provider_is_never_guessed_from_a_name() -> None:
    document = legacy()
    document["metadata"] |= {"provider": None, "model": "org/model"}
    assert failure(document).missing == ("$.metadata.model.provider",)


def test_fill_unknown_fills_names_and_provider_but_never_a_time() -> None:
    found = failure({"scores": {}, "details": {}}, fill_unknown=True)
    assert found.missing == ("$.metadata.run.started_at",)
    given = {"metadata.run.started_at": "2030-01-01T00:00:00Z"}
    filled = run({"scores": {}, "details": {}}, given=given, fill_unknown=True)
    assert [w.code for w in filled.warnings] == ["filled_unknown"] * 3
    assert filled.document["metadata"]["model"] == {"name": "unknown", "provider": "unknown"}


def test_metadata_beats_config_and_the_loser_is_kept() -> None:
    document = legacy(config={"model": "other", "seed": 1})
    found = run(document)
    assert found.document["metadata"]["model"]["name"] == "k"
    assert found.document["metadata"]["model"]["parameters"] == {"seed": 1}
    assert found.document["results"]["details"]["legacy"]["config"] == {"model": "other"}
    assert [w.code for w in found.warnings] == ["conflict"]


def test_unused_members_of_a_model_object_are_kept() -> None:
    document = legacy(config={"model": {"name": "k", "size": "2b"}})
    document["metadata"]["model"] = {"name": "k", "provider": "p", "card": "c"}
    found = run(document).document
    assert found["metadata"]["model"]["parameters"] == {"size": "2b"}
    assert found["results"]["details"]["legacy"]["metadata"] == {
        "model": {"card": "c"},
        "provider": "p",
    }


RESULT_CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "list of cases": (
        {"results": [{"i": 1}, "x"]},
        {"metrics": {}, "cases": [{"i": 1}, {"value": "x"}]},
        ["no_metrics"],
    ),
    "one number": ({"results": 0.75}, {"metrics": {"score": 0.75}}, []),
    "nested metrics": (
        {"results": {"metrics": {"a": 1}, "details": {"n": 1}, "cases": [{"i": 1}], "extra": [1]}},
        {
            "metrics": {"a": 1},
            "details": {"n": 1, "legacy": {"results": {"extra": [1]}}},
            "cases": [{"i": 1}],
        },
        [],
    ),
    "flat": (
        {"results": {"a": 1, "b": True, "c": "x"}},
        {"metrics": {"a": 1}, "details": {"b": True, "c": "x"}},
        [],
    ),
    "text that looks like a number": (
        {"results": {"metrics": {"a": "0.5"}}},
        {"metrics": {}, "details": {"legacy_metrics": {"a": "0.5"}}},
        ["non_numeric_metric"],
    ),
    "scalar details": (
        {"results": {"a": 1}, "details": "d"},
        {"metrics": {"a": 1}, "details": {"value": "d"}},
        [],
    ),
    "artifacts": (
        {
            "results": {"a": 1},
            "files": ["x/log.txt", "s3://b/k", "/abs", {"role": "r", "path": "p"}],
        },
        {
            "metrics": {"a": 1},
            "artifacts": [
                {"role": "file", "path": "x/log.txt"},
                {"role": "file", "uri": "s3://b/k"},
                {"role": "r", "path": "p"},
            ],
            "details": {"legacy": {"files": ["/abs"]}},
        },
        [],
    ),
    "success false": (
        {"results": {"a": 1}, "success": False},
        {
            "status": "error",
            "metrics": {"a": 1},
            "error": {"message": "legacy run marked as failed"},
        },
        [],
    ),
    "success true decided nothing": (
        {"results": {"a": 1}, "success": True},
        {"metrics": {"a": 1}, "details": {"legacy": {"success": True}}},
        [],
    ),
    "failed in capitals": (
        {"results": {"a": 1}, "status": "FAILED"},
        {
            "status": "error",
            "metrics": {"a": 1},
            "error": {"message": "legacy run marked as failed"},
        },
        [],
    ),
    "error inside results": (
        {"results": {"a": 1, "error": "boom"}},
        {"status": "error", "metrics": {"a": 1}, "error": {"message": "boom"}},
        [],
    ),
    "exception with traceback": (
        {"results": {}, "exception": "ValueError: x", "traceback": "tb"},
        {
            "status": "error",
            "metrics": {},
            "error": {"message": "ValueError: x", "traceback": "tb"},
        },
        [],
    ),
    "empty error is no error": (
        {"results": {"a": 1}, "error": ""},
        {"metrics": {"a": 1}, "details": {"legacy": {"error": ""}}},
        [],
    ),
    "other top level keys": (
        {"results": {"a": 1}, "lab": {"k": [1]}},
        {"metrics": {"a": 1}, "details": {"legacy": {"lab": {"k": [1]}}}},
        [],
    ),
}


@pytest.mark.parametrize("case", RESULT_CASES)
def test_old_results_find_their_place(case: str) -> None:
    changes, expected, warnings = RESULT_CASES[case]
    config = {"benchmark": "q", "model": "k", "provider": "p", "started_at": "2030-01-01T00:00:00Z"}
    found = run({"config": config} | changes)
    assert found.document["results"] == {"status": "ok"} | expected
    assert [w.code for w in found.warnings] == warnings


def test_numbers_that_json_cannot_hold_are_kept_as_text() -> None:
    document = json.dumps(legacy()).replace("0.5", "NaN").encode()
    found = migrate(document, "old/a.json")
    assert found.document["results"]["details"] == {"legacy_metrics": {"acc": "NaN"}}
    huge = json.dumps(legacy()).replace("0.5", "1e999").encode()
    kept = migrate(huge, "old/a.json").document["results"]["details"]
    assert kept == {"legacy_metrics": {"acc": "1e999"}}


def test_nan_outside_of_metrics_is_kept_as_text_and_said() -> None:
    document = json.dumps(legacy(details={"loss": 0.125})).replace("0.125", "-Infinity").encode()
    found = migrate(document, "old/a.json")
    assert found.document["results"]["details"] == {"loss": "-Infinity"}
    assert [w.code for w in found.warnings] == ["non_finite_value"]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (legacy(scores={"acc": 0.6}), "conflict"),
        (legacy(results={"metrics": {"x": 1}, "details": {"n": 1}}, details={"n": 2}), "conflict"),
        ({"metrics": {"a": 1}}, "unrecognised_shape"),
        ([1], "unrecognised_shape"),
        ({}, "unrecognised_shape"),
    ],
)
def test_what_contradicts_itself_or_is_not_known_is_refused(document: Any, code: str) -> None:
    assert failure(document).code == code


def test_a_result_that_would_be_invalid_is_never_produced() -> None:
    document = legacy()
    document["metadata"]["end_time"] = "2029-01-01T00:00:00Z"
    assert failure(document).code == "invalid_result"


def test_unreadable_json_is_refused() -> None:
    with pytest.raises(MigrationFailed) as caught:
        migrate(b'{"config": ', "a.json")
    assert caught.value.code == "invalid_json"


def test_a_document_that_only_lacks_its_schema_gets_it() -> None:
    found = run(valid(**{"$schema": ...}), "x/a.json")
    assert (found.outcome, found.document) == ("migrated", valid())


@pytest.mark.parametrize(
    ("path", "new_path"),
    [
        ("outputs/a/b.json", "outputs/a/b.json"),
        ("benchmarks/x/results/b.json", "benchmarks/x/results/b.json"),
        ("conf/b.json", "conf/b.json"),
        ("results/b.json", "outputs/arc/r1.json"),
        ("x/output.json", "outputs/arc/r1.json"),
        ("outputs/x/results.json", "outputs/x/results.json"),
    ],
)
def test_a_valid_document_only_leaves_old_places(path: str, new_path: str) -> None:
    found = run(valid(), path)
    assert (found.outcome, found.new_path) == ("already_v1", new_path)


@pytest.mark.parametrize(
    ("path", "new_path"),
    [
        ("outputs/a/b.json", "outputs/a/b.json"),
        ("outputs/a/metrics.json", "outputs/q/g1.json"),
        ("conf/b.json", "outputs/q/g1.json"),
    ],
)
def test_an_old_document_stays_where_a_good_name_in_a_good_place_is(
    path: str, new_path: str
) -> None:
    assert run(legacy(), path).new_path == new_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain-1.2_x", "plain-1.2_x"),
        ("a b/c:d", "a-b-c-d"),
        ("--x--", "x"),
        ("…", "unnamed"),
        ("Ａ①", "A1"),
        ("..", "unnamed"),
        ("a" * 300, "a" * 120),
    ],
)
def test_names_become_plain_file_names(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_a_run_id_that_would_be_a_generic_name_gets_a_prefix() -> None:
    document = legacy()
    document["metadata"]["run_id"] = "Metrics"
    assert run(document).new_path == "outputs/q/run-Metrics.json"


@pytest.mark.parametrize("name", ["gsm_results.json", "gsm-results.json", "output.json"])
def test_a_name_that_says_nothing_gives_no_run_id(name: str) -> None:
    document = legacy()
    del document["metadata"]["run_id"]
    run_id = run(document, f"old/{name}").document["metadata"]["run"]["id"]
    assert run_id.startswith("legacy-")
    assert run(document, f"elsewhere/{name}").document["metadata"]["run"]["id"] == run_id


@given(legacy_documents())
def test_every_leaf_of_an_old_document_is_found_again(document: dict[str, Any]) -> None:
    found = run(document, "old/some_run.json")
    kept = leaves_of(found.document)
    texts = {str(leaf) for leaf in kept}
    missing = {leaf for leaf in leaves_of(document) if leaf not in kept and str(leaf) not in texts}
    assert missing == set()


@given(legacy_documents())
def test_migrating_twice_changes_nothing_more(document: dict[str, Any]) -> None:
    first = run(document, "old/some_run.json")
    written = serialise(first.document)
    assert check_output(written).errors == ()
    second = migrate(written, first.new_path)
    assert (second.outcome, second.new_path) == ("already_v1", first.new_path)
    assert serialise(second.document) == written


@given(legacy_documents())
def test_the_order_of_keys_does_not_change_the_outcome(document: dict[str, Any]) -> None:
    turned = dict(reversed(list(document.items())))
    assert run(turned, "x/a_run.json").document == run(document, "x/a_run.json").document
