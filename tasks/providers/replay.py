"""Recorded replies: JSONL fixtures, run logs, and our own samples tables.

Records with the same prompt hash form a queue in file order. Sample i of the o-th item with that
prompt takes record o·n + i, wrapping around, so order and concurrency cannot move a reply.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.errors import InvalidFile, Problem
from schemas.strict_json import NotStrictJson, parse
from tasks.sampling.records import CallFailed, Reply
from tasks.sampling.requests import Request
from tasks.storage.files import read_regular

DEFAULT_MODEL = "replay-v1"


class Replay:
    """A model that repeats what was recorded."""

    def __init__(self, path: str) -> None:
        self._queues: defaultdict[str, list[Reply]] = defaultdict(list)
        first: str | None = None
        for prompt_hash, reply in read_recording(path):
            self._queues[prompt_hash].append(reply)
            first = first or reply.model_id
        self.model_id = first or DEFAULT_MODEL

    async def complete(self, request: Request) -> Reply:
        """The recorded reply of this sample."""
        queue = self._queues.get(request.prompt_hash)
        if not queue:
            raise CallFailed(f"no recorded reply for prompt {request.prompt_hash}")
        place = request.queue_place * request.n_samples + request.sample_index
        return queue[place % len(queue)]

    async def aclose(self) -> None:
        """Nothing to let go of."""


def read_recording(path: str) -> list[tuple[str, Reply]]:
    """Prompt hash and reply of every record in the file.

    Raises:
        UserError: The file is missing, empty, or holds a record that cannot be used.
    """
    data = read_regular(path)
    records = list(_from_parquet(path)) if data[:4] == b"PAR1" else _from_jsonl(path, data)
    if not records:
        problem = Problem("empty_recording", "$", "holds no recorded reply")
        raise InvalidFile("empty recording", file=path, problems=[problem])
    return records


def _from_jsonl(path: str, data: bytes) -> list[tuple[str, Reply]]:
    records, problems = [], []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = parse(line)
        except NotStrictJson as error:
            problems += [
                p._replace(line=number, message=f"line {number}: {p.message}")
                for p in error.problems
            ]
            continue
        # A run log holds more than replies.
        if isinstance(value, dict) and value.get("event", "sample.completed") != "sample.completed":
            continue
        fault = _fault(value)
        if fault:
            problems.append(Problem(fault[0], "$", f"line {number}: {fault[1]}", line=number))
        else:
            records.append(_reply(value))  # type: ignore[arg-type]  # _fault says it is an object
    if problems:
        raise InvalidFile("unusable recording", file=path, problems=problems)
    return records


def _fault(value: object) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return "type", "expected an object"
    text_key = "raw_response" if "event" in value else "text"
    missing = [key for key in ("prompt_hash", text_key) if key not in value]
    if missing:
        return "required", f"missing {', '.join(missing)}"
    for key in ("prompt_hash", text_key):
        if not isinstance(value[key], str):
            return "type", f"{key} must be text"
    usage = value.get("usage")
    if usage is not None and not isinstance(usage, dict):
        return "type", "usage must be an object"
    for key in ("wall_time_ms", "reasoning_tokens"):
        number = value.get(key)
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, (int, float))
        ):
            return "type", f"{key} must be a number"
    return None


def _reply(value: dict[str, Any]) -> tuple[str, Reply]:
    text = value["raw_response"] if "event" in value else value["text"]
    usage = value.get("usage") or {
        k: value[k] for k in ("input_tokens", "output_tokens") if value.get(k) is not None
    }
    wall_time = value.get("wall_time_ms")
    tokens = value.get("reasoning_tokens")
    reply = Reply(
        text=text,
        model_id=_text(value.get("model_id")),
        finish_reason=_text(value.get("finish_reason")),
        wall_time_ms=0.0 if wall_time is None else float(wall_time),
        usage=usage,
        reasoning_tokens=None if tokens is None else int(tokens),
    )
    return value["prompt_hash"], reply


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _from_parquet(path: str) -> Iterator[tuple[str, Reply]]:
    import json

    import pyarrow as pa

    from tasks.storage.tables import read_rows

    needed = {"prompt_hash", "status", "text"}
    try:
        for row in read_rows(Path(path)):
            if not needed <= row.keys():
                break
            if row["status"] == "ok":
                yield (
                    row["prompt_hash"],
                    Reply(
                        text=row["text"],
                        model_id=row.get("model_id"),
                        finish_reason=row.get("finish_reason"),
                        wall_time_ms=row.get("wall_time_ms"),
                        usage=json.loads(row.get("usage_json") or "{}"),
                        reasoning_tokens=row.get("reasoning_tokens"),
                    ),
                )
    except (pa.ArrowException, OSError, ValueError) as error:
        problem = Problem(
            "invalid_parquet", "$", f"cannot be read as Parquet: {error}".splitlines()[0]
        )
        raise InvalidFile("unusable recording", file=path, problems=[problem]) from error
