"""Where result files may live: one rule set for validator, hook, migration and publishing."""

import re
from typing import Literal, NamedTuple

PathStatus = Literal["allowed", "deprecated", "excluded", "unknown", "invalid"]

GENERIC_NAMES = ("output.json", "results.json", "metrics.json", "eval.json")
SCHEMA_VERSION = "v1"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:(/|$)")


class Rule(NamedTuple):
    """A pattern, and what it says about the paths that match it."""

    name: str
    patterns: tuple[str, ...]
    status: PathStatus
    ignores_case: bool = False


# In order of precedence: the first match decides.
RULES = (
    Rule("schema_dir", ("outputs/schemas/**",), "excluded"),
    Rule("canonical_outputs_dir", ("outputs/**/*.json",), "allowed"),
    Rule("benchmarks_results_dir", ("benchmarks/**/results/**/*.json",), "allowed"),
    Rule("legacy_results_root", ("results/**/*.json",), "deprecated"),
    Rule("legacy_benchmark_output_json", ("**/output.json",), "deprecated", ignores_case=True),
    Rule(
        "legacy_generic_name",
        ("**/results.json", "**/metrics.json", "**/eval.json"),
        "deprecated",
        ignores_case=True,
    ),
)


class Classified(NamedTuple):
    """What the rules say about a path."""

    path: str
    normalized: str | None
    status: PathStatus
    rule: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def schema_version(self) -> str | None:
        """The version that a document at this place must have; None where there is no rule."""
        return SCHEMA_VERSION if self.status in {"allowed", "deprecated"} else None


def normalise(path: str) -> str | None:
    """A path relative to the repository, with single slashes; None when it is not one."""
    slashed = path.replace("\\", "/")
    if _CONTROL.search(slashed) or slashed.startswith("/") or _DRIVE.match(slashed):
        return None
    segments = [segment for segment in slashed.split("/") if segment not in {"", "."}]
    if not segments or ".." in segments:
        return None
    return "/".join(segments)


def classify(path: str) -> Classified:
    """What the rules say about a path; nothing is looked up on disk."""
    normalized = normalise(path)
    if normalized is None:
        return Classified(path, None, "invalid")
    rule = _deciding_rule(normalized)
    if rule is None:
        return Classified(path, normalized, "unknown")
    generic = rule.status != "excluded" and is_generic(normalized.rpartition("/")[2])
    flags = ("generic_name",) if generic else ()
    return Classified(path, normalized, rule.status, rule.name, flags)


def is_allowed(path: str) -> bool:
    """Whether a result may live at a path."""
    return classify(path).status == "allowed"


def is_deprecated(path: str) -> bool:
    """Whether results used to live at a path, and must move."""
    return classify(path).status == "deprecated"


def schema_version_for(path: str) -> str | None:
    """The document version that a place asks for."""
    return classify(path).schema_version


def is_generic(name: str) -> bool:
    """Whether a file name says nothing about the run."""
    return name.lower() in GENERIC_NAMES


def patterns(*, include_deprecated: bool = False) -> tuple[str, ...]:
    """Patterns of the places where results may live."""
    wanted = {"allowed", "deprecated"} if include_deprecated else {"allowed"}
    return tuple(p for rule in RULES if rule.status in wanted for p in rule.patterns)


def explain(path: str) -> str:
    """One line about a path: where it is, what holds there, and what to do."""
    found = classify(path)
    if found.normalized is None:
        return f"{path!r}: invalid, not a path inside the repository"
    if found.status == "unknown":
        return f"{found.normalized}: unknown; results live in {', '.join(patterns())}"
    parts = f"{found.normalized}: {found.status} by {found.rule}"
    if found.status == "excluded":
        return f"{parts}, not a result"
    if found.status == "deprecated":
        return f"{parts}, version {found.schema_version}; move it: assent outputs migrate --move"
    remark = "; the file name says nothing about the run" if found.flags else ""
    return f"{parts}, version {found.schema_version}{remark}"


def _compile(pattern: str) -> re.Pattern[str]:
    """A glob over segments: `**` is any number of them, `*` any text inside one."""
    parts: list[str] = []
    segments = pattern.split("/")
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment == "**" and last:
            parts[-1] = parts[-1].removesuffix("/") + "(?:/.*)?"
        elif segment == "**":
            parts.append("(?:[^/]+/)*")
        else:
            parts.append("[^/]*".join(map(re.escape, segment.split("*"))) + ("" if last else "/"))
    return re.compile("".join(parts), re.DOTALL)


_COMPILED = tuple((rule, tuple(_compile(p) for p in rule.patterns)) for rule in RULES)


def _deciding_rule(path: str) -> Rule | None:
    folder, slash, name = path.rpartition("/")
    folded = f"{folder}{slash}{name.lower()}"
    # All rules but the first are about JSON files; asking that first also keeps matching linear.
    is_json = folded.endswith(".json")
    for rule, compiled in _COMPILED:
        if is_json or rule.status == "excluded":
            text = folded if rule.ignores_case else path
            if any(pattern.fullmatch(text) for pattern in compiled):
                return rule
    return None
