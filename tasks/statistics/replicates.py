"""Several evaluations of one benchmark by one model: other wordings, or fresh draws."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.evaluation import Evaluation, EvaluationItem
from tasks.statistics.evaluations import items_by_id, usable_verdicts

Items = Mapping[str, EvaluationItem]


def require_replicates(runs: Sequence[Evaluation]) -> None:
    """Make sure that runs differ in nothing but wording, epoch and number of samples.

    Raises:
        UserError: They differ in more.
    """
    first = _identity(runs[0])
    for run in runs[1:]:
        for key, value in _identity(run).items():
            if value != first[key]:
                raise UserError(
                    f"{runs[0].id!r} and {run.id!r} differ in {key}: {first[key]!r} and {value!r}",
                    fix="name runs of one model with one set of settings",
                    code="not_comparable",
                )


def by_wording(runs: Sequence[Evaluation]) -> dict[int, list[Evaluation]]:
    """The runs of each wording, by its number."""
    found: dict[int, list[Evaluation]] = defaultdict(list)
    for run in runs:
        found[run.paraphrase_variant].append(run)
    return dict(sorted(found.items()))


def shared_items(
    runs: Sequence[Evaluation], benchmark: Benchmark | None
) -> tuple[list[str], list[Items]]:
    """Ids of the items with a usable sample in every run, and the items of each run.

    Args:
        runs: The evaluations.
        benchmark: When given, items that some wording leaves as they are, for want of a
            paraphrase, are no part of it: their draws would be the same draws.
    """
    tables = [items_by_id(run) for run in runs]
    variants = {run.paraphrase_variant for run in runs}
    reworded = None if benchmark is None else _reworded(benchmark, variants)
    ids = [
        item.id
        for item in runs[0].items
        if (reworded is None or item.id in reworded)
        and all(item.id in table and usable_verdicts(table[item.id]) for table in tables)
    ]
    return ids, list(tables)


def _reworded(benchmark: Benchmark, variants: set[int]) -> set[str]:
    """Items that have words of their own in each of these wordings."""
    n_paraphrases = {name: len(bearer.paraphrases) for name, bearer in benchmark.bearers.items()}
    most = max(variants)
    return {
        item.id
        for item in benchmark.items
        if max((n_paraphrases[b] for b in (*item.premises, *item.conclusions)), default=0) >= most
    }


def _identity(run: Evaluation) -> dict[str, Any]:
    config = run.endorsement_config
    return {
        "benchmark_id": run.benchmark_id,
        "provider": run.model.provider,
        "model_id": run.model.model_id,
        "params": run.model.params.model_dump(mode="json"),
        "question_form": config.question_form,
        "coherence_frame_id": config.coherence_frame_id,
        "tie_break": config.tie_break,
    }
