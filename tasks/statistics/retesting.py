"""Does a model that is asked the same again say the same?

Kappa over the sides alone passes over every flip to abstain, so kappa over all three verdicts and
the rate of flips stand beside it. Items without a usable sample in a run are missing: classic
figures read them as abstentions, those over judged items leave them out.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from schemas.base import Verdict
from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation, EvaluationItem
from schemas.metrics import Metric
from schemas.retest import ItemDelta, RetestFigures, RetestFlip, RetestResult, StabilityBand
from tasks.statistics.agreement import ALL_VERDICTS, SIDES
from tasks.statistics.codes import ABSTAIN, Codes, encode
from tasks.statistics.dispersion import entropy, margin
from tasks.statistics.evaluations import checked_tally, is_missing, items_by_id
from tasks.statistics.intervals import IntervalSpec, wilson
from tasks.statistics.judgement import Tally
from tasks.statistics.measuring import Measurer
from tasks.statistics.retest_pairing import Recorded, require_retest

STABLE: Final = 0.8
MODERATE: Final = 0.6
NOTHING_SHARED: Final = "the runs have no item in common"
NOTHING_JUDGED: Final = "no item has a usable sample in both runs"

# A kappa that is a band's edge on paper must not fall below it by rounding.
_ROUNDING = 1e-9


class _Said(NamedTuple):
    """What a run said about an item."""

    item_id: str
    verdict: Verdict
    tally: Tally
    is_missing: bool


class _Pairs(NamedTuple):
    """The shared items of two runs, by id."""

    a: Sequence[_Said]
    b: Sequence[_Said]

    @property
    def codes(self) -> Codes:
        return np.column_stack([encode([one.verdict for one in run]) for run in self])

    @property
    def judged(self) -> Codes:
        """The codes of the items that both runs judged."""
        missing = np.array([[one.is_missing for one in run] for run in self], dtype=np.bool_)
        kept: Codes = self.codes[~missing.any(axis=0)]
        return kept


def retest_runs(
    a: Evaluation,
    b: Evaluation,
    benchmark: Benchmark | None = None,
    recorded: Recorded = (None, None),
    interval: IntervalSpec = IntervalSpec(),  # noqa: B008 - a frozen value
) -> RetestResult:
    """How stable the verdicts of one model are over two runs, on the items that both have.

    Args:
        a: The first run.
        b: The second run.
        benchmark: Gives the factor levels of items that flip.
        recorded: Settings that the evaluations themselves do not hold, where they are known.
        interval: How the intervals of both kappas are found.

    Raises:
        UserError: The runs differ in more than their draws.
    """
    unchecked = require_retest(a, b, benchmark, recorded)
    pairs = _shared(a, b)
    ids = {one.item_id for one in pairs.a}
    codes, judged = pairs.codes, pairs.judged
    figures = _figures(codes, judged, interval)
    kappa, three = figures.test_retest_kappa, figures.kappa_three_class
    flips = codes[:, 0] != codes[:, 1]
    turned = judged[judged[:, 0] != judged[:, 1]]
    with_abstain = int((turned == ABSTAIN).any(axis=1).sum())
    flat = {name: getattr(figures, name) for name in _FLAT}
    return RetestResult(
        benchmark_id=a.benchmark_id,
        benchmark_hash=a.benchmark_hash or b.benchmark_hash,
        run_a_id=a.id,
        run_b_id=b.id,
        n_items=len(codes),
        n_judged=len(judged),
        n_missing_a=sum(one.is_missing for one in pairs.a),
        n_missing_b=sum(one.is_missing for one in pairs.b),
        only_in_a=tuple(sorted(item.id for item in a.items if item.id not in ids)),
        only_in_b=tuple(sorted(item.id for item in b.items if item.id not in ids)),
        n_agreements=int((~flips).sum()),
        n_disagreements=int(flips.sum()),
        n_flips_between_sides=len(turned) - with_abstain,
        n_flips_with_abstain=with_abstain,
        agreement_rate=figures.agreement_rate.value,
        flip_rate=figures.flip_rate.value,
        test_retest_kappa=kappa.value,
        stability_verdict=_in_words(kappa, figures.flip_rate),
        stability_band=band(kappa),
        kappa_three_class=three.value,
        kappa_three_class_band=band(three),
        figures=figures,
        flipped_items=_flipped(pairs, benchmark),
        item_deltas=_deltas(pairs),
        unchecked=unchecked,
        reasons={name: one.reason for name, one in flat.items() if one.reason is not None},
    )


_FLAT = ("test_retest_kappa", "kappa_three_class", "agreement_rate", "flip_rate")


def band(kappa: Metric) -> StabilityBand:
    """What a kappa of test and retest is called; undefined is not unstable."""
    if kappa.value is None:
        return "undefined"
    if kappa.value >= STABLE - _ROUNDING:
        return "stable"
    return "moderately stable" if kappa.value >= MODERATE - _ROUNDING else "unstable"


def _shared(a: Evaluation, b: Evaluation) -> _Pairs:
    left, right = items_by_id(a), items_by_id(b)
    ids = sorted(left.keys() & right.keys())
    return _Pairs([_said(left[name]) for name in ids], [_said(right[name]) for name in ids])


def _said(item: EvaluationItem) -> _Said:
    tally = checked_tally(item)
    return _Said(item.id, item.model_verdict, tally, is_missing(item, tally))


def _figures(codes: Codes, judged: Codes, interval: IntervalSpec) -> RetestFigures:
    measure = Measurer(interval, None)
    rates = {}
    for suffix, table, if_empty in (
        ("", codes, NOTHING_SHARED),
        ("_judged", judged, NOTHING_JUDGED),
    ):
        flips = int((table[:, 0] != table[:, 1]).sum())
        rates[f"flip_rate{suffix}"] = _rate(flips, len(table), if_empty)
        rates[f"agreement_rate{suffix}"] = _rate(len(table) - flips, len(table), if_empty)
    three = measure("cohen", judged, ALL_VERDICTS)
    return RetestFigures(
        test_retest_kappa=measure("cohen", codes, SIDES)
        if len(codes)
        else Metric.undefined(NOTHING_SHARED),
        kappa_three_class=three if len(judged) else Metric.undefined(NOTHING_JUDGED),
        **rates,
    )


def _rate(hits: int, n: int, if_empty: str) -> Metric:
    if n == 0:
        return Metric.undefined(if_empty)
    return Metric(value=hits / n, n=n, interval=wilson(hits, n))


def _in_words(kappa: Metric, flip_rate: Metric) -> str:
    """The verdict on stability; readers of the format look for its fixed phrases."""
    if kappa.value is None:
        return f"test-retest kappa is undefined: {kappa.reason}"
    phrase = {
        "stable": "stable",
        "moderately stable": "moderately stable",
        "unstable": "substantively unstable",
    }[band(kappa)]
    return (
        f"test-retest reliability is {phrase} (kappa {kappa.value:.3f}); "
        f"{flip_rate.value:.1%} of {flip_rate.n} verdicts flipped"
    )


def _flipped(pairs: _Pairs, benchmark: Benchmark | None) -> tuple[RetestFlip, ...]:
    items = () if benchmark is None else benchmark.items
    levels = {item.id: item.factor_levels for item in items}
    return tuple(
        RetestFlip(
            item_id=one.item_id,
            verdict_a=one.verdict,
            verdict_b=other.verdict,
            missing_a=one.is_missing,
            missing_b=other.is_missing,
            factor_levels=levels.get(one.item_id) or None,
        )
        for one, other in zip(*pairs, strict=True)
        if one.verdict != other.verdict
    )


def _deltas(pairs: _Pairs) -> tuple[ItemDelta, ...]:
    tallies = [[one.tally for one in run] for run in pairs]
    spread = np.column_stack([entropy(run) for run in tallies])
    lead = np.column_stack([margin(run) for run in tallies])
    columns = zip(*pairs, spread.tolist(), lead.tolist(), strict=True)
    return tuple(
        ItemDelta(
            item_id=one.item_id,
            verdict_a=one.verdict,
            verdict_b=other.verdict,
            n_samples_a=sum(one.tally),
            n_samples_b=sum(other.tally),
            entropy_a=spreads[0],
            entropy_b=spreads[1],
            entropy_delta=abs(spreads[0] - spreads[1]),
            margin_a=leads[0],
            margin_b=leads[1],
            margin_delta=abs(leads[0] - leads[1]),
        )
        for one, other, spreads, leads in columns
    )
