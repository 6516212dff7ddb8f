"""Checkers that look at a workspace which its candidate has prepared for them."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.packs import write_files
from tests.support.scored_rows import row, write_pack
from tests.support.verified import verify_row

pytestmark = pytest.mark.needs("bubblewrap")


def task(checker: Any, **more: Any) -> dict[str, Any]:
    environment = more.pop("environment", {})
    checked = {"checker": checker if isinstance(checker, dict) else {"command": checker}, **more}
    return row("terminal_task", eval=checked, environment=environment)


def workspace(folder: Path, **files: str) -> str:
    space = folder / "space"
    space.mkdir(exist_ok=True)
    write_files(space, files)
    return str(space)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("grep -qx done out", "passed"),
        (["grep", "-qx", "done", "out"], "passed"),
        ("grep -qx nope out", "failed"),
        (["./out"], "failed"),
        ("test $PWD = /workspace && test -w .", "passed"),
        ('test -z "$(ls -A ~)" && test ~ != $PWD', "passed"),
    ],
)
def test_the_exit_status_of_the_checker_decides(tmp_path: Path, command: Any, status: str) -> None:
    write_pack(tmp_path / "p", task(command))
    result = verify_row(tmp_path / "p", workspace=workspace(tmp_path, out="done\n"))
    assert result.status == status, result
    assert (result.reason, result.phase) == (
        (None, None) if status == "passed" else ("checker_failed", "checker")
    )


def test_the_directory_of_the_host_is_never_changed(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", task("rm out && echo x > new && test ! -e out"))
    space = workspace(tmp_path, out="done\n")
    assert verify_row(tmp_path / "p", workspace=space).status == "passed"
    assert sorted(os.listdir(space)) == ["out"]  # noqa: PTH208 - the names are the point


def test_files_of_the_evaluation_win_over_the_candidates_and_cannot_be_changed(
    tmp_path: Path,
) -> None:
    checker = (
        "cd securebench/evaluation_inputs && ! touch check.sh && ! mv ../../securebench ../../x"
    )
    pack = write_pack(
        tmp_path / "p", task(f"{checker} && sh check.sh", test_files={"path": "check.sh"})
    )
    write_files(pack / "hidden", {"check.sh": "grep -qx done ../../out\n"})
    forged = {"securebench/evaluation_inputs/check.sh": "exit 0\n"}
    honest = verify_row(pack, workspace=workspace(tmp_path, out="done\n", **forged))
    assert honest.status == "passed", honest
    assert "securebench/evaluation_inputs/check.sh" in honest.metadata["replaced"]
    assert verify_row(pack, workspace=workspace(tmp_path, out="no\n")).status == "failed"


@pytest.mark.parametrize("where", ["securebench", "securebench/evaluation_inputs"])
def test_nothing_is_written_through_a_link_that_the_candidate_left(
    tmp_path: Path, where: str
) -> None:
    pack = write_pack(
        tmp_path / "p",
        task("sh securebench/evaluation_inputs/check.sh", test_files={"path": "check.sh"}),
    )
    write_files(pack / "hidden", {"check.sh": "test -f out\n"})
    space = Path(workspace(tmp_path, out=""))
    (tmp_path / "outside").mkdir()
    (space / where).parent.mkdir(exist_ok=True)
    (space / where).symlink_to(tmp_path / "outside")
    assert verify_row(pack, workspace=str(space)).status == "passed"
    assert list((tmp_path / "outside").iterdir()) == []


def test_links_stay_links_and_special_files_stay_behind(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", task("test -L link && ! test -e link && ! test -e pipe"))
    space = Path(workspace(tmp_path))
    (tmp_path / "secret").write_text("x")
    (space / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(space / "pipe")
    result = verify_row(tmp_path / "p", workspace=str(space))
    assert result.status == "passed", result
    assert result.metadata["left_out"] == ["pipe"]


def test_a_shim_in_the_workspace_does_not_stand_in_for_a_program(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", task("grep -qx done out"))
    space = workspace(tmp_path, grep="#!/bin/sh\nexit 0\n", **{".profile": "exit 0\n"})
    (Path(space) / "grep").chmod(0o755)
    assert verify_row(tmp_path / "p", workspace=space).status == "failed"


PYTEST = """import os, pathlib
def test_out():
    assert (pathlib.Path(os.environ["SECUREBENCH_WORKSPACE"]) / "out").read_text() == "done\\n"
"""
SCRIPT = 'test "$TEST_DIR" = "$SECUREBENCH_EVALUATOR" && grep -qx "$(cat $TEST_DIR/word)" out\n'


@pytest.mark.parametrize(
    ("checker", "content"),
    [
        ({"source": "pytest", "path": "c/test_it.py"}, PYTEST),
        ({"source": "script", "path": "c/it.sh"}, SCRIPT),
    ],
    ids=["pytest", "script"],
)
def test_a_checker_may_be_a_file_of_the_pack(
    tmp_path: Path, checker: dict[str, str], content: str
) -> None:
    pack = write_pack(tmp_path / "p", task(checker))
    write_files(pack / "hidden", {checker["path"]: content, "c/word": "done\n"})
    shims = {"conftest.py": "import os; os._exit(0)", "pytest.ini": "[pytest]\naddopts=--co\n"}
    assert verify_row(pack, workspace=workspace(tmp_path, out="done\n", **shims)).status == "passed"
    assert verify_row(pack, workspace=workspace(tmp_path, out="no\n", **shims)).status == "failed"


def test_a_checker_that_takes_too_long_is_timed_out(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", task({"command": ["sleep", "60"], "timeout_seconds": 0.5}))
    result = verify_row(tmp_path / "p", workspace=workspace(tmp_path))
    assert (result.status, result.reason) == ("failed", "verifier_timeout")


@pytest.mark.parametrize("place", ["/usr/x", "/home", "/opt", "/proc", "/home/sandbox"])
def test_a_workspace_cannot_hide_the_system(tmp_path: Path, place: str) -> None:
    write_pack(tmp_path / "p", task("true", environment={"workdir": place}))
    result = verify_row(tmp_path / "p", workspace=workspace(tmp_path))
    assert (result.status, result.reason) == ("error", "unusable_workdir")


def test_only_an_allowed_command_gets_its_capability(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "p", task("chroot / true", needed_commands=["chroot"]))
    space = workspace(tmp_path)
    assert verify_row(pack, workspace=space).reason == "verifier_dangerous_command_denied"
    assert verify_row(pack, workspace=space, dangerous=True).status == "passed"
    write_pack(tmp_path / "p", task("chroot / true"))
    assert verify_row(pack, workspace=space, dangerous=True).status == "failed"
