"""The commit hook: run by git and pre-commit themselves, and without what running needs."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.cli.main import NEEDED_TO_RUN
from tests.support.output_documents import legacy, valid
from tests.support.repository import Repository

CHECKOUT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
MANIFEST = CHECKOUT / ".pre-commit-hooks.yaml"
BAD = valid(results__status="fine")

WITHOUT_EXTRA = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(NEEDED_TO_RUN)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refuse())
"""


def hook() -> Any:
    (only,) = yaml.safe_load(MANIFEST.read_text("utf-8"))
    return only


@pytest.fixture
def hooked(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in which pre-commit guards every commit with our hook, without a download."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(repo.top / ".git" / "pre-commit-cache"))
    local = hook() | {
        "language": "system",
        "entry": shlex.join([str(BIN / "assent"), *hook()["entry"].split()[1:]]),
    }
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    repo.stage(".pre-commit-config.yaml", yaml.safe_dump(config))
    repo.commit("Guard results")
    subprocess.run([BIN / "pre-commit", "install"], check=True, capture_output=True)
    return repo


def commit(repo: Repository, *args: str, at: str = ".") -> tuple[bool, str]:
    """Try to commit; whether it went through, and what was printed."""
    done = repo.git("-C", at, "commit", "-m", "work", *args, ok=False)
    return done.returncode == 0, done.stdout + done.stderr


def test_a_commit_with_a_bad_result_is_refused_and_a_good_one_passes(hooked: Repository) -> None:
    hooked.stage("outputs/arc/run.json", BAD)
    went_through, printed = commit(hooked)
    assert not went_through
    assert "outputs/arc/run.json: $.results.status: must be 'ok' or 'error'" in printed
    hooked.stage("outputs/arc/run.json", valid())
    went_through, printed = commit(hooked)
    assert went_through, printed
    assert "outputs/arc/run.json" in hooked.git("ls-tree", "-r", "--name-only", "HEAD").stdout


def test_a_commit_to_an_old_place_is_refused_until_the_file_was_migrated(
    hooked: Repository,
) -> None:
    hooked.stage("results/run.json", legacy())
    went_through, printed = commit(hooked)
    assert not went_through
    command = re.search(r"(assent outputs migrate .*)$", printed, re.MULTILINE)
    assert command is not None
    subprocess.run([BIN / "assent", *shlex.split(command[1])[1:]], check=True, capture_output=True)
    hooked.git("add", "--all")
    assert commit(hooked)[0]


def test_the_hook_sees_what_is_committed_however_that_was_said(hooked: Repository) -> None:
    hooked.stage("outputs/a.json", valid(metadata__run__id="a"))
    hooked.stage("outputs/b.json", valid(metadata__run__id="b"))
    assert commit(hooked)[0]
    hooked.write("outputs/a.json", BAD)
    assert not commit(hooked, "--all")[0]
    assert not commit(hooked, "--", "outputs/a.json")[0]
    hooked.write("outputs/b.json", valid(metadata__run__id="b", metadata__notes="again"))
    went_through, printed = commit(hooked, "--", "outputs/b.json")
    assert went_through, printed


def test_the_hook_works_from_a_subdirectory_and_in_a_second_work_tree(hooked: Repository) -> None:
    hooked.stage("outputs/arc/run.json", BAD)
    assert not commit(hooked, at="outputs/arc")[0]
    hooked.git("worktree", "add", "--quiet", "second", "-b", "second")
    second = hooked.top / "second"
    (second / "outputs").mkdir()
    (second / "outputs" / "good.json").write_bytes((hooked.write("x.json", valid())).read_bytes())
    hooked.git("-C", "second", "add", "outputs")
    went_through, printed = commit(hooked, at="second")
    assert went_through, printed
    (second / "outputs" / "good.json").write_text("{}")
    assert not commit(hooked, "--all", at="second")[0]


def test_a_commit_without_json_does_not_start_the_hook(hooked: Repository) -> None:
    hooked.stage("notes.txt", "nothing")
    went_through, printed = commit(hooked)
    assert went_through
    assert "no files to check" in printed


def test_pre_commit_accepts_the_manifest() -> None:
    command = [str(BIN / "pre-commit"), "validate-manifest", str(MANIFEST)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_hook_is_of_a_kind_that_installs_the_base_dependencies_only() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    base = {re.split(r"[\[<>=~!; ]", line)[0] for line in project["dependencies"]}
    assert hook()["language"] == "python"
    assert "additional_dependencies" not in hook()
    assert base & NEEDED_TO_RUN == set()
    assert hook()["entry"].split()[0] in project["scripts"]


def test_the_hook_runs_where_nothing_but_the_base_dependencies_can_be_imported(
    repo: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("site")
    (place / "sitecustomize.py").write_text(WITHOUT_EXTRA)
    environment = os.environ | {"PYTHONPATH": str(place)}
    command = [str(BIN / "assent"), *hook()["entry"].split()[1:]]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    probe = [sys.executable, "-c", "import pyarrow"]
    refused = subprocess.run(probe, env=environment, capture_output=True, check=False)
    assert refused.returncode == 1
    repo.stage("outputs/run.json", valid())
    assert (run().returncode, run().stderr) == (0, "")
    repo.stage("outputs/run.json", legacy())
    assert run().returncode == 1
    migrate = [command[0], "outputs", "migrate", "outputs/run.json"]
    assert (
        subprocess.run(migrate, env=environment, capture_output=True, check=False).returncode == 0
    )
