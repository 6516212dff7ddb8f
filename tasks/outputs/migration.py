"""Brings old result files into v1 without losing anything and without inventing anything."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from schemas.errors import Problem
from schemas.output import SCHEMA_PATH
from schemas.strict_json import NotStrictJson
from tasks.outputs.legacy import has_legacy_name, legacy_shapes
from tasks.outputs.legacy_metadata import Metadata, build_metadata
from tasks.outputs.legacy_results import Conflict, build_results
from tasks.outputs.legacy_values import NonFinite, read_legacy, without_non_finite
from tasks.outputs.paths import classify, is_generic
from tasks.outputs.validation import check_document, check_output

Row = dict[str, Any]
Outcome = Literal["migrated", "already_v1"]

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_SLUG = 120


class Migrated(NamedTuple):
    """A document in v1, and where it belongs."""

    outcome: Outcome
    document: Row
    new_path: str
    warnings: tuple[Problem, ...] = ()


class MigrationFailed(Exception):
    """A document that cannot be migrated; nothing is written."""

    def __init__(self, code: str, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(code, message, missing)
        self.code, self.message, self.missing = code, message, missing


def migrate(
    data: bytes, path: str, *, given: Mapping[str, str] | None = None, fill_unknown: bool = False
) -> Migrated:
    """One file in v1.

    Args:
        data: The file's bytes.
        path: Its path in the repository.
        given: Values for metadata that the file lacks, by dotted place (`metadata.model.name`).
        fill_unknown: Write `unknown` for missing names and a missing provider.

    Raises:
        MigrationFailed: Its shape is not known, something is missing, or values contradict.
    """
    try:
        document = read_legacy(data)
    except NotStrictJson as error:
        raise MigrationFailed("invalid_json", error.problems[0].message) from None
    if _is_valid(document):
        return Migrated("already_v1", document, _place_of_valid(path, document))
    shapes = legacy_shapes(document)
    if "L4" in shapes:
        with_schema = {"$schema": SCHEMA_PATH, **document}
        if _is_valid(with_schema):
            return Migrated("migrated", in_order(with_schema), new_path(path, with_schema))
    if not shapes:
        raise MigrationFailed(
            "unrecognised_shape", "neither v1 nor one of the old shapes that we know"
        )
    return _rebuild(document, path, given or {}, fill_unknown=fill_unknown)


def _rebuild(document: Row, path: str, given: Mapping[str, str], *, fill_unknown: bool) -> Migrated:
    fallback_id = _fallback_run_id(document, path)
    metadata = build_metadata(document, given, fallback_id, fill_unknown=fill_unknown)
    if metadata.missing:
        listed = ", ".join(metadata.missing)
        raise MigrationFailed("missing_fields", f"missing: {listed}", metadata.missing)
    try:
        results = build_results(document, metadata.leftovers, metadata.config_leftovers)
    except Conflict as error:
        raise MigrationFailed("conflict", str(error)) from None
    rebuilt = in_order(
        {
            "$schema": SCHEMA_PATH,
            "schema_version": "v1",
            "metadata": metadata.block,
            "results": results.block,
        }
    )
    warnings = [*metadata.warnings, *results.warnings]
    if _holds_non_finite(rebuilt):
        message = "a number that JSON cannot hold is kept as text"
        warnings.append(Problem("non_finite_value", "$", message))
        rebuilt = without_non_finite(rebuilt)
    # The bytes, because nesting can have become too deep for readers.
    errors = check_output(serialise(rebuilt)).errors
    if errors:
        found = f"{errors[0].location}: {errors[0].message}"
        raise MigrationFailed("invalid_result", f"the result would be invalid: {found}")
    return Migrated("migrated", rebuilt, new_path(path, rebuilt), tuple(warnings))


def _is_valid(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and not _holds_non_finite(document)
        and not check_document(document).errors
    )


def _holds_non_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_non_finite(part) for part in value.values())
    if isinstance(value, list):
        return any(_holds_non_finite(part) for part in value)
    return isinstance(value, NonFinite)


def _place_of_valid(path: str, document: Row) -> str:
    found = classify(path)
    return new_path(path, document) if found.status == "deprecated" else found.normalized or path


def new_path(path: str, document: Row) -> str:
    """Where a document belongs: where it is, when that place is good, else by name and run id."""
    found = classify(path)
    if found.status == "allowed" and not found.flags and found.normalized:
        return found.normalized
    metadata = document["metadata"]
    stem = slug(metadata["run"]["id"])
    name = f"run-{stem}.json" if is_generic(f"{stem}.json") else f"{stem}.json"
    return f"outputs/{slug(metadata['benchmark']['name'])}/{name}"


def slug(text: str) -> str:
    """Text as a file name: plain ASCII, no separators."""
    plain = _NOT_PLAIN.sub("-", unicodedata.normalize("NFKC", text)).strip("-.")
    return plain[:_LONGEST_SLUG].strip("-.") or "unnamed"


def _fallback_run_id(document: Row, path: str) -> str:
    name = path.replace("\\", "/").rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    if not has_legacy_name(name) and stem.strip():
        return stem
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"legacy-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


_ORDER: dict[str, tuple[str, ...]] = {
    "": ("$schema", "schema_version", "metadata", "results"),
    "metadata": ("benchmark", "model", "run", "tags", "notes"),
    "metadata.benchmark": ("name", "suite", "version", "task"),
    "metadata.model": ("name", "provider", "parameters", "revision"),
    "metadata.run": ("id", "started_at", "finished_at", "git", "command", "host"),
    "metadata.run.git": ("commit", "dirty"),
    "results": ("status", "metrics", "error", "details", "cases", "artifacts"),
    "results.error": ("message", "type", "traceback"),
}


def in_order(document: Row, place: str = "") -> Row:
    """A document with its keys in the order of the format; open parts keep their own."""
    wanted = _ORDER[place]
    keys = [key for key in wanted if key in document] + [k for k in document if k not in wanted]
    ordered = {}
    for key in keys:
        inner = f"{place}.{key}".lstrip(".")
        value = document[key]
        ordered[key] = (
            in_order(value, inner) if inner in _ORDER and isinstance(value, dict) else value
        )
    return ordered


def serialise(document: Row) -> bytes:
    """A document as it is written."""
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


__all__ = ["Metadata", "Migrated", "MigrationFailed", "migrate", "new_path", "serialise", "slug"]
