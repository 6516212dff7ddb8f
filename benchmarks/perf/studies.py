"""Time of `assent structure`, `compare` and `retest` over evaluations of growing size.

    python benchmarks/perf/studies.py [--items 1000 10000 20000]

The whole command in a process of its own: start, reading, checking, studying, printing. Five
samples an item, three analysts; the best of three runs, and the processor time of that run.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ASSENT = Path(sys.executable).parent / "assent"
VERDICTS = ("good", "bad", "abstain")
ROLES = ("base-inference", "supporter", "defeater", "irrelevant-addition")
REPEATS = 3

Json = dict[str, Any]


def write_files(folder: Path, n_items: int) -> None:
    """A benchmark and an evaluation of it."""
    rng = random.Random(1)
    bearers = {f"b{i}": {"expression": f"sentence {i}"} for i in range(200)}
    analysts = [{"id": f"a{i}"} for i in range(3)]
    items = [_item(i, rng) for i in range(n_items)]
    bench = {"id": "b", "bearers": bearers, "analysts": analysts, "items": items}
    model = {"provider": "control", "model_id": "coin"}
    answered = [_answered(item, rng) for item in items]
    eta = {"id": "run", "benchmark_id": "b", "model": model, "items": answered}
    (folder / "bench.json").write_text(json.dumps(bench, indent=2))
    (folder / "eta.json").write_text(json.dumps(eta, indent=2))


def _item(number: int, rng: random.Random) -> Json:
    target = number // 5
    return {
        "id": f"i{number}",
        "premises": [f"b{rng.randrange(200)}" for _ in range(3)],
        "conclusions": [f"b{rng.randrange(200)}"],
        "analyst_verdicts": rng.choices(VERDICTS, k=3),
        "tags": [ROLES[number % 4]],
        "rsr_target": {"X": [f"b{target % 200}"], "A": [f"b{target // 200 % 200}"]},
    }


def _answered(item: Json, rng: random.Random) -> Json:
    chance = rng.random()
    said = ["good" if rng.random() < chance else "bad" for _ in range(5)]
    samples = [
        {
            "sample_index": place,
            "raw_response": verdict.upper(),
            "parsed_verdict": verdict,
            "request_id": f"run:{item['id']}:sample-{place}",
            "wall_time_ms": 12.5,
            "usage": {"input_tokens": 40, "output_tokens": 1},
        }
        for place, verdict in enumerate(said)
    ]
    votes = {"good": said.count("good"), "bad": said.count("bad")}
    verdict = max(votes, key=lambda one: votes[one])
    kept = ("id", "premises", "conclusions", "analyst_verdicts", "tags")
    vote = {**votes, "verdict": verdict}
    answer = {"model_verdict": verdict, "samples": samples, "majority_vote": vote}
    return {key: item[key] for key in kept} | answer


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall and processor time of a command; finding something is no failure."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    # One file is compared with itself, which `retest` warns of.
    done = subprocess.run(
        command, cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wall = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[1000, 10_000, 20_000])
    options = parser.parse_args()
    commands = {
        "structure": ["structure", "eta.json", "--benchmark", "bench.json"],
        "compare": ["compare", "eta.json", "eta.json"],
        "retest": ["retest", "eta.json", "eta.json"],
    }
    print("items   command     wall s  cpu s")
    for n_items in options.items:
        with tempfile.TemporaryDirectory() as name:
            write_files(Path(name), n_items)
            for title, words in commands.items():
                whole = [str(ASSENT), *words, "--format", "json"]
                wall, used = min(seconds(whole, Path(name)) for _ in range(REPEATS))
                print(f"{n_items:<7} {title:<11} {wall:>6.2f} {used:>6.2f}")


if __name__ == "__main__":
    main()
