"""Stages: a pack becomes sound rows, rows become prompts, a file of answers becomes samples."""

import hashlib
from collections.abc import Container, Iterator
from itertools import islice
from typing import Any

from schemas.documents import SampleTable
from schemas.errors import Problem, UserError
from schemas.pack_documents import PackPromptTable, SoundPack
from schemas.pack_run import PackPlace, PackReading, PackRunSpec
from schemas.pack_tables import AnswerRow
from schemas.pack_task import CompiledTask
from schemas.settings import read_settings
from schemas.tables import PromptRow
from tasks.packs.candidates import Candidate
from tasks.packs.rendering import RENDERING_VERSION, render_row
from tasks.prompting.questions import prompt_hash
from tasks.stage import stage
from tasks.storage.answers import load_answers
from tasks.storage.home import Home
from tasks.storage.packs import MOST_PROBLEMS_RAISED, Pack, invalid, open_pack
from tasks.storage.tables import write_table

MOST_NAMED = 20
"""Rows that a message names."""


def fingerprint_pack(place: PackPlace, reading: PackReading) -> str:
    """Digest of a pack as it is now."""
    return _open(place, reading).digest()


@stage("validate-pack", version=1, ignore=("place",))
def validate_pack(place: PackPlace, reading: PackReading, sha256: str) -> SoundPack:
    """The pack, when every row that is read is sound.

    Raises:
        InvalidFile: Some row is not; every problem is listed.
    """
    pack = _open(place, reading)
    rows, problems = _Rows(), list[Problem]()
    for found in pack.rows(reading.limit):
        problems += islice(found.errors, MOST_PROBLEMS_RAISED - len(problems))
        if found.task is not None:
            rows.add(found.task)
    if problems:
        raise invalid(str(pack.places.rows), problems)
    return SoundPack(
        pack_id=pack.manifest.id,
        version=pack.manifest.version,
        sha256=sha256,
        rows_sha256=rows.digest.hexdigest(),
        n_rows=rows.count,
        families=dict(sorted(rows.families.items())),
    )


class _Rows:
    """What passes by while rows are read."""

    def __init__(self) -> None:
        self.digest, self.count, self.families = hashlib.sha256(), 0, dict[str, int]()

    def add(self, task: CompiledTask) -> None:
        self.digest.update(str(task.row_digest).encode())
        self.count += 1
        self.families[task.family] = self.families.get(task.family, 0) + 1


def sound_rows(place: PackPlace, reading: PackReading, pack: SoundPack) -> Iterator[CompiledTask]:
    """The rows of a pack that was checked, read once more.

    Raises:
        UserError: They are other rows by now.
    """
    rows = _Rows()
    for found in _open(place, reading).rows(reading.limit):
        if found.task is None:
            break
        rows.add(found.task)
        yield found.task
    if rows.digest.hexdigest() != pack.rows_sha256:
        raise UserError(
            "the pack changed while it was read",
            where=place.pack,
            fix="run again",
            code="file_changed",
        )


def _open(place: PackPlace, reading: PackReading) -> Pack:
    return open_pack(place.pack, place.tasks, reading.profile)


@stage("expand-rows", version=1, ignore=("place",))
def expand_rows(
    place: PackPlace, reading: PackReading, pack: SoundPack, items: tuple[str, ...]
) -> PackPromptTable:
    """Prompts of the selected rows, made of their public parts alone.

    Raises:
        UserError: A selected row does not exist.
    """
    selected = _Selected(items)
    rows = _prompts(selected.watch(sound_rows(place, reading, pack)), selected)
    home = Home(read_settings().home)
    file, count = write_table(home, "expand", PromptRow, rows)
    return PackPromptTable(
        file=file,
        n_prompts=count,
        benchmark_id=pack.pack_id,
        rendering=RENDERING_VERSION,
        n_rows=selected.count,
    )


class _Selected(Container[str]):
    """Which rows are wanted; all when none is named."""

    def __init__(self, items: tuple[str, ...]) -> None:
        self._items, self._left, self.count = frozenset(items), dict.fromkeys(items), 0

    def __contains__(self, task_id: object) -> bool:
        return not self._items or task_id in self._items

    def watch(self, tasks: Iterator[CompiledTask]) -> Iterator[CompiledTask]:
        """Count the rows that are wanted, and refuse ids that none of them has."""
        known, read = list[str](), 0
        for read, task in enumerate(tasks, 1):
            self.count += task.id in self
            self._left.pop(task.id, None)
            if read <= MOST_NAMED:
                known.append(task.id)
            yield task
        if self._left:
            more = f" and {read - MOST_NAMED} more" if read > MOST_NAMED else ""
            raise UserError(
                f"the pack has no row {next(iter(self._left))!r}",
                where="--items",
                fix=f"known: {', '.join(known) or 'none'}{more}",
                code="unknown_item",
            )


def selected_prompts(spec: PackRunSpec, pack: SoundPack) -> Iterator[dict[str, Any]]:
    """The prompts that a run would ask, without keeping them.

    Raises:
        UserError: A selected row does not exist.
    """
    selected = _Selected(spec.items)
    return _prompts(selected.watch(sound_rows(spec.place, spec.reading, pack)), selected)


def _prompts(tasks: Iterator[CompiledTask], wanted: Container[str]) -> Iterator[dict[str, Any]]:
    """The prompts of some rows, in order; places are counted over all of them."""
    seen: dict[bytes, int] = {}
    for task in tasks:
        rendered = render_row(task)
        if rendered is None:
            continue
        digest = hashlib.sha256("\0".join(rendered).encode()).digest()
        ordinal = seen.get(digest, 0)
        seen[digest] = ordinal + 1
        if task.id in wanted:
            yield {
                "item_id": task.id,
                "variant": 0,
                "fallback": False,
                "system": rendered.system,
                "user": rendered.user,
                "prompt_hash": prompt_hash(rendered.user),
                # By place in the file, so that the first rows alone have the same draws.
                "ordinal": ordinal,
                "queue_place": ordinal,
            }


@stage("take-answers", version=None)
def take_answers(
    place: PackPlace, reading: PackReading, pack: SoundPack, items: tuple[str, ...], answers: str
) -> SampleTable:
    """The answers of a file as samples, in the order of the rows; a row without one has none.

    Raises:
        InvalidFile: Something in the file is wrong; every problem is listed.
    """
    known = None
    if reading.limit is None:
        known = {task.id for task in sound_rows(place, reading, pack)}
    candidates = load_answers(answers, known)
    wanted, digest = _Selected(items), hashlib.sha256()

    def rows() -> Iterator[dict[str, Any]]:
        for task in sound_rows(place, reading, pack):
            candidate = candidates.get(task.id) if task.id in wanted else None
            if candidate is not None:
                digest.update(candidate.digest.encode())
                yield _answer(task, candidate)

    file, count = write_table(Home(read_settings().home), "sample", AnswerRow, rows())
    return SampleTable(
        file=file,
        n_samples=count,
        n_undrawn=0,
        n_failed=0,
        request_digest=digest.hexdigest(),
        model_id=None,
    )


def _answer(task: CompiledTask, candidate: Candidate) -> dict[str, Any]:
    unknown = dict.fromkeys(AnswerRow.model_fields)
    return unknown | {
        "item_id": task.id,
        "variant": 0,
        "sample_index": 0,
        "request_key": candidate.digest,
        "prompt_hash": "",
        "status": "ok",
        "text": candidate.value,
        "candidate_field": candidate.field,
        "missing": candidate.missing,
    }
