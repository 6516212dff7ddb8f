"""Metadata of old result files: which key may stand for which, and what becomes of the rest."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from schemas.errors import Problem
from schemas.strict_json import location
from tasks.outputs.legacy_values import (
    Converted,
    as_command,
    as_flag,
    as_object,
    as_tags,
    as_text,
    as_time,
    is_empty,
)
from tasks.outputs.validation import read_time

Row = dict[str, Any]
Path = tuple[str, ...]
Convert = Callable[[object], Converted | None]


class Target(NamedTuple):
    """A place of v1 metadata, and the old keys that may hold its value, best first."""

    place: Path
    aliases: tuple[str, ...]
    convert: Convert
    required: bool = False
    fillable: bool = False


TARGETS = (
    Target(
        ("benchmark", "name"),
        ("benchmark", "benchmark.name", "benchmark_name", "task_name", "dataset"),
        as_text,
        required=True,
        fillable=True,
    ),
    Target(("benchmark", "suite"), ("benchmark.suite", "suite"), as_text),
    Target(("benchmark", "version"), ("benchmark.version", "benchmark_version"), as_text),
    Target(("benchmark", "task"), ("benchmark.task", "task", "subset"), as_text),
    Target(
        ("model", "name"),
        ("model", "model.name", "model_name", "model_id"),
        as_text,
        required=True,
        fillable=True,
    ),
    Target(
        ("model", "provider"),
        ("model.provider", "provider", "model_provider", "backend"),
        as_text,
        required=True,
        fillable=True,
    ),
    Target(
        ("model", "parameters"),
        ("model.parameters", "parameters", "generation_config"),
        as_object,
    ),
    Target(("model", "revision"), ("model.revision", "revision", "checkpoint"), as_text),
    Target(("run", "id"), ("run.id", "run_id", "id"), as_text),
    Target(
        ("run", "started_at"),
        ("run.started_at", "started_at", "start_time", "timestamp", "date", "created_at"),
        as_time,
        required=True,
    ),
    Target(("run", "finished_at"), ("run.finished_at", "finished_at", "end_time"), as_time),
    Target(
        ("run", "git", "commit"),
        ("git.commit", "run.git.commit", "git_commit", "commit", "git_sha"),
        as_text,
    ),
    Target(("run", "git", "dirty"), ("git.dirty", "run.git.dirty", "git_dirty"), as_flag),
    Target(("run", "command"), ("run.command", "command", "cmd"), as_command),
    Target(("run", "host"), ("run.host", "host"), as_object),
    Target(("run", "host", "hostname"), ("hostname",), as_text),
    Target(("tags",), ("tags",), as_tags),
    Target(("notes",), ("notes",), as_text),
)


# Places that a user can supply on the command line: those that hold one piece of text.
SETTABLE = tuple(
    ".".join(("metadata", *target.place))
    for target in TARGETS
    if target.convert in {as_text, as_time, as_command} and "host" not in target.place
)


class Metadata(NamedTuple):
    """The metadata block, and what did not fit into it."""

    block: Row
    leftovers: Row
    config_leftovers: Row
    missing: tuple[str, ...]
    warnings: tuple[Problem, ...]


class _Source:
    """One old object (`metadata` or `config`), and which of its leaves were used."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value: Row = value if isinstance(value, dict) else {}
        self.used: set[Path] = set()

    def candidates(self, target: Target) -> Iterator[tuple[Path, Converted]]:
        for alias in target.aliases:
            path = tuple(alias.split("."))
            found = _at(self.value, path)
            if is_empty(found) or path in self.used:
                continue
            converted = target.convert(found)
            if converted is not None and _fits(target, converted):
                yield path, converted

    def rest(self) -> Row:
        """What was not used, in its old place."""
        return _unused(self.value, (), self.used)


def _fits(target: Target, converted: Converted) -> bool:
    return target.convert is not as_time or read_time(converted.value) is not None


def _at(value: object, path: Path) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _unused(value: Row, above: Path, used: set[Path]) -> Row:
    rest: Row = {}
    for key, inner in value.items():
        path = (*above, key)
        if path in used:
            continue
        touched = any(u[: len(path)] == path for u in used)
        if touched and isinstance(inner, dict):
            left = _unused(inner, path, used)
            if left:
                rest[key] = left
        else:
            rest[key] = inner
    return rest


def build_metadata(
    document: Row, given: Mapping[str, str], fallback_id: str, *, fill_unknown: bool
) -> Metadata:
    """The metadata block of an old document.

    Args:
        document: The old document.
        given: Values by dotted place; they come before everything in the document.
        fallback_id: Run id when the document has none.
        fill_unknown: Whether missing names become `unknown`.
    """
    sources = [_Source(name, document.get(name)) for name in ("metadata", "config")]
    block: Row = {}
    missing: list[str] = []
    warnings: list[Problem] = []
    config_conflicts: Row = {}
    for target in TARGETS:
        if _at(block, target.place) is not None:
            continue  # a host names itself: the other name stays a leftover
        found = _find(target, sources, given, warnings, config_conflicts)
        place = location(["metadata", *target.place])
        if found is None and target.place == ("run", "id"):
            found = fallback_id
        if found is None and target.fillable and fill_unknown:
            found = "unknown"
            warnings.append(Problem("filled_unknown", place, "is not known"))
        if found is None:
            if target.required:
                missing.append(place)
            continue
        _put(block, target.place, found)
    config_left = _into_parameters(block, sources[1].rest())
    return Metadata(
        block,
        sources[0].rest(),
        _merged(config_conflicts, config_left),
        tuple(missing),
        tuple(warnings),
    )


def _find(
    target: Target,
    sources: list[_Source],
    given: Mapping[str, str],
    warnings: list[Problem],
    config_conflicts: Row,
) -> object:
    dotted = ".".join(("metadata", *target.place))
    place = location(["metadata", *target.place])
    chosen: object = given.get(dotted)
    for source in sources:
        first = next(source.candidates(target), None)
        if first is None:
            continue
        path, converted = first
        if chosen is None:
            source.used.add(path)
            chosen = converted.value
            if converted.assumed_utc:
                warnings.append(Problem("assumed_utc", place, f"from {'.'.join(path)}"))
        elif converted.value == chosen:
            source.used.add(path)
        else:
            message = f"{source.name}.{'.'.join(path)} says otherwise"
            warnings.append(Problem("conflict", place, message))
            if source.name == "config":
                source.used.add(path)
                _put(config_conflicts, path, _at(source.value, path))
    return chosen


def _put(block: Row, place: Path, value: object) -> None:
    for key in place[:-1]:
        block = block.setdefault(key, {})
    block[place[-1]] = value


def _into_parameters(block: Row, rest: Row) -> Row:
    """Unused `config` keys are parameters of the model; what would clash stays a leftover."""
    if not rest:
        return {}
    parameters = dict(block.get("model", {}).get("parameters", {}))
    left: Row = {}
    for key, value in rest.items():
        members = value if key in {"benchmark", "model", "run", "git"} else None
        if isinstance(members, dict):
            for inner, part in members.items():
                if inner in parameters:
                    _put(left, (key, inner), part)
                else:
                    parameters[inner] = part
        elif key in parameters:
            left[key] = value
        else:
            parameters[key] = value
    if parameters:
        block.setdefault("model", {})["parameters"] = parameters
    return left


def _merged(first: Row, second: Row) -> Row:
    merged = dict(first)
    for key, value in second.items():
        if isinstance(merged.get(key), dict) and isinstance(value, dict):
            merged[key] = _merged(merged[key], value)
        else:
            merged[key] = value
    return merged
