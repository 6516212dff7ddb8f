import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.outputs.paths import (
    classify,
    explain,
    is_allowed,
    is_deprecated,
    normalise,
    patterns,
    schema_version_for,
)

SEGMENTS = st.sampled_from(
    ["outputs", "results", "benchmarks", "schemas", "a", ".", "", "output.json", "x.json", "..."]
)


@pytest.mark.parametrize(
    ("path", "status", "rule"),
    [
        ("outputs/a.json", "allowed", "canonical_outputs_dir"),
        ("outputs/b/c/d.json", "allowed", "canonical_outputs_dir"),
        ("outputs/.hidden.json", "allowed", "canonical_outputs_dir"),
        ("outputs/schemas/benchmark_schema.json", "excluded", "schema_dir"),
        ("outputs/schemas", "excluded", "schema_dir"),
        ("outputs/schemas.json", "allowed", "canonical_outputs_dir"),
        ("outputs/a.jsonl", "unknown", None),
        ("outputs/A.JSON", "unknown", None),
        ("Outputs/a.json", "unknown", None),
        ("benchmarks/x/results/y.json", "allowed", "benchmarks_results_dir"),
        ("benchmarks/results/y.json", "allowed", "benchmarks_results_dir"),
        ("benchmarks/x/result/y.json", "unknown", None),
        ("benchmarks/x/results.json", "deprecated", "legacy_generic_name"),
        ("results/a.json", "deprecated", "legacy_results_root"),
        ("results/a/b.json", "deprecated", "legacy_results_root"),
        ("sub/results/a.json", "unknown", None),
        ("output.json", "deprecated", "legacy_benchmark_output_json"),
        ("x/OUTPUT.JSON", "deprecated", "legacy_benchmark_output_json"),
        ("x/metrics.json", "deprecated", "legacy_generic_name"),
        ("x/Eval.json", "deprecated", "legacy_generic_name"),
        ("x/my_results.json", "unknown", None),
        ("conf/a.json", "unknown", None),
    ],
)
def test_the_first_rule_that_matches_decides(path: str, status: str, rule: str | None) -> None:
    found = classify(path)
    assert (found.status, found.rule) == (status, rule)


@pytest.mark.parametrize(
    ("path", "normalized"),
    [
        ("outputs//x///a.json", "outputs/x/a.json"),
        ("./outputs/./a.json", "outputs/a.json"),
        ("outputs\\x\\a.json", "outputs/x/a.json"),
        (".outputs/a.json", ".outputs/a.json"),
        ("outputs/..json", "outputs/..json"),
        ("../outputs/a.json", None),
        ("outputs/x/../a.json", None),
        ("/outputs/a.json", None),
        ("C:/outputs/a.json", None),
        ("C:\\outputs\\a.json", None),
        ("outputs/a\nb.json", None),
        ("outputs/a\x7fb.json", None),
        ("", None),
        ("./.", None),
    ],
)
def test_a_path_is_normalised_and_never_resolved(path: str, normalized: str | None) -> None:
    assert normalise(path) == normalized


def test_a_generic_name_in_a_place_for_results_is_flagged() -> None:
    assert classify("outputs/x/Results.json").flags == ("generic_name",)
    assert classify("outputs/x/run-1.json").flags == ()


def test_versions_belong_to_recognised_places_only() -> None:
    found = [schema_version_for(p) for p in ("outputs/a.json", "results/a.json", "a.json")]
    assert found == ["v1", "v1", None]
    assert is_allowed("outputs/a.json")
    assert is_deprecated("results/a.json")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("outputs/a.json", "outputs/a.json: allowed by canonical_outputs_dir, version v1"),
        ("outputs/metrics.json", "version v1; the file name says nothing"),
        ("results/a.json", "migrate"),
        ("conf/a.json", "outputs/**/*.json"),
        ("../a.json", "invalid"),
        ("outputs/schemas/x", "not a result"),
    ],
)
def test_the_explanation_is_one_line_that_says_what_to_do(path: str, words: str) -> None:
    assert words in explain(path)
    assert "\n" not in explain(path)


def test_the_patterns_of_good_places_are_listed() -> None:
    assert patterns() == ("outputs/**/*.json", "benchmarks/**/results/**/*.json")
    assert "**/output.json" in patterns(include_deprecated=True)


@given(st.lists(SEGMENTS, min_size=1, max_size=6).map("/".join))
def test_classifying_is_stable_under_normalisation(path: str) -> None:
    found = classify(path)
    if found.normalized is None:
        assert found.status == "invalid"
    else:
        again = classify(found.normalized)
        assert again == found._replace(path=found.normalized)


@given(st.text(max_size=30))
def test_any_text_is_classified(path: str) -> None:
    assert classify(path).status in {"allowed", "deprecated", "excluded", "unknown", "invalid"}


@pytest.mark.parametrize("tail", ["x.json", "x.txt", "output.json"])
def test_long_hostile_paths_take_linear_time(tail: str) -> None:
    path = "benchmarks/" + "results/" * 50_000 + tail
    started = time.perf_counter()
    classify(path)
    assert time.perf_counter() - started < 5  # hours, if matching were exponential
