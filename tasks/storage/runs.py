"""Finds finished runs: a run is complete when its output document exists."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from schemas.errors import UserError
from schemas.output import OutputDocument
from schemas.strict_json import NotStrictJson, parse
from tasks.storage.tables import read_rows

Row = dict[str, Any]


def find_runs(output_dir: Path) -> Iterator[tuple[Path, Row]]:
    """Output documents of our own, by path; files that are something else are passed over."""
    for path in sorted((output_dir / "outputs").glob("*/*.json")):
        if path.parent.name not in {"schemas", "artifacts"}:
            document = _own_document(path)
            if document is not None:
                yield path, document


def load_run(output_dir: Path, run: str) -> tuple[Path, Row]:
    """One run by its id, or by the path of its output document.

    Raises:
        UserError: There is no such run, or several benchmarks have one.
    """
    if run.endswith(".json") and Path(run).is_file():
        document = _own_document(Path(run))
        if document is None:
            raise UserError("is not an output document of a run", where=run, code="unknown_run")
        return Path(run), document
    known = [
        (document["metadata"]["run"]["id"], path, document)
        for path, document in sorted(find_runs(output_dir), key=_start)
    ]
    found = [(path, document) for run_id, path, document in known if run_id == run]
    if not found:
        near = ", ".join(run_id for run_id, _, _ in known[-5:]) or "none yet"
        raise UserError(f"no run {run!r}", fix=f"latest runs: {near}", code="unknown_run")
    if len(found) > 1:
        paths = ", ".join(str(path) for path, _ in found)
        raise UserError(
            f"several runs are called {run!r}", fix=f"name one of {paths}", code="ambiguous_run"
        )
    return found[0]


def rows_of_item(document_path: Path, document: Row, role: str, item: str) -> list[Row] | None:
    """Rows of one item in a table of a run; None when the table is gone or cannot be read."""
    path = _artifact_path(document_path, document, role)
    if path is None:
        return None
    try:
        return [row for row in read_rows(path) if row["item_id"] == item]
    except (pa.ArrowException, OSError, KeyError):
        return None


def _artifact_path(document_path: Path, document: Row, role: str) -> Path | None:
    root = document_path.parent.parent.parent
    for artifact in document["results"].get("artifacts", []):
        if artifact["role"] == role and "path" in artifact:
            return Path(root / artifact["path"])
    return None


_DETAILS = {"run_spec", "n", "undefined"}


def _own_document(path: Path) -> Row | None:
    try:
        document: Any = parse(path.read_bytes())
        results = OutputDocument.model_validate(document).results
    except (NotStrictJson, OSError, ValidationError):
        return None
    is_own = results.cases is not None and (results.details or {}).keys() >= _DETAILS
    return document if is_own else None


def _start(found: tuple[Path, Row]) -> str:
    return str(found[1]["metadata"]["run"].get("started_at"))
