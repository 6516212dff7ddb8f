"""Time of the text verifiers on hostile replies of growing length: twice the text, twice the time.

    python benchmarks/perf/verifiers.py [--characters 125000 250000 500000 1000000]

Prints milliseconds per length, and the growth from the shortest to the longest reply in proportion
to their lengths: 1 is linear, 8 would be quadratic for the default lengths.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

from schemas.pack import Profile
from tasks.packs.verifiers import verify_text

ROWS: dict[str, dict[str, Any]] = {
    "multiple_choice": {"choices": ["aaaa", "x", "(((("], "answer": 0},
    "short_answer": {"accepted_answers": ["a" * 3000, 7, "ab" * 40], "tolerance": 1},
    "free_response": {"rubric": {"accepted_answers": ["a" * 3000 + " b", "ab" * 40]}},
}
REPLIES: dict[str, Callable[[int], str]] = {
    "blanks": lambda n: " " * n + "x",
    "keywords": lambda n: "answer is: " * (n // 11),
    "one letter": lambda n: "a" * n,
    "period two": lambda n: "ab" * (n // 2),
    "boxes": lambda n: "\\boxed{" * (n // 8) + "}" * (n // 8),
    "digits": lambda n: "9" * n,
    "numbers": lambda n: "7,000 " * (n // 6),
    "points": lambda n: ".1" * (n // 2),
    "marks": lambda n: "a" + "\u0301\u0316" * (n // 2),
    "han": lambda n: "\u6771" * n,
    "prose": lambda n: "The answer may be B or 7. " * (n // 26),
}


def milliseconds(family: str, profile: Profile, reply: str) -> float:
    """Best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        verify_text(family, ROWS[family], reply, profile)
        best = min(best, time.perf_counter() - started)
    return 1000 * best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    lengths = [125_000, 250_000, 500_000, 1_000_000]
    parser.add_argument("--characters", type=int, nargs="+", default=lengths)
    options = parser.parse_args()
    sizes = sorted(options.characters)
    print(f"{'':40}" + "".join(f"{size:>10,}" for size in sizes) + "    growth")
    profiles: tuple[Profile, ...] = ("target", "compat")
    for family in ROWS:
        for profile in profiles:
            for name, make in REPLIES.items():
                times = [milliseconds(family, profile, make(size)) for size in sizes]
                growth = times[-1] / times[0] / (sizes[-1] / sizes[0])
                row = "".join(f"{ms:10.2f}" for ms in times)
                print(f"{family:16}{profile:8}{name:16}{row}{growth:10.2f}")


if __name__ == "__main__":
    main()
