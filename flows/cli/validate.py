"""`assent validate`: every problem of every file, at once."""

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from flows.cli.console import (
    Format,
    FormatOption,
    error_object,
    note,
    print_json,
    printable,
    problem_line,
    say,
)
from schemas.errors import Problem, UserError
from schemas.strict_json import JsonValue, NotStrictJson, parse


class Kind(StrEnum):
    """Kinds of documents that can be checked."""

    BENCHMARK = "benchmark"
    EVALUATION = "evaluation"
    OUTPUT = "output"


class Verdict(NamedTuple):
    """What was found in one file."""

    path: str
    kind: str | None
    hash: str | None = None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The entry of the printed document."""
        return {
            "path": self.path,
            "kind": self.kind,
            "valid": not self.errors,
            "hash": self.hash,
            "errors": [error_object(problem, self.path) for problem in self.errors],
            "warnings": [error_object(problem, self.path) for problem in self.warnings],
        }


def validate(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files to check.")],
    kind: Annotated[
        Kind | None, typer.Option(help="What the files are; found out when not given.")
    ] = None,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Check files against their format and every rule beyond types.

    All problems of a file are reported at once, one line each: path, JSON location, message and
    how to mend it. Exit 0: all valid. Exit 1: something is wrong. Exit 2: a file cannot be read.

    Example: assent validate examples/*/benchmark.json
    """
    found = [_check(path, kind) for path in paths]
    if format_ is Format.JSON:
        print_json({"files": [verdict.as_json() for verdict in found]})
    else:
        for verdict in found:
            _print(verdict)
    if any(p.code == "unreadable" for verdict in found for p in verdict.errors):
        raise typer.Exit(2)
    raise typer.Exit(1 if any(verdict.errors for verdict in found) else 0)


def _check(path: str, kind: Kind | None) -> Verdict:
    from tasks.storage.files import read_regular

    try:
        data = read_regular(path)
    except UserError as error:
        return Verdict(path, kind, errors=(Problem("unreadable", "$", error.what),))
    if kind is None:
        try:
            kind = _recognise(parse(data))
        except NotStrictJson as error:
            return Verdict(path, None, errors=error.problems)
    match kind:
        case Kind.BENCHMARK:
            return _check_benchmark(path, data)
        case Kind.EVALUATION:
            from tasks.benchmarks import check_evaluation

            checked = check_evaluation(data)
            return Verdict(path, kind, None, checked.errors, checked.warnings)
        case Kind.OUTPUT:
            from tasks.outputs.validation import check_output

            output = check_output(data)
            return Verdict(path, kind, None, output.errors, output.warnings)
        case None:
            problem = Problem(
                "unknown_kind",
                "$",
                "neither a benchmark, an evaluation nor an output document",
                "name the kind with --kind",
            )
            return Verdict(path, None, errors=(problem,))


def _check_benchmark(path: str, data: bytes) -> Verdict:
    from tasks.benchmarks import benchmark_hash, check_benchmark

    checked = check_benchmark(data)
    digest = None if checked.value is None else benchmark_hash(checked.value)
    return Verdict(path, Kind.BENCHMARK, digest, checked.errors, checked.warnings)


def _recognise(value: JsonValue) -> Kind | None:
    if not isinstance(value, dict):
        return None
    if "$schema" in value and "metadata" in value:
        return Kind.OUTPUT
    if "benchmark_id" in value and "model" in value:
        return Kind.EVALUATION
    if "bearers" in value or "analysts" in value:
        return Kind.BENCHMARK
    return None


def _print(verdict: Verdict) -> None:
    for problem in verdict.errors:
        note(problem_line(verdict.path, problem))
    for problem in verdict.warnings:
        note(problem_line(verdict.path, problem._replace(message=f"warning: {problem.message}")))
    if not verdict.errors:
        digest = f"  {verdict.hash}" if verdict.hash else ""
        say(f"{printable(verdict.path)}: valid {verdict.kind}{digest}")
