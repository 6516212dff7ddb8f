"""`assent compare` for pack runs: does one pass more often?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.cli.comparison_text import print_correction, print_differences, print_tests
from flows.cli.console import Format, print_json, printable, say
from flows.cli.studying import print_table
from schemas.errors import UserError

if TYPE_CHECKING:
    from schemas.comparison import Correction, PairedTests
    from schemas.pack_comparison import PackComparison, PackComparisonFamily
    from tasks.statistics.paired_tests import PairedSpec

_SHOWN = 10


def are_pack_runs(paths: Sequence[str]) -> bool:
    """Whether the files are output documents, as pack runs have, and no evaluations.

    Raises:
        UserError: There are both, or a file cannot be read.
    """
    from tasks.outputs.pack_reading import looks_like_output
    from tasks.storage.files import read_regular

    kinds = [looks_like_output(read_regular(path)) for path in paths]
    if any(kinds) and not all(kinds):
        output, other = paths[kinds.index(True)], paths[kinds.index(False)]
        raise UserError(
            f"{output} is an output document and {other} is not: a pack run and an evaluation "
            "cannot be compared",
            fix="name evaluations only, or output documents of pack runs only",
            code="not_comparable",
        )
    return all(kinds)


def compare_packs(
    paths: Sequence[str], settings: "PairedSpec", correction: "Correction", format_: Format
) -> list["PairedTests"]:
    """Compare the first run with each other one, print that, and hand back the tests.

    Raises:
        UserError: A document cannot be read, or the runs cannot be compared.
    """
    from tasks.outputs.pack_reading import pack_outcomes
    from tasks.statistics.comparing_packs import adjust_pack_family, compare_pack_runs
    from tasks.storage.files import read_regular

    runs = [pack_outcomes(read_regular(path), path) for path in paths]
    found = [compare_pack_runs(runs[0], other, settings) for other in runs[1:]]
    family = adjust_pack_family(found, correction)
    if format_ is Format.JSON:
        document = family.comparisons[0] if len(family.comparisons) == 1 else family
        print_json(document.model_dump(mode="json"))
    else:
        _print(family)
    return [one.tests for one in family.comparisons]


def _print(family: "PackComparisonFamily") -> None:
    for one in family.comparisons:
        say(
            printable(
                f"{one.pack_id}: {one.run_a} (a) and {one.run_b} (b), {one.n_rows} rows in both"
            )
        )
        print_table(
            ("attempts", "passed", "failed", "errors", "pending"),
            [
                (name, run.passed, run.failed, run.errors, run.pending)
                for name, run in (("a", one.attempts_a), ("b", one.attempts_b))
            ],
        )
        print_tests(one.tests, "share of attempts that pass", "rows")
        _print_rows(one)
        print_differences(one.differences)
    print_correction(len(family.comparisons), family.correction)


def _print_rows(one: "PackComparison") -> None:
    if one.tests.n_left_out:
        say(f"  {one.tests.n_left_out} rows have no judged attempt in one of the runs")
    for row in one.changed_rows:
        say(
            printable(
                f"  {row.row_id}: {row.passed_a} of {row.judged_a} passed → "
                f"{row.passed_b} of {row.judged_b}"
            )
        )
    for name, left_out in (("a", one.only_in_a), ("b", one.only_in_b)):
        if left_out:
            more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
            say(printable(f"  only in {name}, left out: {', '.join(left_out[:_SHOWN])}{more}"))
