"""How far the verdicts of a model depend on wording, and how much of that is mere sampling."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from schemas.base import TieBreak
from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.evaluation import Evaluation
from schemas.variability import InvarianceStudy, ItemVerdicts, SamplingCheck, WordingRow
from tasks.statistics.codes import Codes, encode
from tasks.statistics.evaluations import count, usable_verdicts
from tasks.statistics.intervals import IntervalSpec
from tasks.statistics.measuring import Measurer
from tasks.statistics.replicates import by_wording, require_replicates, shared_items
from tasks.statistics.shares import mean_share

NO_SHARED_ITEM: Final = "no item has a usable sample under every wording"
NO_WORST: Final = "every wording agrees with the others equally often"

ASSUMPTIONS = (
    "items are the units of every interval",
    "the sampling check deals the draws of an item out to the wordings at random, which is right "
    "when wording does not matter and draws are independent",
)

Counts = npt.NDArray[np.int64]


def study_invariance(
    runs: Sequence[Evaluation],
    benchmark: Benchmark | None = None,
    iterations: int = 1000,
    seed: int = 0,
) -> InvarianceStudy:
    """Agreement of the wordings, the worst of them, and the items that flip.

    Raises:
        UserError: The runs do not belong together, or are not one for each of several wordings.
    """
    require_replicates(runs)
    ordered = _one_per_wording(runs)
    ids, tables = shared_items(ordered, benchmark)
    said = [[table[item_id].model_verdict for item_id in ids] for table in tables]
    codes = np.stack([encode(column) for column in said], axis=1)
    alike = codes[:, :, np.newaxis] == codes[:, np.newaxis, :]
    n_wordings = len(ordered)
    with_others = (alike.sum(axis=2) - 1) / (n_wordings - 1)
    rows = tuple(
        WordingRow(
            variant=run.paraphrase_variant,
            run_id=run.id,
            agreement=mean_share(with_others[:, k], if_empty=NO_SHARED_ITEM),
            flips_from_first=int((codes[:, k] != codes[:, 0]).sum()),
        )
        for k, run in enumerate(ordered)
    )
    flipped = np.flatnonzero((codes != codes[:, :1]).any(axis=1))
    votes = np.array(
        [[count(usable_verdicts(table[item_id])) for table in tables] for item_id in ids],
        dtype=np.int64,
    ).reshape(len(ids), n_wordings, 3)
    worst, reasons = _worst(rows)
    if not ids:
        reasons["sampling"] = NO_SHARED_ITEM
    return InvarianceStudy(
        benchmark_id=runs[0].benchmark_id,
        n_items=len(ids),
        n_left_out=len(ordered[0].items) - len(ids),
        stable_share=mean_share(~(codes != codes[:, :1]).any(axis=1), if_empty=NO_SHARED_ITEM),
        pairwise_agreement=mean_share(with_others.mean(axis=1), if_empty=NO_SHARED_ITEM),
        fleiss_kappa=Measurer(IntervalSpec(seed=seed), clusters=None)("fleiss", codes),
        wordings=rows,
        worst_variant=worst,
        flipped_items=tuple(
            ItemVerdicts(
                item_id=ids[i],
                verdicts={str(run.paraphrase_variant): said[k][i] for k, run in enumerate(ordered)},
                takes_both_sides={"good", "bad"} <= {column[i] for column in said},
            )
            for i in flipped.tolist()
        ),
        sampling=_check_sampling(
            votes, codes, runs[0].endorsement_config.tie_break, iterations, seed
        )
        if ids
        else None,
        reasons=reasons,
        assumptions=ASSUMPTIONS,
    )


def _worst(rows: Sequence[WordingRow]) -> tuple[int | None, dict[str, str]]:
    """The wording that agrees least with the others, or why there is none."""
    values = {row.variant: row.agreement.value for row in rows}
    known = {variant: value for variant, value in values.items() if value is not None}
    if not known:
        return None, {"worst_variant": NO_SHARED_ITEM}
    if min(known.values()) == max(known.values()):
        return None, {"worst_variant": NO_WORST}
    return min(known, key=lambda variant: known[variant]), {}


def _one_per_wording(runs: Sequence[Evaluation]) -> list[Evaluation]:
    found = by_wording(runs)
    several = [variant for variant, row in found.items() if len(row) > 1]
    if len(found) < 2 or several:
        what = f"wording {several[0]} has several runs" if several else "there is one wording only"
        raise UserError(
            what, fix="name one run for each of two or more wordings", code="not_comparable"
        )
    return [row[0] for row in found.values()]


def _check_sampling(
    votes: Counts, codes: Codes, tie_break: TieBreak, iterations: int, seed: int
) -> SamplingCheck:
    """Deal the draws of every item out to the wordings anew, and see what that alone does."""
    generator = np.random.default_rng(seed)
    sizes = votes.sum(axis=2)
    observed = spread_between(votes, sizes) - 1e-9
    reached = 0
    flips = 0
    for _ in range(iterations):
        dealt = _deal(votes, sizes, generator)
        reached += spread_between(dealt, sizes) >= observed
        verdicts = vote_counts(dealt, tie_break)
        flips += int((verdicts != verdicts[:, :1]).any(axis=1).sum())
    return SamplingCheck(
        flips=int((codes != codes[:, :1]).any(axis=1).sum()),
        flips_expected=flips / iterations,
        p_value=(reached + 1) / (iterations + 1),
        iterations=iterations,
        seed=seed,
    )


def spread_between(votes: Counts, sizes: Counts) -> float:
    """Sum over items of the squared distances of each wording's shares from their mean."""
    shares = votes / sizes[:, :, np.newaxis]
    return float(((shares - shares.mean(axis=1, keepdims=True)) ** 2).sum())


def vote_counts(votes: Counts, tie_break: TieBreak) -> Codes:
    """Verdicts of many tallies at once; `first` has no order here and reads as a fair tie."""
    good, bad, abstain = votes[..., 0], votes[..., 1], votes[..., 2]
    settled = {"good": 0, "bad": 1}.get(tie_break, 2)
    verdicts = np.where(good > bad, 0, np.where(bad > good, 1, settled))
    verdicts[abstain >= np.maximum(good, bad)] = 2
    return verdicts.astype(np.int8)


def _deal(votes: Counts, sizes: Counts, generator: np.random.Generator) -> Counts:
    """The same draws in other hands: good ones first, then bad ones; the rest abstains."""
    left = votes.sum(axis=1)
    dealt = np.zeros_like(votes)
    for k in range(votes.shape[1]):
        others = left[:, 1] + left[:, 2]
        good = generator.hypergeometric(left[:, 0], others, sizes[:, k])
        bad = generator.hypergeometric(left[:, 1], left[:, 2], sizes[:, k] - good)
        dealt[:, k] = np.stack([good, bad, sizes[:, k] - good - bad], axis=1)
        left = left - dealt[:, k]
    return dealt
