"""A benchmark and a recording in which everything goes wrong that may: failures, ties, clipping."""

import json
from pathlib import Path

from tasks.prompting.questions import prompt_hash

_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


def write_awkward(folder: Path) -> tuple[Path, Path]:
    """Two panels, five items; replies that agree, tie, are clipped, unreadable, or missing."""
    items = [
        {
            "id": f"i{n}",
            "premises": ["ground"],
            "conclusions": [word],
            "analyst_verdicts": verdicts,
            "tags": ["even" if n % 2 == 0 else "odd"],
        }
        for n, (word, verdicts) in enumerate(
            zip(
                _WORDS,
                [
                    ["good", "good", "good", "bad"],
                    ["bad", "bad", "bad", "bad"],
                    ["good", "good", "abstain", "good"],
                    ["bad", "good", "bad", "abstain"],
                    ["good", "good", "good", "good"],
                ],
                strict=True,
            )
        )
    ]
    benchmark = {
        "id": "awkward",
        "bearers": {"ground": {"expression": "it rains"}}
        | {word: {"expression": f"claim {word}"} for word in _WORDS},
        "analysts": [{"id": f"a{n}", "panel": "north" if n < 2 else "south"} for n in range(4)],
        "primary_panel": "north",
        "items": items,
    }
    replies: dict[str, list[tuple[str, str | None]]] = {
        "alpha": [("GOOD", None)] * 4,
        "beta": [("GOOD", None), ("BAD", None), ("BAD", None), ("GOOD", None)],
        "gamma": [("Let me think about", "length"), ("GOOD", None), ("no idea", None), ("", None)],
        "delta": [("BAD", None), ("verdict: bad", None), ("GOOD", "length"), ("ABSTAIN", None)],
        # epsilon has no recorded reply: all of its samples fail
    }
    records = [
        {
            "prompt_hash": prompt_hash(f"Premises: it rains\nConclusion: claim {word}\nVerdict:"),
            "text": text,
            "finish_reason": reason,
            "wall_time_ms": 12.5,
            "usage": {"input_tokens": 20, "output_tokens": 1},
        }
        for word, found in replies.items()
        for text, reason in found
    ]
    bench, recording = folder / "awkward.json", folder / "awkward.replay.jsonl"
    bench.write_text(json.dumps(benchmark))
    recording.write_text("".join(json.dumps(record) + "\n" for record in records))
    return bench, recording
