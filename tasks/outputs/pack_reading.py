"""What a comparison reads out of the output document of a pack run."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from schemas.errors import UserError
from schemas.pack_comparison import PackRunOutcomes
from tasks.outputs.reading import read_output

_FIRST_KEY = re.compile(
    rb'\s{0,64}\{\s{0,64}"(\$schema|schema_version"\s?:\s?"v1|metadata|results)"'
)


def looks_like_output(data: bytes) -> bool:
    """Whether a file begins as output documents do and evaluations never."""
    return _FIRST_KEY.match(data) is not None


def pack_outcomes(data: bytes, file: str) -> PackRunOutcomes:
    """The outcomes of a pack run, from its output document.

    Raises:
        UserError: It is the document of something else.
        InvalidFile: It is no valid output document; all problems are listed.
    """
    document = read_output(data, file)
    try:
        found = _outcomes(document)
    except (KeyError, TypeError, ValidationError):
        raise UserError(
            f"{file} is an output document, but not of a pack run",
            fix="name output documents of assent pack run, or the evaluation files of evaluations",
            code="not_a_pack_run",
        ) from None
    if len({row.id for row in found.rows}) < len(found.rows):
        raise UserError(
            f"{file} has two cases with the same id", fix="keep one", code="duplicate_id"
        )
    return found


def _outcomes(document: Mapping[str, Any]) -> PackRunOutcomes:
    results = document["results"]
    provenance, spec = results["details"]["provenance"], results["details"]["run_spec"]
    verdicts = provenance["verdicts"]
    return PackRunOutcomes(
        run_id=document["metadata"]["run"]["id"],
        pack_id=provenance["pack"]["pack_id"],
        pack_sha256=provenance["pack"]["sha256"],
        judging={
            "profile": verdicts["profile"],
            "extract_code": verdicts["extract_code"],
            "rendering_version": provenance["prompts"]["rendering_version"],
            "deny_commands": sorted(spec["judging"]["deny_commands"]),
            "disallow_dangerous_commands": spec["judging"]["disallow_dangerous_commands"],
        },
        verifiers={name.partition("/")[0]: name for name in verdicts["verifiers"]},
        settings={
            "provider": document["metadata"]["model"]["provider"],
            "model_id": document["metadata"]["model"]["name"],
            # Answers out of a file come from nowhere.
            "base_url": provenance["model"].get("base_url"),
            "params": spec["sampling"]["params"],
            "n_samples": spec["sampling"]["n_samples"],
            "epoch": spec["sampling"]["epoch"],
            "sandbox": provenance["sandbox"],
        },
        rows=results["cases"],
    )
