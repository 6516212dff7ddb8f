"""Time of `assent outputs check` over many documents, beside reading and parsing them alone.

    python benchmarks/perf/outputs.py [--files 1000 10000]

Both run in processes of their own over the same files; the time of an empty command is taken off.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ASSENT = Path(sys.executable).parent / "assent"

BARE = """
import json, pathlib, sys
for path in sorted(pathlib.Path("outputs").glob("*/*.json")):
    json.loads(path.read_bytes())
"""


def document(number: int) -> dict[str, Any]:
    """A valid document with twenty cases."""
    return {
        "$schema": "outputs/schemas/benchmark_schema.json",
        "schema_version": "v1",
        "metadata": {
            "benchmark": {"name": f"bench-{number % 10}", "version": "1"},
            "model": {"name": "m", "provider": "p", "parameters": {"temperature": 0.5}},
            "run": {
                "id": f"run-{number}",
                "started_at": "2026-01-01T00:00:00Z",
                "finished_at": "2026-01-01T00:01:00Z",
            },
        },
        "results": {
            "status": "ok",
            "metrics": {"accuracy": 0.5, "f1": 0.25, "n_items": 20},
            "cases": [{"id": f"case-{i}", "score": i / 20, "text": "x" * 50} for i in range(20)],
        },
    }


def seconds(command: list[str], folder: Path) -> float:
    """Wall time of a command."""
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10_000])
    options = parser.parse_args()
    print("files    check s  bare s  ratio  us/file")
    for count in options.files:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            check = [str(ASSENT), "outputs", "check"]
            start_up = seconds(check, folder)
            bare_start_up = seconds([sys.executable, "-c", "import json, pathlib"], folder)
            for number in range(count):
                path = folder / "outputs" / f"bench-{number % 10}" / f"run-{number}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(document(number), indent=2))
            seconds([sys.executable, "-c", BARE], folder)  # both find a warm disk cache
            bare = seconds([sys.executable, "-c", BARE], folder) - bare_start_up
            checked = seconds(check, folder) - start_up
        each = checked / count * 1e6
        print(f"{count:<8} {checked:>7.2f} {bare:>7.2f} {checked / bare:>6.2f} {each:>8.0f}")


if __name__ == "__main__":
    main()
