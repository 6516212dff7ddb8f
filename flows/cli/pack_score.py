"""`assent pack score` and `assent pack selftest`: candidates judged without asking a model."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, error_object, print_json, printable, say
from flows.cli.packs import LimitOption, PackArgument, ProfileName, ProfileOption, TasksOption

DenyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--deny-command", metavar="NAME", help="A command no checker may use; repeatable."
    ),
]
AllowOption = Annotated[
    bool,
    typer.Option("--allow-dangerous-commands", help="Let checkers use the commands they need."),
]
ExtractOption = Annotated[
    bool,
    typer.Option("--extract-code", help="Take code out of the last fenced block of a reply."),
]


def score(
    pack: PackArgument,
    answers: Annotated[
        str,
        typer.Option(
            "--answers", metavar="FILE", help="JSONL: task_id, and text, patch or workspace."
        ),
    ],
    tasks: TasksOption = None,
    limit: LimitOption = None,
    profile: ProfileOption = ProfileName.TARGET,
    extract_code: ExtractOption = False,
    deny_command: DenyOption = None,
    allow_dangerous_commands: AllowOption = False,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="KEY", help="Also a pass rate per value of this metadata key."
        ),
    ] = None,
    group_by: Annotated[
        str | None,
        typer.Option(
            "--group-by", metavar="KEY", help="Rows equal in this key are not independent."
        ),
    ] = None,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Judge answers that you already have.

    Exit 0: everything was judged, whatever the scores. Exit 2: the pack, the answers or an option
    is wrong, and nothing was judged. Exit 3: some row could not be judged.

    Example: assent pack score examples/packs/short_answer --answers answers.jsonl
    """
    from tasks.packs.candidates import pairs
    from tasks.packs.judging import Judging
    from tasks.sandbox.scoring import judge_in_parallel
    from tasks.storage.answers import load_answers
    from tasks.storage.packs import open_pack

    opened = open_pack(pack, tasks, profile.value)
    rows = opened.tasks(limit)
    known = None if limit is not None else {row.id for row in rows}
    candidates = load_answers(answers, known)
    settings = Judging(
        profile.value, tuple(deny_command or ()), not allow_dangerous_commands, extract_code
    )
    results = judge_in_parallel(list(pairs(rows, candidates)), settings, opened.files)
    results = [located(result, str(opened.places.rows)) for result in results]
    document = score_document(rows, results, by=tuple(by or ()), group_by=group_by)
    if format_ is Format.JSON:
        print_json(document)
    else:
        _print_score(document)
    raise typer.Exit(3 if document["summary"]["errors"] else 0)


def located(result: Any, rows_file: str) -> Any:
    """A result whose problem, if it has one, says which file its line is of."""
    if result.problem is None:
        return result
    return result._replace(problem=result.problem._replace(file=rows_file))


def score_document(
    rows: list[Any], results: list[Any], *, by: tuple[str, ...] = (), group_by: str | None = None
) -> dict[str, Any]:
    """What `score` prints."""
    from tasks.packs.measures import Attempt, measure_pack

    attempts = [
        Attempt(row.id, row.family, result.status, row.row_metadata)
        for row, result in zip(rows, results, strict=True)
    ]
    measures = measure_pack(attempts, by=by, group_by=group_by)
    return {
        "results": [result_object(result) for result in results],
        "summary": {**measures.counts.model_dump(), "score": measures.pass_rate.value},
        "measures": measures.model_dump(mode="json"),
    }


def result_object(result: Any) -> dict[str, Any]:
    """One result as machines read it; hidden values are not in it."""
    shown = {
        "task_id": result.task_id,
        "status": result.status,
        "passed": result.passed,
        "score": result.score,
        "reason": result.reason,
        "phase": result.phase,
        "metadata": dict(result.metadata),
    }
    problem = result.problem
    if problem is None:
        return shown
    error = {
        **error_object(problem, problem.file),
        "type": problem.type,
        "line": problem.line,
        "task_id": problem.task_id,
    }
    return {**shown, "error": error}


def _print_score(document: dict[str, Any]) -> None:
    for result in document["results"]:
        why = result["error"]["message"] if "error" in result else result["reason"]
        say(printable(f"{result['status']:<8}{result['task_id']}{f'  {why}' if why else ''}"))
    for line in _summary_lines(document):
        say(printable(line))


def _summary_lines(document: dict[str, Any]) -> Iterator[str]:
    summary, rate = document["summary"], document["measures"]["pass_rate"]
    left = [f"{summary[key]} {key}" for key in ("errors", "pending") if summary[key]]
    yield ", ".join([f"{summary['passed']} of {summary['verified']} passed", *left])
    if rate["value"] is None:
        yield f"no score: {rate['reason']}"
        return
    interval = rate["interval"]
    between = (
        f", 95 % interval {interval['lo']:.3f} to {interval['hi']:.3f} ({interval['method']})"
        if interval
        else ""
    )
    yield f"score {rate['value']:.3f}{between}"
