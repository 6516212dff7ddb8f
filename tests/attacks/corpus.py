"""Reads the files of attacks: what one tries, the tests it faces, and its honest twin."""

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "code"


class Attack(NamedTuple):
    name: str
    tries: str
    tests: str
    expect: str
    forges_shared: bool
    source: str
    twin: str


def attacks() -> list[Attack]:
    return [_read(path) for path in sorted(FOLDER.glob("*.attack"))]


def _read(path: Path) -> Attack:
    lines = path.read_text().splitlines(keepends=True)
    heads: dict[str, list[str]] = {}
    while lines and lines[0].startswith("# ") and ": " in lines[0]:
        key, _, value = lines.pop(0)[2:].rstrip("\n").partition(": ")
        heads.setdefault(key, []).append(value)
    source, _, twin = "".join(lines).partition("# twin\n")
    return Attack(
        path.stem,
        heads["tries"][0],
        "\n".join(heads["tests"]),
        heads["expect"][0],
        heads["shared interpreter"] == ["forged"],
        source,
        twin,
    )
