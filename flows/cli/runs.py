"""`assent runs` and `assent show`: what was run, and what one item or row got."""

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.pack_runs import attempts_at, is_pack_run, print_row, row_line
from schemas.errors import UserError

OutputDir = Annotated[str, typer.Option("--output-dir", help="Holds evaluations/ and outputs/.")]
Row = dict[str, Any]


def list_runs(output_dir: OutputDir = ".", format_: FormatOption = Format.TEXT) -> None:
    """List finished runs, oldest first.

    Example: assent runs
    """
    from tasks.storage.runs import find_runs

    runs = [_line(path, document) for path, document in find_runs(Path(output_dir))]
    runs.sort(key=lambda run: run["started_at"])
    if format_ is Format.JSON:
        print_json({"runs": runs})
        return
    if not runs:
        say("no runs yet")
    for run in runs:
        key = "pass_rate" if run["kind"] == "pack" else "kappa"
        figure = "undefined" if run[key] is None else f"{run[key]:.3f}"
        say(
            printable(
                f"{run['run_id']}  {run['benchmark']}  {run['model']}  {run['started_at'][:19]}  "
                f"{run['status']}  {key.replace('_', ' ')} {figure}"
            )
        )


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an output document.")],
    item: Annotated[
        str | None,
        typer.Argument(metavar="[ITEM]", help="One item or row: prompt, replies, verdicts."),
    ] = None,
    output_dir: OutputDir = ".",
    format_: FormatOption = Format.TEXT,
) -> None:
    """Show one run, or one item of it with its prompt, replies and votes.

    Of a pack run: one row with its prompt, replies and results. Hidden values are not shown.

    Example: assent show 20260101-120000-abc123 stop-prop
    """
    from tasks.storage.runs import load_run

    path, document = load_run(Path(output_dir), run)
    if item is None:
        shown = _overview(path, document)
        if format_ is Format.JSON:
            print_json(shown)
        else:
            _print_overview(shown)
        return
    found = _item(path, document, item)
    if format_ is Format.JSON:
        print_json(found)
    elif is_pack_run(document):
        print_row(found)
    else:
        _print_item(found)


def _line(path: Path, document: Row) -> Row:
    metadata, results = document["metadata"], document["results"]
    return {
        "run_id": metadata["run"]["id"],
        "benchmark": metadata["benchmark"]["name"],
        "model": f"{metadata['model']['provider']}/{metadata['model']['name']}",
        "started_at": metadata["run"]["started_at"],
        "status": results["status"],
        "kind": "pack" if is_pack_run(document) else "benchmark",
        "kappa": results["metrics"].get("cohens_kappa_consensus"),
        "pass_rate": results["metrics"].get("pass_rate"),
        "output": str(path),
    }


def _overview(path: Path, document: Row) -> Row:
    results = document["results"]
    return {
        **_line(path, document),
        "command": document["metadata"]["run"].get("command"),
        "metrics": results["metrics"],
        "n": results["details"]["n"],
        "undefined": results["details"]["undefined"],
        "items": results["cases"],
    }


def _print_overview(shown: Row) -> None:
    say(printable(f"{shown['run_id']}: {shown['benchmark']} × {shown['model']}, {shown['status']}"))
    say(printable(f"  repeat with: {shown['command']}"))
    for name, value in shown["metrics"].items():
        say(printable(f"  {name:<30} {value:>10.4g}   n {shown['n'].get(name)}"))
    for name, reason in shown["undefined"].items():
        say(printable(f"  {name:<30}  undefined   {reason}"))
    for case in shown["items"]:
        if shown["kind"] == "pack":
            say(printable(row_line(case)))
            continue
        votes = "/".join(str(case["votes"][key]) for key in ("good", "bad", "abstain"))
        verdict = case["verdict"] or "missing"
        mark = {True: "=", False: "≠", None: "?"}[case["agrees"]]
        line = f"  {case['id']:<30} {verdict:<8} {mark} {case['consensus']:<8} votes {votes}"
        say(printable(line))


def _item(path: Path, document: Row, item: str) -> Row:
    from tasks.storage.runs import rows_of_item

    cases = {case["id"]: case for case in document["results"]["cases"]}
    if item not in cases:
        shown = ", ".join(list(cases)[:10])
        raise UserError(f"the run has no item {item!r}", fix=f"items: {shown}", code="unknown_item")

    def rows(role: str) -> list[Row]:
        found = rows_of_item(path, document, role, item)
        if not found:
            raise UserError(
                f"the {role} table of this run is gone or was changed",
                fix=f"run again: {document['metadata']['run'].get('command')}",
                code="missing_table",
            )
        return found

    if is_pack_run(document):
        return {**cases[item], **attempts_at(cases[item], rows)}
    prompt = rows("prompts")[0]
    kept = ("sample_index", "status", "text", "parsed_verdict", "parse_status", "error")
    samples = [{key: row[key] for key in kept} for row in rows("samples")]
    asked = {key: prompt[key] for key in ("system", "user", "variant", "fallback")}
    return {**cases[item], "prompt": asked, "samples": samples}


def _print_item(found: Row) -> None:
    verdict = found["verdict"] or "missing"
    say(printable(f"{found['id']}: {verdict}, panel {found['consensus']}"))
    for line in found["prompt"]["user"].split("\n"):
        say(f"  | {printable(line)}")
    for sample in found["samples"]:
        read = f"{sample['parsed_verdict'] or 'no reply'} ({sample['parse_status']})"
        say(printable(f"  [{sample['sample_index']}] {read}"))
        for line in (sample["text"] or sample["error"] or "").split("\n"):
            say(f"      {printable(line)}")
