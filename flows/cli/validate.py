"""`assent validate`: every problem of every file, at once."""

import os
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
from flows.cli.packs import PackEntry, pack_entry
from schemas.errors import Problem, UserError
from schemas.strict_json import JsonValue, NotStrictJson, parse


class Kind(StrEnum):
    """Kinds of documents that can be checked."""

    BENCHMARK = "benchmark"
    EVALUATION = "evaluation"
    OUTPUT = "output"
    PACK = "pack"


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

    def print(self) -> None:
        """One line per problem, and one for a sound file."""
        for problem in self.errors:
            note(problem_line(self.path, problem))
        for problem in self.warnings:
            warning = problem._replace(message=f"warning: {problem.message}")
            note(problem_line(self.path, warning))
        if not self.errors:
            digest = f"  {self.hash}" if self.hash else ""
            say(f"{printable(self.path)}: valid {self.kind}{digest}")


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
    found = [_check_any(path, kind) for path in paths]
    if format_ is Format.JSON:
        print_json({"files": [verdict.as_json() for verdict in found]})
    else:
        for verdict in found:
            verdict.print()
    if any(p.code == "unreadable" for verdict in found for p in verdict.errors):
        raise typer.Exit(2)
    raise typer.Exit(1 if any(verdict.errors for verdict in found) else 0)


def _check_any(path: str, kind: Kind | None) -> "Verdict | PackEntry":
    if kind is Kind.PACK or (kind is None and _looks_like_pack(path)):
        from tasks.storage.pack_check import PackRequest

        return pack_entry(PackRequest(path))
    return _check(path, kind)


def _looks_like_pack(path: str) -> bool:
    return path.lower().endswith((".yaml", ".yml")) or os.path.isdir(path)  # noqa: PTH112 - never raises


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
        case _:
            problem = Problem(
                "unknown_kind",
                "$",
                "neither a benchmark, an evaluation, an output document nor a pack",
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
