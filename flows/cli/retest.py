"""`assent retest`: does a model that is asked the same again say the same?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import figure, print_table, span, warn

if TYPE_CHECKING:
    from schemas.retest import RetestResult

_SHOWN = 10


def retest(
    a: Annotated[str, typer.Argument(metavar="A", help="The first evaluation.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The second one, with fresh draws.")],
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--benchmark", metavar="FILE", help="Shows factor levels; recognises older hashes."
        ),
    ] = None,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Say how stable verdicts are: two runs of one model with the same settings.

    Unstable verdicts are a finding to read, not a failure: exit 0.

    Example: assent retest evaluations/stop-sign-v1/monday.json evaluations/stop-sign-v1/friday.json
    """
    found = _retested(a, b, benchmark)
    if format_ is Format.JSON:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _retested(path_a: str, path_b: str, benchmark_path: str | None) -> "RetestResult":
    from flows.cli.files import read_benchmark, read_evaluation
    from tasks.benchmarks.matching import noticed
    from tasks.statistics.retest_pairing import same_draws
    from tasks.statistics.retesting import retest_runs
    from tasks.storage.beside import settings_beside

    benchmark = None if benchmark_path is None else read_benchmark(benchmark_path)
    first, second = read_evaluation(path_a), read_evaluation(path_b)
    recorded = settings_beside(path_a, first.id), settings_beside(path_b, second.id)
    found = retest_runs(first, second, benchmark, recorded)
    warnings = (
        *warn(path_a, noticed(first, benchmark)),
        *warn(path_b, noticed(second, benchmark)),
        *warn(path_b, same_draws(first, second, recorded)),
    )
    return found.model_copy(update={"warnings": warnings})


def _print(found: "RetestResult") -> None:
    say(
        printable(
            f"{found.benchmark_id}: {found.run_a_id} (a) and {found.run_b_id} (b), "
            f"{found.n_items} items in both"
        )
    )
    figures = found.figures
    print_table(
        ("figure", "value", "95 %", "n", "reading"),
        [
            (name, figure(one.value, one.reason), span(one.interval), one.n, reading)
            for name, one, reading in (
                ("kappa, where both took a side", figures.test_retest_kappa, found.stability_band),
                (
                    "kappa of all three verdicts",
                    figures.kappa_three_class,
                    found.kappa_three_class_band,
                ),
                ("verdicts that agree", figures.agreement_rate_judged, None),
                ("verdicts that flip", figures.flip_rate_judged, None),
            )
        ],
    )
    say(f"  {found.stability_verdict}")
    say(
        f"  flips: {found.n_flips_between_sides} between good and bad, "
        f"{found.n_flips_with_abstain} to or from abstain"
    )
    _print_items(found)


def _print_items(found: "RetestResult") -> None:
    for item in found.flipped_items:
        one, other = (
            "missing" if missing else verdict
            for verdict, missing in (
                (item.verdict_a, item.missing_a),
                (item.verdict_b, item.missing_b),
            )
        )
        say(printable(f"  {item.item_id}: {one} → {other}"))
    if found.n_missing_a or found.n_missing_b:
        say(f"  missing: {found.n_missing_a} items in a, {found.n_missing_b} in b")
    for name, left_out in (("a", found.only_in_a), ("b", found.only_in_b)):
        if left_out:
            more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
            say(printable(f"  only in {name}, left out: {', '.join(left_out[:_SHOWN])}{more}"))
    if found.unchecked:
        say(f"  not known of both runs: {', '.join(found.unchecked)}")
