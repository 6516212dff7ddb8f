"""What a benchmark may do, and probably does not mean."""

from collections.abc import Iterator

from schemas.errors import Problem
from schemas.identifiers import benchmark_id_fault
from schemas.strict_json import location
from tasks.benchmarks.raw import Raw, bearer_names, object_in, objects_in, texts
from tasks.prompting.contexts import TEX


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
        for path, text in _wordings(bearer):
            if _has_currency(text):
                yield Problem(
                    "tex_currency",
                    location(["bearers", key, *path]),
                    "dollar signs look like amounts of money, and TeX stripping drops them",
                    "run with --no-strip-tex, or write USD",
                )


def _wordings(bearer: object) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(bearer, dict):
        for _, text in texts([bearer.get("expression")]):
            yield ("expression",), text
        for j, text in texts(bearer.get("paraphrases")):
            yield ("paraphrases", j), text


def _has_currency(text: str) -> bool:
    """Whether a pair of dollars stands before two amounts rather than around TeX."""
    return any(
        match[1][0].isdigit()
        and (match[1][-1].isspace() or text[match.end() : match.end() + 1].isdigit())
        for match in TEX.finditer(text)
    )


def _repeated_implications(raw: Raw) -> Iterator[Problem]:
    seen: dict[tuple[frozenset[str], ...], int] = {}
    for i, item in objects_in(raw, "items"):
        if isinstance(item.get("premises"), list) and isinstance(item.get("conclusions"), list):
            sides = tuple(
                frozenset(name for _, name in bearer_names(item[side]))
                for side in ("premises", "conclusions")
            )
            first = seen.setdefault(sides, i)
            if first != i:
                yield Problem(
                    "repeated_implication",
                    location(["items", i]),
                    f"same premises and conclusions as $.items[{first}]",
                    "remove one, unless the repetition is meant",
                )
