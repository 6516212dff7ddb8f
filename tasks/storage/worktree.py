"""Result files of a repository: in the working tree, and staged for a commit."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from schemas.errors import UserError
from schemas.output import SCHEMA_PATH
from tasks.outputs.paths import classify
from tasks.outputs.report import FileToCheck
from tasks.storage.files import read_regular

SKIPPED_DIRECTORIES = {".git", ".venv", "node_modules"}
LEADS_OUT = "is a link that leads out of the repository"
RESULTS = {"allowed", "deprecated"}
_REGULAR_MODES = {"100644", "100755"}


def repository_root() -> Path:
    """The enclosing git work tree, else the current directory."""
    found = _git("rev-parse", "--show-toplevel", check=False)
    top = os.fsdecode(found).rstrip("\n") if found else ""
    return Path(top) if top else Path.cwd()


def in_repository(root: Path, path: str | Path) -> str:
    """A path relative to the repository, with slashes; as given when it lies outside."""
    inner = _inner(root, path)
    return str(path) if inner is None else inner


def _inner(root: Path, path: str | Path) -> str | None:
    plain = Path(os.path.normpath(Path(path).absolute()))
    if not plain.is_relative_to(root):
        # The way to the repository may lead through links; the way inside is taken as given.
        plain = Path(os.path.realpath(plain.parent), plain.name)
    return plain.relative_to(root).as_posix() if plain.is_relative_to(root) else None


def leads_out(root: Path, path: str | Path) -> bool:
    """Whether a path that lies in the repository by its name leads out of it by a link."""
    real = Path(os.path.realpath(path))
    return _inner(root, path) is not None and not real.is_relative_to(os.path.realpath(root))


class _Candidate(NamedTuple):
    """A file to read, or the reason why it is not read."""

    place: str
    path: str
    is_named: bool = False
    problem: str = ""


def result_files(root: Path) -> Iterator[FileToCheck]:
    """Files of a repository whose place is one for results, old places included, in order."""
    return _read(_below(root, root))


def named_files(root: Path, paths: list[str]) -> Iterator[FileToCheck]:
    """The files that a user named, and results below the directories among them, in order."""
    found: dict[str, _Candidate] = {}
    for path in paths:
        for candidate in _named(root, path):
            if candidate.is_named or candidate.place not in found:
                found[candidate.place] = candidate
    return _read(found.values())


def _named(root: Path, path: str) -> Iterator[_Candidate]:
    place = in_repository(root, path)
    if leads_out(root, path):
        yield _Candidate(place, path, problem=LEADS_OUT)
    elif not Path(path).is_dir():
        yield _Candidate(place, path, is_named=True)
    elif _inner(root, os.path.realpath(path)) is None:
        yield _Candidate(place, path, problem="is a directory outside the repository")
    else:
        yield from _below(root, Path(os.path.realpath(path)))


def _below(root: Path, top: Path) -> Iterator[_Candidate]:
    unlisted: list[OSError] = []
    for folder, subfolders, names in os.walk(top, onerror=unlisted.append):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_DIRECTORIES]
        place = in_repository(root, folder)
        prefix = "" if place == "." else f"{place}/"
        for name in names:
            if _may_hold_result(f"{prefix}{name}") and _may_read(root, f"{folder}/{name}"):
                yield _Candidate(f"{prefix}{name}", f"{folder}/{name}")
    for error in unlisted:
        place = in_repository(root, error.filename)
        if _may_hold_result(f"{place}/any.json"):
            yield _Candidate(place, error.filename, problem=f"cannot be listed: {error.strerror}")


def _may_hold_result(place: str) -> bool:
    status = classify(place).status
    # No rule applies to a path with control characters, so only its content can tell.
    return status in RESULTS or (status == "invalid" and place.endswith(".json"))


def _may_read(root: Path, path: str) -> bool:
    """Whether a found file is read: a link only when its target is not checked by itself."""
    if not Path(path).is_symlink():
        return not Path(path).exists() or Path(path).is_file()
    if leads_out(root, path) or not Path(path).is_file():
        return False
    return classify(in_repository(root, os.path.realpath(path))).status not in RESULTS


def _read(candidates: Iterable[_Candidate]) -> Iterator[FileToCheck]:
    for place, path, is_named, problem in sorted(candidates):
        data = b""
        if not problem:
            try:
                data = read_regular(path)
            except UserError as error:
                problem = error.what
        yield FileToCheck(place, data, is_named=is_named, problem=problem)


class _Staged(NamedTuple):
    blob: str
    is_new: bool = False


def staged_files(root: Path) -> list[FileToCheck]:
    """JSON files that the next commit adds or changes, as they are staged.

    When the schema file is among them, every staged or committed result comes along.

    Raises:
        UserError: There is no repository here.
    """
    if _git("rev-parse", "--is-inside-work-tree") != b"true\n":
        raise UserError("there is no work tree here", where="--staged", code="no_repository")
    wanted = _staged_changes(root)
    if SCHEMA_PATH in wanted:
        wanted = _results_in_index(root) | wanted
    listed = sorted(wanted.items())
    contents = _contents(root, [staged.blob for _, staged in listed])
    return [
        FileToCheck(path, data, is_new=staged.is_new)
        for (path, staged), data in zip(listed, contents, strict=True)
    ]


def _staged_changes(root: Path) -> dict[str, _Staged]:
    # A file that was renamed or copied is new at its place, so nobody need look for its origin.
    options = ("--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT")
    fields = os.fsdecode(_git("-C", str(root), "diff", *options)).split("\0")
    changes = {}
    for facts, path in zip(fields[0::2], fields[1::2], strict=False):
        _, mode, _, blob, status = facts.split(" ")
        if mode in _REGULAR_MODES and path.endswith(".json"):
            changes[path] = _Staged(blob, is_new=status == "A")
    return changes


def _results_in_index(root: Path) -> dict[str, _Staged]:
    found = {}
    for line in os.fsdecode(_git("-C", str(root), "ls-files", "-s", "-z")).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, blob, stage = facts.split(" ")
        if mode in _REGULAR_MODES and stage == "0" and classify(path).status == "allowed":
            found[path] = _Staged(blob)
    return found


def _contents(root: Path, blobs: list[str]) -> Iterator[bytes]:
    if not blobs:
        return
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    rest = memoryview(_git("-C", str(root), "cat-file", "--batch", given=asked))
    for blob in blobs:
        start = bytes(rest[:200]).index(b"\n") + 1
        _, kind, *size = bytes(rest[:start]).split()
        if kind != b"blob":
            raise UserError(f"git has lost the staged content {blob}", code="no_repository")
        end = start + int(size[0])
        yield bytes(rest[start:end])
        rest = rest[end + 1 :]


def _git(*args: str, given: bytes | None = None, check: bool = True) -> bytes:
    try:
        done = subprocess.run(["git", *args], input=given, capture_output=True, check=False)
    except OSError as error:
        if not check:
            return b""
        raise UserError("git is not installed", code="no_repository") from error
    if check and done.returncode != 0:
        message = "; ".join(os.fsdecode(done.stderr).split("\n")).strip("; ")
        raise UserError(f"git: {message or 'failed'}", code="no_repository")
    return done.stdout if done.returncode == 0 else b""
