"""How often each interval contains the true agreement, by simulation.

    python benchmarks/coverage.py [--seed 1 --repetitions 1000 --draws 1000 --processes 2]
                                  [--only 'four raters*']

Settings are drawn at random: n from 10 to 150, true kappa from 0 to 0.97, two and three classes of
unequal frequency, items alone and in clusters. In each, samples of n items are drawn, and every
method finds its 95 % interval from each sample. A sample on which the coefficient is undefined has
no interval and does not count. The results go to `benchmarks/coverage.csv`, from which
`docs/method.md` shows its tables.

Two raters agree by intent on a share kappa of the items and by chance otherwise, both using the
classes with the same frequencies, so that kappa is the true value of Cohen's kappa; likewise each
of four raters sees the true class with probability sqrt(kappa). Of the items of a cluster, each
copies one shared item with probability sqrt(correlation). In the last design the model is asked
five times, each time right with the same probability, and its majority counts; drawing samples
again takes long, so that it has 300 repetitions and 200 draws at most.

For AC1, Brennan-Prediger and raw agreement the column kappa holds their own true value.
"""

import argparse
import csv
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from math import comb
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np

from schemas.metrics import Interval
from tasks.statistics import Judgement, Request, Tally, measure
from tasks.statistics.codes import Codes
from tasks.statistics.coefficients import Coefficient, Floats, Kind
from tasks.statistics.draws import bootstrap_sums
from tasks.statistics.intervals import (
    IntervalSpec,
    bootstrap,
    dirichlet,
    quantiles,
    subsampling,
    wilson,
)
from tasks.statistics.units import Units, item_features, make_units

RESULTS = Path(__file__).with_suffix(".csv")
PER_GROUP = 18
N_SAMPLES = 5
BESIDE: dict[str, Kind] = {"AC1": "ac1", "Brennan-Prediger": "brennan_prediger", "raw": "raw"}
SEED, REPETITIONS, DRAWS = 1, 1000, 1000


class Setting(NamedTuple):
    """One random setting."""

    number: int
    design: str
    kind: Kind
    n: int
    kappa: float
    shares: tuple[float, ...]
    cluster_size: int = 1
    correlation: float = 0.0
    n_raters: int = 2
    weighted: bool = False
    accuracy: float = 0.0


class Outcome(NamedTuple):
    """How one method did in one setting: a row of the results."""

    setting: int
    design: str
    classes: int
    n: int
    kappa: float
    largest_share: float
    cluster_size: int
    correlation: float
    method: str
    coverage: float
    width: float
    defined: float
    repetitions: int


Method = Callable[[Units, Floats, float, IntervalSpec], Interval | str]


def make_settings(seed: int) -> list[Setting]:
    """Seventy-two settings of two raters, then those of other designs."""
    rng = np.random.default_rng(seed)
    found: list[Setting] = []

    def add(design: str, kind: Kind, classes: int, number: int, **more: object) -> None:
        for _ in range(number):
            drawn = _draw(rng, classes, clustered="clusters" in design)
            found.append(Setting(len(found), design, kind, *drawn)._replace(**more))  # type: ignore[arg-type]  # fields of Setting

    for classes in (2, 3):
        add("two raters", "cohen", classes, PER_GROUP)
        add("two raters, clusters", "cohen", classes, PER_GROUP)
    for classes in (2, 3):
        add("four raters (Fleiss)", "fleiss", classes, PER_GROUP // 2, n_raters=4)
        add("four raters (alpha)", "alpha", classes, PER_GROUP // 2, n_raters=4)
        add("two raters, weights", "cohen", classes, PER_GROUP // 2, weighted=True)
    add("rate", "raw", 2, PER_GROUP)
    first = len(found)
    add("two raters, samples", "cohen", 2, PER_GROUP // 2)
    found[first:] = [_sampled(setting) for setting in found[first:]]
    # After all others, whose random numbers they must not shift.
    for classes in (2, 3):
        for name, kind in BESIDE.items():
            add(f"two raters ({name})", kind, classes, PER_GROUP // 2)
        add("four raters (Fleiss), clusters", "fleiss", classes, PER_GROUP // 2, n_raters=4)
        add("four raters (alpha), clusters", "alpha", classes, PER_GROUP // 2, n_raters=4)
    return found


def _sampled(setting: Setting) -> Setting:
    """The setting with the kappa that the majority of five samples truly has."""
    accuracy = 0.5 + setting.kappa / 2
    right = sum(
        comb(N_SAMPLES, k) * accuracy**k * (1 - accuracy) ** (N_SAMPLES - k) for k in (3, 4, 5)
    )
    said = [share * right + (1 - share) * (1 - right) for share in setting.shares]
    chance = sum(one * other for one, other in zip(setting.shares, said, strict=True))
    return setting._replace(kappa=(right - chance) / (1 - chance), accuracy=accuracy)


def _draw(
    rng: np.random.Generator, classes: int, *, clustered: bool
) -> tuple[int, float, tuple[float, ...], int, float]:
    n = round(float(np.exp(rng.uniform(np.log(10), np.log(150)))))
    kappa = float(rng.uniform(0, 0.97))
    shares = rng.dirichlet([3] * classes)
    while shares.min() < 0.15:
        shares = rng.dirichlet([3] * classes)
    size, correlation = (int(rng.integers(2, 6)), float(rng.uniform(0.1, 0.7)))
    of_cluster = (size, correlation) if clustered else (1, 0.0)
    return n, kappa, tuple(map(float, shares)), *of_cluster


def _tables(setting: Setting, rng: np.random.Generator, repetitions: int) -> Codes:
    """Samples of items: repetitions × items × raters."""
    table = _items(setting, rng, repetitions)
    if setting.cluster_size > 1:
        first = np.arange(setting.n) // setting.cluster_size * setting.cluster_size
        copies = rng.random((repetitions, setting.n, 1)) < np.sqrt(setting.correlation)
        table = np.where(copies, _items(setting, rng, repetitions)[:, first], table)
    return table


def _items(setting: Setting, rng: np.random.Generator, repetitions: int) -> Codes:
    shape = (repetitions, setting.n, setting.n_raters)
    truth = rng.choice(len(setting.shares), (*shape[:2], 1), p=setting.shares)
    guess = rng.choice(len(setting.shares), shape, p=setting.shares)
    if setting.n_raters == 2:
        sees = rng.random((*shape[:2], 1)) < setting.kappa
    else:
        sees = rng.random(shape) < np.sqrt(setting.kappa)
    return np.where(sees, truth, guess).astype(np.int8)


def run_setting(setting: Setting, seed: int, repetitions: int, draws: int) -> list[Outcome]:
    """Every method in one setting."""
    rng = np.random.default_rng([seed, setting.number])
    if setting.accuracy:
        return [_two_levels(setting, rng, min(repetitions, 300), min(draws, 200))]
    tables = _tables(setting, rng, repetitions)
    if setting.design == "rate":
        return [_rate(setting, tables)]
    weights = rng.choice([0.2, 0.6, 1.0], setting.n) if setting.weighted else np.ones(setting.n)
    clusters = np.arange(setting.n) // setting.cluster_size
    measure = Coefficient(setting.kind, len(setting.shares))
    spec = IntervalSpec(iterations=draws)
    return [
        _judge(
            setting._replace(kappa=_truth(setting)),
            name,
            [
                _interval(method, measure, table, weights, clusters if told else None, spec)
                for table in tables
            ],
        )
        for name, (method, told) in _methods(setting).items()
    ]


def _truth(setting: Setting) -> float:
    """The coefficient over infinitely many items; for the kappas and alpha it is kappa itself."""
    classes, same = len(setting.shares), sum(share**2 for share in setting.shares)
    agreement = setting.kappa + (1 - setting.kappa) * same
    by_chance = {
        "raw": 0.0,
        "brennan_prediger": 1 / classes,
        "ac1": (1 - same) / (classes - 1),
    }.get(setting.kind)
    return setting.kappa if by_chance is None else (agreement - by_chance) / (1 - by_chance)


def _methods(setting: Setting) -> dict[str, tuple[Method, bool]]:
    told = setting.cluster_size > 1
    found: dict[str, tuple[Method, bool]] = {
        "dirichlet": (lambda u, _, v, s: dirichlet(u, v, s), told),
        "bootstrap": (lambda u, _, v, s: bootstrap(u, v, s), told),
        "percentiles": (_percentiles, told),
        "subsampling": (subsampling, False),
    }
    if told:
        found["dirichlet, not told of clusters"] = (found["dirichlet"][0], False)
    return found


def _percentiles(units: Units, _: Floats, value: float, spec: IntervalSpec) -> Interval | str:
    if units.number < 2:
        return "too few"
    drawn = units.measure.values(bootstrap_sums(units, spec.iterations, spec.generator()))
    return quantiles(drawn, value, spec, "percentiles")


def _interval(
    method: Method,
    measure: Coefficient,
    table: Codes,
    weights: Floats,
    clusters: np.ndarray[tuple[int], np.dtype[np.intp]] | None,
    spec: IntervalSpec,
) -> Interval | None:
    units = make_units(measure, table, weights, clusters)
    value = float(measure.values(units.sums))
    if np.isnan(value):
        return None
    found = method(units, item_features(measure, table, weights), value, spec)
    return found if isinstance(found, Interval) else None


def _two_levels(
    setting: Setting, rng: np.random.Generator, repetitions: int, draws: int
) -> Outcome:
    """The two-level interval, which sees the samples behind each verdict."""
    found = []
    spec = IntervalSpec("two-level", draws)
    names = ("good", "bad")
    for _ in range(repetitions):
        truth = rng.choice(2, setting.n, p=setting.shares)
        right = rng.binomial(N_SAMPLES, setting.accuracy, setting.n)
        items = []
        for place, (side, agreeing) in enumerate(zip(truth, right, strict=True)):
            votes = [0, 0]
            votes[side], votes[1 - side] = int(agreeing), int(N_SAMPLES - agreeing)
            tally = Tally(votes[0], votes[1], 0)
            verdict = names[votes[1] > votes[0]]
            items.append(Judgement(str(place), (names[side],), verdict, tally))  # type: ignore[arg-type]  # both are verdicts
        kappa = measure(items, (), request=Request(interval=spec)).cohens_kappa["consensus"]
        found.append(kappa.interval)
    return _judge(setting, "two-level", found)


def _judge(setting: Setting, method: str, found: list[Interval | None]) -> Outcome:
    known = [one for one in found if one is not None]
    hits = [one.lo - 1e-9 <= setting.kappa <= one.hi + 1e-9 for one in known]
    return Outcome(
        setting.number,
        setting.design,
        len(setting.shares),
        setting.n,
        round(setting.kappa, 3),
        round(max(setting.shares), 3),
        setting.cluster_size,
        round(setting.correlation, 2),
        method,
        round(float(np.mean(hits)), 4),
        round(float(np.mean([one.hi - one.lo for one in known])), 3),
        round(len(known) / len(found), 4),
        len(found),
    )


def _rate(setting: Setting, tables: Codes) -> Outcome:
    """Wilson's interval of the share of the first class; its true value stands as kappa."""
    hits = (tables[:, :, 0] == 0).sum(axis=1)
    intervals = [wilson(int(one), setting.n) for one in hits]
    return _judge(setting._replace(kappa=setting.shares[0]), "wilson", intervals)


def main() -> None:
    """Run all settings and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="*", help="designs; results of others are kept")
    options = parser.parse_args()
    run = partial(
        run_setting, seed=options.seed, repetitions=options.repetitions, draws=options.draws
    )
    everything = make_settings(options.seed)
    chosen = [one for one in everything if fnmatchcase(one.design, options.only)]
    numbers = {str(one.number) for one in chosen}
    rows = [row for row in _stored() if row[0] not in numbers] if options.only != "*" else []
    with Pool(options.processes) as pool:
        for outcomes in pool.imap(run, chosen):
            rows += [[str(value) for value in outcome] for outcome in outcomes]
            for outcome in outcomes:
                print(*outcome, flush=True)
    rows.sort(key=lambda row: int(row[0]))
    with RESULTS.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Outcome._fields, *rows])


def _stored() -> list[list[str]]:
    with RESULTS.open(newline="") as file:
        return list(csv.reader(file))[1:]


if __name__ == "__main__":
    main()
