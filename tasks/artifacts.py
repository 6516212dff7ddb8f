"""What the Prefect UI shows of a run: a summary, a table of items or rows, links to the files.

Called only inside a flow run; Prefect is imported then and not before.
"""

import re
from pathlib import Path
from typing import Any

MOST_ROWS = 1000


def show_run(document: dict[str, Any], files: dict[str, Any]) -> None:
    """Create the artifacts of a published run."""
    from prefect.artifacts import (
        create_link_artifact,
        create_markdown_artifact,
        create_table_artifact,
    )

    key = artifact_key(document["metadata"]["run"]["id"])
    create_markdown_artifact(summary(document), key=f"{key}-summary", description="Summary")
    rows = document["results"]["cases"][:MOST_ROWS]
    table = [_flat(case) for case in rows]
    if table:
        total = len(document["results"]["cases"])
        note = f"Items, {len(rows)} of {total}"
        create_table_artifact(table, key=f"{key}-items", description=note)
    for name in ("evaluation", "output"):
        link = Path(files[name]).absolute().as_uri()
        create_link_artifact(link, key=f"{key}-{name}", link_text=files[name])


def show_pack_run(document: dict[str, Any], output: str) -> None:
    """Create the artifacts of a published run of a pack."""
    from prefect.artifacts import (
        create_link_artifact,
        create_markdown_artifact,
        create_table_artifact,
    )

    key = artifact_key(document["metadata"]["run"]["id"])
    create_markdown_artifact(summary(document), key=f"{key}-summary", description="Summary")
    cases = document["results"]["cases"]
    if cases:
        table = [{k: v for k, v in c.items() if k != "row_digest"} for c in cases[:MOST_ROWS]]
        note = f"Rows, {len(table)} of {len(cases)}"
        create_table_artifact(table, key=f"{key}-rows", description=note)
    create_link_artifact(Path(output).absolute().as_uri(), key=f"{key}-output", link_text=output)


def summary(document: dict[str, Any]) -> str:
    """A run in Markdown."""
    metadata, results = document["metadata"], document["results"]
    lines = [
        f"# {_cell(metadata['benchmark']['name'])} × {_cell(metadata['model']['name'])}",
        "",
        f"Run `{metadata['run']['id']}`, status **{results['status']}**",
        "",
        "| metric | value | n |",
        "|---|---|---|",
    ]
    counts = results["details"]["n"]
    lines += [f"| {k} | {v:.4g} | {counts[k]} |" for k, v in results["metrics"].items()]
    undefined = results["details"]["undefined"].items()
    lines += [f"| {k} | undefined: {why} | {counts[k]} |" for k, why in undefined]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return re.sub(r"[^\w .:/+-]", " ", text)


def _flat(case: dict[str, Any]) -> dict[str, Any]:
    votes = case["votes"]
    shown = {k: case[k] for k in ("id", "status", "verdict", "consensus", "agrees", "tie_broken")}
    return shown | {f"votes_{k}": v for k, v in votes.items()}


def artifact_key(run_id: str) -> str:
    """Artifact keys take lower-case letters, digits and dashes only."""
    return re.sub(r"[^a-z0-9]+", "-", run_id.lower()).strip("-") or "run"
