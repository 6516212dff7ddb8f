"""`assent pack score` and `assent pack selftest`: candidates judged without asking a model."""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from flows.cli.console import Format, FormatOption
from flows.cli.packs import LimitOption, PackArgument, ProfileName, ProfileOption, TasksOption
from schemas.errors import InvalidFile, Problem

if TYPE_CHECKING:
    from flows.cli.pack_results import KeptResults
    from schemas.pack_task import CompiledTask
    from tasks.packs.judging import Result
    from tasks.sandbox.scoring import Pair

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

ByOption = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="KEY", help="Also a pass rate per value of this metadata key."),
]
GroupOption = Annotated[
    str | None,
    typer.Option("--group-by", metavar="KEY", help="Rows equal in this key are not independent."),
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
    by: ByOption = None,
    group_by: GroupOption = None,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Judge answers that you already have.

    Exit 0: everything was judged, whatever the scores. Exit 2: the pack, the answers or an option
    is wrong, and nothing was judged. Exit 3: some row could not be judged.

    Example: assent pack score examples/packs/short_answer --answers answers.jsonl
    """
    from flows.cli.pack_results import KeptResults
    from tasks.packs.judging import Judging

    settings = Judging(
        profile.value, tuple(deny_command or ()), not allow_dangerous_commands, extract_code
    )
    scoring = _Scoring(settings, tuple(by or ()), group_by)
    with KeptResults(as_json=format_ is Format.JSON) as kept:
        document = scoring.judge(_Given(pack, tasks, limit, answers), kept)
        kept.print(document)
    raise typer.Exit(3 if document["summary"]["errors"] else 0)


class _Given(NamedTuple):
    """What is scored."""

    pack: str
    tasks: str | None
    limit: int | None
    answers: str


class _Scoring:
    """Judges row by row while the pack is read; of a row only its result stays."""

    def __init__(self, settings: Any, by: tuple[str, ...], group_by: str | None) -> None:
        self._settings, self._by, self._group_by = settings, by, group_by
        self._keys = {*by, *([group_by] if group_by else [])}

    def judge(self, given: _Given, kept: "KeptResults") -> dict[str, Any]:
        """Keep every result; the document that tells of them.

        Raises:
            UserError: The pack or the answers are wrong; nothing of the results is to be shown.
        """
        from tasks.packs.judging import judge
        from tasks.packs.measures import Attempt, measure_pack
        from tasks.packs.results import located, result_object
        from tasks.packs.verifiers import TEXT_FAMILIES
        from tasks.sandbox.scoring import judge_in_parallel
        from tasks.storage.answers import load_answers
        from tasks.storage.packs import MOST_PROBLEMS_RAISED, invalid, open_pack

        pack = open_pack(given.pack, given.tasks, self._settings.profile)
        candidates, readable = _candidates(given.answers)
        attempts: list[Attempt] = []
        problems: list[Problem] = []
        waiting: list[Pair] = []

        def keep(task: "CompiledTask", result: "Result") -> None:
            kept.add(result_object(located(result, str(pack.places.rows))))
            own = {key: task.row_metadata[key] for key in self._keys & task.row_metadata.keys()}
            attempts.append(Attempt(task.id, task.family, result.status, own))

        for row in pack.rows(given.limit):
            problems += row.errors[: MOST_PROBLEMS_RAISED - len(problems)]
            task = row.task
            if task is None or problems:
                continue
            pair = (task, candidates.pop(task.id, None))
            # Nothing is run before the whole pack is known to be sound; texts may be judged now.
            if waiting or (task.candidate_kind and task.family not in TEXT_FAMILIES):
                waiting.append(pair)
            else:
                keep(task, judge(*pair, self._settings))
        if problems:
            raise invalid(str(pack.places.rows), problems)
        if not readable or (candidates and given.limit is None):
            every = {one.task_id for one in attempts} | {task.id for task, _ in waiting}
            # Names every line that is wrong.
            load_answers(given.answers, every if given.limit is None else None)
        results = judge_in_parallel(waiting, self._settings, pack.files)
        for (task, _), result in zip(waiting, results, strict=True):
            keep(task, result)
        measures = measure_pack(attempts, by=self._by, group_by=self._group_by)
        return {
            "summary": {**measures.counts.model_dump(), "score": measures.pass_rate.value},
            "measures": measures.model_dump(mode="json"),
        }


def _candidates(answers: str) -> tuple[dict[str, Any], bool]:
    """The answers, and whether they can be read; if not, the pack's own problems are told first."""
    from tasks.storage.answers import load_answers

    try:
        return load_answers(answers, None), True
    except InvalidFile:
        return {}, False
