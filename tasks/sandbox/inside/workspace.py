"""Unpacks a workspace that comes as a tar archive on standard input, then becomes the checker.

Nothing is ever overwritten, and no link is followed: whatever is in place first, stays.
"""

import json
import os
import stat
import sys
import tarfile
from pathlib import Path
from typing import IO


def main() -> None:
    """Arguments: where the workspace goes, the directory of the command, the command."""
    target, directory, *command = sys.argv[1:]
    skipped = unpack(sys.stdin.buffer, Path(target))
    finish({"skipped": skipped})
    become(directory, command)


def unpack(archive: IO[bytes], target: Path) -> list[str]:
    """Make what an archive holds; the names of what was not made because something was there."""
    skipped = []
    modes = []
    with tarfile.open(fileobj=archive, mode="r|") as members:
        for member in members:
            path = target / member.name
            if not _is_reachable(target, member.name):
                skipped.append(member.name)
            elif member.isdir():
                if not os.path.lexists(path):
                    path.mkdir(0o700)
                    modes.append((path, member.mode))
            elif os.path.lexists(path):
                skipped.append(member.name)
            elif member.issym():
                path.symlink_to(member.linkname)
            else:
                _write(path, members.extractfile(member), member.mode)
    for path, mode in reversed(modes):
        path.chmod(mode)
    return skipped


def _is_reachable(target: Path, name: str) -> bool:
    """Whether every directory on the way is one, and none is a link."""
    path = target
    for part in name.split("/")[:-1]:
        path = path / part
        if not os.path.lexists(path):
            path.mkdir(0o755)
        elif not stat.S_ISDIR(path.lstat().st_mode):
            return False
    return os.access(path, os.W_OK)


def _write(path: Path, content: IO[bytes] | None, mode: int) -> None:
    with path.open("xb") as file:
        while content is not None and (chunk := content.read(2**20)):
            file.write(chunk)
    path.chmod(mode)


def finish(report: object) -> None:
    """Say that everything is ready; from here on the time of the command counts."""
    descriptor = int(os.environ.pop("ASSENT_REPORT"))
    os.write(descriptor, json.dumps(report).encode())
    os.close(descriptor)


def become(directory: str, command: list[str]) -> None:
    """Be the command, with nothing of ours left to it."""
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.closerange(3, 1024)
    try:
        os.chdir(directory)
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{type(error).__name__}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(127)
