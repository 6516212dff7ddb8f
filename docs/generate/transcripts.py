"""What commands really print: they run in a scratch directory that holds the examples."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docs.generate.blocks import ROOT

WIDTH = 100
BUG = 70
"""The exit code that no page may show."""

_BIN = Path(sys.executable).parent
_RECIPE = re.compile(r"^demo:.*\n\t(?P<recipe>.*)$", re.MULTILINE)


@contextmanager
def scratch() -> Iterator[Path]:
    """A directory with the examples, thrown away afterwards."""
    with tempfile.TemporaryDirectory(prefix="assent-docs-") as name:
        shutil.copytree(ROOT / "examples", Path(name) / "examples")
        yield Path(name)


def run(command: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell command as a user would, without colour and at a fixed width.

    Nothing of the caller's environment gets in, so neither its settings nor its Prefect server do.
    """
    environment = {
        "PATH": f"{_BIN}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(directory),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": str(WIDTH),
        "PYTHONUNBUFFERED": "1",
        "ASSENT_ENGINE": "embedded",
    }
    return subprocess.run(
        command,
        shell=True,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def console(content: str, *, on_prefect: bool) -> str:
    """A console block again: its `$ ` lines are run in order, with what they print below."""
    commands = [line[2:] for line in content.splitlines() if line.startswith("$ ")]
    lines = ["```console"]
    with scratch() as directory:
        for command in commands:
            lines.append(f"$ {command}")
            lines += _printed(command, directory, on_prefect=on_prefect)
    return "\n".join([*lines, "```", ""])


def help_text(command: str) -> str:
    """The help of one command, or of `assent` itself when it is called `assent`."""
    name = "" if command == "assent" else f"{command} "
    with scratch() as directory:
        done = run(f"assent {name}--help", directory)
    return "\n".join(["```text", *_lines(done.stdout), "```", ""])


def demo_recipe() -> str:
    """What `make demo` runs."""
    found = _RECIPE.search((ROOT / "Makefile").read_text("utf-8"))
    if found is None:
        raise ValueError("the Makefile has no recipe of one line for demo")
    return found["recipe"].replace("$(BIN)", ".venv/bin")


def _printed(command: str, directory: Path, *, on_prefect: bool) -> list[str]:
    echoed = []
    if command == "make demo":
        echoed = [demo_recipe()]
        command = echoed[0].removeprefix(".venv/bin/")
        if not on_prefect:
            # Both engines print the same; this one starts at once.
            command = command.replace("--engine prefect", "--engine embedded --verbose")
    done = run(command, directory)
    if done.returncode == BUG:
        raise RuntimeError(f"$ {command}\n{done.stdout}")
    status = [f"(exit {done.returncode})"] if done.returncode else []
    return [*echoed, *_lines(done.stdout), *status]


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines
