"""Relative paths of packs that cannot leave their directory, nor confuse a command line."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255

# A comma or a quote would add options where a container's mounts are given as `key=value,…`.
_UNFIT = re.compile('[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029,"]')
_DRIVE = re.compile(r"[A-Za-z]:")

DENIED = (
    "ground_truth",
    "scorer",
    "eval",
    "task/hidden.json",
    "task/evaluation_inputs.json",
    "input/hidden.json",
    "output/score.json",
    "securebench/evaluation_inputs",
    "securebench/evaluator",
)
"""Destinations that belong to the evaluation: no public asset may be at one, or below it."""


class UnsafePath(NamedTuple):
    """Why a path is refused; the path itself may be hidden and is not repeated."""

    message: str
    fix: str


def safe_path(path: object) -> str | UnsafePath:
    """The path in its normal form, or why it is refused."""
    if not isinstance(path, str):
        return UnsafePath("a path must be text", "write a relative path")
    reason = _unfit(path) or _escaping(path)
    if reason:
        return reason
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts:
        return UnsafePath("the path names no file", "name a file or directory below the root")
    if any(_bytes(part) > MAX_NAME_BYTES for part in parts) or _bytes(path) > MAX_PATH_BYTES:
        limits = f"{MAX_PATH_BYTES} bytes, {MAX_NAME_BYTES} per name"
        return UnsafePath("the path is too long", f"keep within {limits}")
    return "/".join(parts)


def _unfit(path: str) -> UnsafePath | None:
    if not path:
        return UnsafePath("the path is empty", "name a file or directory")
    if "\\" in path:
        return UnsafePath("the path holds a backslash", "separate names by /")
    if _UNFIT.search(path):
        message = "the path holds a control character, a comma or a double quote"
        return UnsafePath(message, "rename the file")
    if any("\ud800" <= char <= "\udfff" for char in path):
        return UnsafePath("the path holds half a surrogate pair", "rename the file")
    return None


def _escaping(path: str) -> UnsafePath | None:
    if path.startswith("/") or _DRIVE.match(path):
        return UnsafePath("the path is absolute", "write it relative to its root")
    if ".." in path.split("/"):
        return UnsafePath("the path has a .. in it", "stay below the root")
    return None


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def folded(path: str) -> tuple[str, ...]:
    """The names of a path as the least careful file system compares them."""
    composed = unicodedata.normalize("NFC", path).casefold()
    return tuple(unicodedata.normalize("NFC", composed).split("/"))


def overlap(one: str, other: str) -> bool:
    """Whether two paths are equal, or one lies below the other."""
    return all(a == b for a, b in zip(folded(one), folded(other), strict=False))


def is_below(path: str, parent: str) -> bool:
    """Whether a path is the other one, or lies below it."""
    inner, outer = folded(path), folded(parent)
    return inner[: len(outer)] == outer


def denied(destination: str) -> bool:
    """Whether a public asset may not be there."""
    return any(is_below(destination, place) for place in DENIED)


def clashes(destinations: Iterable[str]) -> list[tuple[int, int]]:
    """Pairs of positions, each later one with the first it overlaps, in time near linear."""
    indexed = sorted((folded(path), i) for i, path in enumerate(destinations))
    found: list[tuple[int, int]] = []
    open_parents: list[tuple[tuple[str, ...], int]] = []
    for names, index in indexed:
        while open_parents and names[: len(open_parents[-1][0])] != open_parents[-1][0]:
            open_parents.pop()
        if open_parents:
            first, second = sorted((open_parents[-1][1], index))
            found.append((first, second))
        open_parents.append((names, index))
    return sorted(found, key=lambda pair: pair[1])
