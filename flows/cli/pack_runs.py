"""Pack runs as `assent show` tells of them."""

from collections.abc import Callable
from typing import Any

from flows.cli.console import printable, say

Row = dict[str, Any]
_PROMPT = ("system", "user")
_SAMPLE = (
    *("sample_index", "status", "text", "candidate_field", "result", "reason", "phase"),
    *("verifier_version", "error"),
)


def is_pack_run(document: Row) -> bool:
    """Whether an output document of ours is about a pack."""
    return "measures" in document["results"]["details"]


def row_line(case: Row) -> str:
    """One row of a run."""
    score = "" if case["score"] is None else f" score {case['score']:.3f}"
    judged = case["n_passed"] + case["n_failed"]
    tries = f", {case['n_passed']} of {judged} passed" if judged else ""
    why = f"  {case['reason']}" if case["reason"] else ""
    return f"  {case['id']:<30} {case['status']:<8}{score}{tries}{why}"


def attempts_at(case: Row, rows: Callable[[str], list[Row]]) -> Row:
    """Prompt and samples of a row; null and none for a row that nobody was asked about."""
    if not case["n_samples"]:
        return {"prompt": None, "samples": []}
    samples = [{key: row[key] for key in _SAMPLE} for row in rows("samples")]
    if all(sample["candidate_field"] == "workspace" for sample in samples):
        return {"prompt": None, "samples": samples}
    prompt = rows("prompts")[0]
    return {"prompt": {key: prompt[key] for key in _PROMPT}, "samples": samples}


def print_row(found: Row) -> None:
    """One row for people."""
    say(printable(row_line(found).strip()))
    if found["prompt"] is not None:
        for line in found["prompt"]["user"].split("\n"):
            say(f"  | {printable(line)}")
    for sample in found["samples"]:
        why = f" ({sample['reason']})" if sample["reason"] else ""
        say(printable(f"  [{sample['sample_index']}] {sample['result']}{why}"))
        for line in (sample["text"] or sample["error"] or "").split("\n"):
            say(f"      {printable(line)}")
