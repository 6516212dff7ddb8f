"""`assent plan`: how many items and samples does a study need?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.compare import Confidence, ReferenceOption
from flows.cli.console import Format, FormatOption, print_json, say
from flows.cli.studying import print_table
from schemas.errors import UserError

if TYPE_CHECKING:
    from schemas.planning import PlanRow, Spread, StudyPlan


def plan(
    pilots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PILOT…]", help="One or two evaluations to learn the spread from."),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", min=0.001, max=1.0, help="Wanted width of interval.")
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option("--difference", min=0.001, max=1.0, help="Difference of two runs to detect."),
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", min=2, max=100_000, help="Calls to split.")
    ] = None,
    power: Annotated[
        float, typer.Option("--power", min=0.5, max=0.9999, help="Chance of detecting it.")
    ] = 0.8,
    alpha: Annotated[
        float, typer.Option("--alpha", min=0.0001, max=0.5, help="Chance of a false alarm.")
    ] = 0.05,
    confidence: Confidence = 0.95,
    rate: Annotated[
        float | None,
        typer.Option("--rate", min=0.001, max=0.999, help="Without a pilot: share that agrees."),
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option("--icc", min=0.0, max=1.0, help="How alike draws of one item are. [0.5]"),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option("--correlation", min=-1.0, max=1.0, help="Of items in two runs. [0.5]"),
    ] = None,
    max_items: Annotated[
        int | None, typer.Option("--max-items", min=2, help="Items that there are.")
    ] = None,
    item_cost: Annotated[
        float, typer.Option("--item-cost", min=0.0, max=1e6, help="What an item costs, in calls.")
    ] = 0.0,
    reference: ReferenceOption = "consensus",
    format_: FormatOption = Format.TEXT,
) -> None:
    """Say how many items and samples reach a goal, from a pilot run or from assumptions.

    Example: assent plan evaluations/stop-sign-v1/RUN.json --width 0.1 --difference 0.05
    """
    if width is None and difference is None and budget is None:
        raise UserError(
            "there is no goal to plan for", fix="give --width, --difference or --budget"
        )
    from schemas.planning import StudyPlan
    from tasks.statistics import planning

    spread, n_samples = _spread(pilots or [], rate, icc, correlation, reference)
    sureness = planning.Sureness(confidence, power, alpha)
    shown = {*planning.SAMPLES_SHOWN, *n_samples}
    if budget is not None and budget < planning.FEWEST_ITEMS * (1 + item_cost):
        raise UserError(
            f"--budget {budget} does not pay for {planning.FEWEST_ITEMS} items",
            fix="give more calls, or lower --item-cost",
            code="bad_option",
        )
    found = StudyPlan(
        spread=spread,
        width=None if width is None else planning.plan_width(spread, width, sureness, shown),
        difference=None
        if difference is None
        else planning.plan_difference(spread, difference, sureness, shown),
        budget=None
        if budget is None
        else planning.plan_budget(spread, budget, sureness, item_cost, max_items),
        assumptions=planning.ASSUMPTIONS,
    )
    if format_ is Format.JSON:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _spread(
    paths: list[str],
    rate: float | None,
    icc: float | None,
    correlation: float | None,
    reference: str,
) -> tuple["Spread", set[int]]:
    from tasks.statistics import pilots

    if (rate is None) == (not paths):
        raise UserError("a plan needs a pilot or --rate, and not both", fix="name one or the other")
    if rate is not None:
        usual = pilots.USUAL_ICC if icc is None else icc
        related = pilots.USUAL_CORRELATION if correlation is None else correlation
        return pilots.assumed_spread(rate, usual, related), set()
    if len(paths) > 2:
        raise UserError(f"{len(paths)} pilots were named", fix="name one, or two to be compared")
    from flows.cli.files import read_evaluation
    from tasks.statistics.comparing import aligned_outcomes
    from tasks.statistics.referring import reference_verdicts

    runs = [read_evaluation(path) for path in paths]
    outcomes = aligned_outcomes(runs, reference_verdicts(reference, runs[0]))
    asked = {run.endorsement_config.n_samples for run in runs}
    return pilots.pilot_spread(outcomes, icc, correlation), asked


def _print(found: "StudyPlan") -> None:
    spread = found.spread
    origin = f"from a pilot of {spread.n_items} items" if spread.n_items else "without a pilot"
    say(
        f"{origin}: rate {spread.rate:.3f}, draws of one item alike to {spread.icc:.2f}, "
        f"items of two runs to {spread.correlation:.2f}"
    )
    if spread.assumed:
        say(f"  assumed: {', '.join(spread.assumed)}")
    if found.width is not None:
        say(f"  interval of width {found.width.width:g} at {found.width.confidence:.0%}:")
        _print_rows(found.width.rows, found.width.fewest_calls)
    if found.difference is not None:
        goal = found.difference
        say(f"  difference of {goal.difference:g} at power {goal.power:.0%}, alpha {goal.alpha:g}:")
        _print_rows(goal.rows, goal.fewest_calls)
    if found.budget is not None:
        best = found.budget.best
        say(f"  best split of {found.budget.calls} calls:")
        print_table(
            ("samples", "items", "calls", "width", "detectable difference"),
            [
                (s.n_samples, s.n_items, s.calls, s.width, s.detectable_difference)
                for s in (best, *found.budget.others)
            ],
        )
    for text in found.assumptions:
        say(f"  assumed: {text}")


def _print_rows(rows: tuple["PlanRow", ...], fewest: "PlanRow") -> None:
    print_table(
        ("samples", "items", "calls", ""),
        [(r.n_samples, r.n_items, r.calls, "fewest calls" if r == fewest else "") for r in rows],
    )
