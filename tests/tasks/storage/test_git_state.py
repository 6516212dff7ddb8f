"""State of the repository around a run."""

import subprocess
from pathlib import Path

import pytest

from schemas.run import Destination
from tasks.storage.places import RunPlaces, relative
from tasks.storage.repository import git_state


def git(*args: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one committed file, as the current directory."""
    monkeypatch.chdir(tmp_path)
    Path("code.py").write_text("1")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    return tmp_path


def is_dirty(*ignored: str) -> bool | None:
    state = git_state(ignored)
    assert state is not None
    return state.dirty


def test_a_committed_tree_is_clean(repository: Path) -> None:
    state = git_state([])
    assert state is not None
    assert (len(state.commit or ""), state.dirty) == (40, False)
    assert repository == Path.cwd()


def test_a_changed_file_makes_it_dirty_and_an_untracked_one_does_not(repository: Path) -> None:
    (repository / "new.py").write_text("1")
    assert is_dirty() is False
    (repository / "code.py").write_text("2")
    assert is_dirty() is True


def test_an_ignored_name_is_no_pattern(repository: Path) -> None:
    (repository / "code.py").write_text("2")
    assert is_dirty("*", "code?py", "[c]ode.py") is True


def test_without_a_commit_there_is_no_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    assert git_state([]) is None


def test_without_git_there_is_no_state(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository / "empty"))
    assert git_state([]) is None


def test_a_failing_status_leaves_dirtiness_open(repository: Path) -> None:
    (repository / ".git" / "index").write_bytes(b"broken")
    assert is_dirty() is None


@pytest.mark.parametrize(
    ("root", "home", "own"),
    [
        (".", ".assent", [".assent", "evaluations", "outputs", "studies"]),
        ("out", "out/home", ["out/home", "out/evaluations", "out/outputs", "out/studies"]),
        ("..", "../home", []),
        ("..odd", ".", ["..odd/evaluations", "..odd/outputs", "..odd/studies"]),
    ],
)
def test_only_directories_below_the_current_one_are_our_own(
    root: str, home: str, own: list[str]
) -> None:
    places = RunPlaces(Destination(output_dir=root), "b", "r")
    assert places.own_directories(Path(home)) == own


def test_written_files_are_named_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert relative(work / "a" / "b.json") == "a/b.json"
    assert relative(Path("..odd/b.json")) == "..odd/b.json"
    assert relative(tmp_path / "b.json") == str(tmp_path / "b.json")
