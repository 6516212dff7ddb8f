"""Reads the rows of a pack one after the other: each becomes a task, or problems, or both."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from schemas.errors import MaterializationError, PathPolicyError, Problem
from schemas.pack import Manifest
from schemas.pack_task import CompiledTask
from schemas.problems import one_line
from schemas.strict_json import location
from tasks.packs.compiling import compile_row
from tasks.packs.environments import environment_cautions, environment_problems, merged
from tasks.packs.faults import config
from tasks.packs.lines import Line
from tasks.packs.plans import plan_for
from tasks.packs.references import PackFiles, references_of
from tasks.packs.rows import CheckedRow, Options, check_row, read_row


class ReadRow(NamedTuple):
    """One row: the task when there is no error, and everything that was found."""

    line: int
    task_id: str | None
    task: CompiledTask | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


class RowReader:
    """Reads rows against one manifest; it remembers the ids it has seen."""

    def __init__(
        self,
        manifest: Manifest,
        files: PackFiles,
        options: Options | None = None,
        manifest_path: str | None = None,
    ) -> None:
        self.manifest, self.files, self.options = manifest, files, options or Options()
        self.manifest_path = manifest_path
        self._lines_of: dict[str, int] = {}
        self._told = set[tuple[str, str, str]]()
        defaults = manifest.defaults.model_dump(mode="json")
        self._defaults = json.dumps(defaults, sort_keys=True).encode()

    def read(self, lines: Iterable[Line], limit: int | None = None) -> Iterator[ReadRow]:
        """Every row in order; lines beyond the limit are not looked at."""
        if limit is not None and limit <= 0:
            return
        for count, line in enumerate(lines, 1):
            yield self.row(line)
            if count == limit:
                return

    def row(self, line: Line) -> ReadRow:
        """One row."""
        raw, problems = read_row(line)
        if not isinstance(raw, dict):
            return _located(ReadRow(line.number, None, None, problems))
        checked = check_row(raw, self.manifest, self.options)
        errors = [*self._repeated(checked.task_id, line.number), *checked.errors]
        if checked.row is None:
            found = ReadRow(line.number, checked.task_id, None, tuple(errors), checked.warnings)
            return _located(found)
        return _located(self._compiled(line, checked, errors))

    def _compiled(self, line: Line, checked: CheckedRow, errors: list[Problem]) -> ReadRow:
        row, family = checked.row, checked.family
        assert row is not None
        defaults = self.manifest.defaults.environment
        environment = merged(defaults, row.environment)
        errors += self._inherited_once(environment_problems(environment, family), row.environment)
        files = references_of(row, family, environment, self.manifest, self.files)
        errors += files.errors
        cautions = self._inherited_once(environment_cautions(environment, family), row.environment)
        warnings = (*checked.warnings, *files.warnings, *cautions)
        task = None
        if not errors:
            task = compile_row(
                row,
                family,
                self.manifest,
                environment,
                manifest_path=self.manifest_path,
                mounts=files.mounts,
                line=line.number,
                row_digest=self._digest(line, files.digests),
            )
            errors += _plan_problems(task, self.files)
        return ReadRow(line.number, row.id, None if errors else task, tuple(errors), warnings)

    def _repeated(self, task_id: str | None, number: int) -> Iterator[Problem]:
        if task_id is None:
            return
        first = self._lines_of.setdefault(task_id, number)
        if first != number:
            message = f"id {one_line(repr(task_id))} is also on line {first}"
            yield config("duplicate_id", ("id",), message, "rename one")

    def _inherited_once(self, problems: Iterable[Problem], own: dict[str, Any]) -> list[Problem]:
        """What comes from the manifest's defaults is told at the first row that inherits it."""
        told = []
        places = {location(("environment", key)) for key in own}
        for problem in problems:
            if problem.location not in places:
                mark = (problem.code, problem.location, problem.message)
                if mark in self._told:
                    continue
                self._told.add(mark)
                message = f"{problem.message} (from the manifest's defaults)"
                problem = problem._replace(message=message)
            told.append(problem)
        return told

    def _digest(self, line: Line, files: tuple[str, ...]) -> str:
        digest = hashlib.sha256(b"assent row 1\0")
        for part in (line.data or b"", self._defaults, *(name.encode() for name in files)):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()


def _plan_problems(task: CompiledTask, files: PackFiles) -> Iterator[Problem]:
    """What would go wrong when files are put in place; values of known families cannot clash."""
    if task.candidate_kind is not None and not task.mounts:
        return
    for component in ("agent", "test_sandbox", "evaluator"):
        try:
            plan_for(task, component, files)
        except (MaterializationError, PathPolicyError) as error:
            yield Problem(error.code, "$", error.what, error.fix, type=type(error).__name__)
            return


def _located(found: ReadRow) -> ReadRow:
    """Every problem with the line and the id of its row."""
    if not found.errors and not found.warnings:
        return found
    return found._replace(
        errors=tuple(_of(found, problem) for problem in found.errors),
        warnings=tuple(_of(found, problem) for problem in found.warnings),
    )


def _of(found: ReadRow, problem: Problem) -> Problem:
    return problem._replace(line=found.line, task_id=found.task_id)
