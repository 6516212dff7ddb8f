"""Reads which paths a patch of git touches, from its text alone.

Only headers name paths. The bodies of hunks are passed over by their line counts, so a removed line
that looks like a header names nothing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_HEADER: Final = "diff --git "
_HUNK: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NEW_MODE: Final = re.compile(r"new (?:file )?mode (\d+)\s*")
_NAMED: Final = ("rename from ", "rename to ", "copy from ", "copy to ")
_ESCAPED: Final = re.compile(r'\\([0-7]{3}|[abfnrtv"\\])')
_PLAIN: Final = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, '"': 34, "\\": 92}
_QUOTED: Final = r'"(?:[^"\\]|\\.)*+"'
_TOKEN: Final = rf"(?:{_QUOTED}|[^\s\"]\S*+)"
_TWO_TOKENS: Final = re.compile(rf"({_TOKEN}) ({_TOKEN})")


class NotCanonical(ValueError):
    """The text is no patch whose paths can be known for certain."""


class Section(NamedTuple):
    """The part of a patch about one file."""

    text: str
    paths: frozenset[str]
    copied_from: frozenset[str] = frozenset()
    new_mode: str | None = None

    @property
    def changed(self) -> frozenset[str]:
        """Paths that differ once it is applied; the source of a copy stays as it was."""
        return self.paths - self.copied_from


def parse_patch(patch: str) -> tuple[Section, ...]:
    """The sections of a patch.

    Raises:
        NotCanonical: Something stands before the first section, there is none, or the header of
            one does not say which two names it is about.
    """
    lines = patch.split("\n")
    starts = [at for at, inside in _outside_hunks(lines) if inside.startswith(_HEADER)]
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        raise NotCanonical("a patch begins with a line diff --git")
    ends = [*starts[1:], len(lines)]
    return tuple(
        _section(lines[a:b], last=b == len(lines)) for a, b in zip(starts, ends, strict=True)
    )


def _outside_hunks(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number and text of every line that is not of the body of a hunk."""
    old = new = 0
    for at, line in enumerate(lines):
        if (old > 0 or new > 0) and line[:1] in ("", " ", "-", "+", "\\"):
            old -= line[:1] in ("", " ", "-")
            new -= line[:1] in ("", " ", "+")
            continue
        old = new = 0
        yield at, line
        hunk = _HUNK.match(line)
        if hunk:
            old, new = (1 if count is None else int(count[:9]) for count in hunk.groups())


def _section(lines: Sequence[str], *, last: bool) -> Section:
    names, copied, modes = set[str](), set[str](), list[str]()
    body = False
    for _, line in _outside_hunks(lines[1:]):
        body = body or line.startswith("@@")
        if line.startswith(("--- ", "+++ ")):
            if body:
                # git would take this for a further file.
                raise NotCanonical("a file begins without a line diff --git")
            names |= _file_line(line[4:])
        for word in _NAMED:
            if line.startswith(word) and not body:
                names.add(_unquoted(line.removeprefix(word)))
                copied |= {_unquoted(line.removeprefix(word))} if word == "copy from " else set()
        mode = _NEW_MODE.fullmatch(line)
        modes += [mode[1]] if mode and not body else []
    paths = _header_names(lines[0].removeprefix(_HEADER)) | names
    if not paths:
        raise NotCanonical("a header does not say which two names it is about")
    text = "\n".join(lines) + ("" if last else "\n")
    return Section(text, frozenset(paths), frozenset(copied), modes[-1] if modes else None)


def _header_names(rest: str) -> set[str]:
    """The two names of a header; none when other lines have to say where the first one ends."""
    middle = len(rest) // 2
    if rest[middle : middle + 1] == " " and rest[:2] == "a/" and rest[middle + 1 :][:2] == "b/":
        one, other = rest[2:middle], rest[middle + 3 :]
        if one == other:
            return {one}
    tokens = _TWO_TOKENS.fullmatch(rest)
    if tokens is None:
        if '"' in rest or not (rest.startswith("a/") and " b/" in rest):
            raise NotCanonical("the names of a header are not a/… and b/…")
        return set()
    first, second = _unquoted(tokens[1]), _unquoted(tokens[2])
    if not (first.startswith("a/") and second.startswith("b/")):
        raise NotCanonical("the names of a header are not a/… and b/…")
    return {first[2:], second[2:]}


def _file_line(name: str) -> set[str]:
    """The path of a `---` or `+++` line without its first directory; none for /dev/null."""
    name = _unquoted(name.partition("\t")[0])
    if name.strip() == "/dev/null":
        return set()
    if name.startswith("/"):
        return {name}
    _, slash, path = name.partition("/")
    if not slash:
        raise NotCanonical("a file name has no directory before it")
    return {path}


def _unquoted(name: str) -> str:
    """A name as it is; quoted ones have escapes, octal ones of which are bytes."""
    if not (len(name) >= 2 and name[0] == name[-1] == '"'):
        return name
    data = bytearray()
    at, inner = 0, name[1:-1]
    for found in _ESCAPED.finditer(inner):
        data += inner[at : found.start()].encode("utf-8", "surrogatepass")
        data.append(_PLAIN[found[1]] if found[1] in _PLAIN else int(found[1], 8) & 0xFF)
        at = found.end()
    data += inner[at:].encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "surrogateescape")
