import json
from typing import Any

import pytest
from hypothesis import given

from tasks.outputs.migration import MigrationFailed, migrate, serialise, slug
from tasks.outputs.validation import check_output
from tests.support.output_documents import (
    leaves_of,
    legacy,
    legacy_documents,
    tangled_documents,
    valid,
)

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
    "before 1970": (
        {"started_at": -0.25},
        ("run", "started_at"),
        "1969-12-31T23:59:59.75Z",
    ),
    "a billionth of a second": (
        {"started_at": 1e-9},
        ("run", "started_at"),
        "1970-01-01T00:00:00.000000001Z",
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


def test_a_host_keeps_its_own_name_and_the_other_is_left_over() -> None:
    document = legacy()
    document["metadata"] |= {"host": {"hostname": "a", "os": "x"}, "hostname": "b"}
    found = run(document).document
    assert found["metadata"]["run"]["host"] == {"hostname": "a", "os": "x"}
    assert found["results"]["details"]["legacy"]["metadata"] == {"hostname": "b"}


@pytest.mark.parametrize("time", [1e300, -1e300, 1e15, "soon", "2030-02-30", True])
def test_what_is_no_time_is_missing(time: Any) -> None:
    document = legacy()
    document["metadata"]["started_at"] = time
    assert failure(document).missing == ("$.metadata.run.started_at",)


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


def test_what_is_given_by_hand_wins_and_the_loser_is_kept() -> None:
    found = run(legacy(), given={"metadata.model.name": "given"})
    assert found.document["metadata"]["model"]["name"] == "given"
    assert found.document["results"]["details"]["legacy"]["metadata"] == {"model": "k"}
    assert [w.code for w in found.warnings] == ["conflict"]


def test_parameters_that_clash_are_kept_apart() -> None:
    config = {
        "model": {"name": "other", "seed": 1, "size": 2},
        "parameters": {"seed": 0, "temperature": 1},
        "temperature": 2,
    }
    found = run(legacy(config=config)).document
    assert found["metadata"]["model"]["parameters"] == {"seed": 0, "temperature": 1, "size": 2}
    assert found["results"]["details"]["legacy"]["config"] == {
        "model": {"name": "other", "seed": 1},
        "temperature": 2,
    }


def test_a_config_without_further_keys_leaves_no_parameters() -> None:
    found = run(legacy(config={"model": "k", "run": {}})).document
    assert "parameters" not in found["metadata"]["model"]


def test_values_of_the_wrong_kind_are_left_over() -> None:
    odd = {"tags": ["a", None], "git_dirty": "yes", "cmd": [1], "host": "h", "suite": [1]}
    document = legacy()
    document["metadata"] |= odd
    assert run(document).document["results"]["details"]["legacy"]["metadata"] == odd


def test_a_document_with_a_version_only_is_rebuilt_from_what_it_has() -> None:
    found = run({"schema_version": "v0", "lab": "x"}, given=SUPPLIED)
    assert found.document["results"]["details"] == {"legacy": {"lab": "x", "schema_version": "v0"}}


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
    "list of cases beside metrics": (
        {"results": [1], "metrics": {"a": 1}},
        {"metrics": {"a": 1}, "cases": [{"value": 1}]},
        [],
    ),
    "results of another kind": (
        {"results": "good", "metrics": 5},
        {"metrics": {}, "details": {"legacy": {"metrics": 5, "results": "good"}}},
        [],
    ),
    "nested as v1 has it": (
        {
            "results": {
                "status": "ok",
                "scores": {"a": 1},
                "metrics": [2],
                "cases": [1],
                "artifacts": "x/log.txt",
            }
        },
        {
            "metrics": {"a": 1},
            "artifacts": [{"role": "file", "path": "x/log.txt"}],
            "details": {"legacy": {"results": {"metrics": [2], "cases": [1]}}},
        },
        [],
    ),
    "one artifact of another kind": (
        {"results": {}, "files": 5},
        {"metrics": {}, "details": {"legacy": {"files": 5}}},
        [],
    ),
    "versions of other formats": (
        {"results": {}, "$schema": "s", "schema_version": 3},
        {"metrics": {}, "details": {"legacy": {"$schema": "s", "schema_version": 3}}},
        [],
    ),
    "metadata of another kind": (
        {"results": {}, "metadata": "by hand"},
        {"metrics": {}, "details": {"legacy": {"metadata": "by hand"}}},
        [],
    ),
    "no error at all": (
        {"results": {"a": 1}, "error": False, "exception": 0},
        {"metrics": {"a": 1}, "details": {"legacy": {"error": False, "exception": 0}}},
        [],
    ),
    "error as a rate": ({"results": {"error": 0.05}}, {"metrics": {"error": 0.05}}, []),
    "kind of error without a message": (
        {"results": {}, "error": {"type": "OOM", "code": 7}},
        {
            "status": "error",
            "metrics": {},
            "error": {"message": "legacy run marked as failed", "type": "OOM"},
            "details": {"legacy": {"error": {"code": 7}}},
        },
        [],
    ),
    "two errors and two tracebacks": (
        {
            "results": {},
            "error": {"message": "x", "traceback": "A"},
            "exception": "y",
            "traceback": "B",
        },
        {
            "status": "error",
            "metrics": {},
            "error": {"message": "x", "traceback": "A"},
            "details": {"legacy": {"exception": "y", "traceback": "B"}},
        },
        [],
    ),
    "an error that is a list": (
        {"results": {}, "error": ["x"]},
        {
            "status": "error",
            "metrics": {},
            "error": {"message": "legacy run marked as failed"},
            "details": {"legacy": {"error": ["x"]}},
        },
        [],
    ),
    "artifacts that do not fit": (
        {"results": {}, "artifacts": [{"role": "r", "path": "../x"}, {"role": "r", "path": 5}]},
        {
            "metrics": {},
            "details": {
                "legacy": {"artifacts": [{"role": "r", "path": "../x"}, {"role": "r", "path": 5}]}
            },
        },
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
    details = {"loss": 0.125, "losses": [0.125, 1.5, "x"]}
    document = json.dumps(legacy(details=details)).replace("0.125", "-Infinity").encode()
    found = migrate(document, "old/a.json")
    assert found.document["results"]["details"] == {
        "loss": "-Infinity",
        "losses": ["-Infinity", 1.5, "x"],
    }
    assert [w.code for w in found.warnings] == ["non_finite_value"]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (legacy(scores={"acc": 0.6}), "conflict"),
        (legacy(metrics={"acc": "a"}, scores={"acc": "b"}), "conflict"),
        (legacy(metrics={"acc": "a"}, details={"legacy_metrics": 1}), "conflict"),
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


@given(tangled_documents())
def test_no_leaf_is_lost_however_known_keys_are_tangled(document: dict[str, Any]) -> None:
    texts = {text for text in leaves_of(document) if isinstance(text, str)}
    try:
        written = serialise(run(document, "old/some_run.json", given=SUPPLIED).document)
    except MigrationFailed as error:
        refused = error.code
    else:
        assert {text for text in texts if text not in written.decode()} == set()
        assert check_output(written).errors == ()
        return
    assert refused in {"conflict", "invalid_result"}


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
