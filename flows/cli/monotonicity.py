"""`assent monotonicity`: do verdicts move along their ladders as the tiers say?"""

from typing import TYPE_CHECKING

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import BenchmarkPath, EvaluationPath, print_table, read_pair

if TYPE_CHECKING:
    from schemas.checks import MonotonicityReport


def monotonicity(
    path: EvaluationPath, benchmark: BenchmarkPath, format_: FormatOption = Format.TEXT
) -> None:
    """Check that verdicts never fall (or never rise) as the tier of an item goes up.

    Exit 1: a ladder is violated.

    Example: assent monotonicity evaluations/frost/RUN.json --benchmark benchmark.json
    """
    studied = read_pair(path, benchmark)
    from tasks.statistics.monotonicity import check_monotonicity

    report = check_monotonicity(studied.evaluation, studied.benchmark)
    report = report.model_copy(update={"warnings": studied.warnings})
    if format_ is Format.JSON:
        print_json(report.model_dump(mode="json"))
    else:
        _print(report)
    raise typer.Exit(1 if report.n_violations else 0)


def _print(report: "MonotonicityReport") -> None:
    say(printable(f"{report.evaluation_id} on {report.benchmark_id}"))
    if not report.ladders:
        say("  the benchmark has no ladders")
    for one in report.ladders:
        held = f", {one.fixed} held fixed" if one.fixed is not None else ""
        name = one.ladder if one.ladder is not None else "(unnamed)"
        title = f"  ladder {name}, family {one.family}{held}: {one.status}"
        say(printable(f"{title} ({one.expected}, {one.n_gaps} gaps)"))
        climbed = (f"{step.item_id} {step.verdict or 'missing'}" for step in one.steps)
        say(printable(f"    {' → '.join(climbed)}"))
        for low, high in one.violations:
            say(printable(f"    violation: {low} → {high}"))
    print_table(
        ("variation", "n", "good", "bad", "abstain", "coverage"),
        [(r.variation, r.n, r.good, r.bad, r.abstain, r.coverage) for r in report.variations],
    )
    say(f"{report.n_violations} violations")
