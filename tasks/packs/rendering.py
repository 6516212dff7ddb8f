"""The public part of a row as a prompt, in a fixed wording per family.

Raise `RENDERING_VERSION` whenever a prompt changes: request keys depend on the text itself, so
nothing old is mistaken for new, and documents name the version.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from schemas.pack_task import CompiledTask, view

RENDERING_VERSION: Final = 1

_SYSTEM: Final = (
    "You are taking a test. Follow what the task says about the form of the answer exactly: "
    "the answer is read by a program."
)
_CHOOSE: Final = 'End your reply with a line "Answer: X", where X is the letter of your choice.'
_SHORT: Final = 'End your reply with a line "Answer: ..." that holds the answer and nothing else.'
_FREE: Final = "Reply with the answer alone, in plain text, without repeating the question."
_CODE: Final = (
    "Reply with one fenced code block that holds the complete code. "
    "Nothing is put before or after it: repeat what you need of the starter code."
)
_PATCH: Final = (
    "Reply with one patch in the unified format of git diff, against that commit, "
    "and with nothing else: no fence and no remarks."
)


class RenderedRow(NamedTuple):
    """The two messages that a model gets."""

    system: str
    user: str


def render_row(task: CompiledTask) -> RenderedRow | None:
    """The prompt of a row; None for a row that no single reply can answer.

    That is a row whose answer is a workspace, which takes a harness, and one of a family that
    nothing judges.
    """
    write = _FAMILIES.get(task.family)
    if write is None:
        return None
    values = {seen.name: seen.value for seen in view(task, "agent")}
    return RenderedRow(_SYSTEM, "\n\n".join([*write(values), *_files(task), _FORM[task.family]]))


_Values = Mapping[str, Any]


def _choice(values: _Values) -> Iterator[str]:
    yield values["question"]
    yield "\n".join(f"{chr(65 + i)}. {text}" for i, text in enumerate(values["choices"]))


def _short(values: _Values) -> Iterator[str]:
    yield values["question"]
    yield from _titled("Context", values.get("context"))
    if values.get("answer_format"):
        yield f"Form of the answer: {_text(values['answer_format'])}"


def _free(values: _Values) -> Iterator[str]:
    yield values["prompt"]
    yield from _titled("Context", values.get("context"))


def _code(values: _Values) -> Iterator[str]:
    yield values["prompt"]
    language = values.get("language", "python")
    yield f"Language: {_text(language)}"
    yield from _titled("Starter code", values.get("starter_code"))


def _patch(values: _Values) -> Iterator[str]:
    yield values["instructions"]
    yield f"Repository: {_text(values['repo'])}\nCommit: {_text(values['base_commit'])}"
    yield from _titled("Hints", values.get("hints"))


def _titled(title: str, value: Any) -> Iterator[str]:
    if value is not None and value != "":
        yield f"{title}:\n{_text(value)}"


def _text(value: Any) -> str:
    """Text as it stands; anything else as JSON, in the order of the row."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _files(task: CompiledTask) -> Iterator[str]:
    names = [mount.mount for mount in task.mounts if mount.lane == "public"]
    if names:
        yield "Files that belong to the task (named here, not shown): " + ", ".join(names)


_FAMILIES: Final[Mapping[str, Callable[[_Values], Iterator[str]]]] = {
    "multiple_choice": _choice,
    "short_answer": _short,
    "free_response": _free,
    "code_completion": _code,
    "repo_patch": _patch,
}
_FORM: Final = {
    "multiple_choice": _CHOOSE,
    "short_answer": _SHORT,
    "free_response": _FREE,
    "code_completion": _CODE,
    "repo_patch": _PATCH,
}
