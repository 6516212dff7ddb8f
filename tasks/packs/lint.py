"""What looks like a mistake of the pack's author: leaks, repetitions, answers out of reach.

Only warnings, and none repeats a hidden value.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from schemas.errors import Problem
from schemas.pack import Profile
from schemas.pack_task import CompiledTask
from schemas.problems import JsonPath
from tasks.packs.choices import expected_choices
from tasks.packs.faults import caution
from tasks.packs.references import PackFiles, is_file_reference
from tasks.packs.verifiers.preparing import folded

SHORTEST_LEAK = 8
"""Shorter strings occur by chance."""

MOST_ASSET_BYTES = 1 << 20


class Linter:
    """Looks at tasks one after the other; it remembers the questions it has seen."""

    def __init__(self, files: PackFiles, profile: Profile = "target") -> None:
        self.files, self.profile = files, profile
        self._line_of: dict[bytes, int | None] = {}
        self._texts: dict[str, str] = {}

    def warnings(self, task: CompiledTask) -> tuple[Problem, ...]:
        """Everything that looks wrong with a task."""
        found = (
            *self._repeated(task),
            *self._leaks(task),
            *_unreachable(task, self.profile),
            *_unverifiable(task),
        )
        return tuple(p._replace(line=task.line, task_id=task.id) for p in found)

    def _repeated(self, task: CompiledTask) -> Iterator[Problem]:
        public = {n: r.value for n, r in task.resources.items() if r.visibility == "public"}
        text = json.dumps([task.family, public], sort_keys=True).encode()
        first = self._line_of.setdefault(hashlib.sha256(text).digest()[:16], task.line)
        if first != task.line:
            message = f"the public part is the same as that of line {first}"
            yield caution("repeated_question", ("input",), message, "remove one row")

    def _leaks(self, task: CompiledTask) -> Iterator[Problem]:
        if task.family == "multiple_choice":
            return  # its answer is one of the choices that everybody sees
        secrets = [
            (path, text.strip())
            for name, resource in task.resources.items()
            if resource.visibility != "public" and not is_file_reference(resource.value)
            for path, text in _strings(resource.value, ("eval", name))
            if len(text.strip()) >= SHORTEST_LEAK and not _NO_SECRETS & set(path)
        ]
        if not secrets:
            return
        public = [
            text
            for resource in task.resources.values()
            if resource.visibility == "public"
            for _, text in _strings(resource.value, ())
        ]
        for path, secret in secrets:
            if any(secret in text for text in public):
                message = "occurs in the public part of the row"
                yield caution("leak", path, message, "take it out of the public part")
            elif any(secret in text for text in self._asset_texts(task)):
                message = "occurs in a public asset of the row"
                yield caution("leak", path, message, "take it out of the asset")

    def _asset_texts(self, task: CompiledTask) -> Iterator[str]:
        for mount in task.mounts:
            if mount.lane == "public":
                for path in self.files.look("public", mount.path).files:
                    yield self._text(path)

    def _text(self, path: str) -> str:
        if path not in self._texts:
            data = self.files.read("public", path)[:MOST_ASSET_BYTES]
            if len(self._texts) >= 16:  # rows near each other share assets; more would pile up
                self._texts.pop(next(iter(self._texts)))
            self._texts[path] = data.decode("utf-8", "replace")
        return self._texts[path]


# Settings rather than answers: they name files and programs that the public part may name too.
_NO_SECRETS = frozenset({"source", "type", "command", "workdir", "candidate_policy"})


def _strings(value: Any, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _strings(part, (*path, index))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _strings(part, (*path, key))


def _unreachable(task: CompiledTask, profile: Profile) -> Iterator[Problem]:
    if task.family == "multiple_choice":
        answer = task.value("answer")
        unknown = expected_choices(task.value("choices"), answer, profile).unknown
        for position in unknown:
            path: JsonPath = ("eval", "answer")
            path = (*path, position) if isinstance(answer, list) else path
            yield caution("unreachable_answer", path, "no reply can name it", "name a choice")
    elif task.family == "short_answer":
        for index, answer in enumerate(task.value("accepted_answers")):
            if isinstance(answer, str) and not folded(answer):
                message = "is only punctuation, so nothing but the very same reply passes"
                path = ("eval", "accepted_answers", index)
                yield caution("unreachable_answer", path, message, "write a word or a number")
    elif task.family == "free_response":
        yield from _rubric(task.value("rubric"))


def _rubric(rubric: Any) -> Iterator[Problem]:
    if not isinstance(rubric, dict) or rubric.get("type", "contains_any") != "contains_any":
        return
    accepted, rejected = rubric.get("accepted_answers"), rubric.get("rejected_answers", [])
    if not isinstance(accepted, list) or not isinstance(rejected, list):
        return
    refused = {normal for r in rejected if isinstance(r, str) and (normal := folded(r))}
    for index, answer in enumerate(accepted):
        path: JsonPath = ("eval", "rubric", "accepted_answers", index)
        normal = folded(answer) if isinstance(answer, str) else ""
        if not normal:
            yield caution("unreachable_answer", path, "no reply can contain it", "write a word")
        elif normal in refused:
            yield caution("unreachable_answer", path, "is also rejected", "remove one")


def _unverifiable(task: CompiledTask) -> Iterator[Problem]:
    """Rows that load and cannot be judged."""
    if task.family == "free_response":
        rubric = task.value("rubric")
        if not isinstance(rubric, dict) or rubric.get("type", "contains_any") != "contains_any":
            message, path = "only a rubric of type contains_any can be verified", ("eval", "rubric")
            yield caution("unverifiable", path, message, "write such a rubric")
    elif task.family == "code_completion":
        yield from _code(task)
    elif task.family == "repo_patch":
        yield from _repository(task)


def _code(task: CompiledTask) -> Iterator[Problem]:
    if task.value("language", "python") != "python":
        message = "only code in python can be verified"
        yield caution("unverifiable", ("input", "language"), message, "write python")
    tests = task.value("tests")
    code = tests.get("code")
    if tests.get("source") != "inline" or not isinstance(code, str) or not code.strip():
        message = "only tests with source inline and code can be verified"
        yield caution("unverifiable", ("eval", "tests"), message, "write the tests out")


def _repository(task: CompiledTask) -> Iterator[Problem]:
    environment = task.environment
    if environment.get("image") is None and environment.get("repository") is None:
        message = "without an image or a repository the row cannot be verified"
        yield caution("unverifiable", ("environment",), message, "add one of them")
    late = task.value("candidate_policy")
    path: JsonPath = ("eval", "candidate_policy")
    if late is None:
        path = ("eval", "tests", "candidate_policy")
    chosen = late if late is not None else task.value("tests").get("candidate_policy")
    if isinstance(chosen, dict) and chosen.get("allow_paths") == []:
        message = "an empty allow_paths allows every path"
        yield caution("no_effect", (*path, "allow_paths"), message, "list paths, or remove it")
