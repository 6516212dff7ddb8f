"""Judges many candidates at once: one row per core."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.packs.references import PackFiles
from tasks.packs.verifiers import TEXT_FAMILIES
from tasks.sandbox.processes import stop_all
from tasks.sandbox.verifying import LocalSandbox

_PAUSE_SECONDS: Final = 0.05

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
        futures = [pool.submit(judge, *pair, settings, sandbox) for pair in pairs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            _abandon(futures)
            raise


def _abandon(futures: Sequence["Future[Result]"]) -> None:
    """Begin nothing more, and end what has begun: nobody waits for the time-out of a row."""
    for future in futures:
        future.cancel()
    while not all(future.done() for future in futures):
        # Again and again, for a row may start one more sandbox at any time.
        stop_all()
        time.sleep(_PAUSE_SECONDS)
