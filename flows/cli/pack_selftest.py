"""`assent pack selftest`: a pack's own answers must pass, and empty ones must not."""

from typing import Any, NamedTuple

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from flows.cli.packs import LimitOption, PackArgument, ProfileName, ProfileOption, TasksOption

SKIPPED = "skipped"


class Tested(NamedTuple):
    """What became of the two candidates of a row: a status, or `skipped`."""

    task_id: str
    gold: str
    empty: str

    @property
    def is_bad(self) -> bool:
        """Whether the row contradicts itself."""
        return self.gold == "failed" or self.empty == "passed"

    @property
    def is_unjudged(self) -> bool:
        """Whether the row cannot be judged at all."""
        return "error" in (self.gold, self.empty)


def selftest(
    pack: PackArgument,
    tasks: TasksOption = None,
    limit: LimitOption = None,
    profile: ProfileOption = ProfileName.TARGET,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Try the pack's own answers, and empty ones, on every row.

    A row is skipped where it names no answer, or where no sandbox can run it here. Exit 0: every
    answer that was tried passes and no empty one does. Exit 1: some row contradicts itself. Exit 3:
    none does, yet some row cannot be judged at all.

    Example: assent pack selftest examples/packs/short_answer
    """
    from tasks.packs.judging import Judging
    from tasks.storage.packs import open_pack

    opened = open_pack(pack, tasks, profile.value)
    tested = _try_all(opened.tasks(limit), Judging(profile.value), opened.files)
    bad, unjudged = (any(row.is_bad for row in tested), any(row.is_unjudged for row in tested))
    ok = not bad and not unjudged
    if format_ is Format.JSON:
        print_json({"rows": [row._asdict() for row in tested], "ok": ok})
    else:
        _print(tested)
    raise typer.Exit(1 if bad else 3 if unjudged else 0)


def _try_all(rows: list[Any], settings: Any, files: Any) -> list[Tested]:
    from tasks.packs.gold import empty_candidate, gold_candidate
    from tasks.sandbox.scoring import judge_in_parallel

    candidates = [(row, make(row)) for row in rows for make in (gold_candidate, empty_candidate)]
    results = judge_in_parallel(candidates, settings, files)
    shown = [
        SKIPPED if candidate is None or result.reason == "sandbox_unavailable" else result.status
        for (_, candidate), result in zip(candidates, results, strict=True)
    ]
    return [
        Tested(row.id, gold, empty)
        for row, gold, empty in zip(rows, shown[::2], shown[1::2], strict=True)
    ]


def _print(tested: list[Tested]) -> None:
    for row in tested:
        mark = "BAD" if row.is_bad or row.is_unjudged else "ok"
        say(printable(f"{mark:<5}{row.task_id}  gold {row.gold}, empty {row.empty}"))
    bad = sum(row.is_bad for row in tested)
    skipped = sum(row.gold == SKIPPED for row in tested)
    left = f", {skipped} without a gold answer that can be tried here" if skipped else ""
    say(f"{len(tested)} rows, {bad} contradict themselves{left}")
