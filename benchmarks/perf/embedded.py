"""Time and memory of the embedded engine, beside a bare loop that asks the same model.

    python benchmarks/perf/embedded.py [--items 1000 10000] [--samples 5]

Each size is evaluated by `assent evaluate` in a process of its own: first with an empty store, then
again, when nothing is asked. The bare loop draws as many replies from the embedded model and votes.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tasks.judging import make_parser
from tasks.providers.control import Control
from tasks.sampling.requests import Request

ASSENT = Path(sys.executable).parent / "assent"


def make_benchmark(n_items: int) -> dict[str, Any]:
    """A benchmark of some size: three premises and two analysts per item."""
    n_bearers = max(10, n_items // 10)
    return {
        "id": f"perf-{n_items}",
        "bearers": {f"b{i}": {"expression": f"statement number {i}"} for i in range(n_bearers)},
        "analysts": [{"id": "first"}, {"id": "second"}],
        "items": [
            {
                "id": f"item-{i}",
                "premises": [f"b{i % n_bearers}", f"b{i // n_bearers}", f"b{i * 7 % n_bearers}"],
                "conclusions": [f"b{(i * 11 + 5) % n_bearers}"],
                "analyst_verdicts": ["good" if i % 2 else "bad", "good" if i % 3 else "bad"],
                "tags": [f"tag-{i % 5}"],
            }
            for i in range(n_items)
        ],
    }


def run(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall seconds and peak megabytes of a command."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return seconds, usage.ru_maxrss / 1024


def bare_loop(n_items: int, n_samples: int) -> float:
    """Seconds for the same draws and votes without anything else."""
    model, parser = Control("coin"), make_parser("final-answer", "support")

    async def ask_all() -> int:
        decided = 0
        for i in range(n_items):
            votes: Counter[str | None] = Counter()
            for k in range(n_samples):
                request = Request(
                    "", f"item-{i}", 0, k, 0, 0, n_samples, "system", f"prompt {i}", "", {}, ""
                )
                votes[parser((await model.complete(request)).text)] += 1
            decided += votes.most_common(1)[0][0] is not None
        return decided

    started = time.perf_counter()
    asyncio.run(ask_all())
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--samples", type=int, default=5)
    options = parser.parse_args()
    base = ["--model", "control/coin", "--n-samples", str(options.samples)]
    print(f"{options.samples} samples per item, control/coin, embedded engine")
    print("items    first s  us/sample  ratio to bare  peak MB   rerun s  validate s")
    per_sample = []
    for n_items in options.items:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            bench = folder / "bench.json"
            bench.write_text(json.dumps(make_benchmark(n_items)))
            command = [str(ASSENT), "evaluate", str(bench), *base, "--engine", "embedded"]
            validate_seconds, _ = run([str(ASSENT), "validate", str(bench)], folder)
            first, memory = run([*command, "--quiet"], folder)
            rerun, _ = run([*command, "--quiet"], folder)
        bare = bare_loop(n_items, options.samples)
        each = first / (n_items * options.samples) * 1e6
        per_sample.append(each)
        print(
            f"{n_items:<8} {first:>7.2f} {each:>10.0f} {first / bare:>14.1f} {memory:>8.0f} "
            f"{rerun:>9.2f} {validate_seconds:>11.2f}"
        )
    growth = per_sample[-1] / per_sample[0]
    print(f"time per sample at {options.items[-1]} items / at {options.items[0]}: {growth:.2f}")


if __name__ == "__main__":
    main()
