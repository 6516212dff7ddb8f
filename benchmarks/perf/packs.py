"""Time and memory of checking and scoring a pack of texts, beside a loop that only parses it.

    python benchmarks/perf/packs.py [--rows 5000 50000]

Every command runs in a process of its own; the time of the same command on a pack of one row is
taken off. The bare loop is `json.loads` per line of the same files.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ASSENT = Path(sys.executable).parent / "assent"

BARE = """
import json, sys
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for line in file:
            json.loads(line)
"""


def row(number: int) -> tuple[dict[str, Any], str]:
    """A row of one of the three families of texts, and an answer to it."""
    words = f"row {number} asks about the colour of house {number * 7} in street {number % 97}"
    made: dict[str, Any] = {"id": f"row-{number}", "metadata": {"street": number % 97}}
    if number % 3 == 0:
        made |= {
            "family": "multiple_choice",
            "input": {"question": words, "choices": ["red", "green", "blue", "white"]},
            "eval": {"answer": number % 4},
        }
        return made, f"I think of the street first.\nAnswer: {'ABCD'[number % 4]}"
    if number % 3 == 1:
        made |= {
            "family": "short_answer",
            "input": {"question": words, "context": "Houses are numbered by sevens."},
            "eval": {"accepted_answers": [number * 7, f"house {number * 7}"], "tolerance": 0.5},
        }
        return made, f"Seven times the number.\nAnswer: {number * 7}"
    accepted = [f"the house {number} was painted blue", "it is the blue one"]
    rejected = [f"the house {number} was never painted"]
    rubric = {"type": "contains_any", "accepted_answers": accepted, "rejected_answers": rejected}
    made |= {"family": "free_response", "input": {"prompt": words}, "eval": {"rubric": rubric}}
    return made, f"Surely the house {number} was painted blue, years ago."


class Took(NamedTuple):
    """What a command cost."""

    seconds: float
    megabytes: float


def run(command: list[str], folder: Path) -> Took:
    """Wall time and peak memory of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Took(time.perf_counter() - started, usage.ru_maxrss / 1024)


def write_pack(folder: Path, count: int) -> None:
    """A pack of some rows, and an answer to each."""
    folder.mkdir()
    (folder / "manifest.yaml").write_text(f"id: perf-{count}\nversion: 1\n")
    with (folder / "tasks.jsonl").open("w") as rows, (folder / "a.jsonl").open("w") as answers:
        for number in range(count):
            made, text = row(number)
            rows.write(f"{json.dumps(made)}\n")
            answers.write(f"{json.dumps({'task_id': made['id'], 'text': text})}\n")


def measured(folder: Path, count: int) -> Iterator[str]:
    """Lines of the table for one size."""
    name = f"p{count}"
    write_pack(folder / name, count)
    files = {"validate": ["tasks.jsonl"], "score": ["tasks.jsonl", "a.jsonl"]}
    for verb, parsed in files.items():

        def command(pack: str, verb: str = verb) -> list[str]:
            answers = ["--answers", f"{pack}/a.jsonl"] if verb == "score" else []
            return [str(ASSENT), "pack", verb, pack, *answers]

        small = run(command("one"), folder)
        bare = [sys.executable, "-c", BARE]
        start_up = run(bare, folder)
        parsing = run([*bare, *(f"{name}/{file}" for file in parsed)], folder)
        took = run(command(name), folder)
        seconds = took.seconds - small.seconds
        ratio = seconds / max(1e-9, parsing.seconds - start_up.seconds)
        yield (
            f"{verb:<9} {count:>6} {seconds:>8.2f} {count / seconds:>8.0f} {ratio:>10.1f}"
            f" {took.megabytes:>8.0f} {took.megabytes - small.megabytes:>10.0f}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[5000, 50_000])
    options = parser.parse_args()
    print("command     rows  seconds   rows/s  x parsing  peak MB  over 1 row")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pack(folder / "one", 1)
        for count in options.rows:
            for line in measured(folder, count):
                print(line)


if __name__ == "__main__":
    main()
