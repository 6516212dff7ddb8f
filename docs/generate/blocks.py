"""Generated blocks in Markdown: where they are, and whether what stands there is still true.

A block begins with `<!-- generated: KIND ARGUMENT… -->` and ends with `<!-- end -->`. Run ids,
times and durations differ from run to run: they are masked before two contents are compared.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

_BLOCK = re.compile(
    r"(?P<begin>^<!-- generated: (?P<order>[^\n]*?) -->\n)(?P<content>.*?)(?P<end>^<!-- end -->$)",
    re.MULTILINE | re.DOTALL,
)
_MASKS = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "RUN"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?"), "TIME"),
    (re.compile(r"(?<=Completed │ )\d+\.\d+ *(?=│)"), "SECONDS "),
    (re.compile(r"^engine: .*$", re.MULTILINE), "engine: ENGINE"),
)


class Block(NamedTuple):
    """One generated block as it stands in its file."""

    file: Path
    line: int
    kind: str
    arguments: tuple[str, ...]
    content: str

    def __str__(self) -> str:
        """Where it is, in words that an editor understands."""
        place = self.file.relative_to(ROOT).as_posix()
        return f"{place}:{self.line} {' '.join((self.kind, *self.arguments))}"


def markdown_files() -> list[Path]:
    """Every Markdown file that may hold generated blocks."""
    folders = (ROOT.glob("*.md"), ROOT.glob("docs/**/*.md"), ROOT.glob("examples/**/*.md"))
    return sorted(path for paths in folders for path in paths)


def blocks_of(file: Path) -> list[Block]:
    """The generated blocks of a file, from top to bottom."""
    text = file.read_text("utf-8")
    return [_block(file, match) for match in _BLOCK.finditer(text)]


def rewrite(file: Path, generate: Callable[[Block], str]) -> bool:
    """Put fresh content into every stale block of a file; whether that changed anything."""
    text = file.read_text("utf-8")

    def fresh(match: re.Match[str]) -> str:
        block = _block(file, match)
        content = generate(block)
        if masked(content) == masked(block.content):
            return match[0]
        return match["begin"] + content + match["end"]

    rewritten = _BLOCK.sub(fresh, text)
    if rewritten != text:
        file.write_text(rewritten, "utf-8")
    return rewritten != text


def masked(content: str) -> str:
    """Content without what differs from run to run."""
    for pattern, name in _MASKS:
        content = pattern.sub(name, content)
    return content


def _block(file: Path, match: re.Match[str]) -> Block:
    kind, *arguments = match["order"].split()
    line = match.string.count("\n", 0, match.start()) + 1
    return Block(file, line, kind, tuple(arguments), match["content"])
