"""Judges many candidates at once: one row per core."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.packs.references import PackFiles
from tasks.packs.verifiers import TEXT_FAMILIES
from tasks.sandbox.verifying import LocalSandbox

Pair = tuple[CompiledTask, Candidate | None]


def judge_in_parallel(
    pairs: Sequence[Pair], settings: Judging, files: PackFiles, workers: int | None = None
) -> list[Result]:
    """One result per pair, in order; without rows that have to be run, no sandbox is looked for."""
    needs = any(task.candidate_kind and task.family not in TEXT_FAMILIES for task, _ in pairs)
    sandbox = LocalSandbox(files) if needs else None
    if sandbox is None:
        return [judge(task, candidate, settings) for task, candidate in pairs]
    # Threads: the work is done by the processes of the sandboxes.
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda pair: judge(pair[0], pair[1], settings, sandbox), pairs))
