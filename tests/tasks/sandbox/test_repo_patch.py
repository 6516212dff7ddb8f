"""Patches on a repository that is built in the sandbox."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.repository import Repository, isolate_git
from tests.support.scored_rows import row, write_pack
from tests.support.verified import verify_row

pytestmark = pytest.mark.needs("bubblewrap")

FIX = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-A = 1\n+A = 2\n"
CHECK = ["python3", "-c", "import m; assert m.A == 2"]


class Origin:
    """A repository with a base commit, and things after it that nobody may see."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        top = folder / "origin"
        top.mkdir()
        self.repository = Repository(top)
        self.pack = folder / "p"
        (self.pack / "assets").mkdir(parents=True)
        self._commit({"old": "x\n"}, "before")
        self._commit({"m.py": "A = 1\n", **files}, "base")
        self.base = self._git("rev-parse", "HEAD")
        self._git("checkout", "-q", "-b", "future")
        self._commit({"m.py": "A = 2 # solved\n"}, "solved")
        self._git("tag", "release")
        self._git("checkout", "-q", "main")
        bundle = str(self.pack / "assets" / "r.bundle")
        self._git("bundle", "create", "-q", bundle, "HEAD", "main", "future", "release")

    def _commit(self, files: dict[str, str], message: str) -> None:
        for name, content in files.items():
            (self.repository.top / name).write_text(content)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", message)

    def _git(self, *words: str) -> str:
        return self.repository.git(*words).stdout.strip()

    def row(self, command: Any = CHECK, base: str | None = None, **tests: Any) -> Path:
        given = {"repo": "o/r", "base_commit": base or self.base, "instructions": "fix"}
        checks = {"source": "command", "command": command, **tests}
        environment = {"repository": "r.bundle"}
        made = row("repo_patch", input=given, eval={"tests": checks}, environment=environment)
        return write_pack(self.pack, made)


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Origin:
    isolate_git(monkeypatch, tmp_path)
    hostile = {".gitattributes": "* filter=evil diff=evil merge=evil\n"}
    return Origin(tmp_path, hostile)


def test_a_patch_that_mends_it_passes_and_another_fails(origin: Origin) -> None:
    assert verify_row(origin.row(), patch=FIX).status == "passed"
    wrong = verify_row(origin.row(), patch=FIX.replace("+A = 2", "+A = 3"))
    assert (wrong.status, wrong.reason, wrong.phase) == ("failed", "tests_failed", "checks")


def test_a_command_may_be_a_text_for_the_shell(origin: Origin) -> None:
    assert verify_row(
        origin.row("grep -qx 'A = 2' m.py && pwd | grep -qx /testbed"), patch=FIX
    ).passed


def test_nothing_after_the_base_commit_can_be_found(origin: Origin) -> None:
    script = """
set -e
test "$(git rev-list --all | wc -l)" = 3
git log --format=%s | grep -qx before
! git log --all --format=%s | grep -q solved
test -z "$(git tag)$(git stash list)$(git remote)"
test "$(git branch --format='%(refname:short)')" = main
! git fsck --unreachable --no-reflogs 2>&1 | grep -q unreachable
! git cat-file --batch-all-objects --batch | grep -qa solved
test -z "$(find .git/logs -type f 2>/dev/null)"
test ! -e .git/FETCH_HEAD && test ! -e .git/ORIG_HEAD
test -z "$(find / -name '*.bundle' -not -path '/proc/*' 2>/dev/null)"
test -z "$(ls -A /tmp)"
"""
    result = verify_row(origin.row(["sh", "-c", script]), patch=FIX)
    assert result.status == "passed", result


def test_another_base_commit_than_the_rows_is_told(origin: Origin) -> None:
    result = verify_row(origin.row(base="f" * 40), patch=FIX)
    assert (result.status, result.reason) == ("failed", "base_commit_mismatch")
    assert result.phase == "base_commit"


def test_a_patch_that_does_not_fit_fails_in_its_phase(origin: Origin) -> None:
    result = verify_row(origin.row(), patch=FIX.replace("-A = 1", "-A = 7"))
    assert (result.status, result.phase) == ("failed", "candidate_patch")


def test_a_denied_path_is_refused_with_the_policy(origin: Origin) -> None:
    result = verify_row(origin.row(), patch=FIX.replace("m.py", "tests/m.py"))
    assert (result.status, result.phase) == ("failed", "candidate_policy")


def _added(name: str, content: str) -> str:
    return (
        f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n"
        f"@@ -0,0 +1 @@\n+{content}\n"
    )


def test_setup_and_test_patches_are_applied_around_the_candidate(origin: Origin) -> None:
    tests = {"setup_patch": _added("s.py", "B = 2"), "test_patch": _added("t.py", "import m, s")}
    command = ["python3", "-c", "import t; assert t.m.A == t.s.B"]
    assert verify_row(origin.row(command, **tests), patch=FIX).status == "passed"


@pytest.mark.parametrize("kind", ["setup_patch", "test_patch"])
def test_a_patch_of_the_pack_that_does_not_fit_is_the_packs_fault(
    origin: Origin, kind: str
) -> None:
    result = verify_row(origin.row(**{kind: FIX.replace("-A = 1", "-A = 7")}), patch=FIX)
    assert (result.status, result.phase) == ("error", kind)


def test_a_test_patch_that_the_candidate_spoilt_is_the_candidates_fault(origin: Origin) -> None:
    result = verify_row(
        origin.row(test_patch=_added("t.py", "x")), patch=FIX + _added("t.py", "mine")
    )
    assert (result.status, result.phase) == ("failed", "test_patch")


def test_a_hook_or_filter_of_the_users_own_git_is_not_run(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text('[filter "evil"]\n\tclean = touch /tmp/ran\n\tsmudge = touch /tmp/ran\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert verify_row(origin.row(["test", "!", "-e", "/tmp/ran"]), patch=FIX).status == "passed"


def test_git_works_there_without_settings_of_the_user(origin: Origin) -> None:
    command = "git commit -q -a -m mine && git log -1 --format=%s | grep -qx mine"
    assert verify_row(origin.row(command), patch=FIX).status == "passed"


def test_a_broken_bundle_is_the_packs_fault(origin: Origin) -> None:
    pack = origin.row()
    (pack / "assets" / "r.bundle").write_bytes(b"no bundle")
    result = verify_row(pack, patch=FIX)
    assert (result.status, result.phase) == ("error", "base_commit")


def test_without_a_repository_a_row_cannot_be_verified(tmp_path: Path) -> None:
    result = verify_row(write_pack(tmp_path / "p", row("repo_patch")), patch=FIX)
    assert (result.status, result.reason) == ("error", "missing_repository")


def test_a_binary_patch_is_applied_byte_by_byte(origin: Origin) -> None:
    top = origin.repository.top
    (top / "logo.bin").write_bytes(bytes(range(256)))
    origin.repository.git("add", "-A")
    patch = subprocess.run(
        ["git", "diff", "--cached", "--binary"], cwd=top, capture_output=True, check=True, text=True
    ).stdout
    check = ["python3", "-c", "assert open('logo.bin','rb').read() == bytes(range(256))"]
    assert verify_row(origin.row(check), patch=patch).status == "passed"
