"""`assent model`: how does agreement depend on the factors of the benchmark?"""

from typing import TYPE_CHECKING

from flows.cli.compare import ReferenceOption
from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import BenchmarkPath, EvaluationPath, print_table, read_pair

if TYPE_CHECKING:
    from schemas.factor_model import FactorEffect, FactorModel


def model(
    path: EvaluationPath,
    benchmark: BenchmarkPath,
    reference: ReferenceOption = "consensus",
    format_: FormatOption = Format.TEXT,
) -> None:
    """Fit how the odds of agreeing with the panel change with the levels of each factor.

    Exit 2: these data cannot decide the model; the message says why.

    Example: assent model evaluations/food-storage-v1/RUN.json --benchmark benchmark.json
    """
    studied = read_pair(path, benchmark)
    from tasks.statistics.factor_model import fit_factor_model
    from tasks.statistics.referring import reference_verdicts

    wanted = reference_verdicts(reference, studied.evaluation, studied.benchmark)
    found = fit_factor_model(studied.evaluation, studied.benchmark, wanted)
    found = found.model_copy(update={"warnings": studied.warnings})
    if format_ is Format.JSON:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _range(effect: "FactorEffect") -> str:
    low, high = effect.conf_int_low, effect.conf_int_high
    return "-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def _print(found: "FactorModel") -> None:
    say(printable(f"{found.evaluation_id} on {found.benchmark_id}, reference {found.reference}"))
    say(
        f"  {found.n_observations} samples of {found.n_items} items; left out: "
        f"{found.n_dropped_abstain} without a side, {found.n_failed} failed"
    )
    print_table(
        ("effect", "coef", "95 %", "odds ratio", "p", "n"),
        [
            (
                f"{one.factor}={one.level}",
                one.coef,
                _range(one),
                one.odds_ratio,
                "undefined" if one.p_value is None else f"{one.p_value:.4f}",
                one.n_observations,
            )
            for one in found.effects
        ],
    )
    for factor, level in found.baselines.items():
        p = found.factor_wald[factor]
        joint = "undefined" if p is None else f"p {p:.4f}"
        say(printable(f"  {factor}: against {level}; all levels together {joint}"))
    say(
        f"  deviance {found.deviance:.2f}, without factors {found.null_deviance:.2f}, "
        f"pseudo R² {found.pseudo_r2:.3f}"
    )
    say(f"  {found.method}")
    for name, reason in found.reasons.items():
        say(printable(f"  {name} undefined: {reason}"))
    for note in found.notes:
        say(printable(f"  note: {note}"))
