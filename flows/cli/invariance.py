"""`assent invariance`: do verdicts survive another wording?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import figure, print_table, read_runs, span
from flows.cli.variance import OwnWordings, RunPaths

if TYPE_CHECKING:
    from schemas.variability import InvarianceStudy


def invariance(
    paths: RunPaths,
    benchmark: OwnWordings = None,
    iterations: Annotated[
        int, typer.Option("--iterations", min=99, max=100_000, help="Deals of the draws.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of deals and interval.")] = 0,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Compare the runs of a paraphrase cycle: agreement, the worst wording, items that flip.

    Example: assent invariance evaluations/stop-sign-v1/RUN-v*.json
    """
    runs, reference = read_runs(paths, benchmark)
    from tasks.statistics.invariance import study_invariance

    found = study_invariance(runs, reference, iterations, seed)
    if format_ is Format.JSON:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _print(found: "InvarianceStudy") -> None:
    say(
        printable(
            f"{found.benchmark_id}: {len(found.wordings)} wordings, {found.n_items} items judged "
            f"under all, {found.n_left_out} left out"
        )
    )
    print_table(
        ("figure", "value", "95 %", "n"),
        [
            (name, figure(one.value, one.reason), span(one.interval), one.n)
            for name, one in (
                ("items with one verdict", found.stable_share),
                ("pairs of wordings that agree", found.pairwise_agreement),
                ("agreement beyond chance (kappa)", found.fleiss_kappa),
            )
        ],
    )
    print_table(
        ("wording", "run", "agrees with others", "95 %", "flips from the first"),
        [
            (
                row.variant,
                row.run_id,
                figure(row.agreement.value),
                span(row.agreement.interval),
                row.flips_from_first,
            )
            for row in found.wordings
        ],
    )
    if found.worst_variant is not None:
        say(f"  worst wording: {found.worst_variant}")
    for item in found.flipped_items:
        sides = " (both sides)" if item.takes_both_sides else ""
        said = ", ".join(f"{variant}: {verdict}" for variant, verdict in item.verdicts.items())
        say(printable(f"  {item.item_id} flips{sides}: {said}"))
    if found.sampling is not None:
        one = found.sampling
        say(
            f"  {one.flips} items flip, by sampling alone {one.flips_expected:.1f} would; "
            f"if wording did not matter, draws would spread as far with p {one.p_value:.4f}"
        )
