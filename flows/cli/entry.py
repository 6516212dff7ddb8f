"""Where the `assent` command starts: are the packages that Python finds really ours?

A working directory or PYTHONPATH may hold packages called `tasks` or `schemas`. That must be found
out before anything is imported from them, so this module imports nothing of ours at the top.
"""

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Run the command line, on our own packages or not at all."""
    home = Path(__file__).resolve().parents[2]
    for name in ("schemas", "tasks"):
        place = found_at(name)
        if place != home:
            print(
                f"assent: another package called {name!r} stands before ours: {place}. "
                "Fix: run from another directory, or without PYTHONPATH",
                file=sys.stderr,
            )
            sys.exit(2)
    from flows.cli.main import main as run_command

    run_command()


def found_at(name: str) -> Path | None:
    """The directory in which Python finds a package."""
    spec = find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    if places:
        return Path(places[0]).resolve().parent
    return Path(spec.origin).resolve().parent if spec and spec.origin else None
