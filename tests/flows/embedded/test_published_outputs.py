"""What publishing writes passes the check that guards everybody's results."""

from itertools import product

import pytest

from tests.support.awkward import write_awkward
from tests.support.runs import Desk, load, paraphrased

SETTINGS = [
    (*question, *samples, *cycle)
    for question, samples, cycle in product(
        [(), ("--question-form", "coherence")],
        [("--n-samples", "1"), ("--n-samples", "4", "--limit", "2")],
        [(), ("--paraphrase-cycle",)],
    )
]


@pytest.mark.parametrize("settings", SETTINGS, ids=" ".join)
def test_every_published_document_passes_the_check(desk: Desk, settings: tuple[str, ...]) -> None:
    desk.write(paraphrased())
    desk.try_evaluate(*settings)
    report = desk.run("outputs", "check", "--strict-names", "--fail-on-empty", "--format", "json")
    assert (report.code, report.json["errors"], report.json["warnings"]) == (0, [], [])
    written = {path for path in desk.files() if path.startswith("outputs/")}
    assert report.json["checked"] == len([path for path in written if path.endswith(".json")])


def test_a_run_that_failed_passes_too_and_so_does_a_second_one(desk: Desk) -> None:
    bench, recording = write_awkward(desk.path)
    model = f"replay/{recording}"
    results = [
        desk.try_evaluate("--run-id", run_id, *options, bench=str(bench), model=model).json
        for run_id, options in (("strict", ["--max-failed", "0"]), ("lenient", []))
    ]
    assert load(results[0]["output"])["results"]["status"] == "error"
    report = desk.run("outputs", "check", "--format", "json")
    assert (report.code, report.json["checked"], report.json["errors"]) == (0, 2, [])
