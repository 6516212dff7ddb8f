"""`assent compare`: do runs differ, and does one agree with the panel more often?"""

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import figure, print_table, span, warn
from schemas.errors import UserError

if TYPE_CHECKING:
    from schemas.comparison import Comparison, ComparisonFamily, Correction, PairedTests
    from schemas.evaluation import Evaluation
    from tasks.statistics.paired_tests import PairedSpec

Confidence = Annotated[
    float, typer.Option("--confidence", min=0.5, max=0.9999, help="Of every interval.")
]
ReferenceOption = Annotated[
    str,
    typer.Option(
        "--reference",
        help="Whom to agree with: consensus, plurality (abstaining counts), analyst:<id or index>.",
    ),
]
_CORRECTIONS: dict[str, "Correction"] = {
    "holm": "holm",
    "bh": "benjamini-hochberg",
    "benjamini-hochberg": "benjamini-hochberg",
    "none": "none",
}


def compare(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="A B…", help="Evaluations; the first is compared with each other."),
    ],
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", metavar="FILE", help="Take the panel's verdicts from here."),
    ] = None,
    reference: ReferenceOption = "consensus",
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", min=0.0, max=1.0, help="Test that a run loses less than this share."
        ),
    ] = None,
    confidence: Confidence = 0.95,
    correction: Annotated[
        str, typer.Option("--correction", help="For several comparisons: holm, bh or none.")
    ] = "holm",
    iterations: Annotated[
        int, typer.Option("--iterations", min=99, max=10_000_000, help="Random exchanges.")
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random exchanges.")] = 0,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Compare runs of one benchmark item by item: distances, tests, a difference with interval.

    Exit 1: with --margin, a run is worse by more than the margin.

    Example: assent compare before.json after.json --margin 0.05
    """
    if len(paths) < 2:
        raise UserError("one evaluation alone cannot be compared", fix="name two or more")
    if correction not in _CORRECTIONS:
        raise UserError(
            f"--correction {correction!r} is not known",
            fix="use holm, bh or none",
            code="bad_option",
        )
    from tasks.statistics.comparing import adjust_family
    from tasks.statistics.paired_tests import PairedSpec

    settings = PairedSpec(iterations, seed, confidence, margin)
    found = _compare_all(paths, benchmark, reference, settings)
    family = adjust_family(found, _CORRECTIONS[correction])
    if format_ is Format.JSON:
        one_pair = len(family.comparisons) == 1
        document = family.comparisons[0] if one_pair else family
        print_json(document.model_dump(mode="json"))
    else:
        _print(family)
    outcomes = [one.tests.non_inferiority for one in family.comparisons]
    raise typer.Exit(1 if any(o is not None and o.outcome == "fail" for o in outcomes) else 0)


def _compare_all(
    paths: list[str], benchmark_path: str | None, reference: str, settings: "PairedSpec"
) -> list["Comparison"]:
    from flows.cli.files import read_benchmark, read_evaluation
    from tasks.benchmarks.matching import noticed
    from tasks.statistics.comparing import compare_runs
    from tasks.statistics.referring import reference_verdicts
    from tasks.storage.beside import settings_beside

    benchmark = None if benchmark_path is None else read_benchmark(benchmark_path)
    first = read_evaluation(paths[0])
    wanted = reference_verdicts(reference, first, benchmark)
    known = settings_beside(paths[0], first.id)
    of_first = warn(paths[0], noticed(first, benchmark))
    comparisons = []
    for path in paths[1:]:
        other: Evaluation = read_evaluation(path)
        warnings = of_first + warn(path, noticed(other, benchmark))
        one = compare_runs(first, other, wanted, settings, (known, settings_beside(path, other.id)))
        comparisons.append(one.model_copy(update={"warnings": warnings}))
    return comparisons


def _print(family: "ComparisonFamily") -> None:
    for one in family.comparisons:
        say(printable(f"{one.run_a} (a) and {one.run_b} (b): {one.n_items} items"))
        print_table(
            ("figure", "value", "n"),
            [
                ("coverage of a", figure(one.coverage_a), one.n_items),
                ("coverage of b", figure(one.coverage_b), one.n_items),
                (
                    "agreement of a and b (kappa)",
                    figure(one.cross_run_kappa),
                    one.n_both_substantive,
                ),
                ("mean distance of the draws", figure(one.mean_tv_distance), one.n_tv_distance),
            ],
        )
        for key, reason in one.reasons.items():
            say(f"  {key} is undefined: {reason}")
        say(f"  different verdicts on {len(one.flipped_items)} items")
        _print_tests(one.tests, one.reference)
        gate = "passed" if one.agreement_gate.passed else "not passed"
        say(
            f"  agreement gate (every distance below {one.agreement_gate.tv_below:g} on at least "
            f"{one.agreement_gate.samples_needed} samples): {gate}"
        )
        for name, pair in one.differences.items():
            say(printable(f"  {name} differs: {pair.a} and {pair.b}"))
        if one.unchecked:
            say(f"  not known of both runs: {', '.join(one.unchecked)}")
    if len(family.comparisons) > 1:
        say(
            f"p-values in brackets are adjusted for {len(family.comparisons)} comparisons: "
            f"{family.correction}"
        )


def _print_tests(tests: "PairedTests", reference: str) -> None:
    if tests.mcnemar is None or tests.permutation is None or tests.difference is None:
        say(f"  no tests: {tests.reason}")
        return
    say(
        printable(
            f"  agreement with {reference}: a {figure(tests.pass_rate_a)}, "
            f"b {figure(tests.pass_rate_b)} on {tests.n_items} items"
        )
    )
    say(
        f"  difference b - a: {tests.difference.value:+.3f} {span(tests.difference.interval)} "
        f"({tests.difference.interval.method})"
    )
    exact, drawn = tests.mcnemar, tests.permutation
    say(
        f"  McNemar: {exact.only_a} items only a, {exact.only_b} only b, "
        f"p {exact.p_value:.4f} ({exact.p_adjusted:.4f})"
    )
    say(f"  permutation of draws ({drawn.method}): p {drawn.p_value:.4f} ({drawn.p_adjusted:.4f})")
    if tests.non_inferiority is not None:
        found = tests.non_inferiority
        say(f"  b worse than a by less than {found.margin:g}: {found.outcome}")
