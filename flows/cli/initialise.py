"""`assent init`: a starter benchmark."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.console import note, printable, say
from schemas.errors import UserError
from schemas.identifiers import benchmark_id_fault

_STARTER = """\
{{
  "schema_version": "1.0",
  "id": {id},
  "title": "A starter benchmark: replace everything below",
  "bearers": {{
    "kettle_whistles": {{
      "expression": "The kettle is whistling",
      "paraphrases": ["A whistling sound comes from the kettle"]
    }},
    "kettle_off": {{"expression": "The kettle has been switched off for an hour"}},
    "water_hot": {{
      "expression": "The water in the kettle is hot",
      "paraphrases": ["There is hot water in the kettle"]
    }}
  }},
  "analysts": [
    {{"id": "first-expert"}},
    {{"id": "second-expert"}}
  ],
  "items": [
    {{
      "id": "whistling",
      "premises": ["kettle_whistles"],
      "conclusions": ["water_hot"],
      "analyst_verdicts": ["good", "good"],
      "tags": ["base-inference"]
    }},
    {{
      "id": "switched-off",
      "premises": ["kettle_off"],
      "conclusions": ["water_hot"],
      "analyst_verdicts": ["bad", "abstain"],
      "tags": ["defeater"]
    }}
  ]
}}
"""


def init(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="Directory to put it in; made when missing.")
    ],
) -> None:
    """Write a small, valid benchmark to start from.

    Example: assent init kettle, then assent validate kettle/benchmark.json
    """
    import json

    from tasks.storage.files import write_whole

    folder = Path(directory)
    name = folder.resolve().name
    path = folder / "benchmark.json"
    fault = benchmark_id_fault(name)
    if fault:
        raise UserError(f"{name!r} cannot be a benchmark id: {fault}", where="DIR", code="bad_id")
    if os.path.lexists(path):
        raise UserError("is already there", where=str(path), code="exists")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UserError("is not a directory", where=directory, code="exists")
    write_whole(path, _STARTER.format(id=json.dumps(name, ensure_ascii=False)).encode())
    say(printable(str(path)))
    note(printable(f"next: assent evaluate {shlex.quote(str(path))} --model control/coin"))
