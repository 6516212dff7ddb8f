"""How the runs of a paraphrase cycle differ."""

from collections.abc import Sequence
from typing import Any

from schemas.base import Verdict
from schemas.run import RunResult, VariantComparison
from tasks.statistics import fleiss_kappa

_HEADLINES = ("n", "n_missing", "coverage", "cohens_kappa[consensus]", "fleiss_kappa")


def compare_variants(runs: Sequence[RunResult]) -> VariantComparison:
    """Verdicts of every item under every wording, and how well the wordings agree.

    An item that is missing under some wording is left out of the comparison and counted.
    """
    verdicts = [_judged(run) for run in runs]
    ids = [item for item in verdicts[0] if all(item in found for found in verdicts)]
    table: list[tuple[Verdict, ...]] = [tuple(found[i] for found in verdicts) for i in ids]
    stable = sum(len(set(row)) == 1 for row in table)
    kappa = fleiss_kappa(table)
    reasons = {} if kappa.reason is None else {"fleiss_kappa": kappa.reason}
    if not ids:
        reasons["stable_share"] = "no item was judged under every wording"
    return VariantComparison(
        variants=tuple(_headline(run) for run in runs),
        n_items=len(ids),
        n_left_out=runs[0].metrics["n"] - len(ids),
        n_stable=stable,
        stable_share=stable / len(ids) if ids else None,
        unstable_items=tuple(
            {"item_id": item, "verdicts": list(row)}
            for item, row in zip(ids, table, strict=True)
            if len(set(row)) > 1
        ),
        fleiss_kappa=kappa.value,
        n_fleiss=kappa.n,
        reasons=reasons,
    )


def _judged(run: RunResult) -> dict[str, Verdict]:
    spread = run.metrics["verdict_distributions"]
    return {item: found["verdict"] for item, found in spread.items() if found["n_samples"] > 0}


def _headline(run: RunResult) -> dict[str, Any]:
    shown = {key: run.metrics[key] for key in _HEADLINES if key in run.metrics}
    return {"variant": run.variant, "run_id": run.run_id, **shown}
