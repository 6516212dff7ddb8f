from pathlib import Path

import pytest

from flows.cli.main import run
from tests.support.command import Assent, Ran
from tests.support.repository import Repository, isolate_git


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def assent(here: Path, capsys: pytest.CaptureFixture[str]) -> Assent:
    """Runs a command in this process and an empty working directory; nothing unprintable shows."""

    def call(*args: str | Path) -> Ran:
        capsys.readouterr()
        code = run([str(arg) for arg in args])
        printed = capsys.readouterr()
        for line in (printed.out + printed.err).splitlines():
            assert line.isprintable()
        return Ran(code, printed.out, printed.err)

    return call


@pytest.fixture
def repo(here: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty git repository, which is also the working directory."""
    isolate_git(monkeypatch, here)
    return Repository(here)
