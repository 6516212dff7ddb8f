"""What a real run leaves behind: keys of its documents, events of its log, metadata of its tables.

The run replays a recording from which the replies to one prompt were taken out, so that it has
failed samples and a missing item. Meanings are written here; a key without one is an error.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from docs.generate.transcripts import run, scratch

Row = dict[str, Any]

_TABLES = ("prompts", "samples", "verdicts", "metrics")


class ExampleRun(NamedTuple):
    """One run, as its files show it."""

    printed: Row
    output: Row
    log: list[Row]
    metadata: dict[str, list[str]]


@cache
def example_run() -> ExampleRun:
    """Run the example with panels, with one prompt that nobody answers."""
    with scratch() as directory:
        lines = (directory / "examples/food_storage/replay.jsonl").read_text("utf-8").splitlines()
        left_out = json.loads(lines[0])["prompt_hash"]
        kept = [line for line in lines if json.loads(line)["prompt_hash"] != left_out]
        (directory / "replay.jsonl").write_text("\n".join(kept), "utf-8")
        command = (
            "assent evaluate examples/food_storage/benchmark.json --model replay/replay.jsonl "
            "--run-id example --log run.jsonl --format json --quiet"
        )
        done = run(command, directory)
        if done.returncode:
            raise RuntimeError(f"{command} ended with {done.returncode}:\n{done.stdout}")
        printed: Row = json.loads(done.stdout)
        log = (directory / "run.jsonl").read_text("utf-8").splitlines()
        return ExampleRun(
            printed,
            json.loads((directory / printed["output"]).read_text("utf-8")),
            [json.loads(line) for line in log],
            {name: _metadata(directory / printed["artifacts"][name]) for name in _TABLES},
        )


def _metadata(path: Path) -> list[str]:
    found = pq.read_schema(path).metadata or {}
    return [key.decode() for key in found if key.startswith(b"assent.")]


def printed_metrics() -> str:
    """Keys of the `metrics` block that `assent evaluate --format json` prints."""
    keys = [key for key in example_run().printed["metrics"] if not key.endswith(("_ci", "_bounds"))]
    return _table("key", [*keys, "KEY_ci", "KEY_bounds"], PRINTED | _beside("[consensus]"))


def printed_result() -> str:
    """Keys of the document that `assent evaluate --format json` prints."""
    return _table("key", example_run().printed, RESULT)


def output_metrics() -> str:
    """Names in `results.metrics` and `results.details.undefined` of an output document."""
    results = example_run().output["results"]
    names = [*results["metrics"], *results["details"]["undefined"]]
    return _table("name", names, NAMED | _beside("_consensus"))


def output_details() -> str:
    """Keys of `results.details`, with those of the provenance block."""
    details = example_run().output["results"]["details"]
    keys = [
        inner
        for key, value in details.items()
        for inner in ([f"{key}.{k}" for k in value] if key == "provenance" else [key])
    ]
    return _table("key", keys, DETAILS)


def output_cases() -> str:
    """Keys of an entry of `results.cases`."""
    return _table("key", example_run().output["results"]["cases"][0], CASE)


def file_metadata() -> str:
    """Metadata keys of the Parquet files."""
    metadata = example_run().metadata
    keys = dict.fromkeys(key for name in _TABLES for key in metadata[name])
    lines = ["| key | in | meaning |", "|---|---|---|"]
    for key in keys:
        holders = [name for name in _TABLES if key in metadata[name]]
        shown = "every table" if len(holders) == len(_TABLES) else ", ".join(holders)
        lines.append(f"| `{key}` | {shown} | {METADATA[key]} |")
    return "\n".join(["", *lines, "", ""])


def log_events() -> str:
    """Events of a run log with their fields."""
    events: dict[str, list[str]] = {}
    for event in example_run().log:
        events.setdefault(event["event"], [key for key in event if key not in EVERY_EVENT])
    lines = ["| event | when | fields |", "|---|---|---|"]
    lines += [f"| `{name}` | {EVENTS[name]} | {_code(keys)} |" for name, keys in events.items()]
    return "\n".join(["", f"Every line has {_code(list(EVERY_EVENT))}.", "", *lines, "", ""])


def _code(keys: list[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _table(head: str, keys: Any, meanings: dict[str, str]) -> str:
    lines = [f"| {head} | meaning |", "|---|---|"]
    lines += [f"| `{key}` | {meanings[key]} |" for key in keys]
    return "\n".join(["", *lines, "", ""])


def _beside(of_consensus: str) -> dict[str, str]:
    """Meanings of the coefficients beside the kappas, over two classes and over three."""
    found = {}
    for three, classes in (("", ""), ("_three_class", "; abstaining is a third class")):
        for name, what in BESIDE.items():
            found[f"{name}{three}{of_consensus}"] = f"{what}: model and consensus{classes}."
            found[f"{name}{three}"] = f"{what}: analysts and model{classes}."
            found[f"inter_analyst_{name}{three}"] = f"{what}: analysts{classes}."
    third = "abstaining is a third class"
    found[f"cohens_kappa_three_class{of_consensus}"] = (
        f"Cohen's kappa, model and consensus; {third}."
    )
    found["fleiss_kappa_three_class"] = f"Fleiss' kappa, analysts and model; {third}."
    found["inter_analyst_fleiss_three_class"] = f"Fleiss' kappa, analysts; {third}."
    return found


BESIDE = {
    "raw_agreement": "Share of agreeing pairs of ratings",
    "brennan_prediger": "Brennan and Prediger's kappa",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's alpha",
}
RESULT = {
    "run_id": "Name of the run.",
    "evaluation": "Path of the evaluation; null when the run stopped before its end.",
    "output": "Path of the output document; null likewise.",
    "artifacts": "Paths of the Parquet tables by name.",
    "calls": "Requests sent.",
    "reused": "Samples taken from the store.",
    "failed": "Samples without a reply.",
    "metrics": "The block below; null when the run stopped before its end.",
}
PRINTED = {
    "n": "Items asked, missing ones included.",
    "n_missing": "Items without a usable sample.",
    "n_judged": "The other items.",
    "n_substantive": "Items where both the model and the consensus took a side.",
    "m_counts": "What the model said on those.",
    "r_counts": "What the consensus said on those.",
    "under_powered": "Whether there are fewer of them than the threshold.",
    "under_powered_threshold": "Agreement over fewer items says little.",
    "KEY_ci": "95 % interval of a number: `lo`, `hi`, `method`, `iterations` (null without draws).",
    "KEY_bounds": "With unjudged samples: `lowest` and `highest` value over everything that they "
    "could have said, and `n_open`, the items whose verdict could have been another; null "
    "where they are not known (`reasons` says why).",
    "n_unjudged_samples": "Samples that failed, were clipped or could not be read.",
    "policies": "With unjudged samples: main numbers when these are left out (`leave_out`), vote "
    "against the consensus (`wrong`), or vote to abstain (`abstain`).",
    "chance": "What chance alone would give of an agreement, by key.",
    "cautions": "What to know before a number is used: code and message.",
    "coverage": "Share of items where the model took a side; missing items count as abstentions.",
    "coverage_judged": "The same over judged items.",
    "fleiss_kappa": "Fleiss' kappa of the analysts and the model.",
    "inter_analyst_fleiss": "Fleiss' kappa of all analysts.",
    "inter_analyst_fleiss_primary": "Fleiss' kappa of the primary panel. Only with panels.",
    "cohens_kappa[consensus]": "Cohen's kappa of the model and the consensus.",
    "coverage_per_analyst": "Share of items where each analyst took a side, in their order.",
    "coverage_per_analyst_named": "The same by analyst id.",
    "panels": "Primary panel, Fleiss' kappa per panel, and Cohen's kappa between two panels. "
    "Only with panels.",
    "verdict_distributions": "Votes, entropy and margin per item id.",
    "aggregate_dispersion": "Means and counts of these over all items.",
    "aggregate_dispersion_judged": "The same over judged items.",
    "reasons": "Why a value is null, by key; dots lead into inner objects.",
    "ns": "Items behind each number, by key.",
}
NAMED = {
    "n_items": "Items asked.",
    "n_judged": "Items with a usable sample.",
    "n_missing": "Items without one.",
    "n_substantive": "Items where both the model and the consensus took a side.",
    "n_samples": "Samples of the run, failed ones included.",
    "n_failed_samples": "Samples without a reply.",
    "n_undrawn_samples": "Samples that `--curtail` did not ask for.",
    "n_unjudged_samples": "Samples that failed, were clipped or could not be read.",
    "coverage": "Share of items where the model took a side; missing items count as abstentions.",
    "coverage_judged": "The same over judged items.",
    "fleiss_kappa": "Fleiss' kappa of the analysts and the model.",
    "inter_analyst_fleiss": "Fleiss' kappa of all analysts.",
    "mean_entropy_judged": "Mean entropy over judged items.",
    "mean_margin_judged": "Mean margin over judged items.",
    "fraction_thin_margin_judged": "Share of judged items with a thin margin.",
    "n_tie_broken": "Judged items where a tie had to be decided.",
    "cohens_kappa_consensus": "Cohen's kappa of the model and the consensus.",
    "inter_analyst_fleiss_primary": "Fleiss' kappa of the primary panel. Only with panels.",
    "cross_panel_kappa": "Cohen's kappa between two panels. Only with panels.",
}
DETAILS = {
    "run_spec": "Every setting that decides the result; see below.",
    "provenance.benchmark": "Id, canonical hash, and digest of the file as it was read.",
    "provenance.prompts": "Digest and number of the prompts; ids of wording, frame and builders; "
    "plugins that ran.",
    "provenance.model": "Provider, model, parameters, seeds, epoch, and the digest of a recording.",
    "provenance.samples": "Digest, number, failures, and one digest over all request keys.",
    "provenance.verdicts": "Digest, parser with its version, the benchmark's own pattern, "
    "missing items.",
    "provenance.metrics": "Digest of the metrics.",
    "provenance.table_version": "Version of the Parquet tables.",
    "provenance.sandbox": "Null: nothing that a model wrote was executed.",
    "provenance.environment": "Versions of Assent and of the packages behind the numbers, "
    "digest of the lock file.",
    "provenance.engine": "`embedded` or `prefect`.",
    "n": "Items behind each number of `results.metrics`.",
    "undefined": "Why a number is absent from `results.metrics`.",
    "intervals": "95 % interval of each number: ends, method, draws.",
    "no_interval": "Why a number has none.",
    "chance": "What chance alone would give of an agreement.",
    "bounds": "With unjudged samples: lowest and highest value over everything that they could "
    "have said, and the number of items whose verdict could have been another.",
    "no_bounds": "Why a number has no bounds although samples were not judged.",
    "policies": "With unjudged samples: main numbers when these are left out, vote against the "
    "consensus, or vote to abstain.",
    "under_powered": "Whether the agreement with the consensus rests on fewer than ten items.",
    "cautions": "What to know before a number is used.",
    "selection": "Whether items were left out, and how many were asked.",
}
CASE = {
    "id": "Item id.",
    "status": "`judged` or `missing`.",
    "verdict": "The model's verdict; null when missing.",
    "consensus": "Consensus of the analysts.",
    "agrees": "Whether the two are equal; null when missing.",
    "votes": "Votes for good, bad and abstain.",
    "tie_broken": "Whether a tie had to be decided.",
    "n_failed": "Samples without a reply.",
    "n_unparseable": "Replies without a readable label.",
    "n_clipped": "Unreadable replies that hit the token limit.",
    "n_undrawn": "Samples that `--curtail` did not ask for.",
    "entropy": "Entropy of the votes; null when missing.",
    "margin": "Margin of the votes; null when missing.",
}
METADATA = {
    "assent.table": "Name of the table.",
    "assent.run_id": "Run that it belongs to.",
    "assent.benchmark_hash": "Canonical hash of the benchmark.",
    "assent.source_sha256": "Digest of the stage's own file that it was made from.",
    "assent.table_version": "Version of the columns.",
}
EVERY_EVENT = ("ts", "level", "logger", "event", "benchmark_id", "framework_version", "run_id")
EVENTS = {
    "run.started": "first",
    "item.started": "before the samples of an item",
    "sample.completed": "per reply",
    "sample.failed": "per call without a reply",
    "item.completed": "after the samples of an item",
    "run.finished": "last",
}
