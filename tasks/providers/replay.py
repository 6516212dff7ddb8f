"""Recorded replies: JSONL fixtures, run logs, and our own samples tables.

Records with the same prompt hash form a queue in file order. Sample i of the o-th item with that
prompt takes record o·n + i, wrapping around, so order and concurrency cannot move a reply.
A failure that a log or a table records is repeated as one, so that a replayed run votes alike.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import InvalidFile, Problem
from schemas.problems import problems_of
from schemas.strict_json import JsonValue, NotStrictJson, parse
from tasks.sampling.records import CallFailed, Reply
from tasks.sampling.requests import Request
from tasks.storage.files import read_regular

DEFAULT_MODEL = "replay-v1"


class Recorded(NamedTuple):
    """What one call came to: a reply, or the cause of its failure."""

    prompt_hash: str
    outcome: Reply | str


class Replay:
    """A model that repeats what was recorded."""

    def __init__(self, path: str) -> None:
        self._queues: defaultdict[str, list[Reply | str]] = defaultdict(list)
        names = []
        for prompt_hash, outcome in read_recording(path):
            self._queues[prompt_hash].append(outcome)
            if isinstance(outcome, Reply) and outcome.model_id and outcome.model_id.strip():
                names.append(outcome.model_id)
        self.model_id = names[0] if names else DEFAULT_MODEL

    async def complete(self, request: Request) -> Reply:
        """The recorded reply of this sample."""
        queue = self._queues.get(request.prompt_hash)
        if not queue:
            raise CallFailed(f"no recorded reply for prompt {request.prompt_hash}")
        place = request.queue_place * request.n_samples + request.sample_index
        outcome = queue[place % len(queue)]
        if isinstance(outcome, str):
            raise CallFailed(outcome)
        return outcome

    async def aclose(self) -> None:
        """Nothing to let go of."""


def read_recording(path: str) -> list[Recorded]:
    """Prompt hash and outcome of every record in the file.

    Raises:
        UserError: The file is missing, empty, or holds a record that cannot be used.
    """
    data = read_regular(path)
    records = list(_from_parquet(path)) if data[:4] == b"PAR1" else _from_jsonl(path, data)
    if not records:
        problem = Problem("empty_recording", "$", "holds no recorded reply")
        raise InvalidFile("empty recording", file=path, problems=[problem])
    return records


_Tokens = Annotated[int, Field(ge=0, lt=2**63)]


class _Line(BaseModel):
    """What we read of a line; a fixture may say more."""

    model_config = ConfigDict(strict=True, frozen=True)

    prompt_hash: str
    model_id: str | None = None
    finish_reason: str | None = None
    wall_time_ms: float | None = None
    usage: dict[str, Any] | None = None
    reasoning_tokens: _Tokens | None = None

    def reply(self, text: str, usage: dict[str, Any] | None) -> Recorded:
        reply = Reply(
            text=text,
            model_id=self.model_id,
            finish_reason=self.finish_reason,
            wall_time_ms=0.0 if self.wall_time_ms is None else self.wall_time_ms,
            usage=usage or {},
            reasoning_tokens=self.reasoning_tokens,
        )
        return Recorded(self.prompt_hash, reply)


class _FixtureLine(_Line):
    text: str

    def recorded(self) -> Recorded:
        return self.reply(self.text, self.usage)


class _CompletedLine(_Line):
    raw_response: str
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None

    def recorded(self) -> Recorded:
        counted = {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}
        return self.reply(self.raw_response, {k: v for k, v in counted.items() if v is not None})


class _FailedLine(_Line):
    err: str

    def recorded(self) -> Recorded:
        return Recorded(self.prompt_hash, self.err)


_EVENTS: dict[str, type[_CompletedLine | _FailedLine]] = {
    "sample.completed": _CompletedLine,
    "sample.failed": _FailedLine,
}


def _from_jsonl(path: str, data: bytes) -> list[Recorded]:
    records, problems = list[Recorded](), list[Problem]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            records += _from_line(line)
        except NotStrictJson as error:
            problems += (_on_line(number, problem) for problem in error.problems)
        except ValidationError as error:
            problems += (_on_line(number, problem) for problem in problems_of(error, parse(line)))
    if problems:
        raise InvalidFile("unusable recording", file=path, problems=problems)
    return records


def _from_line(line: bytes) -> list[Recorded]:
    if not line.strip():
        return []
    value: JsonValue = parse(line)
    event = value.get("event") if isinstance(value, dict) else None
    if event is None:
        return [_FixtureLine.model_validate(value).recorded()]
    # A run log holds more than replies.
    shape = _EVENTS.get(event) if isinstance(event, str) else None
    return [] if shape is None else [shape.model_validate(value).recorded()]


def _on_line(number: int, problem: Problem) -> Problem:
    return problem._replace(line=number, message=f"line {number}: {problem.message}")


_NEEDED = {"prompt_hash", "status", "text", "error"}


def _from_parquet(path: str) -> Iterator[Recorded]:
    import pyarrow as pa

    from tasks.storage.tables import read_rows

    try:
        for row in read_rows(Path(path)):
            if not row.keys() >= _NEEDED:
                raise ValueError(f"a samples table has columns {', '.join(sorted(_NEEDED))}")
            yield _from_row(row)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        problem = Problem("invalid_parquet", "$", f"is no samples table: {reason}")
        raise InvalidFile("unusable recording", file=path, problems=[problem]) from error


def _from_row(row: dict[str, Any]) -> Recorded:
    if row["status"] != "ok":
        return Recorded(row["prompt_hash"], row["error"] or "")
    reply = Reply(
        text=row["text"],
        model_id=row.get("model_id"),
        finish_reason=row.get("finish_reason"),
        wall_time_ms=row.get("wall_time_ms"),
        usage=json.loads(row.get("usage_json") or "{}"),
        reasoning_tokens=row.get("reasoning_tokens"),
    )
    return Recorded(row["prompt_hash"], reply)
