"""Finds finished runs: a run is complete when its output document exists."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.errors import UserError
from tasks.outputs.reading import read_output
from tasks.storage.files import read_regular
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
        InvalidFile: The file is no valid output document; it says why.
    """
    if run.endswith(".json") and Path(run).is_file():
        document = read_output(read_regular(run), run)
        if not _is_own(document):
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
        document = read_output(read_regular(path), str(path))
    except UserError:
        return None
    return document if _is_own(document) else None


def _is_own(document: Row) -> bool:
    """Whether a valid document is one of an evaluation of ours."""
    results = document["results"]
    return "cases" in results and results.get("details", {}).keys() >= _DETAILS


def _start(found: tuple[Path, Row]) -> str:
    return str(found[1]["metadata"]["run"].get("started_at"))
