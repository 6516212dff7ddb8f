"""`assent audit`: were failed calls counted as answers?"""

from typing import TYPE_CHECKING

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import EvaluationPath, figure, print_table

if TYPE_CHECKING:
    from schemas.checks import AuditReport


def audit(path: EvaluationPath, format_: FormatOption = Format.TEXT) -> None:
    """Look for failed calls among the samples, and compute the figures without them.

    Exit 1: a sample failed or looks as if it had.

    Example: assent audit evaluations/stop-sign-v1/RUN.json
    """
    from flows.cli.files import read_evaluation

    evaluation = read_evaluation(path)
    from tasks.statistics.audit import audit_samples

    report = audit_samples(evaluation, path)
    if format_ is Format.JSON:
        print_json(report.model_dump(mode="json"))
    else:
        _print(report)
    raise typer.Exit(1 if report.n_items_with_any_failure else 0)


def _print(report: "AuditReport") -> None:
    say(printable(f"{report.eta_id}: {report.provider}/{report.model_id}"))
    say(
        f"  {report.n_samples_scanned} samples of {report.n_items} items: "
        f"{report.n_known_provider_errors} failed, "
        f"{report.n_suspected_silent_failures} look as if they had"
    )
    readings = {
        "as published": report.published,
        "without failures": report.recomputed_failures_excluded,
    }
    print_table(
        ("figures", "coverage", "kappa_c", "n", "missing"),
        [
            (name, figure(r.coverage), figure(r.kappa_c), r.n_kappa_c, r.n_missing)
            for name, r in readings.items()
        ],
    )
    for one in report.per_item_failures:
        say(
            printable(
                f"  {one.id}: {one.known_provider_errors} failed and "
                f"{one.suspected_silent_failures} suspected of {one.n_samples} samples"
            )
        )
    for changed in report.changed_verdicts:
        now = changed.recomputed or "missing"
        say(printable(f"  {changed.id}: {changed.published} becomes {now} without failures"))
