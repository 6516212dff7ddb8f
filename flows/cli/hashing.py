"""`assent hash`: the identity of a benchmark."""

from enum import StrEnum
from typing import Annotated

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from schemas.errors import InvalidFile, Problem


class Profile(StrEnum):
    """Field sets that a hash can be taken over."""

    CURRENT = "0.17"
    FIRST = "0.5"


def hash_files(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Benchmarks.")],
    profile: Annotated[
        Profile, typer.Option(help="0.17 has every field, 0.5 those of the first generation.")
    ] = Profile.CURRENT,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Print the canonical hash of benchmarks, by which results refer to them.

    Layout, key order and the order of premises do not change it; content does.

    Example: assent hash examples/stop_sign/benchmark.json
    """
    found = [(path, _hash(path, profile)) for path in paths]
    if format_ is Format.JSON:
        files = [{"path": p, "profile": profile.value, "hash": h} for p, h in found]
        print_json({"files": files})
    else:
        for path, digest in found:
            say(f"{digest}  {printable(path)}")


def _hash(path: str, profile: Profile) -> str:
    from flows.cli.files import read_benchmark
    from tasks.benchmarks import benchmark_hash, later_fields

    benchmark = read_benchmark(path)
    used = later_fields(benchmark) if profile is Profile.FIRST else []
    if used:
        message, fix = "profile 0.5 has no place for it", "use profile 0.17"
        problems = [Problem("later_fields", place, message, fix) for place in used]
        raise InvalidFile("later fields", file=path, problems=problems)
    return benchmark_hash(benchmark, profile.value)
