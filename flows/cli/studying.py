"""What commands that study finished evaluations share: inputs, warnings, tables."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from flows.cli.console import error_object, note, printable, problem_line, say

if TYPE_CHECKING:
    from schemas.benchmark import Benchmark
    from schemas.checks import Warned
    from schemas.errors import Problem
    from schemas.evaluation import Evaluation

EvaluationPath = Annotated[str, typer.Argument(metavar="ETA", help="An evaluation file.")]
BenchmarkPath = Annotated[
    str, typer.Option("--benchmark", metavar="FILE", help="The benchmark that was evaluated.")
]

Cell = str | int | float | None


class Studied(NamedTuple):
    """An evaluation with its benchmark, and what was noticed about the two."""

    evaluation: "Evaluation"
    benchmark: "Benchmark"
    warnings: tuple["Warned", ...]


def read_pair(evaluation_path: str, benchmark_path: str) -> Studied:
    """An evaluation and the benchmark that it is of; warnings go to stderr as well.

    Raises:
        UserError: One cannot be read, or they do not belong together.
    """
    from flows.cli.files import read_benchmark, read_evaluation
    from tasks.benchmarks.matching import noticed

    benchmark = read_benchmark(benchmark_path)
    evaluation = read_evaluation(evaluation_path)
    return Studied(evaluation, benchmark, warn(evaluation_path, noticed(evaluation, benchmark)))


def read_runs(
    paths: Sequence[str], benchmark_path: str | None
) -> tuple[list["Evaluation"], "Benchmark | None"]:
    """Several evaluations, and the benchmark they are of when it is named.

    Raises:
        UserError: One cannot be read, or they do not belong together.
    """
    from flows.cli.files import read_benchmark, read_evaluation
    from tasks.benchmarks.matching import noticed

    benchmark = None if benchmark_path is None else read_benchmark(benchmark_path)
    runs = [read_evaluation(path) for path in paths]
    for path, run in zip(paths, runs, strict=True):
        warn(path, noticed(run, benchmark))
    return runs, benchmark


def warn(path: str | None, problems: Iterable["Problem"]) -> tuple["Warned", ...]:
    """Warnings as documents hold them, after saying them on stderr."""
    from schemas.checks import Warned

    warnings = []
    for problem in problems:
        note(problem_line(path, problem._replace(message=f"warning: {problem.message}")))
        warnings.append(Warned(**error_object(problem, path)))
    return tuple(warnings)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """A table for people; numbers stand at the right."""
    written = [[_shown(cell) for cell in row] for row in rows]
    is_number = [
        bool(written) and all(_is_figure(row[i]) for row in written) for i in range(len(columns))
    ]
    widths = [max(len(line[i]) for line in [columns, *written]) for i in range(len(columns))]
    for line in [columns, *written]:
        cells = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        )
        say(f"  {'  '.join(cells)}".rstrip())


def figure(value: float | None, reason: str | None = None) -> str:
    """A number for people, or why there is none."""
    if value is None:
        return f"undefined: {reason}" if reason else "undefined"
    return f"{value:.3f}"


def span(interval: Any) -> str:
    """The two ends of an interval for people; a dash when there is none."""
    return "-" if interval is None else f"[{interval.lo:.3f}, {interval.hi:.3f}]"


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    return printable(f"{cell:.3f}" if isinstance(cell, float) else str(cell))


def _is_figure(text: str) -> bool:
    return text == "-" or text.lstrip("-").replace(".", "", 1).isdigit()
