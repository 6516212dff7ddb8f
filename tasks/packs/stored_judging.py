"""Judges what was not judged before: verdicts are looked up by everything they depend on."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import FIELD_OF, Candidate
from tasks.packs.judging import NO_SANDBOX, Judging, Result, Sandbox, judge, prepared, version_of
from tasks.packs.verifiers import TEXT_FAMILIES

BATCH = 500

Pair = tuple[CompiledTask, Candidate | None]


class VerdictKey(NamedTuple):
    """Everything that a verdict depends on."""

    row_digest: str
    candidate_digest: str
    verifier_version: str
    sandbox: str

    @property
    def digest(self) -> str:
        """One name for all of it."""
        return hashlib.sha256("\0".join(self).encode()).hexdigest()


class Verdicts(Protocol):
    """Where verdicts are kept."""

    def fetch(self, keys: Sequence[VerdictKey]) -> dict[VerdictKey, Result]:
        """The verdicts of some keys, as far as there are any; their `task_id` is empty."""

    def add(self, verdicts: Sequence[tuple[VerdictKey, Result]]) -> None:
        """Keep verdicts."""


def key_of(
    task: CompiledTask, candidate: Candidate | None, settings: Judging, sandbox: Sandbox | None
) -> VerdictKey | None:
    """The key of a verdict; `None` for what cannot be looked up.

    That is a row without a verifier or an answer, and a workspace, whose content may change under
    its path.
    """
    if candidate is None or candidate.field == "workspace" or task.row_digest is None:
        return None
    if task.candidate_kind is None or candidate.field != FIELD_OF[task.candidate_kind]:
        return None
    version = version_of(task, settings, sandbox)
    if version is None:
        return None
    kind = NO_SANDBOX if sandbox is None or task.family in TEXT_FAMILIES else sandbox.kind
    return VerdictKey(task.row_digest, prepared(task, candidate, settings).digest, version, kind)


def judge_stored(
    pairs: Iterable[Pair], settings: Judging, store: Verdicts, sandbox: Sandbox | None = None
) -> Iterator[Result]:
    """One result per pair, in order; only verdicts are kept and reused, never errors."""
    waiting = iter(pairs)
    while batch := list(islice(waiting, BATCH)):
        keys = [key_of(task, candidate, settings, sandbox) for task, candidate in batch]
        known = store.fetch([key for key in keys if key is not None])
        fresh: dict[VerdictKey, Result] = {}
        for (task, candidate), key in zip(batch, keys, strict=True):
            found = known.get(key) or fresh.get(key) if key is not None else None
            if found is not None:
                yield found._replace(task_id=task.id)
                continue
            result = judge(task, candidate, settings, sandbox)
            if key is not None and result.passed is not None:
                fresh[key] = result
            yield result
        if fresh:
            store.add(list(fresh.items()))
