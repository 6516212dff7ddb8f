"""Results of many rows on their way to the terminal: kept aside as text, not as objects.

Nothing is printed before it is known that the pack and the answers are sound, and a pack may have
more rows than memory holds results.
"""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, Self

from flows.cli.console import json_text, printable, say

_IN_MEMORY_BYTES = 1 << 20


class KeptResults:
    """Results that are printed later, for people or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json, self._count = as_json, 0
        # Closed by __exit__.
        self._file = SpooledTemporaryFile(  # noqa: SIM115
            _IN_MEMORY_BYTES, "w+", encoding="utf-8", newline="\n"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, result: dict[str, Any]) -> None:
        """Keep one result."""
        if self._as_json:
            text = json_text(result).replace("\n", "\n    ")
            self._file.write(f"{',' if self._count else ''}\n    {text}")
        else:
            self._file.write(f"{result_line(result)}\n")
        self._count += 1

    def print(self, document: dict[str, Any]) -> None:
        """Print all results, and the document that tells of them."""
        self._file.seek(0)
        if not self._as_json:
            self._copy()
            for line in summary_lines(document):
                say(printable(line))
            return
        before, after = json_text({"results": [], **document}).split("[]", 1)
        print(f"{before}[", end="")
        self._copy()
        print("\n  ]" if self._count else "]", end=after + "\n")

    def _copy(self) -> None:
        while text := self._file.read(1 << 16):
            print(text, end="")


def print_score(document: dict[str, Any]) -> None:
    """Results and their summary, for people."""
    several = any(result["sample"] for result in document["results"])
    for result in document["results"]:
        say(result_line(result, f" [{result['sample']}]" if several else ""))
    for line in summary_lines(document):
        say(printable(line))


def result_line(result: dict[str, Any], sample: str = "") -> str:
    """One result for people."""
    why = result["error"]["message"] if "error" in result else result["reason"]
    line = f"{result['status']:<8}{result['task_id']}{sample}"
    return printable(f"{line}  {why}" if why else line)


def summary_lines(document: dict[str, Any]) -> Iterator[str]:
    """What all results come to."""
    summary, rate = document["summary"], document["measures"]["pass_rate"]
    left = [f"{summary[key]} {key}" for key in ("errors", "pending") if summary[key]]
    yield ", ".join([f"{summary['passed']} of {summary['verified']} passed", *left])
    if rate["value"] is None:
        yield f"no score: {rate['reason']}"
        return
    interval = rate["interval"]
    between = (
        f", 95 % interval {interval['lo']:.3f} to {interval['hi']:.3f} ({interval['method']})"
        if interval
        else ""
    )
    yield f"score {rate['value']:.3f}{between}"
