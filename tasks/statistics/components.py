"""Where the spread of a model's agreement with the analysts comes from.

A draw scores the share of analysts who say the same as it, abstaining included. Its variance is
split by item, wording, epoch and sample, as in a generalizability study; the analysts' part comes
from the table of items by analysts.

Reference:
    Brennan, R. L. (2001). Generalizability Theory. Springer.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.evaluation import Evaluation, EvaluationItem
from schemas.metrics import Interval
from schemas.variability import Component, VarianceStudy
from tasks.statistics.evaluations import usable_verdicts
from tasks.statistics.random_effects import Floats, solve_components, sources
from tasks.statistics.replicates import Items, by_wording, require_replicates, shared_items
from tasks.statistics.spending import Sizes, standard_error, ways_to_spend

FACETS: Final = ("item", "wording", "epoch")
ONE_SAMPLE = "no item has two usable samples in one run"
FEW_LEVELS = "only one was seen"

ASSUMPTIONS = (
    "a draw agrees with an analyst when both say the same word, abstaining included",
    "items, wordings, epochs and analysts are taken as samples of those one could have used",
    "draws of one item under one wording and epoch are independent",
    "a run per wording and epoch; epochs are told apart only by being different files",
)


class _Scores(NamedTuple):
    """Items x wordings x epochs: mean score of a cell, its draws, their sum of squares."""

    means: Floats
    draws: npt.NDArray[np.int64]
    squares: Floats
    by_analyst: Floats

    def take(self, rows: npt.NDArray[np.int64]) -> "_Scores":
        return _Scores(
            self.means[rows], self.draws[rows], self.squares[rows], self.by_analyst[rows]
        )

    @property
    def within(self) -> float | None:
        """Variance of single draws within a cell."""
        freedom = int((self.draws - 1).sum())
        return float(self.squares.sum()) / freedom if freedom else None


def study_variance(
    runs: Sequence[Evaluation],
    benchmark: Benchmark | None = None,
    calls: int = 100,
    iterations: int = 500,
    seed: int = 0,
) -> VarianceStudy:
    """Components of the agreement, and where further calls are worth most.

    Raises:
        UserError: The runs do not belong together, do not form a full design, or have too few
            items in common.
    """
    require_replicates(runs)
    design = _full_design(runs)
    ids, _ = shared_items(runs, benchmark)
    if len(ids) < 2:
        raise UserError(
            f"{len(ids)} items have a usable sample in every run; variance needs two",
            fix="name runs over more items",
            code="too_few_items",
        )
    if not runs[0].items[0].analyst_verdicts:
        raise UserError(
            "the runs record no analyst to agree with",
            fix="name evaluations of a benchmark with a panel",
            code="verdict_count",
        )
    tables = [[{item.id: item for item in run.items} for run in row] for row in design]
    scores = _score(ids, tables, {item.id: item.analyst_verdicts for item in runs[0].items})
    values = _estimate(scores)
    sizes = Sizes(
        items=len(ids),
        wordings=scores.means.shape[1],
        epochs=scores.means.shape[2],
        samples=1 / float((1 / scores.draws).mean()),
        analysts=scores.by_analyst.shape[1],
    )
    known = {source: max(0.0, value) for source, value in values.items() if value is not None}
    spending, best, best_here, conclusion = ways_to_spend(known, sizes, calls)
    return VarianceStudy(
        benchmark_id=runs[0].benchmark_id,
        runs=tuple(run.id for run in runs),
        n_items=len(ids),
        n_left_out=len(runs[0].items) - len(ids),
        n_wordings=scores.means.shape[1],
        n_epochs=scores.means.shape[2],
        n_analysts=sizes.analysts,
        n_samples=int(scores.draws.sum()),
        mean_agreement=float(scores.means.mean()),
        standard_error=standard_error(known, sizes),
        components=_components(values, known, scores, _intervals(scores, iterations, seed)),
        calls=calls,
        spending=spending,
        best=best,
        best_without_new_items=best_here,
        conclusion=conclusion,
        assumptions=ASSUMPTIONS,
    )


def _full_design(runs: Sequence[Evaluation]) -> list[list[Evaluation]]:
    """Runs by wording and epoch; every wording needs the same number of runs."""
    found = by_wording(runs)
    counts = {variant: len(row) for variant, row in found.items()}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"wording {variant}: {n}" for variant, n in counts.items())
        raise UserError(
            f"wordings have different numbers of runs ({listed})",
            fix="name equally many runs of each wording",
            code="unbalanced_design",
        )
    return list(found.values())


def _score(
    ids: Sequence[str], design: Sequence[Sequence[Items]], panels: Mapping[str, Sequence[str]]
) -> _Scores:
    shape = len(ids), len(design), len(design[0])
    means, squares = np.zeros(shape), np.zeros(shape)
    draws = np.zeros(shape, dtype=np.int64)
    by_analyst = np.zeros((len(ids), len(panels[ids[0]])))
    for i, item_id in enumerate(ids):
        for p, row in enumerate(design):
            for e, table in enumerate(row):
                matches = _matches(table[item_id], panels[item_id])
                scores = matches.mean(axis=1)
                draws[i, p, e] = len(scores)
                means[i, p, e] = scores.mean()
                squares[i, p, e] = ((scores - scores.mean()) ** 2).sum()
                by_analyst[i] += matches.mean(axis=0)
    return _Scores(means, draws, squares, by_analyst / (shape[1] * shape[2]))


def _matches(item: EvaluationItem, panel: Sequence[str]) -> Floats:
    """Draws by analysts: 1 where both say the same."""
    said = np.array(usable_verdicts(item))
    return np.asarray(said[:, np.newaxis] == np.array(panel)[np.newaxis, :], dtype=np.float64)


def _estimate(scores: _Scores) -> dict[str, float | None]:
    """Every component by the name of its source; None where it cannot be told."""
    within = scores.within
    noise = 0.0 if within is None else within * float((1 / scores.draws).mean())
    axes = [axis for axis in range(3) if scores.means.shape[axis] > 1]
    shape = tuple(scores.means.shape[axis] for axis in axes)
    solved = solve_components(scores.means.reshape(shape), noise)
    found: dict[str, float | None] = {}
    for source in sources(3):
        places = tuple(axes.index(axis) for axis in source if axis in axes)
        name = " x ".join(FACETS[axis] for axis in source)
        found[name] = solved[places] if len(places) == len(source) else None
    found["sample"] = within
    found["analyst"] = None
    if scores.by_analyst.shape[1] > 1:
        found["analyst"] = solve_components(scores.by_analyst, 0.0)[(1,)]
    return found


def _intervals(scores: _Scores, iterations: int, seed: int) -> Mapping[str, Interval]:
    """Percentiles over resampled items, for sources that every item has a part in."""
    generator = np.random.default_rng(seed)
    n = len(scores.means)
    drawn: dict[str, list[float]] = {}
    for _ in range(iterations):
        for name, value in _estimate(scores.take(generator.integers(0, n, n))).items():
            if value is not None and ("item" in name or name == "sample"):
                drawn.setdefault(name, []).append(max(0.0, value))
    return {
        name: Interval(
            lo=float(np.quantile(values, 0.025)),
            hi=float(np.quantile(values, 0.975)),
            method="bootstrap-percentile",
            iterations=iterations,
        )
        for name, values in drawn.items()
    }


def _components(
    values: Mapping[str, float | None],
    known: Mapping[str, float],
    scores: _Scores,
    intervals: Mapping[str, Interval],
) -> tuple[Component, ...]:
    total = sum(value for name, value in known.items() if name != "analyst")
    shared = {name for name in known if name != "analyst" and total > 0}
    n_levels = dict(zip(FACETS, scores.means.shape, strict=True))
    n_levels |= {"sample": int(scores.draws.sum()), "analyst": scores.by_analyst.shape[1]}
    return tuple(
        Component(
            source=name,
            value=known.get(name),
            raw=value,
            share=known[name] / total if name in shared else None,
            n_levels=int(np.prod([n_levels[part] for part in name.split(" x ")])),
            interval=intervals.get(name),
            reason=None if value is not None else ONE_SAMPLE if name == "sample" else FEW_LEVELS,
        )
        for name, value in values.items()
    )
