"""Real git repositories in temporary directories, out of reach of the user's own settings."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

_SETTINGS = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
}
_INHERITED = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE")


def isolate_git(monkeypatch: pytest.MonkeyPatch, top: Path) -> None:
    """Keep git to what lies below a directory, for this process and those it starts."""
    for name, value in _SETTINGS.items():
        monkeypatch.setenv(name, value)
    for name in _INHERITED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(top.parent))


class Repository:
    """A git work tree."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *args: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        """Run git at the top; it has to succeed unless told otherwise."""
        done = subprocess.run(
            ["git", *args], cwd=self.top, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 or not ok, done.stderr
        return done

    def write(self, name: str, content: Any) -> Path:
        """Write a file: bytes and text as they are, anything else as JSON."""
        return write_file(self.top / name, content)

    def stage(self, name: str, content: Any) -> Path:
        """Write a file and stage it."""
        path = self.write(name, content)
        self.git("add", "--", name)
        return path

    def commit(self, message: str = "work") -> None:
        """Commit what is staged, without hooks."""
        self.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", message)

    def files(self) -> dict[str, bytes]:
        """Every file of the work tree but git's own, by path."""
        found = (path for path in self.top.rglob("*") if path.is_file() and not path.is_symlink())
        inner = {path: path.relative_to(self.top) for path in found}
        return {str(i): p.read_bytes() for p, i in inner.items() if i.parts[0] != ".git"}


def write_file(path: Path, content: Any) -> Path:
    """Write a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content if isinstance(content, bytes) else as_bytes(content))
    return path


def as_bytes(document: Any) -> bytes:
    """A document as the tests write it."""
    return (json.dumps(document, indent=1) + "\n").encode()


def obey_permissions() -> None:
    """For a process that is about to start: even root may not read what is locked."""
    import ctypes

    if os.geteuid() == 0:
        drop_capability, may_override, may_search = 24, 1, 2
        for capability in (may_override, may_search):
            ctypes.CDLL(None).prctl(drop_capability, capability, 0, 0, 0)
