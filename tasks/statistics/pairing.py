"""May two evaluations be compared, and which of their items belong together?"""

from collections.abc import Mapping
from typing import Any

from schemas.errors import UserError
from schemas.evaluation import Evaluation
from tasks.statistics.evaluations import items_by_id, judgements_of
from tasks.statistics.judgement import Judgement

BESIDE = ("parser", "strip_tex")
"""Settings that only the output document of a run records."""

_MUST_MATCH = ("question_form", "coherence_frame_id", "paraphrase_variant", *BESIDE)
_MAY_DIFFER = (
    "provider",
    "model_id",
    "params",
    "n_samples",
    "tie_break",
    "verification_prompt_id",
    "benchmark_hash",
)
_NAMED = 5

Settings = Mapping[str, Any]


def settings_that_differ(
    a: Evaluation, b: Evaluation, recorded: tuple[Settings | None, Settings | None]
) -> tuple[dict[str, tuple[Any, Any]], tuple[str, ...]]:
    """Settings that differ and may, and those that are not known of both runs.

    Raises:
        UserError: The runs are of different benchmarks, or differ in what was asked or in how
            replies were read.
    """
    if a.benchmark_id != b.benchmark_id:
        raise UserError(
            f"{a.id!r} is of the benchmark {a.benchmark_id!r}, {b.id!r} of {b.benchmark_id!r}",
            fix="compare runs of one benchmark",
            code="benchmark_mismatch",
        )
    left, right = _settings(a, recorded[0]), _settings(b, recorded[1])
    for key in _MUST_MATCH:
        if key in left and key in right and left[key] != right[key]:
            raise UserError(
                f"the runs differ in {key}: {left[key]!r} and {right[key]!r}",
                fix="compare runs that were asked and read alike",
                code="not_comparable",
            )
    differing = {
        key: (left[key], right[key])
        for key in _MAY_DIFFER
        if key in left and key in right and left[key] != right[key]
    }
    unchecked = tuple(key for key in BESIDE if key not in left or key not in right)
    return differing, unchecked


def aligned(a: Evaluation, b: Evaluation) -> list[tuple[Judgement, Judgement]]:
    """The items of the first run with those of the second, in the order of the first.

    Raises:
        UserError: The second run lacks one, or an id stands twice in a run.
    """
    items_by_id(a), items_by_id(b)
    found = {one.item_id: one for one in judgements_of(b)}
    lacking = [item.id for item in a.items if item.id not in found]
    if lacking:
        more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        raise UserError(
            f"{b.id!r} lacks items of {a.id!r}: {', '.join(lacking[:_NAMED])}{more}",
            fix="compare runs over the same items, or name the smaller run first",
            code="not_comparable",
        )
    return [(one, found[one.item_id]) for one in judgements_of(a)]


def _settings(evaluation: Evaluation, recorded: Settings | None) -> dict[str, Any]:
    config = evaluation.endorsement_config
    known = {
        "question_form": config.question_form,
        # The frame belongs to the coherence question; under the other one it says nothing.
        "coherence_frame_id": config.coherence_frame_id
        if config.question_form == "coherence"
        else None,
        "paraphrase_variant": evaluation.paraphrase_variant,
        "provider": evaluation.model.provider,
        "model_id": evaluation.model.model_id,
        "params": evaluation.model.params.model_dump(mode="json"),
        "n_samples": config.n_samples,
        "tie_break": config.tie_break,
        "verification_prompt_id": config.verification_prompt_id,
        **{key: value for key, value in (recorded or {}).items() if key in BESIDE},
    }
    if evaluation.benchmark_hash is not None:
        known["benchmark_hash"] = evaluation.benchmark_hash
    return known
