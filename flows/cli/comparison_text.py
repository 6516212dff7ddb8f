"""What comparisons of evaluations and of pack runs print alike."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from flows.cli.console import printable, say
from flows.cli.studying import figure, span

if TYPE_CHECKING:
    from schemas.comparison import Correction, PairedTests, SettingPair


def print_tests(tests: "PairedTests", what: str, units: str) -> None:
    """The tests of two runs, or why there are none.

    Args:
        tests: What was found.
        what: The share that is compared.
        units: What the units are called.
    """
    if tests.mcnemar is None or tests.permutation is None or tests.difference is None:
        say(f"  no tests: {tests.reason}")
        return
    say(
        printable(
            f"  {what}: a {figure(tests.pass_rate_a)}, "
            f"b {figure(tests.pass_rate_b)} on {tests.n_items} {units}"
        )
    )
    say(
        f"  difference b - a: {tests.difference.value:+.3f} {span(tests.difference.interval)} "
        f"({tests.difference.interval.method})"
    )
    exact, drawn = tests.mcnemar, tests.permutation
    say(
        f"  McNemar: {exact.only_a} {units} only a, {exact.only_b} only b, "
        f"p {exact.p_value:.4f} ({exact.p_adjusted:.4f})"
    )
    say(f"  permutation of draws ({drawn.method}): p {drawn.p_value:.4f} ({drawn.p_adjusted:.4f})")
    if tests.non_inferiority is not None:
        found = tests.non_inferiority
        say(f"  b worse than a by less than {found.margin:g}: {found.outcome}")


def print_differences(differences: Mapping[str, "SettingPair"]) -> None:
    """Settings that the runs do not share."""
    for name, pair in differences.items():
        say(printable(f"  {name} differs: {pair.a} and {pair.b}"))


def print_correction(n_comparisons: int, correction: "Correction") -> None:
    """What the p-values in brackets are, when there is more than one comparison."""
    if n_comparisons > 1:
        say(f"p-values in brackets are adjusted for {n_comparisons} comparisons: {correction}")
