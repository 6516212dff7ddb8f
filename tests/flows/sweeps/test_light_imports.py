"""What a sweep needs is imported when it is needed, and not before."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.runs import Desk

WITHOUT_EXTRA = """
import sys
from flows.cli.main import NEEDED_TO_RUN, run
for name in (*NEEDED_TO_RUN, "yaml"):
    sys.modules[name] = None
sys.exit(run(sys.argv[1:]))
"""


def python(code: str, *args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("flows.cli.sweep", ("prefect", "yaml", "orjson", "pyarrow", "numpy")),
        ("flows.sweeping", ("prefect",)),
    ],
)
def test_nothing_is_imported_before_it_is_needed(
    tmp_path: Path, module: str, absent: tuple[str, ...]
) -> None:
    code = f"import sys, {module}; print(sorted(set({absent!r}) & set(sys.modules)))"
    done = python(code, folder=tmp_path)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize("path", ["bench.json", "suite.yaml"])
def test_without_the_extra_the_command_says_what_to_install(desk: Desk, path: str) -> None:
    (desk.path / "suite.yaml").write_text("name: x\n")
    args = ("sweep", path, "--model", "control/coin", "--vary", "n_samples=3")
    done = python(WITHOUT_EXTRA, *args, folder=desk.path)
    assert done.returncode == 3, done.stderr
    assert "assent[run]" in done.stderr
