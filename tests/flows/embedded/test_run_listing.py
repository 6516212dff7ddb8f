"""`assent runs` and `assent show`: what was run, and what one item got."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.runs import Desk, Json, benchmark, load, record, write_lines


def errors(outcome: Json) -> Json:
    assert outcome.code == 2, outcome
    (error,) = outcome.json["errors"]
    return error


def test_without_runs_the_list_is_empty(desk: Desk) -> None:
    assert desk.run("runs").out == "no runs yet\n"
    assert desk.run("runs", "--format", "json").json == {"runs": []}


def test_runs_are_listed_oldest_first(desk: Desk) -> None:
    desk.write()
    desk.write(benchmark(2, id="another"), "other.json")
    desk.evaluate("--run-id", "z-first")
    desk.evaluate("--run-id", "a-second", bench="other.json")
    listed = desk.run("runs", "--format", "json").json["runs"]
    assert [(run["run_id"], run["benchmark"], run["model"]) for run in listed] == [
        ("z-first", "small", "control/coin"),
        ("a-second", "another", "control/coin"),
    ]
    text = desk.run("runs").out.splitlines()
    assert [line.split()[0] for line in text] == ["z-first", "a-second"]


def test_a_run_without_kappa_is_listed_as_undefined(desk: Desk) -> None:
    bench = benchmark(1)
    bench["items"][0]["analyst_verdicts"] = ["abstain", "abstain"]
    desk.write(bench)
    desk.evaluate()
    assert desk.run("runs").out.endswith("kappa undefined\n")


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", '{"results": {"details": {"run_spec": {}}}, "metadata": {"run": {"id": 1}}}'],
)
def test_a_foreign_file_among_the_outputs_is_passed_over(desk: Desk, content: str) -> None:
    desk.write(benchmark(1))
    desk.evaluate("--run-id", "mine")
    for folder in ("small", "schemas", "artifacts"):
        Path("outputs", folder).mkdir(exist_ok=True)
        Path("outputs", folder, "theirs.json").write_text(content)
    listed = desk.run("runs", "--format", "json")
    assert [run["run_id"] for run in listed.json["runs"]] == ["mine"]


def test_a_document_of_another_tool_is_no_run_of_ours(desk: Desk) -> None:
    desk.write(benchmark(1))
    document = load(desk.evaluate("--run-id", "mine")["output"])
    del document["results"]["details"]
    Path("outputs/small/theirs.json").write_text(json.dumps(document))
    assert len(desk.run("runs", "--format", "json").json["runs"]) == 1
    error = errors(desk.run("show", "outputs/small/theirs.json", "--format", "json"))
    assert error["code"] == "unknown_run"


def test_show_gives_the_figures_and_every_item(desk: Desk) -> None:
    desk.write()
    result = desk.evaluate("--run-id", "r1")
    shown = desk.run("show", "r1", "--format", "json").json
    document = load(result["output"])
    assert shown["metrics"] == document["results"]["metrics"]
    assert [case["id"] for case in shown["items"]] == ["i0", "i1", "i2", "i3"]
    assert shown["command"] == document["metadata"]["run"]["command"]
    text = desk.run("show", "r1").out
    assert "repeat with: assent evaluate bench.json --model control/coin" in text
    assert sum(" votes " in line for line in text.splitlines()) == 4


def test_show_takes_the_path_of_an_output_document(desk: Desk) -> None:
    desk.write()
    result = desk.evaluate("--output-dir", "there")
    by_path = desk.run("show", result["output"], "i0", "--format", "json")
    by_name = desk.run("show", result["run_id"], "i0", "--output-dir", "there", "--format", "json")
    assert by_path.json == by_name.json


def test_show_item_gives_prompt_replies_and_votes(desk: Desk) -> None:
    desk.write(benchmark(2))
    replies = [record("claim 0 holds", "I think\nGOOD"), record("claim 0 holds", "hm")]
    write_lines(desk.path / "replies.jsonl", replies)
    options = ("--run-id", "r1", "--n-samples", "2", "--max-failed", "1")
    desk.evaluate(*options, model="replay/replies.jsonl")
    found = desk.run("show", "r1", "i0", "--format", "json").json
    assert found["prompt"]["user"].endswith("claim 0 holds\nVerdict:")
    assert [(s["text"], s["parsed_verdict"], s["parse_status"]) for s in found["samples"]] == [
        ("I think\nGOOD", "good", "ok"),
        ("hm", "abstain", "unparseable"),
    ]
    text = desk.run("show", "r1", "i0").out
    assert "  | Conclusion: claim 0 holds\n" in text
    assert "  [0] good (ok)\n      I think\n      GOOD\n" in text
    missing = desk.run("show", "r1", "i1").out
    assert missing.startswith("i1: missing, panel ")
    assert "no recorded reply" in missing


def test_an_unknown_run_is_refused_with_the_latest_ones(desk: Desk) -> None:
    assert errors(desk.run("show", "x", "--format", "json"))["fix"] == "latest runs: none yet"
    desk.write(benchmark(1))
    desk.evaluate("--run-id", "r1")
    assert errors(desk.run("show", "x", "--format", "json"))["fix"] == "latest runs: r1"
    assert desk.run("show", "x.json").code == 2


def test_an_unknown_item_is_refused_with_the_known_ones(desk: Desk) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    error = errors(desk.run("show", "r1", "i9", "--format", "json"))
    assert (error["code"], error["fix"]) == ("unknown_item", "items: i0, i1, i2, i3")


@pytest.mark.parametrize("harm", ["gone", "cut", "emptied"])
def test_a_run_whose_tables_are_gone_still_shows_its_figures(desk: Desk, harm: str) -> None:
    desk.write()
    result = desk.evaluate("--run-id", "r1")
    table = Path(result["artifacts"]["samples"])
    match harm:
        case "gone":
            shutil.rmtree(table.parent)
        case "cut":
            table.write_bytes(table.read_bytes()[:100])
        case "emptied":
            table.write_bytes(b"")
    assert desk.run("show", "r1").code == 0
    error = errors(desk.run("show", "r1", "i0", "--format", "json"))
    assert error["code"] == "missing_table"
    assert "assent evaluate bench.json" in error["fix"]
    desk.evaluate("--run-id", "r1")
    assert desk.run("show", "r1", "i0").code == 0


def test_a_document_without_artifacts_has_no_tables(desk: Desk) -> None:
    desk.write(benchmark(1))
    path = Path(desk.evaluate("--run-id", "r1")["output"])
    document = load(path)
    del document["results"]["artifacts"]
    path.write_text(json.dumps(document))
    assert errors(desk.run("show", "r1", "i0", "--format", "json"))["code"] == "missing_table"


def test_a_name_that_two_runs_have_must_be_given_as_a_path(desk: Desk) -> None:
    desk.write(benchmark(1))
    result = desk.evaluate("--run-id", "r1")
    shutil.copytree("outputs/small", "outputs/copied")
    error = errors(desk.run("show", "r1", "--format", "json"))
    assert error["code"] == "ambiguous_run"
    assert result["output"] in error["fix"]
    assert desk.run("show", result["output"]).code == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "invalid_json"),
        ('{"$schema": "x", "schema_version": "v9"}', "unknown_version"),
        ('{"metadata": {}, "metrics": {}}', "legacy_shape"),
        ('{"a": 1}', "required"),
    ],
    ids=["broken", "later version", "old shape", "something else"],
)
def test_a_named_file_that_cannot_be_shown_says_why(desk: Desk, text: str, code: str) -> None:
    (desk.path / "some.json").write_text(text)
    outcome = desk.run("show", "some.json", "--format", "json")
    assert outcome.code == 2
    assert code in {error["code"] for error in outcome.json["errors"]}
