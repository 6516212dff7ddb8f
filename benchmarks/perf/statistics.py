"""Time of `assent metrics --ci` over evaluations of growing size.

    python benchmarks/perf/statistics.py [--items 1000 10000]

The whole command in a process of its own: start, reading, checking, every coefficient with its
interval of 1,000 draws, printing. Five samples an item, three analysts.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ASSENT = Path(sys.executable).parent / "assent"
VERDICTS = ("good", "bad", "abstain")


def evaluation(n_items: int) -> dict[str, Any]:
    """An evaluation whose model follows the first analyst three times out of five."""
    rng = random.Random(1)
    return {
        "schema_version": "1.0",
        "id": "run",
        "benchmark_id": "b",
        "model": {"provider": "control", "model_id": "coin"},
        "items": [_item(f"i{number}", rng) for number in range(n_items)],
    }


def _item(name: str, rng: random.Random) -> dict[str, Any]:
    analysts = rng.choices(VERDICTS, weights=(4, 4, 1), k=3)
    said = [analysts[0] if rng.random() < 0.6 else rng.choice(VERDICTS[:2]) for _ in range(5)]
    counts = {verdict: said.count(verdict) for verdict in VERDICTS}
    leaders = [verdict for verdict in VERDICTS if counts[verdict] == max(counts.values())]
    verdict = leaders[0] if len(leaders) == 1 else "abstain"
    return {
        "id": name,
        "premises": ["p"],
        "conclusions": ["q"],
        "analyst_verdicts": analysts,
        "model_verdict": verdict,
        "samples": [_sample(name, place, one) for place, one in enumerate(said)],
        "majority_vote": {**counts, "verdict": verdict, "tie_broken": len(leaders) > 1},
        "tags": [f"t{len(name) % 3}"],
    }


def _sample(item: str, place: int, verdict: str) -> dict[str, Any]:
    return {
        "sample_index": place,
        "raw_response": f"Having thought about it, the verdict is: {verdict.upper()}",
        "parsed_verdict": verdict,
        "parse_status": "ok",
        "request_id": f"run:{item}:sample-{place}",
        "wall_time_ms": 12.5,
        "usage": {"input_tokens": 120, "output_tokens": 9},
        "finish_reason": "stop",
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[1000, 10_000])
    options = parser.parse_args()
    print("items    text s  json s")
    for count in options.items:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "eta.json"
            path.write_text(json.dumps(evaluation(count), indent=2))
            command = [str(ASSENT), "metrics", str(path), "--ci"]
            seconds = [_seconds([*command, "--format", form]) for form in ("text", "json")]
        print(f"{count:<8} {seconds[0]:>6.2f} {seconds[1]:>7.2f}")


def _seconds(command: list[str]) -> float:
    """The better of two, since other work on the machine only adds."""
    best = float("inf")
    for _ in range(2):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - started)
    return best


if __name__ == "__main__":
    main()
