"""What is paid for once is not paid for again, and nothing else is reused."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.runs import (
    Desk,
    Json,
    benchmark,
    differences,
    keys,
    load,
    paraphrased,
    rows,
    samples,
)


def counts(result: Json) -> tuple[int, int, int]:
    return result["calls"], result["reused"], result["failed"]


def test_an_identical_rerun_asks_nobody(desk: Desk) -> None:
    desk.write()
    assert counts(desk.evaluate()) == (20, 0, 0)
    assert counts(desk.evaluate()) == (0, 20, 0)


def test_an_identical_rerun_differs_in_run_id_and_times_only(desk: Desk) -> None:
    desk.write()
    one, two = desk.evaluate(), desk.evaluate()
    evaluations = load(one["evaluation"]), load(two["evaluation"])
    assert differences(*evaluations) == {
        "$.id",
        "$.started_at",
        "$.finished_at",
        "$.items[*].samples[*].request_id",
    }
    documents = load(one["output"]), load(two["output"])
    in_artifacts = {f"$.results.artifacts[*].{key}" for key in ("path", "sha256", "bytes")}
    assert differences(*documents) - in_artifacts == {
        "$.metadata.run.id",
        "$.metadata.run.started_at",
        "$.metadata.run.finished_at",
    }


@pytest.mark.parametrize("name", ["prompts", "samples", "verdicts", "metrics"])
def test_an_identical_rerun_writes_equal_tables(desk: Desk, name: str) -> None:
    desk.write()
    tables = [pq.read_table(desk.evaluate()["artifacts"][name]) for _ in range(2)]
    assert tables[0].equals(tables[1])
    metadata = [dict(table.schema.metadata) for table in tables]
    ids = [found.pop(b"assent.run_id") for found in metadata]
    assert ids[0] != ids[1]
    assert metadata[0] == metadata[1]


def test_editing_a_bearer_resamples_only_the_items_that_use_it(desk: Desk) -> None:
    bench = benchmark(4)
    desk.write(bench)
    before = desk.evaluate()
    bench["bearers"]["claim2"]["expression"] = "claim 2 was reworded"
    desk.write(bench)
    after = desk.evaluate()
    assert counts(after) == (5, 15, 0)
    kept = [pair for pair in zip(keys(before), keys(after), strict=True) if pair[0] == pair[1]]
    assert len(kept) == 15


@pytest.mark.parametrize(
    "edit",
    [
        lambda bench: bench.update(title="Another title"),
        lambda bench: bench["items"][0].update(tags=["other"]),
        lambda bench: bench["items"][0].update(analyst_verdicts=["abstain", "abstain"]),
        lambda bench: bench["items"][0].update(construction_note="a note"),
        lambda bench: bench["analysts"][0].update(display_name="Ann"),
        lambda bench: bench["items"].reverse(),
        lambda bench: bench.update(id="renamed"),
    ],
    ids=["title", "tag", "verdict", "note", "analyst", "order of items", "id"],
)
def test_what_the_model_does_not_see_resamples_nothing(desk: Desk, edit: Json) -> None:
    bench = benchmark()
    desk.write(bench)
    desk.evaluate()
    edit(bench)
    desk.write(bench)
    assert counts(desk.evaluate()) == (0, 20, 0)


def test_a_changed_analyst_verdict_changes_kappa(desk: Desk) -> None:
    bench = benchmark(6)
    desk.write(bench)
    before = desk.evaluate()
    verdicts = {row["item_id"]: row["verdict"] for row in rows(before["artifacts"]["verdicts"])}
    for item in bench["items"]:
        item["analyst_verdicts"] = [verdicts[item["id"]]] * 2
    desk.write(bench)
    after = desk.evaluate()
    assert after["calls"] == 0
    assert after["metrics"]["cohens_kappa[consensus]"] == 1.0
    assert before["metrics"]["cohens_kappa[consensus]"] != 1.0


def test_more_samples_cost_only_the_further_ones(desk: Desk) -> None:
    desk.write()
    five = desk.evaluate("--n-samples", "5")
    eight = desk.evaluate("--n-samples", "8")
    assert counts(eight) == (12, 20, 0)
    assert samples(five).items() <= samples(eight).items()


def test_fewer_samples_cost_nothing(desk: Desk) -> None:
    desk.write()
    desk.evaluate("--n-samples", "5")
    assert counts(desk.evaluate("--n-samples", "2")) == (0, 8, 0)


@pytest.mark.parametrize("name", ["prompts", "samples", "verdicts", "metrics"])
def test_a_deleted_table_of_a_run_is_written_again_without_a_call(desk: Desk, name: str) -> None:
    desk.write()
    table = Path(desk.evaluate("--run-id", "again")["artifacts"][name])
    before = rows(table)
    table.unlink()
    assert counts(desk.evaluate("--run-id", "again")) == (0, 20, 0)
    assert rows(table) == before


def test_deleted_intermediate_files_are_made_again_without_a_call(desk: Desk) -> None:
    desk.write()
    one = desk.evaluate()
    shutil.rmtree(".assent/stages")
    two = desk.evaluate()
    assert counts(two) == (0, 20, 0)
    assert rows(one["artifacts"]["samples"]) == rows(two["artifacts"]["samples"])


def test_the_state_directory_may_be_deleted_at_the_price_of_the_samples(desk: Desk) -> None:
    desk.write()
    one = desk.evaluate("--run-id", "r1")
    before = rows(one["artifacts"]["verdicts"])
    shutil.rmtree(".assent")
    assert desk.run("show", "r1", "i0").code == 0
    assert counts(desk.evaluate("--run-id", "r1")) == (20, 0, 0)
    assert rows(one["artifacts"]["verdicts"]) == before


def twins(n_pairs: int) -> Json:
    bench = benchmark(n_pairs)
    again = [item | {"id": f"twin-{item['id']}"} for item in bench["items"]]
    return bench | {"items": bench["items"] + again}


def test_items_with_equal_prompts_keep_their_own_draws(desk: Desk) -> None:
    desk.write(twins(6))
    result = desk.evaluate()
    assert result["calls"] == 60
    assert len(set(keys(result))) == 60
    drawn = samples(result)
    pairs = [(drawn[f"i{i}", k], drawn[f"twin-i{i}", k]) for i in range(6) for k in range(5)]
    assert any(one != two for one, two in pairs)
    assert desk.evaluate()["calls"] == 0


def test_a_partial_run_of_one_twin_takes_the_draws_of_that_twin(desk: Desk) -> None:
    desk.write(twins(3))
    everything = samples(desk.evaluate())
    part = desk.evaluate("--items", "twin-i1")
    assert counts(part) == (0, 5, 0)
    assert samples(part).items() <= everything.items()


def test_an_epoch_redraws_once(desk: Desk) -> None:
    desk.write(benchmark(8))
    plain = desk.evaluate()
    monday = desk.evaluate("--epoch", "monday")
    assert (monday["calls"], monday["reused"]) == (40, 0)
    assert samples(plain) != samples(monday)
    assert desk.evaluate("--epoch", "monday")["calls"] == 0
    assert desk.evaluate("--epoch", "tuesday")["calls"] == 40


def test_fresh_redraws_every_time_and_names_its_epoch(desk: Desk) -> None:
    desk.write()
    first, second = desk.evaluate("--fresh"), desk.evaluate("--fresh")
    assert (first["calls"], second["calls"]) == (20, 20)
    epoch = load(second["output"])["results"]["details"]["provenance"]["model"]["epoch"]
    assert epoch == f"fresh-{second['run_id']}"
    assert desk.evaluate("--epoch", epoch)["calls"] == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--tie-break", "good"),
        ("--tie-break", "first"),
        ("--parser", "first-match"),
        ("--max-failed", "0.5"),
        ("--concurrency", "1"),
        ("--timeout", "5"),
        ("--max-retries", "0"),
    ],
    ids=" ".join,
)
def test_how_replies_are_read_or_fetched_resamples_nothing(
    desk: Desk, options: tuple[str, str]
) -> None:
    desk.write()
    desk.evaluate()
    assert counts(desk.evaluate(*options)) == (0, 20, 0)


@pytest.mark.parametrize(
    "options",
    [
        ("--temperature", "0.5"),
        ("--max-tokens", "10"),
        ("--top-p", "0.9"),
        ("--seed", "0"),
        ("--stop", "END"),
        ("--question-form", "coherence"),
    ],
    ids=" ".join,
)
def test_what_the_model_is_told_resamples_everything(desk: Desk, options: tuple[str, str]) -> None:
    desk.write()
    desk.evaluate()
    assert counts(desk.evaluate(*options)) == (20, 0, 0)


def test_another_model_shares_nothing(desk: Desk) -> None:
    desk.write()
    desk.evaluate()
    assert counts(desk.evaluate(model="control/always-good")) == (20, 0, 0)


def test_wordings_share_draws_exactly_where_the_text_is_the_canonical_one(desk: Desk) -> None:
    desk.write(paraphrased())
    canonical, reworded = desk.evaluate("--paraphrase-cycle")["runs"]
    assert counts(canonical) == (15, 0, 0)
    assert counts(reworded) == (5, 10, 0)
    asked = zip(
        rows(canonical["artifacts"]["samples"]), rows(reworded["artifacts"]["samples"]), strict=True
    )
    shared = {one["item_id"] for one, two in asked if one["request_key"] == two["request_key"]}
    assert shared == {"i1", "i2"}
    prompts = rows(reworded["artifacts"]["prompts"])
    assert [(row["fallback"], "zero" in row["user"]) for row in prompts] == [
        (True, True),
        (True, False),
        (True, False),
    ]


def test_a_cycle_compares_its_wordings(desk: Desk) -> None:
    desk.write(paraphrased())
    result = desk.evaluate("--paraphrase-cycle", "--run-id", "c", "-o", "eta.json")
    assert [run["run_id"] for run in result["runs"]] == ["c-v0", "c-v1"]
    assert [run["evaluation"] for run in result["runs"]] == ["eta-v0.json", "eta-v1.json"]
    assert [load(run["evaluation"])["paraphrase_variant"] for run in result["runs"]] == [0, 1]
    comparison = result["comparison"]
    assert comparison["n_items"] == 3
    assert comparison["n_stable"] + len(comparison["unstable_items"]) == 3


def test_a_cycle_over_one_wording_is_one_run_with_its_plain_id(desk: Desk) -> None:
    desk.write()
    result = desk.evaluate("--paraphrase-cycle", "--run-id", "only")
    assert [run["run_id"] for run in result["runs"]] == ["only"]
    assert "comparison" not in result


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--limit", "2"), ["i0", "i1"]),
        (("--items", "i3", "--items", "i1"), ["i1", "i3"]),
        (("--tag", "odd"), ["i1", "i3"]),
        (("--tag", "odd", "--limit", "1"), ["i1"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_partial_run_says_so_and_shares_its_draws(
    desk: Desk, options: tuple[str, ...], asked: list[str]
) -> None:
    desk.write()
    part = desk.evaluate(*options)
    document = load(part["output"])
    assert document["results"]["details"]["selection"] == {
        "partial": True,
        "items_in_benchmark": 4,
        "items_asked": len(asked),
    }
    assert "partial" in document["metadata"]["tags"]
    assert [case["id"] for case in document["results"]["cases"]] == asked
    assert [item["id"] for item in load(part["evaluation"])["items"]] == asked
    full = desk.evaluate()
    assert counts(full) == (20 - 5 * len(asked), 5 * len(asked), 0)
    assert samples(part).items() <= samples(full).items()


def test_a_selection_that_leaves_nothing_out_is_not_partial(desk: Desk) -> None:
    desk.write()
    document = load(desk.evaluate("--limit", "100")["output"])
    assert document["results"]["details"]["selection"]["partial"] is False
    assert document["metadata"]["tags"] == ["inferential"]


def test_an_item_sample_gets_the_base_seed_plus_its_index(desk: Desk) -> None:
    desk.write(benchmark(1))
    seven = desk.evaluate("--seed", "7", "--n-samples", "3")
    eight = desk.evaluate("--seed", "8", "--n-samples", "3")
    assert eight["calls"] == 3
    provenance = load(seven["output"])["results"]["details"]["provenance"]
    assert provenance["model"]["seeds"] == [7, 9]


def test_a_store_elsewhere_is_shared_by_working_directories(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shared = tmp_path_factory.mktemp("shared") / "store.sqlite"
    monkeypatch.setenv("ASSENT_STORE", f"sqlite:///{shared}")
    bench = desk.write()
    assert desk.evaluate()["calls"] == 20
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    assert desk.evaluate(bench=str(bench))["calls"] == 0
    assert not (elsewhere / ".assent" / "samples.sqlite").exists()


@pytest.mark.needs("postgresql")
def test_a_run_on_postgresql_is_reused_like_any_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    monkeypatch.setenv("ASSENT_STORE", postgres_url)
    desk.write()
    one = desk.evaluate("--epoch", "on postgres")
    two = desk.evaluate("--epoch", "on postgres")
    assert (one["calls"], two["calls"], two["reused"]) == (20, 0, 20)
    assert rows(one["artifacts"]["samples"]) == rows(two["artifacts"]["samples"])


def test_a_run_from_python_returns_what_the_command_prints(desk: Desk) -> None:
    from flows.options import make_order
    from flows.pipelines import run_evaluation

    desk.write()
    order, _ = make_order(benchmark="bench.json", model="control/coin", run_id="r1")
    result = run_evaluation(order)
    printed = desk.evaluate("--run-id", "r1")
    assert printed | {"calls": 20, "reused": 0} == {key: result[key] for key in printed}
    with pytest.raises(KeyError):
        result["no_such_key"]


def test_a_plugin_builder_decides_the_prompts_when_it_is_allowed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.path / "loud_builder.py").write_text(
        "def loud(texts):\n    return ' & '.join(texts).upper()\n"
    )
    monkeypatch.syspath_prepend(str(desk.path))
    builders = {"premise": {"kind": "plugin", "plugin": "loud_builder:loud"}}
    desk.write(benchmark(1, context_builders=builders))
    refused = desk.try_evaluate()
    assert (refused.code, refused.json["errors"][0]["code"]) == (2, "plugin_not_allowed")
    result = desk.evaluate("--allow-plugins")
    assert rows(result["artifacts"]["prompts"])[0]["user"].startswith("Premises: IT RAINS\n")
    provenance = load(result["output"])["results"]["details"]["provenance"]
    assert json.dumps(provenance["prompts"]["plugins"]).count("loud_builder") >= 1
