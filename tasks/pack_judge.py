"""Stage: samples of a pack run become results, by the verifier of each row's family."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, tee
from typing import IO, Any, NamedTuple

from schemas.base import Frozen
from schemas.documents import SampleTable
from schemas.errors import ConfigError
from schemas.pack import Profile
from schemas.pack_documents import JudgedPack, SoundPack
from schemas.pack_run import PackJudgingSpec, PackPlace, PackReading, PackRunSpec
from schemas.pack_tables import PackSampleRow, PackVerdictRow
from schemas.pack_task import CompiledTask
from schemas.settings import read_settings
from tasks.pack_rows import sound_rows
from tasks.packs.candidates import FIELD_OF, Candidate
from tasks.packs.judging import NO_SANDBOX, Judging, Result, failure, version_of
from tasks.packs.records import Identity, Produced, make_record
from tasks.packs.results import located, result_object
from tasks.packs.stored_judging import judge_stored
from tasks.packs.verifiers import TEXT_FAMILIES, verifier_version
from tasks.sample import store_url
from tasks.stage import stage
from tasks.storage.home import Home
from tasks.storage.pack_files import locate_pack
from tasks.storage.scratch import working_directory
from tasks.storage.tables import read_rows, write_table
from tasks.storage.verdicts import VerdictStore

Row = dict[str, Any]
SAMPLE_FAILED = "sample_failed"


class VerifierSettings(Frozen):
    """How candidates are judged, with the versions of everything that judges."""

    judging: PackJudgingSpec
    profile: Profile
    has_answers: bool
    versions: tuple[str, ...]
    sandbox: str = NO_SANDBOX


def verifier_settings(spec: PackRunSpec) -> VerifierSettings:
    """The settings of a run, as of this version of Assent."""
    profile = spec.reading.profile
    return VerifierSettings(
        judging=spec.judging,
        profile=profile,
        has_answers=spec.has_answers,
        versions=tuple(verifier_version(family, profile) for family in sorted(TEXT_FAMILIES)),
    )


class Attempt(NamedTuple):
    """One row of a pack with one of its samples; without one when there is none."""

    task: CompiledTask
    sample: Row | None
    candidate: Candidate | None


@stage("judge-rows", version=1, ignore=("place",))
def judge_rows(
    place: PackPlace,
    reading: PackReading,
    pack: SoundPack,
    items: tuple[str, ...],
    samples: SampleTable,
    settings: VerifierSettings,
) -> JudgedPack:
    """A result per row and sample; a call that failed is no wrong answer."""
    configured = read_settings()
    home = Home(configured.home)
    wanted = frozenset(items)
    tasks = (t for t in sound_rows(place, reading, pack) if not wanted or t.id in wanted)
    found = attempts(tasks, read_rows(home.locate(samples.file)))
    store = VerdictStore(store_url(configured, home))
    try:
        with home.errors(), working_directory(home.scratch()) as folder:
            temporary = folder / "records.jsonl"
            with temporary.open("wb") as file:
                rows_file = str(locate_pack(place.pack, place.tasks).rows)
                writer = _Writer(pack, settings, file, rows_file)
                judged = writer.write(_results(found, settings, store))
                sample_file, _ = write_table(home, "judge", PackSampleRow, judged)
            records = home.adopt("judge", temporary, ".jsonl")
        table, count = write_table(home, "judge", PackVerdictRow, writer.verdicts)
    finally:
        store.close()
    return JudgedPack(
        file=table,
        samples=sample_file,
        records=records,
        n_rows=count,
        n_errors=sum(verdict["n_errors"] for verdict in writer.verdicts),
        verifiers=tuple(sorted(writer.verifiers)),
    )


def attempts(tasks: Iterable[CompiledTask], samples: Iterable[Row]) -> Iterator[Attempt]:
    """Every row with each of its samples; both come in the order of the rows."""
    groups = groupby(samples, key=lambda row: row["item_id"])
    waiting = next(groups, None)
    for task in tasks:
        if waiting is None or waiting[0] != task.id:
            yield Attempt(task, None, None)
            continue
        for sample in waiting[1]:
            yield Attempt(task, sample, _candidate(task, sample))
        waiting = next(groups, None)


def _candidate(task: CompiledTask, sample: Row) -> Candidate | None:
    if sample["status"] == "failed" or task.candidate_kind is None:
        return None
    field = sample.get("candidate_field") or FIELD_OF[task.candidate_kind]
    return Candidate(field, sample["text"], missing=bool(sample.get("missing")))


def _results(
    found: Iterator[Attempt], settings: VerifierSettings, store: VerdictStore
) -> Iterator[tuple[Attempt, Result]]:
    wanted, ahead = tee(found)
    given = ((attempt.task, attempt.candidate) for attempt in ahead)
    results = judge_stored(given, _judging(settings), store)
    for attempt, result in zip(wanted, results, strict=True):
        yield attempt, _explained(attempt, result, asked=not settings.has_answers)


def _judging(settings: VerifierSettings) -> Judging:
    judging = settings.judging
    return Judging(
        settings.profile,
        judging.deny_commands,
        judging.disallow_dangerous_commands,
        judging.extract_code,
    )


def _explained(attempt: Attempt, result: Result, *, asked: bool) -> Result:
    """Why there is no candidate: the call failed, or a model alone cannot answer."""
    if result.reason != "no_answer":
        return result
    if attempt.sample is not None:
        return result._replace(reason=SAMPLE_FAILED)
    if not asked:
        return result
    what = "an agent has to work on this row in a sandbox, which is not used here"
    error = ConfigError(what, code="sandbox_unavailable")
    return failure(attempt.task, "sandbox_unavailable", error)


class _Writer:
    """Writes attempts: yields rows of the samples table, and puts a line per attempt in a file."""

    def __init__(
        self, pack: SoundPack, settings: VerifierSettings, file: IO[bytes], rows_file: str
    ) -> None:
        self._rows_file = rows_file
        self._pack, self._settings, self._file = pack, _judging(settings), file
        self.verdicts: list[Row] = []
        self.verifiers = set[str]()

    def write(self, results: Iterator[tuple[Attempt, Result]]) -> Iterator[Row]:
        for _, group in groupby(results, key=lambda pair: pair[0].task.id):
            pairs = list(group)
            self.verdicts.append(_verdict(pairs))
            for index, (attempt, result) in enumerate(pairs):
                version = version_of(attempt.task, self._settings, None)
                if result.passed is not None and version:
                    self.verifiers.add(version)
                self._record(index, attempt, result, version)
                if attempt.sample is not None:
                    yield _sample(attempt, result, version)

    def _record(self, index: int, attempt: Attempt, result: Result, version: str | None) -> None:
        task = attempt.task
        # The name of the run comes when it is published: the rest is the same for every run.
        identity = Identity("", self._pack.sha256, task.row_digest, version)
        record = make_record(
            identity, task, attempt.candidate, result, _produced(attempt.sample), sample=index
        )
        line = {
            "record": record,
            "result": {**result_object(located(result, self._rows_file)), "sample": index},
            "metadata": task.row_metadata,
        }
        self._file.write(json.dumps(line, allow_nan=False).encode() + b"\n")


def _produced(sample: Row | None) -> Produced:
    if sample is None:
        return Produced()
    kept = ("model_id", "finish_reason", "input_tokens", "output_tokens", "error")
    return Produced(metadata={key: sample[key] for key in kept if sample[key] is not None})


def _sample(attempt: Attempt, result: Result, version: str | None) -> Row:
    assert attempt.sample is not None
    return attempt.sample | {
        "candidate_field": attempt.candidate.field if attempt.candidate else None,
        "result": result.status,
        "reason": result.reason,
        "phase": result.phase,
        "verifier_version": version,
    }


def _verdict(pairs: Sequence[tuple[Attempt, Result]]) -> Row:
    task = pairs[0][0].task
    statuses = [result.status for _, result in pairs]
    reasons = [result.reason for _, result in pairs if result.reason is not None]
    passed, failed = statuses.count("passed"), statuses.count("failed")
    lost = sum(a.sample is not None and a.sample["status"] == "failed" for a, _ in pairs)
    return {
        "item_id": task.id,
        "family": task.family,
        "status": _status(statuses, lost),
        "score": passed / (passed + failed) if passed + failed else None,
        "n_samples": sum(attempt.sample is not None for attempt, _ in pairs),
        "n_passed": passed,
        "n_failed": failed,
        "n_errors": statuses.count("error"),
        "n_pending": statuses.count("pending"),
        "n_failed_samples": lost,
        "reason": reasons[0] if reasons else None,
        "row_digest": task.row_digest,
        "metadata_json": json.dumps(task.row_metadata, sort_keys=True),
    }


def _status(statuses: Sequence[str], lost: int) -> str:
    if "passed" in statuses or "failed" in statuses:
        return "judged"
    if "error" in statuses:
        return "error"
    return "missing" if lost == len(statuses) else "pending"
