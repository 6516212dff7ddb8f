"""Do verdicts survive another wording?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from schemas.base import TieBreak, Verdict
from schemas.errors import UserError
from schemas.evaluation import Evaluation
from tasks.judging import vote
from tasks.statistics.invariance import study_invariance, vote_counts
from tasks.statistics.shares import mean_share
from tests.support.evaluations import eta, eta_item


def cycle(*verdicts: str, draws: list[list[str]] | None = None) -> list[Evaluation]:
    """One run per wording; a letter per item."""
    return [
        eta(
            [
                eta_item(f"i{i}", letter, draws[k][i] if draws else letter * 3)
                for i, letter in enumerate(row)
            ],
            id=f"run-v{k}",
            paraphrase_variant=k,
        )
        for k, row in enumerate(verdicts)
    ]


def test_agreement_of_three_wordings_by_hand() -> None:
    found = study_invariance(cycle("ggbb", "ggba", "gbba"))
    assert found.stable_share.value == 0.5
    # Pairs that agree per item: 3, 1, 3 and 1 of 3.
    assert found.pairwise_agreement.value == pytest.approx(8 / 12)
    assert [row.agreement.value for row in found.wordings] == pytest.approx([5 / 8, 6 / 8, 5 / 8])
    assert [row.flips_from_first for row in found.wordings] == [0, 1, 2]


def test_the_kappa_of_wordings_has_an_interval_that_says_how_it_was_found() -> None:
    few, many = (study_invariance(cycle("gb" * n, "gb" * (n - 1) + "bg")) for n in (5, 50))
    for found in (few, many):
        kappa = found.fleiss_kappa
        assert kappa.value is not None
        assert kappa.interval is not None
        assert kappa.interval.method == "dirichlet"
        assert kappa.interval.lo < kappa.value < kappa.interval.hi
    # Ten items with two flips, by the posterior of the cross table with 1/2 in each cell, computed
    # apart from the rest: Scott's pi of tables drawn from Dirichlet(4.5, 1.5, 1.5, 4.5), with the
    # tails of Student's t on nine degrees.
    tables = np.random.default_rng(3).dirichlet([4.5, 1.5, 1.5, 4.5], 200_000)
    good = tables[:, 0] + (tables[:, 1] + tables[:, 2]) / 2
    kappas = 1 - (tables[:, 1] + tables[:, 2]) / (2 * good * (1 - good))
    tail = stats.norm.cdf(stats.t(9).ppf(0.025))
    low, high = np.quantile(kappas, [tail, 1 - tail])
    assert few.fleiss_kappa.interval is not None
    assert few.fleiss_kappa.interval.lo == pytest.approx(low, abs=0.06)
    assert few.fleiss_kappa.interval.hi == pytest.approx(high, abs=0.03)


def test_the_kappa_of_one_item_has_no_interval_and_says_why() -> None:
    # Good and bad once each: kappa is -1, but one item shows no spread.
    kappa = study_invariance(cycle("g", "b")).fleiss_kappa
    assert (kappa.value, kappa.interval) == (-1.0, None)
    assert kappa.no_interval


def test_the_wording_that_agrees_least_is_the_worst() -> None:
    found = study_invariance(cycle("gggg", "gggg", "bggg"))
    assert found.worst_variant == 2


def test_two_wordings_have_no_worst_one() -> None:
    found = study_invariance(cycle("gg", "gb"))
    assert found.worst_variant is None
    assert found.reasons["worst_variant"]


def test_items_that_flip_are_named_with_every_verdict() -> None:
    found = study_invariance(cycle("gga", "gbg"))
    assert [(one.item_id, one.verdicts, one.takes_both_sides) for one in found.flipped_items] == [
        ("i1", {"0": "good", "1": "bad"}, True),
        ("i2", {"0": "abstain", "1": "good"}, False),
    ]


def test_items_that_were_not_judged_under_every_wording_are_left_out() -> None:
    runs = cycle("gg", "ag", draws=[["ggg", "ggg"], ["fff", "ggg"]])
    found = study_invariance(runs)
    assert (found.n_items, found.n_left_out) == (1, 1)


def test_without_shared_items_every_figure_has_a_reason() -> None:
    found = study_invariance(cycle("", ""))
    assert found.stable_share.reason
    assert found.sampling is None
    assert found.reasons.keys() == {"worst_variant", "sampling"}


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param(cycle("g"), id="one wording"),
        pytest.param(cycle("g", "g") + cycle("g"), id="two runs of one wording"),
        pytest.param(
            [*cycle("g"), eta([], paraphrase_variant=1, endorsement_config={"tie_break": "good"})],
            id="another rule of ties",
        ),
    ],
)
def test_runs_that_are_no_cycle_are_refused(runs: list[Evaluation]) -> None:
    with pytest.raises(UserError) as caught:
        study_invariance(runs)
    assert caught.value.code == "not_comparable"


def test_a_wording_that_turns_every_answer_cannot_be_sampling() -> None:
    found = study_invariance(cycle("g" * 10, "b" * 10), iterations=199)
    assert found.sampling is not None
    assert found.sampling.p_value == 1 / 200
    assert found.sampling.flips == 10


def test_draws_that_never_vary_cannot_be_dealt_out_differently() -> None:
    found = study_invariance(cycle("gb", "gb"), iterations=99)
    assert found.sampling is not None
    assert (found.sampling.flips_expected, found.sampling.p_value) == (0.0, 1.0)


def test_false_alarms_of_the_sampling_check_stay_near_their_level() -> None:
    generator = np.random.default_rng(8)
    letters = np.array(list("gba"))
    alarms = 0
    n = 300
    for _ in range(n):
        chances = generator.dirichlet((1, 1, 0.3), 8)
        draws = [
            ["".join(generator.choice(letters, 4, p=chance)) for chance in chances] for _ in "12"
        ]
        found = study_invariance(cycle("g" * 8, "g" * 8, draws=draws), iterations=99)
        assert found.sampling is not None
        alarms += found.sampling.p_value <= 0.1
    # Three standard errors of a simulation of this size.
    assert alarms / n <= 0.1 + 3 * (0.1 * 0.9 / n) ** 0.5


@given(
    st.lists(st.sampled_from(["good", "bad", "abstain"]), min_size=1, max_size=9),
    st.sampled_from(["abstain", "good", "bad"]),
)
def test_counting_many_votes_at_once_is_voting(
    verdicts: list[Verdict], tie_break: TieBreak
) -> None:
    tally = vote(verdicts, tie_break)
    counts = np.array([[[tally.good, tally.bad, tally.abstain]]])
    assert ("good", "bad", "abstain")[int(vote_counts(counts, tie_break)[0, 0])] == tally.verdict


def test_the_interval_of_outcomes_is_that_of_agresti_and_coull() -> None:
    generator = np.random.default_rng(6)
    for n in generator.integers(1, 200, 300).tolist():
        hits = int(generator.integers(0, n + 1))
        outcomes = [1.0] * hits + [0.0] * (n - hits)
        lo, hi = proportion_confint(hits, n, 0.05, method="agresti_coull")
        interval = mean_share(outcomes).interval
        assert interval is not None
        expected = (min(lo, hits / n), max(hi, hits / n))
        assert (interval.lo, interval.hi) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_interval_of_shares_contains_their_mean_and_mirrors(shares: list[float]) -> None:
    one, other = mean_share(shares), mean_share([1 - share for share in shares])
    assert one.interval is not None
    assert other.interval is not None
    assert one.value is not None
    assert 0 <= one.interval.lo <= one.value <= one.interval.hi <= 1
    assert one.interval.lo == pytest.approx(1 - other.interval.hi, abs=1e-9)
