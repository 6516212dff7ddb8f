"""`assent variance`: where does the spread come from, and where are further calls worth most?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import figure, print_table, read_runs, span

if TYPE_CHECKING:
    from schemas.variability import VarianceStudy

RunPaths = Annotated[
    list[str], typer.Argument(metavar="ETA…", help="Evaluations of one benchmark by one model.")
]
OwnWordings = Annotated[
    str | None,
    typer.Option(
        "--benchmark", metavar="FILE", help="Leave out items that lack words of their own."
    ),
]


def variance(
    paths: RunPaths,
    benchmark: OwnWordings = None,
    calls: Annotated[int, typer.Option("--calls", min=1, help="Calls to spend.")] = 100,
    iterations: Annotated[
        int, typer.Option("--iterations", min=50, max=100_000, help="Resamples of the items.")
    ] = 500,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the resamples.")] = 0,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Split the variance of the verdicts by item, wording, epoch, sample and analyst.

    Name one run, or runs of several wordings and epochs, equally many of each wording.

    Example: assent variance evaluations/stop-sign-v1/RUN-v0.json …/RUN-v1.json
    """
    runs, reference = read_runs(paths, benchmark)
    from tasks.statistics.components import study_variance

    found = study_variance(runs, reference, calls, iterations, seed)
    if format_ is Format.JSON:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _print(found: "VarianceStudy") -> None:
    say(printable(f"{found.benchmark_id}: {', '.join(found.runs)}"))
    say(
        f"  {found.n_items} items, {found.n_wordings} wordings, {found.n_epochs} epochs, "
        f"{found.n_samples} samples, {found.n_analysts} analysts; {found.n_left_out} items left out"
    )
    say(
        f"  agreement of a draw with an analyst: {found.mean_agreement:.3f}, "
        f"standard error {found.standard_error:.3f}"
    )
    shown = [one for one in found.components if one.value is not None]
    print_table(
        ("source", "variance", "share", "95 %", "levels"),
        [
            (
                one.source,
                f"{one.value:.4f}",
                "-" if one.share is None else f"{one.share:.1%}",
                span(one.interval),
                one.n_levels,
            )
            for one in shown
        ],
    )
    for one in found.components:
        if one.value is None and " x " not in one.source:
            say(f"  {one.source}: {one.reason}")
    print_table(
        (f"{found.calls} calls on", "standard error", "less"),
        [
            (way.on, figure(way.standard_error), f"{way.reduction:.1%}")
            for way in found.spending
            if way.reduction is not None
        ],
    )
    say(found.conclusion)
