"""What a run leaves behind: where the files are, what they say, that they obey their schemas."""

import hashlib
import json
import math
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from schemas import published
from schemas.version import VERSION
from tests.support.runs import (
    Desk,
    Json,
    Scripted,
    benchmark,
    load,
    rows,
)

ROOT = Path(__file__).parents[3]


def obeys(name: str, document: Json) -> bool:
    return Draft202012Validator(published.stored(name)).is_valid(document)


def git(*args: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *args], check=True, capture_output=True)


def test_both_documents_obey_their_published_schemas(awkward: Json) -> None:
    assert obeys("evaluation-1.0", load(awkward["evaluation"]))
    document = load(awkward["output"])
    assert obeys("output-v1", document)
    assert obeys("run-spec-1.0", document["results"]["details"]["run_spec"])


@pytest.mark.parametrize("n_items", [0, 1, 3])
def test_any_number_of_items_makes_valid_documents(desk: Desk, n_items: int) -> None:
    references = ["a book", {"citation": "a paper", "doi": "10.1/x"}]
    desk.write(benchmark(n_items, references=references))
    result = desk.evaluate()
    evaluation = load(result["evaluation"])
    assert obeys("evaluation-1.0", evaluation)
    assert len(evaluation["items"]) == n_items
    assert len(evaluation["references"]) == 2
    assert obeys("output-v1", load(result["output"]))


def test_the_evaluation_can_be_validated_by_its_own_command(desk: Desk, awkward: Json) -> None:
    assert desk.run("validate", awkward["evaluation"]).code == 0


def test_nothing_but_output_documents_ends_in_json_under_outputs(awkward: Json) -> None:
    found = [path for path in Path("outputs").rglob("*.json")]
    assert [str(path) for path in found] == [awkward["output"]]


def test_files_lie_where_the_contract_says(desk: Desk, awkward: Json) -> None:
    tables = {f"outputs/artifacts/r1/{name}.parquet" for name in awkward["artifacts"]}
    assert desk.files() == tables | {
        "evaluations/small/r1.json",
        "outputs/small/r1.json",
        "run.log",
    }
    assert list(awkward["artifacts"]) == ["prompts", "samples", "verdicts", "metrics"]


LATER = {"question_form", "coherence_frame_id", "provider_error"}


def every_key(value: Json) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(every_key(inner) for inner in value.values()))
    return set().union(*(every_key(inner) for inner in value)) if isinstance(value, list) else set()


def test_a_plain_evaluation_has_no_key_of_a_later_generation(desk: Desk) -> None:
    desk.write(benchmark(3))
    evaluation = load(desk.evaluate()["evaluation"])
    assert not every_key(evaluation) & LATER
    assert None not in evaluation.values()


def test_an_evaluation_says_what_only_later_keys_can_say(desk: Desk, awkward: Json) -> None:
    assert every_key(load(awkward["evaluation"])) & LATER == {"provider_error"}
    frame = "defeasible-coherence-explicit-v1"
    options = ("--question-form", "coherence", "--coherence-frame", frame)
    config = load(desk.evaluate(*options)["evaluation"])["endorsement_config"]
    assert (config["question_form"], config["coherence_frame_id"]) == ("coherence", frame)


@pytest.mark.parametrize(
    ("builders", "ids"),
    [
        pytest.param({}, ("conjunction-and-v1", "disjunction-or-v1"), id="defaults"),
        pytest.param(
            {"premise": {"kind": "template", "template": "Given {expressions}"}},
            ("template:'Given {expressions}':' and '", "disjunction-or-v1"),
            id="own premises",
        ),
        pytest.param(
            # Written out without a joiner, it joins by " and ": that is not the default.
            {"conclusion": {"kind": "template"}},
            ("conjunction-and-v1", "template:'{expressions}':' and '"),
            id="own conclusions",
        ),
        pytest.param(
            {"premise": {"kind": "plugin", "plugin": "builtins:str"}},
            ("plugin:builtins:str", "disjunction-or-v1"),
            id="plugin",
        ),
    ],
)
def test_an_evaluation_names_the_context_builders_that_built_its_prompts(
    desk: Desk, builders: Json, ids: tuple[str, str]
) -> None:
    desk.write(benchmark(2, context_builders=builders))
    config = load(desk.evaluate("--allow-plugins")["evaluation"])["endorsement_config"]
    found = config["context_builder_premise_id"], config["context_builder_conclusion_id"]
    assert found == ids


def test_request_ids_name_run_item_and_sample(awkward: Json) -> None:
    items = load(awkward["evaluation"])["items"]
    ids = [sample["request_id"] for item in items for sample in item["samples"]]
    assert ids == [f"r1:i{i}:sample-{k}" for i in range(5) for k in range(2)]


def test_o_moves_the_evaluation_only(desk: Desk) -> None:
    desk.write()
    result = desk.evaluate("-o", "deep/er/eta.json", "--run-id", "r1")
    assert result["evaluation"] == "deep/er/eta.json"
    assert result["output"] == "outputs/small/r1.json"
    assert not Path("evaluations").exists()
    roles = {a["role"]: a for a in load(result["output"])["results"]["artifacts"]}
    assert roles["evaluation"]["path"] == "deep/er/eta.json"


def test_output_dir_moves_everything(desk: Desk) -> None:
    desk.write()
    result = desk.evaluate("--output-dir", "there", "--run-id", "r1")
    assert all(name.startswith("there/") for name in desk.files())
    assert result["evaluation"] == "there/evaluations/small/r1.json"
    roles = {a["role"]: a for a in load(result["output"])["results"]["artifacts"]}
    assert roles["evaluation"]["path"] == "evaluations/small/r1.json"


def test_an_evaluation_outside_of_the_output_directory_is_named_by_uri(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    desk.write()
    place = tmp_path_factory.mktemp("outside") / "eta.json"
    result = desk.evaluate("-o", str(place))
    assert result["evaluation"] == str(place)
    roles = {a["role"]: a for a in load(result["output"])["results"]["artifacts"]}
    assert roles["evaluation"]["uri"] == place.as_uri()
    assert "path" not in roles["evaluation"]


def test_artifacts_are_named_with_their_digest_and_size(awkward: Json) -> None:
    artifacts = load(awkward["output"])["results"]["artifacts"]
    assert [a["role"] for a in artifacts] == [*awkward["artifacts"], "evaluation"]
    for artifact in artifacts:
        data = Path(artifact["path"]).read_bytes()
        assert artifact["sha256"] == hashlib.sha256(data).hexdigest()
        assert artifact["bytes"] == len(data)


def test_files_obey_the_umask(desk: Desk) -> None:
    desk.write(benchmark(1))
    before = os.umask(0o027)
    try:
        result = desk.evaluate()
    finally:
        os.umask(before)
    assert {Path(result[key]).stat().st_mode & 0o777 for key in ("evaluation", "output")} == {0o640}


def test_tables_say_which_run_and_benchmark_they_belong_to(awkward: Json) -> None:
    for name, path in awkward["artifacts"].items():
        metadata = pq.read_schema(path).metadata
        assert metadata[b"assent.table"] == name.encode()
        assert metadata[b"assent.run_id"] == b"r1"
        assert metadata[b"assent.benchmark_hash"].startswith(b"sha256:")


def numbers(value: Json) -> list[float]:
    if isinstance(value, dict):
        return [n for inner in value.values() for n in numbers(inner)]
    if isinstance(value, list):
        return [n for inner in value for n in numbers(inner)]
    return [value] if isinstance(value, float) else []


def test_no_number_anywhere_is_infinite_or_undefined(awkward: Json) -> None:
    documents = [awkward, load(awkward["output"]), load(awkward["evaluation"])]
    assert all(math.isfinite(number) for number in numbers(documents))
    values = [row["value"] for row in rows(awkward["artifacts"]["metrics"])]
    assert all(value is None or math.isfinite(value) for value in values)


def test_an_undefined_metric_is_absent_and_explained(desk: Desk) -> None:
    bench = benchmark(2)
    for item in bench["items"]:
        item["analyst_verdicts"] = ["abstain", "abstain"]
    desk.write(bench)
    result = desk.evaluate(model="control/always-good")
    results = load(result["output"])["results"]
    table = {row["metric"]: row for row in rows(result["artifacts"]["metrics"])}
    for name, reason in results["details"]["undefined"].items():
        assert name not in results["metrics"]
        assert reason
        assert (table[name]["value"], table[name]["reason"]) == (None, reason)
    assert "cohens_kappa_consensus" in results["details"]["undefined"]
    defined = {name: row["value"] for name, row in table.items() if row["value"] is not None}
    assert defined == results["metrics"]
    assert results["details"]["n"].keys() == table.keys()
    assert result["metrics"]["cohens_kappa[consensus]"] is None


def test_a_run_shows_intervals_chance_and_cautions_beside_its_numbers(desk: Desk) -> None:
    desk.write(benchmark(6))
    result = desk.evaluate(model="control/coin")
    details = load(result["output"])["results"]["details"]
    table = {row["metric"]: row for row in rows(result["artifacts"]["metrics"])}
    interval = details["intervals"]["fleiss_kappa"]
    assert interval["method"] == "dirichlet"
    assert (table["fleiss_kappa"]["low"], table["fleiss_kappa"]["high"]) == (
        interval["lo"],
        interval["hi"],
    )
    assert details["intervals"]["coverage_judged"]["method"] == "wilson"
    assert details["chance"].keys() >= {"fleiss_kappa", "gwet_ac1_consensus"}
    assert details["under_powered"] is True
    assert result["metrics"]["fleiss_kappa_ci"] == interval


def test_metrics_of_a_run_are_those_of_its_evaluation_file(desk: Desk, awkward: Json) -> None:
    options = ("--benchmark", "bench.json", "--ci", "--format", "json")
    again = desk.run("metrics", awkward["evaluation"], *options)
    assert again.json["overall"] == awkward["metrics"]
    assert awkward["metrics"]["n_unjudged_samples"] == 6
    assert awkward["metrics"]["policies"].keys() == {"leave_out", "wrong", "abstain"}


def test_bounds_of_unjudged_samples_are_published(awkward: Json) -> None:
    details = load(awkward["output"])["results"]["details"]
    bounds = details["bounds"]["coverage_judged"]
    # Items 0 and 3 aside, which were read, three may be anything; item 3 is a tie.
    assert bounds == {"lowest": 0.2, "highest": 0.8, "n_open": 3}
    table = [row for row in rows(awkward["artifacts"]["metrics"]) if row["scope"] == "bounds"]
    found = {row["metric"]: (row["low"], row["high"]) for row in table}
    assert found["coverage_judged"] == (0.2, 0.8)


def test_metrics_of_panels_are_named(desk: Desk) -> None:
    analysts = [{"id": f"a{n}", "panel": "north" if n < 2 else "south"} for n in range(4)]
    bench = benchmark(6, analysts=analysts, primary_panel="north")
    for item in bench["items"]:
        item["analyst_verdicts"] = item["analyst_verdicts"] * 2
    desk.write(bench)
    metrics = load(desk.evaluate()["output"])["results"]["metrics"]
    assert metrics.keys() >= {"inter_analyst_fleiss_primary", "cross_panel_kappa"}


def test_the_provenance_block_names_everything_the_run_rests_on(desk: Desk) -> None:
    path = desk.write()
    options = ("--seed", "5", "--epoch", "monday", "--temperature", "0.5", "--stop", "END")
    result = desk.evaluate(*options)
    document = load(result["output"])
    block = document["results"]["details"]["provenance"]
    assert block["benchmark"] == {
        "id": "small",
        "hash": load(result["evaluation"])["benchmark_hash"],
        "file_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    assert block["model"] == {
        "provider": "control",
        "model_id": "coin",
        "recording_sha256": None,
        "base_url": None,
        "parameters": {"temperature": 0.5, "max_tokens": 1024, "seed": 5, "stop": ["END"]},
        "seeds": [5, 9],
        "epoch": "monday",
    }
    assert block["prompts"]["n"] == 4
    assert block["prompts"]["prompt_id"] == "default-v1"
    assert block["samples"]["n"] == 20
    assert block["samples"]["n_failed"] == 0
    keys = "".join(row["request_key"] for row in rows(result["artifacts"]["samples"]))
    assert block["samples"]["request_digest"] == hashlib.sha256(keys.encode()).hexdigest()
    assert block["verdicts"]["parser"] == "final-answer"
    assert (block["engine"], block["sandbox"]) == ("embedded", None)
    assert block["environment"]["assent"] == VERSION
    assert block["environment"]["packages"].keys() >= {"numpy", "pyarrow", "pydantic"}
    lock = (ROOT / "requirements.lock").read_bytes()
    assert block["environment"]["lock_sha256"] == hashlib.sha256(lock).hexdigest()
    for stage in ("prompts", "samples", "verdicts", "metrics"):
        assert len(block[stage]["sha256"]) == 64
    host = document["metadata"]["run"]["host"]
    assert host.keys() == {"os", "python", "hostname"}


def test_a_recording_is_part_of_the_provenance(desk: Desk, awkward: Json) -> None:
    model = load(awkward["output"])["results"]["details"]["provenance"]["model"]
    recording = (desk.path / "replies.jsonl").read_bytes()
    assert model["recording_sha256"] == hashlib.sha256(recording).hexdigest()
    assert model["model_id"] == "model-7"


def test_outside_of_a_repository_there_is_no_git_block(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(desk.path.parent))
    desk.write(benchmark(1))
    assert "git" not in load(desk.evaluate()["output"])["metadata"]["run"]


def test_our_own_files_do_not_make_a_repository_dirty(desk: Desk) -> None:
    bench = desk.write(benchmark(1))
    for name in (".assent", "evaluations", "outputs", "studies"):
        Path(name).mkdir()
        Path(name, "kept.txt").write_text("kept")
    git("init", "-q")
    git("add", "-f", ".")
    git("commit", "-q", "-m", "first")
    for name in (".assent", "evaluations", "outputs", "studies"):
        Path(name, "kept.txt").write_text("changed")
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    state = load(desk.evaluate()["output"])["metadata"]["run"]["git"]
    assert state == {"commit": head.stdout.strip(), "dirty": False}
    bench.write_text(bench.read_text() + "\n")
    state = load(desk.evaluate()["output"])["metadata"]["run"]["git"]
    assert state["dirty"] is True


def test_a_change_elsewhere_in_the_repository_makes_it_dirty(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.path / "code.py").write_text("1")
    work = desk.path / "work"
    work.mkdir()
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    (desk.path / "code.py").write_text("2")
    bench = desk.write(benchmark(1))
    monkeypatch.chdir(work)
    state = load(desk.evaluate(bench=str(bench))["output"])["metadata"]["run"]["git"]
    assert state["dirty"] is True


def test_usage_and_ids_of_a_provider_reach_tables_and_evaluation(
    desk: Desk, use_provider: Callable[[Scripted], Scripted]
) -> None:
    from tasks.sampling.records import Reply

    class Counting(Scripted):
        async def complete(self, request: Json) -> Reply:
            usage = {"input_tokens": 12, "output_tokens": True, "cached": 3}
            return Reply("GOOD", "m", "stop", 5.5, usage, 7, "req-1")

    desk.write(benchmark(1))
    use_provider(Counting({}))
    result = desk.evaluate("--n-samples", "1")
    row = rows(result["artifacts"]["samples"])[0]
    assert json.loads(row["usage_json"]) == {
        "cached": 3,
        "input_tokens": 12,
        "output_tokens": True,
    }
    assert (row["input_tokens"], row["output_tokens"]) == (12, None)
    assert (row["provider_request_id"], row["wall_time_ms"]) == ("req-1", 5.5)
    sample = load(result["evaluation"])["items"][0]["samples"][0]
    assert (sample["usage"], sample["reasoning_tokens"]) == ({"input_tokens": 12}, 7)


def test_a_document_that_breaks_its_own_schema_is_never_written() -> None:
    from tasks.outputs.gate import NotAsPublished, require_valid

    with pytest.raises(NotAsPublished, match=r"output-v1: \$"):
        require_valid("output-v1", {"schema_version": "v2"})
    with pytest.raises(NotAsPublished, match=r"evaluation-1\.0 \(EvaluationItem\)"):
        require_valid("evaluation-1.0", {"id": 3}, "EvaluationItem")
