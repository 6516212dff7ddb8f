"""Finds finished runs: a run is complete when its output document exists."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.errors import UserError
from schemas.strict_json import NotStrictJson, parse

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
    known = {
        document["metadata"]["run"]["id"]: (path, document)
        for path, document in find_runs(output_dir)
    }
    if run not in known:
        near = ", ".join(list(known)[-5:]) or "none yet"
        raise UserError(f"no run {run!r}", fix=f"latest runs: {near}", code="unknown_run")
    return known[run]


def artifact_path(document_path: Path, document: Row, role: str) -> Path | None:
    """Where a file of a run is, when it is still there."""
    root = document_path.parent.parent.parent
    for artifact in document["results"].get("artifacts", []):
        if artifact["role"] == role:
            path = Path(root / artifact["path"]) if "path" in artifact else None
            return path if path is not None and path.is_file() else None
    return None


def _own_document(path: Path) -> Row | None:
    try:
        document: Any = parse(path.read_bytes())
        _ = document["results"]["details"]["run_spec"], document["metadata"]["run"]["id"]
    except (NotStrictJson, OSError, KeyError, TypeError):
        return None
    found: Row = document
    return found
