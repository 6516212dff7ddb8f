"""`assent compare`: do runs differ, and does one agree with the panel more often?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.compare_packs import are_pack_runs, compare_packs
from flows.cli.comparison_text import print_correction, print_differences, print_tests
from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.studying import figure, print_table, warn
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
        typer.Argument(
            metavar="A B…",
            help="Evaluations, or output documents of pack runs; the first is compared with each "
            "other.",
        ),
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
    """Compare runs of one benchmark or pack item by item: distances, tests, a difference.

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
    if are_pack_runs(paths):
        if benchmark is not None or reference != "consensus":
            raise UserError(
                "--benchmark and --reference are for evaluations; rows of packs are verified",
                fix="leave them out",
                code="bad_option",
            )
        tests = compare_packs(paths, settings, _CORRECTIONS[correction], format_)
        raise typer.Exit(_exit_code(tests))
    found = _compare_all(paths, benchmark, reference, settings)
    family = adjust_family(found, _CORRECTIONS[correction])
    if format_ is Format.JSON:
        one_pair = len(family.comparisons) == 1
        document = family.comparisons[0] if one_pair else family
        print_json(document.model_dump(mode="json"))
    else:
        _print(family)
    raise typer.Exit(_exit_code([one.tests for one in family.comparisons]))


def _exit_code(tests: Sequence["PairedTests"]) -> int:
    margins = [one.non_inferiority for one in tests]
    return int(any(one is not None and one.outcome == "fail" for one in margins))


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
        print_tests(one.tests, f"agreement with {one.reference}", "items")
        gate = "passed" if one.agreement_gate.passed else "not passed"
        say(
            f"  agreement gate (every distance below {one.agreement_gate.tv_below:g} on at least "
            f"{one.agreement_gate.samples_needed} samples): {gate}"
        )
        print_differences(one.differences)
        if one.unchecked:
            say(f"  not known of both runs: {', '.join(one.unchecked)}")
    print_correction(len(family.comparisons), family.correction)
