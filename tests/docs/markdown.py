"""Reads tables and code out of Markdown pages."""

import re
from pathlib import Path

from docs.generate.blocks import ROOT

_CODE = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """The text of a page."""
    return (ROOT / name).read_text("utf-8")


def rows_below(text: str, marker: str) -> list[list[str]]:
    """Cells of the first table after a marker, without its head; `\\n` becomes a line break."""
    _, found, after = text.partition(marker)
    if not found:
        raise ValueError(f"{marker!r} is not on the page")
    lines = after.lstrip().splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return [_cells(line) for line in lines[2:end]]


def code_blocks(text: str, language: str) -> list[str]:
    """Fenced code in one language."""
    return [match["code"] for match in _CODE.finditer(text) if match["language"] == language]


def links_of(file: Path) -> list[str]:
    """Relative links of a page, without what stands in code."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", file.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target for target in targets if "://" not in target]


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return [cell.strip("`").replace("\\n", "\n") for cell in cells]
