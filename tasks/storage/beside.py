"""Settings of the run behind an evaluation file that only its output document records."""

from pathlib import Path
from typing import Any

from schemas.errors import UserError
from schemas.strict_json import NotStrictJson, parse
from tasks.storage.files import read_regular


def settings_beside(evaluation_path: str, run_id: str) -> dict[str, Any] | None:
    """Parser, TeX stripping, epoch and prompt of a run, if its output document is in its place.

    Args:
        evaluation_path: `<dir>/evaluations/<benchmark>/<run>.json`.
        run_id: The run, to be sure that the document found is its own.
    """
    path = Path(evaluation_path).absolute()
    if path.parent.parent.name != "evaluations":
        return None
    output = path.parents[2] / "outputs" / path.parent.name / path.name
    try:
        document: Any = parse(read_regular(output))
        spec = document["results"]["details"]["run_spec"]
        if document["metadata"]["run"]["id"] != run_id:
            return None
        known = {
            "parser": spec["voting"]["parser"],
            "strip_tex": spec["prompting"]["strip_tex"],
            "epoch": spec["sampling"]["epoch"],
        }
        provenance = document["results"]["details"].get("provenance")
        # It names the template of the question, which evaluations do not record.
        return known if provenance is None else known | _prompt_id(provenance)
    except (UserError, NotStrictJson, KeyError, TypeError):
        return None


def _prompt_id(provenance: dict[str, Any]) -> dict[str, Any]:
    return {"prompt_id": provenance["prompts"]["prompt_id"]}
