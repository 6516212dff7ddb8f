"""Results of old result files."""

import re
from typing import Any, NamedTuple

from schemas.errors import Problem
from schemas.strict_json import location
from tasks.outputs.legacy_values import NonFinite, as_text, is_number
from tasks.outputs.paths import normalise

Row = dict[str, Any]

FIXED_MESSAGE = "legacy run marked as failed"

_FAILED_WORDS = {"error", "failed", "failure", "crashed"}
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_TOP_LEVEL = (
    "$schema",
    "schema_version",
    "config",
    "metadata",
    "metrics",
    "scores",
    "results",
    "details",
    "artifacts",
    "files",
)


class Conflict(Exception):
    """The same thing is said twice and differently."""


class ResultsBlock(NamedTuple):
    """The results block, and what had to be decided."""

    block: Row
    warnings: tuple[Problem, ...]


class _Results:
    """Collects the results block piece by piece."""

    def __init__(self) -> None:
        self.metrics: Row = {}
        self.details: Row = {}
        self.legacy: Row = {}
        self.odd_metrics: Row = {}
        self.cases: list[Any] | None = None
        self.artifacts: list[Row] = []
        self.error: Row = {}
        self.failed = False
        self.warnings: list[Problem] = []

    def add_metrics(self, values: Row) -> None:
        for key, value in values.items():
            if is_number(value) and key:
                if key in self.metrics and not _same(self.metrics[key], value):
                    raise Conflict(f"metric {key!r} has two values")
                self.metrics[key] = value
            else:
                self.add_odd_metric(key, value)

    def add_odd_metric(self, key: str, value: object) -> None:
        kept = value.text if isinstance(value, NonFinite) else value
        if key in self.odd_metrics and not _same(self.odd_metrics[key], kept):
            raise Conflict(f"metric {key!r} has two values")
        self.odd_metrics[key] = kept
        place = location(["results", "details", "legacy_metrics", key])
        self.warnings.append(Problem("non_numeric_metric", place, "is not a number"))

    def add_details(self, values: Row) -> None:
        for key, value in values.items():
            if key in self.details and not _same(self.details[key], value):
                raise Conflict(f"detail {key!r} has two values")
            self.details[key] = value

    def block(self) -> Row:
        details = dict(self.details)
        for key, value in (("legacy_metrics", self.odd_metrics), ("legacy", self.legacy)):
            if value:
                if key in details:
                    raise Conflict(f"details already have a key {key!r}")
                details[key] = value
        block: Row = {"status": "error" if self.failed else "ok", "metrics": self.metrics}
        if self.failed:
            block["error"] = {"message": FIXED_MESSAGE} | self.error
        if details:
            block["details"] = details
        if self.cases is not None:
            block["cases"] = self.cases
        if self.artifacts:
            block["artifacts"] = self.artifacts
        return block


def build_results(document: Row, leftovers: Row, config_leftovers: Row) -> ResultsBlock:
    """The results block of an old document, with everything that fits nowhere else.

    Raises:
        Conflict: The same metric or detail has two values.
    """
    results = _Results()
    outer = {key: value for key, value in document.items() if key not in _TOP_LEVEL}
    _take_failure(results, outer)
    for key in ("metrics", "scores"):
        _take_metrics(results, document, key, results.legacy)
    if "results" in document:
        _take_results(results, document["results"])
    if "details" in document:
        _take_details(results, document["details"])
    for key in ("artifacts", "files"):
        if key in document:
            _take_artifacts(results, key, document[key], results.legacy)
    _keep_rest(results, document, outer, leftovers, config_leftovers)
    return ResultsBlock(results.block(), tuple(results.warnings))


def _keep_rest(
    results: _Results, document: Row, outer: Row, leftovers: Row, config_leftovers: Row
) -> None:
    results.legacy |= outer
    if document.get("schema_version", "v1") != "v1":
        results.legacy["schema_version"] = document["schema_version"]
    if "$schema" in document:
        results.legacy["$schema"] = document["$schema"]
    for key, rest in (("metadata", leftovers), ("config", config_leftovers)):
        if rest:
            results.legacy[key] = rest
        elif key in document and not isinstance(document[key], dict):
            results.legacy[key] = document[key]


def _take_metrics(results: _Results, holder: Row, key: str, rest: Row) -> None:
    if isinstance(holder.get(key), dict):
        results.add_metrics(holder[key])
    elif key in holder:
        rest[key] = holder[key]


def _take_results(results: _Results, value: object) -> None:
    if isinstance(value, list):
        wrapped = [entry if isinstance(entry, dict) else {"value": entry} for entry in value]
        results.cases = wrapped
        if not results.metrics:
            message = "old results were a list of cases"
            results.warnings.append(Problem("no_metrics", "$.results.metrics", message))
    elif is_number(value) or isinstance(value, NonFinite):
        results.add_metrics({"score": value})
    elif isinstance(value, dict):
        if {"metrics", "scores"} & value.keys():
            _take_nested(results, dict(value))
        else:
            _take_flat(results, dict(value))
    else:
        results.legacy["results"] = value


def _take_nested(results: _Results, inner: Row) -> None:
    rest: Row = {}
    for key in ("metrics", "scores"):
        _take_metrics(results, inner, key, rest)
        inner.pop(key, None)
    if "details" in inner:
        _take_details(results, inner.pop("details"))
    cases = inner.get("cases")
    if isinstance(cases, list) and all(isinstance(case, dict) for case in cases):
        results.cases = inner.pop("cases")
    if "artifacts" in inner:
        _take_artifacts(results, "artifacts", inner.pop("artifacts"), rest)
    _take_failure(results, inner)
    if inner.get("status") == "ok":
        del inner["status"]
    rest |= inner
    if rest:
        results.legacy["results"] = rest


def _take_flat(results: _Results, inner: Row) -> None:
    numbers = {k: v for k, v in inner.items() if k and (is_number(v) or isinstance(v, NonFinite))}
    results.add_metrics(numbers)
    others = {key: value for key, value in inner.items() if key not in numbers}
    # After the numbers: an error of 0.05 is a rate.
    _take_failure(results, others)
    results.add_details(others)


def _take_details(results: _Results, value: object) -> None:
    results.add_details(value if isinstance(value, dict) else {"value": value})


def _take_artifacts(results: _Results, key: str, value: object, rest: Row) -> None:
    odd = []
    for entry in value if isinstance(value, list) else [value]:
        artifact = _artifact(entry)
        if artifact is None:
            odd.append(entry)
        else:
            results.artifacts.append(artifact)
    if not isinstance(value, list) and odd:
        rest[key] = value
    elif odd:
        rest[key] = odd


_ARTIFACT_KEYS = {"role", "path", "uri", "sha256", "bytes", "media_type"}


def _artifact(entry: object) -> Row | None:
    if isinstance(entry, str) and entry.strip():
        if _URI.match(entry):
            return {"role": "file", "uri": entry}
        return {"role": "file", "path": entry} if normalise(entry) else None
    if not isinstance(entry, dict):
        return None
    known = all(key in _ARTIFACT_KEYS or key.startswith("x_") for key in entry)
    has_place = ("path" in entry) != ("uri" in entry)
    path, role = entry.get("path", "x"), entry.get("role")
    is_safe = isinstance(path, str) and normalise(path) is not None
    return dict(entry) if known and has_place and is_safe and isinstance(role, str) else None


def _take_failure(results: _Results, holder: Row) -> None:
    """Take what says that the run failed out of an object; what decides nothing stays there."""
    for key in ("error", "exception"):
        if holder.get(key):
            results.failed = True
            _take_error(results, holder, key)
    status = holder.get("status")
    if isinstance(status, str) and status.lower() in _FAILED_WORDS:
        results.failed = True
        del holder["status"]
    if holder.get("success") is False:
        results.failed = True
        del holder["success"]
    if results.failed:
        _take_texts(results, holder, ("traceback",))


def _take_error(results: _Results, holder: Row, key: str) -> None:
    if "message" in results.error:
        return
    value = holder.pop(key)
    members = dict(value) if isinstance(value, dict) else {"message": value}
    text = as_text(members.get("message"))
    if text is not None:
        results.error["message"] = text.value
        del members["message"]
    _take_texts(results, members, ("type", "traceback"))
    if members:
        holder[key] = members if isinstance(value, dict) else value


def _take_texts(results: _Results, holder: Row, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in results.error and isinstance(holder.get(name), str):
            results.error[name] = holder.pop(name)


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right
