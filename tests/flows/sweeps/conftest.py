"""Sweeps of this folder are plain calls: no Prefect, no server, unless a test asks for one."""

from pathlib import Path

import pytest

from tests.support.runs import Desk


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    """A working directory with one small benchmark."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSENT_HOME", "ASSENT_STORE", "ASSENT_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    desk = Desk(tmp_path, capsys)
    desk.write()
    return desk
