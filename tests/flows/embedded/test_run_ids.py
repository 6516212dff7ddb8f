"""Names of runs and benchmarks, and everything else that is refused before anything runs."""

import os
from pathlib import Path

import pytest

from tests.support.runs import Desk, Json, benchmark, load


def snapshot(desk: Desk) -> dict[str, bytes]:
    return {name: (desk.path / name).read_bytes() for name in desk.files()}


def refused(desk: Desk, *args: str, **where: str) -> Json:
    """The only error of a command that ends with exit 2 and changes nothing."""
    before = snapshot(desk)
    outcome = desk.try_evaluate(*args, **where)
    assert outcome.code == 2, outcome
    assert snapshot(desk) == before
    (error,) = outcome.json["errors"]
    return error


def test_the_same_run_id_with_the_same_settings_replaces_the_files(desk: Desk) -> None:
    desk.write()
    first = desk.evaluate("--run-id", "r1")
    before = load(first["output"])["metadata"]["run"]["started_at"]
    second = desk.evaluate("--run-id", "r1")
    assert first["output"] == second["output"]
    assert load(second["output"])["metadata"]["run"]["started_at"] > before
    assert len(desk.files()) == 6


@pytest.mark.parametrize(
    "change",
    [
        ("--n-samples", "3"),
        ("--temperature", "0.5"),
        ("--epoch", "e"),
        ("--tie-break", "good"),
        ("--limit", "1"),
        ("--max-failed", "1"),
        ("--no-strip-tex",),
    ],
    ids=" ".join,
)
def test_the_same_run_id_with_other_settings_is_refused(desk: Desk, change: tuple[str]) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    error = refused(desk, "--run-id", "r1", *change)
    assert error["code"] == "run_id_taken"
    assert "'r1'" in error["message"]


def test_how_hard_to_work_is_no_setting_of_the_run(desk: Desk) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    desk.evaluate("--run-id", "r1", "--concurrency", "2", "--timeout", "9", "--log", "run.log")


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (benchmark(5), "other.json"),
        (benchmark(5, id="second"), "other.json"),
        (benchmark(4, id="second"), "bench.json"),
    ],
    ids=["another file", "another benchmark", "renamed in place"],
)
def test_the_same_run_id_on_another_benchmark_is_refused(
    desk: Desk, other: Json, name: str
) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    desk.write(other, name)
    assert refused(desk, "--run-id", "r1", bench=name)["code"] == "run_id_taken"


def test_a_run_on_an_edited_benchmark_replaces_the_run_of_the_same_id(desk: Desk) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    desk.write(benchmark(5))
    assert desk.evaluate("--run-id", "r1")["metrics"]["n"] == 5


def test_a_run_id_in_another_output_directory_is_free(desk: Desk) -> None:
    desk.write()
    desk.evaluate("--run-id", "r1")
    desk.evaluate("--run-id", "r1", "--n-samples", "2", "--output-dir", "elsewhere")


def test_a_file_of_somebody_else_is_not_replaced(desk: Desk) -> None:
    desk.write()
    Path("outputs/small").mkdir(parents=True)
    Path("outputs/small/r1.json").write_text("{}")
    refused(desk, "--run-id", "r1")


def test_a_cycle_checks_the_run_id_of_every_wording(desk: Desk) -> None:
    bench = benchmark(2)
    bench["bearers"]["claim0"]["paraphrases"] = ["claim zero"]
    desk.write(bench)
    desk.evaluate("--run-id", "c-v1")
    assert refused(desk, "--run-id", "c", "--paraphrase-cycle")["code"] == "run_id_taken"


@pytest.mark.parametrize(
    "run_id",
    [
        *("", " ", "a/b", "a\\b", "..", ".hidden", "output", "Results", "METRICS", "eval"),
        *("a\x07b", "a\nb", "\u202eb", "x" * 201, "é" * 101),
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_a_run_id_that_is_no_plain_name_is_refused(desk: Desk, run_id: str) -> None:
    desk.write()
    assert refused(desk, "--run-id", run_id)["code"] == "bad_run_id"


@pytest.mark.parametrize("run_id", ["x" * 200, "*", "[ab]?", "a b", "-x", "ünïcode", "{}%s"])
def test_an_unusual_but_plain_run_id_works(desk: Desk, run_id: str) -> None:
    desk.write(benchmark(1))
    result = desk.evaluate("--run-id", run_id)
    assert Path(result["output"]).stem == run_id
    desk.evaluate("--run-id", run_id)
    assert desk.run("show", "--", run_id).code == 0
    refused(desk, "--run-id", run_id, "--n-samples", "2")


@pytest.mark.parametrize(
    "name",
    ["", " ", "a/b", "../up", "a\\b", ".hidden", "schemas", "artifacts", "a\x00b", "x" * 201],
    ids=lambda text: ascii(text)[:20],
)
def test_a_benchmark_id_that_cannot_name_a_directory_is_refused(desk: Desk, name: str) -> None:
    desk.write(benchmark(1, id=name))
    outcome = desk.try_evaluate()
    assert outcome.code == 2
    assert desk.files() == set()


@pytest.mark.parametrize(
    ("args", "where", "code", "known"),
    [
        ((), {"model": "gpt"}, "bad_model", "control/coin"),
        ((), {"model": "/coin"}, "bad_model", "control/coin"),
        ((), {"model": "control/"}, "bad_model", "control/coin"),
        ((), {"model": "nobody/coin"}, "unknown_model", "replay/"),
        ((), {"model": "control/dice"}, "unknown_model", "control/always-good"),
        (("--tag", "blue"), {}, "unknown_tag", "even, odd"),
        (("--items", "i9"), {}, "unknown_item", "i0, i1, i2, i3"),
        (("--paraphrase-variant", "3"), {}, "unknown_variant", "0 to 0"),
        (
            ("--question-form", "coherence", "--coherence-frame", "x"),
            {},
            "unknown_frame",
            "thin-v1",
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict | tuple) else None,
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    desk: Desk, args: tuple[str, ...], where: dict[str, str], code: str, known: str
) -> None:
    desk.write()
    error = refused(desk, *args, **where)
    assert error["code"] == code
    assert known in error["fix"]


def test_many_known_names_are_cut_short(desk: Desk) -> None:
    desk.write(benchmark(30))
    assert refused(desk, "--items", "zzz")["fix"].endswith("and 10 more")


def test_a_benchmark_without_tags_knows_none(desk: Desk) -> None:
    bench = benchmark(1)
    del bench["items"][0]["tags"]
    desk.write(bench)
    assert refused(desk, "--tag", "x")["fix"] == "known: none"


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (("--fresh", "--epoch", "e"), "--fresh"),
        (("--paraphrase-cycle", "--paraphrase-variant", "1"), "--paraphrase-cycle"),
        (("--n-samples", "0"), "--n-samples"),
        (("--temperature", "nan"), "--temperature"),
        (("--timeout", "-1"), "--timeout"),
        (("--top-p", "2"), "--top-p"),
        (("--seed", str(2**64)), "--seed"),
        (("--max-tokens", str(2**64)), "--max-tokens"),
        (("--limit", str(2**64)), "--limit"),
        (("--concurrency", "1000000000"), "--concurrency"),
        (("--max-failed", "1.5"), "--max-failed"),
        (("--stop", "\udcff"), "--stop"),
        (("--epoch", "\udcff"), "--epoch"),
        (("-o", "folder"), "-o"),
        (("--log", "folder"), "--log"),
        (("-o", "bench.json"), "-o"),
        (("--log", "./bench.json"), "--log"),
        (("--output-dir", "bench.json"), "--output-dir"),
        (("--run-id", "r", "-o", "outputs/small/r.json"), "-o"),
        (("--run-id", "r", "--log", "./outputs/small/r.json"), "--log"),
        (("-o", "eta.json", "--log", "folder/../eta.json"), "--log"),
    ],
    ids=lambda value: ascii(value)[:50],
)
def test_an_impossible_option_is_named(desk: Desk, args: tuple[str, ...], option: str) -> None:
    desk.write()
    (desk.path / "folder").mkdir()
    before = (desk.path / "bench.json").read_bytes()
    assert option in refused(desk, *args)["message"]
    assert (desk.path / "bench.json").read_bytes() == before


def test_an_invalid_benchmark_is_refused_with_every_problem(desk: Desk) -> None:
    bench = benchmark(2)
    bench["items"][0]["premises"] = ["nobody"]
    bench["items"][1]["analyst_verdicts"] = ["good"]
    desk.write(bench)
    outcome = desk.try_evaluate()
    assert (outcome.code, len(outcome.json["errors"])) == (2, 2)
    assert desk.files() == set()


def test_a_missing_benchmark_is_refused(desk: Desk) -> None:
    outcome = desk.try_evaluate(bench="nowhere.json")
    assert (outcome.code, outcome.json["errors"][0]["code"]) == (2, "unreadable")


def test_a_benchmark_that_changes_between_two_looks_is_refused(desk: Desk) -> None:
    from schemas.errors import UserError
    from tasks.validate import fingerprint, validate_benchmark

    path = desk.write()
    digest = fingerprint(str(path))
    desk.write(benchmark(2))
    with pytest.raises(UserError, match="changed while it was read"):
        validate_benchmark(str(path), digest)


def test_the_default_run_ids_differ_and_sort_by_time(desk: Desk) -> None:
    desk.write(benchmark(1))
    ids = [desk.evaluate()["run_id"] for _ in range(3)]
    assert len(set(ids)) == 3
    moments = [run_id[: len("20260101-120000")] for run_id in ids]
    assert moments == sorted(moments)


@pytest.mark.parametrize("option", ["-o", "--log"])
@pytest.mark.parametrize("place", [".assent/samples.sqlite", "pipe", "replies.jsonl"])
def test_what_must_not_be_replaced_is_refused(desk: Desk, option: str, place: str) -> None:
    desk.write()
    desk.evaluate()
    (desk.path / "replies.jsonl").write_text('{"prompt_hash": "h", "text": "GOOD"}\n')
    os.mkfifo(desk.path / "pipe")
    before = (desk.path / "replies.jsonl").read_bytes()
    outcome = desk.try_evaluate(option, place, model="replay/replies.jsonl")
    assert outcome.code == 2
    assert outcome.json["errors"][0]["code"] == "bad_option"
    assert (desk.path / "replies.jsonl").read_bytes() == before


@pytest.mark.parametrize("selection", [("--limit", "0"), ("--tag", "a", "--items", "i1")])
def test_a_selection_that_leaves_nothing_is_refused(desk: Desk, selection: tuple[str]) -> None:
    document = benchmark(2)
    document["items"][0]["tags"] = ["a"]
    desk.write(document)
    assert refused(desk, *selection)["code"] == "nothing_selected"
