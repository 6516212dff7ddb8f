"""What the method page says about the coverage of intervals."""

import csv
from fnmatch import fnmatchcase
from statistics import fmean

from benchmarks.coverage import RESULTS, make_settings, run_setting
from docs.generate.coverage import COMMAND, LATER, TOO_LOW, of_two_raters, read_results

SEED, REPETITIONS, DRAWS = 1, 1000, 1000


def test_the_default_interval_keeps_its_promise_over_seventy_two_settings() -> None:
    shares = [one.coverage for one in of_two_raters(read_results())]
    assert len(shares) >= 72
    assert 0.93 <= fmean(shares) <= 0.97
    assert sum(share < TOO_LOW for share in shares) <= 3


def test_every_row_says_how_often_it_was_repeated() -> None:
    for one in read_results():
        apart = [n for designs, n in LATER.items() if fnmatchcase(one.design, designs)]
        at_most = {"two-level": 300}.get(one.method, REPETITIONS)
        assert [one.repetitions] == (apart or [at_most])


def test_settings_span_what_the_page_says() -> None:
    designs = {"two raters", "two raters, clusters"}
    settings = [one for one in make_settings(SEED) if one.design in designs]
    assert {len(one.shares) for one in settings} == {2, 3}
    assert {one.cluster_size > 1 for one in settings} == {True, False}
    assert min(one.n for one in settings) >= 10
    assert max(one.n for one in settings) <= 150
    assert min(one.n for one in settings) < 15 < 120 < max(one.n for one in settings)
    assert min(one.kappa for one in settings) < 0.1 < 0.9 < max(one.kappa for one in settings)
    assert max(one.kappa for one in settings) <= 0.97


def test_the_stored_results_are_what_the_script_produces() -> None:
    assert COMMAND.endswith(f"--seed {SEED} --repetitions {REPETITIONS} --draws {DRAWS}")
    settings = make_settings(SEED)
    quickest = min((one for one in settings if one.kind == "cohen"), key=lambda one: one.n)
    rate = next(one for one in settings if one.design == "rate")
    with RESULTS.open(newline="") as file:
        stored = list(csv.reader(file))[1:]
    apart = [
        min((one for one in settings if fnmatchcase(one.design, designs)), key=lambda one: one.n)
        for designs in LATER
    ]
    often = [REPETITIONS, REPETITIONS, *LATER.values()]
    for setting, repetitions in zip((quickest, rate, *apart), often, strict=True):
        made = run_setting(setting, SEED, repetitions, DRAWS)
        expected = [row for row in stored if row[0] == str(setting.number)]
        assert [[str(value) for value in outcome] for outcome in made] == expected
