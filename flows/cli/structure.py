"""`assent structure`: do the verdicts fit together as the benchmark implies?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import (
    BenchmarkPath,
    EvaluationPath,
    figure,
    print_table,
    read_pair,
)

if TYPE_CHECKING:
    from schemas.checks import StructureReport

Threshold = Annotated[
    float,
    typer.Option(
        "--thin-margin-threshold",
        min=0.0,
        max=1.0,
        help="Agreement on a margin strictly below it is an anomaly.",
    ),
]


def structure(
    path: EvaluationPath,
    benchmark: BenchmarkPath,
    thin_margin_threshold: Threshold = 0.4,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Check the verdicts against the roles of the items, and agreement against its margin.

    Exit 1: there is an anomaly.

    Example: assent structure evaluations/stop-sign-v1/RUN.json --benchmark benchmark.json
    """
    studied = read_pair(path, benchmark)
    from tasks.statistics.structure import check_structure

    report = check_structure(studied.evaluation, studied.benchmark, thin_margin_threshold)
    report = report.model_copy(update={"warnings": studied.warnings})
    if format_ is Format.JSON:
        print_json(report.model_dump(mode="json"))
    else:
        _print(report)
    raise typer.Exit(0 if report.all_satisfied else 1)


def _print(report: "StructureReport") -> None:
    say(printable(f"{report.evaluation_id} on {report.benchmark_id}"))
    print_table(
        ("check", "checked", "satisfied", "rate"),
        [
            (check.name, check.items_checked, check.items_satisfying, figure(check.rate))
            for check in report.checks
        ],
    )
    for check in report.checks:
        for one in check.anomalies:
            say(
                printable(
                    f"  {one.item_id}: {check.name}: expected {one.expected}, found {one.actual}; "
                    f"{one.explanation}"
                )
            )
    say(f"{report.total_anomalies} anomalies")
