"""A desk to run `assent` at: small benchmarks, plain calls in this process, and what they left."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from flows.cli.main import run
from tasks.prompting.questions import prompt_hash
from tasks.sampling.records import CallFailed, Reply
from tasks.sampling.requests import Request

Json = Any


def benchmark(n_items: int = 4, **changes: Json) -> dict[str, Json]:
    """A benchmark of `n_items` claims from one ground, judged by two analysts."""
    bearers = {"rain": {"expression": "it rains"}}
    bearers |= {f"claim{i}": {"expression": f"claim {i} holds"} for i in range(n_items)}
    items = [
        {
            "id": f"i{i}",
            "premises": ["rain"],
            "conclusions": [f"claim{i}"],
            "analyst_verdicts": ["good" if i % 2 == 0 else "bad", "good" if i % 3 else "bad"],
            "tags": ["even" if i % 2 == 0 else "odd"],
        }
        for i in range(n_items)
    ]
    analysts = [{"id": "ann"}, {"id": "ben"}]
    return {"id": "small", "bearers": bearers, "analysts": analysts, "items": items} | changes


def paraphrased() -> dict[str, Json]:
    """Three items under two wordings: the second one rewords the first claim only."""
    bench = benchmark(3)
    bench["bearers"]["claim0"]["paraphrases"] = ["claim zero is true"]
    return bench


def user_message(claim: str) -> str:
    """What `benchmark` asks about a claim."""
    return f"Premises: it rains\nConclusion: {claim}\nVerdict:"


def record(claim: str, text: str, **more: Json) -> dict[str, Json]:
    """A recorded reply to the question about a claim of `benchmark`."""
    return {"prompt_hash": prompt_hash(user_message(claim)), "text": text, **more}


def write_lines(path: Path, records: Iterable[Json]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in records))
    return path


def rows(path: Path | str) -> list[dict[str, Json]]:
    return list(pq.read_table(path).to_pylist())


class Outcome(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Json:
        return json.loads(self.out)


class Desk:
    """A working directory of its own; commands run in it, in this process, without Prefect."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = path, capsys

    def write(self, bench: Json = None, name: str = "bench.json") -> Path:
        path = self.path / name
        path.write_text(json.dumps(benchmark() if bench is None else bench))
        return path

    def run(self, *args: str) -> Outcome:
        self._capsys.readouterr()
        code = run(list(args))
        out, err = self._capsys.readouterr()
        return Outcome(code, out, err)

    def try_evaluate(
        self, *args: str, bench: str = "bench.json", model: str = "control/coin"
    ) -> Outcome:
        fixed = ("--engine", "embedded", "--format", "json")
        return self.run("evaluate", bench, "--model", model, *fixed, *args)

    def evaluate(
        self, *args: str, bench: str = "bench.json", model: str = "control/coin", code: int = 0
    ) -> Json:
        """What `assent evaluate --format json` prints; it has to end with `code`."""
        outcome = self.try_evaluate(*args, bench=bench, model=model)
        assert outcome.code == code, outcome.err + outcome.out
        return outcome.json

    def files(self) -> set[str]:
        """Everything below the directory that is neither input nor state."""
        found = (p.relative_to(self.path) for p in self.path.rglob("*") if p.is_file())
        inputs = {"bench.json", "other.json", "replies.jsonl"}
        return {str(p) for p in found if p.parts[0] != ".assent" and str(p) not in inputs}


def load(path: Path | str) -> Json:
    return json.loads(Path(path).read_bytes())


def samples(result: Json) -> dict[tuple[str, int], str]:
    """Replies of a run by item and sample index."""
    table = rows(result["artifacts"]["samples"])
    return {(row["item_id"], row["sample_index"]): row["text"] for row in table}


def keys(result: Json) -> list[str]:
    return [row["request_key"] for row in rows(result["artifacts"]["samples"])]


def differences(left: Json, right: Json, place: str = "$") -> set[str]:
    """Places where two documents differ; an index is written `[*]`."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        found = (differences(left[key], right[key], f"{place}.{key}") for key in left)
        return set().union(*found)
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = zip(left, right, strict=True)
        return set().union(*(differences(one, two, f"{place}[*]") for one, two in pairs))
    return set() if left == right and type(left) is type(right) else {place}


Script = Mapping[str, Sequence[str | Exception]]


class Scripted:
    """A provider that answers by a table of user message parts; an exception is raised."""

    def __init__(self, script: Script) -> None:
        self._script = {part: list(answers) for part, answers in script.items()}
        self.asked: list[Request] = []
        self.closed = 0

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        for part, answers in self._script.items():
            if part in request.user:
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
                if isinstance(answer, Exception):
                    raise answer
                return Reply(answer, model_id="scripted-1", finish_reason="stop")
        raise CallFailed("not in the script")

    async def aclose(self) -> None:
        self.closed += 1
