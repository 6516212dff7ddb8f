"""What a benchmark may do, and probably does not mean."""

import re
from collections.abc import Iterator
from typing import Any

from schemas.errors import Problem
from schemas.identifiers import benchmark_id_fault
from schemas.strict_json import location
from tasks.benchmarks.raw import Raw, bearer_names, list_in, object_in

# The opening dollar is followed by a digit and the closing one belongs to the next amount.
_CURRENCY = re.compile(r"\$(?=\d)[^$]+(?:(?<=\s)\$|\$(?=\d))")


def rule_warnings(raw: Raw) -> list[Problem]:
    """Everything that deserves a second look."""
    return [
        *_id_warnings(raw),
        *_builder_warnings(raw),
        *_currency_warnings(raw),
        *_repeated_implications(raw),
    ]


def _id_warnings(raw: Raw) -> Iterator[Problem]:
    name = raw.get("id")
    fault = benchmark_id_fault(name) if isinstance(name, str) else None
    if fault:
        yield Problem("unsafe_id", "$.id", f"cannot be evaluated: {fault}", "choose a plain id")


def _builder_warnings(raw: Raw) -> Iterator[Problem]:
    builders = object_in(raw, "context_builders")
    conclusion = object_in(builders, "conclusion")
    if conclusion.get("kind") == "template" and "joiner" not in conclusion:
        yield Problem(
            "joiner_trap",
            "$.context_builders.conclusion",
            "no joiner: conclusions are joined by ' and ', not by ' or '",
            'write "joiner": " or " (or " and ", if that is meant)',
        )
    for side in ("premise", "conclusion"):
        builder = object_in(builders, side)
        if builder.get("kind") == "plugin":
            yield Problem(
                "plugin_builder",
                f"$.context_builders.{side}",
                "is code of the benchmark's author; it runs only with --allow-plugins",
            )


def _currency_warnings(raw: Raw) -> Iterator[Problem]:
    for key, bearer in object_in(raw, "bearers").items():
        texts: list[tuple[list[str | int], Any]] = []
        if isinstance(bearer, dict):
            texts.append((["bearers", key, "expression"], bearer.get("expression")))
            for j, text in enumerate(list_in(bearer, "paraphrases")):
                texts.append((["bearers", key, "paraphrases", j], text))
        for path, text in texts:
            if isinstance(text, str) and _CURRENCY.search(text):
                yield Problem(
                    "tex_currency",
                    location(path),
                    "dollar signs look like amounts of money, and TeX stripping drops them",
                    "run with --no-strip-tex, or write USD",
                )


def _repeated_implications(raw: Raw) -> Iterator[Problem]:
    seen: dict[tuple[frozenset[str], frozenset[str]], int] = {}
    for i, item in enumerate(list_in(raw, "items")):
        if not isinstance(item, dict):
            continue
        sides = (item.get("premises"), item.get("conclusions"))
        if all(isinstance(side, list) for side in sides):
            premises, conclusions = (frozenset(t for _, t in bearer_names(s)) for s in sides)  # type: ignore[arg-type]  # checked above
            first = seen.setdefault((premises, conclusions), i)
            if first != i:
                yield Problem(
                    "repeated_implication",
                    location(["items", i]),
                    f"same premises and conclusions as $.items[{first}]",
                    "remove one, unless the repetition is meant",
                )
