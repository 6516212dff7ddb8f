"""Failures among samples: which are seen, and what the figures are without them."""

import pytest

from schemas.checks import AuditReport
from tasks.statistics.audit import audit_samples
from tests.support.benchmarks import Raw
from tests.support.evaluations import eta, eta_item, samples

REPLAY = {"provider": "replay", "model_id": "m"}


def audited(items: list[Raw], **changes: object) -> AuditReport:
    return audit_samples(eta(items, **changes), "eta.json")


def abstaining(**changes: object) -> Raw:
    return eta_item("i", "a", samples=samples("a", **changes))


@pytest.mark.parametrize(
    ("item", "provider", "suspected"),
    [
        pytest.param(abstaining(), "openai", 0, id="an abstention in words"),
        pytest.param(abstaining(raw_response=" \n"), "openai", 1, id="a blank reply"),
        pytest.param(abstaining(wall_time_ms=0.0), "openai", 1, id="no time"),
        pytest.param(abstaining(wall_time_ms=None), "openai", 1, id="no duration"),
        pytest.param(abstaining(wall_time_ms=0.0), "replay", 0, id="a recording takes no time"),
        pytest.param(abstaining(wall_time_ms=None), "control", 0, id="nor does a control"),
        pytest.param(abstaining(raw_response=""), "replay", 1, id="a blank recording"),
        pytest.param(
            eta_item("i", "g", samples=samples("g", wall_time_ms=0.0)), "openai", 0, id="a side"
        ),
    ],
)
def test_what_counts_as_a_silent_failure(item: Raw, provider: str, suspected: int) -> None:
    report = audited([item], model={"provider": provider, "model_id": "m"})
    assert report.n_suspected_silent_failures == suspected
    assert report.n_known_provider_errors == 0
    assert len(report.per_item_failures) == suspected


def test_replayed_abstentions_of_zero_milliseconds_are_no_failures() -> None:
    items = [eta_item("i", "a", samples=samples("aaa", wall_time_ms=0.0))]
    assert audited(items, model=REPLAY).n_items_with_any_failure == 0


def test_a_clean_run_is_recomputed_to_its_own_figures_whatever_its_tie_break() -> None:
    items = [eta_item("i", "g", "gb", panel="g"), eta_item("j", "g", "bg", panel="b")]
    report = audited(items, endorsement_config={"n_samples": 2, "tie_break": "good"})
    assert report.recomputed_failures_excluded == report.published
    assert report.published.coverage == 1.0
    assert report.changed_verdicts == ()


def test_recorded_failures_are_counted_and_left_out_of_the_votes() -> None:
    items = [eta_item("i", "a", "gff", panel="g"), eta_item("j", "b", "bbb", panel="b")]
    report = audited(items)
    assert (report.n_samples_scanned, report.n_known_provider_errors) == (6, 2)
    (one,) = report.per_item_failures
    assert (one.id, one.n_samples, one.known_provider_errors) == ("i", 3, 2)
    assert (report.published.coverage, report.recomputed_failures_excluded.coverage) == (0.5, 1.0)
    assert report.published.kappa_c is None
    assert report.published.reasons["kappa_c"]
    assert report.recomputed_failures_excluded.kappa_c == 1.0
    assert [(c.id, c.published, c.recomputed) for c in report.changed_verdicts] == [
        ("i", "abstain", "good")
    ]


def test_an_item_of_nothing_but_failures_is_missing_and_no_changed_verdict() -> None:
    report = audited([eta_item("i", "a", "ff")])
    assert report.recomputed_failures_excluded.n_missing == report.published.n_missing == 1
    assert report.changed_verdicts == ()


def test_a_verdict_without_samples_is_kept() -> None:
    report = audited([eta_item("i", "g")])
    assert (report.n_items_without_samples, report.recomputed_failures_excluded.coverage) == (
        1,
        1.0,
    )


def test_a_call_that_an_older_file_marks_by_status_alone_is_suspected_and_missing() -> None:
    old = samples("aa", raw_response="", parse_status="sample_failed")
    report = audited([eta_item("i", "a", samples=old)])
    assert (report.n_known_provider_errors, report.n_suspected_silent_failures) == (0, 2)
    assert report.published.n_missing == 1
