"""Patches: which paths they touch, and which they may. Ids carry the rule they show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, judge
from tasks.packs.verifiers.patch_parsing import NotCanonical, parse_patch
from tasks.packs.verifiers.patch_policy import PathPolicy, decide, is_denied, matches
from tests.support.scored_rows import compiled, row


def change(path: str, body: str = "@@ -1 +1 @@\n-a\n+b\n") -> str:
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{body}"


PATHS = {
    "s7.5-plain": (change("m.py"), {"m.py"}),
    "s7.5-two-files": (change("a") + change("b/c"), {"a", "b/c"}),
    "s7.5-blank-lines-before": ("\n \n" + change("a"), {"a"}),
    "s7.5-quoted": ('diff --git "a/\\303\\244\\t.py" "b/\\303\\244\\t.py"\n', {"ä\t.py"}),
    "s7.5-quoted-quote": ('diff --git "a/\\"x\\\\" "b/\\"x\\\\"\n', {'"x\\'}),
    "s7.5-rename": (
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
        {"old", "new"},
    ),
    "FIX-21-copy": ("diff --git a/x b/y\ncopy from x\ncopy to y\n", {"x", "y"}),
    "s7.5-new-file": (
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
        {"n"},
    ),
    "FIX-21-header-like-lines-in-a-hunk": (
        change("q.sql", "@@ -1,3 +1,3 @@\n--- a/tests/x\n+++ b/tests/x\n-rename from y\n+z\n c\n"),
        {"q.sql"},
    ),
    "FIX-21-diff-line-in-a-hunk": (
        change("d.txt", "@@ -1,2 +1,2 @@\n diff --git a/t b/t\n-x\n+y\n"),
        {"d.txt"},
    ),
    "FIX-21-default-count": (change("m", "@@ -1 +1 @@ def f\n--- x\n+++ y\n"), {"m"}),
    "s7.5-other-file-lines": (
        "diff --git a/x b/x\n--- a/tests/y\t2020-01-01\n+++ b/x\n",
        {"x", "tests/y"},
    ),
    "s17-7.5-equal-names-with-spaces": ("diff --git a/x y.py b/x y.py\n", {"x y.py"}),
    "s17-7.5-names-from-other-lines": (
        "diff --git a/x y b/z w\nrename from x y\nrename to z w\n",
        {"x y", "z w"},
    ),
}


@pytest.mark.parametrize(("patch", "paths"), PATHS.values(), ids=PATHS)
def test_headers_name_the_paths(patch: str, paths: set[str]) -> None:
    sections = parse_patch(patch)
    assert set().union(*(section.paths for section in sections)) == paths
    assert "".join(section.text for section in sections).strip() == patch.strip()


NOT_CANONICAL = {
    "s7.5-text-before": "Here is the patch:\n" + change("a"),
    "s7.5-no-section": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "s7.5-one-name": "diff --git a/x\n",
    "s7.5-other-prefixes": "diff --git x/a y/a\n",
    "s7.5-no-prefix": "diff --git m.py m.py\n",
    "s7.5-file-without-header": change("a") + "--- a/tests/t\n+++ b/tests/t\n@@ -1 +1 @@\n-a\n+b\n",
    "s17-7.5-names-that-nobody-says": "diff --git a/x y b/z w\n",
    "s7.5-half-a-quote": 'diff --git "a/x b/x\n',
}


@pytest.mark.parametrize("patch", NOT_CANONICAL.values(), ids=NOT_CANONICAL)
def test_a_patch_whose_paths_are_uncertain_is_refused(patch: str) -> None:
    with pytest.raises(NotCanonical):
        parse_patch(patch)
    assert decide(patch, PathPolicy()).reason == "noncanonical_candidate_patch"


def test_the_source_of_a_copy_does_not_change() -> None:
    (section,) = parse_patch("diff --git a/x b/y\ncopy from x\ncopy to y\n")
    assert section.changed == {"y"}


OPEN = PathPolicy()
DENIED = [
    pytest.param("src/m.py", OPEN, False, id="s7.5-ordinary"),
    pytest.param("/etc/passwd", OPEN, True, id="s7.5-absolute"),
    pytest.param("src/../x", OPEN, True, id="s7.5-dotdot"),
    pytest.param("securebench/x", PathPolicy((), ("**",)), True, id="s7.5-securebench-always"),
    pytest.param("sub/.git/hooks/x", PathPolicy((), ("**",)), True, id="FIX-22-git-directory"),
    pytest.param(".GIT/config", OPEN, True, id="FIX-22-git-in-any-case"),
    pytest.param("lib/x.py", PathPolicy(("src",)), True, id="s7.5-outside-allow-paths"),
    pytest.param("src/a/b.py", PathPolicy(("src/",)), False, id="s7.5-directory-prefix"),
    pytest.param("srcs/a.py", PathPolicy(("src",)), True, id="s7.5-prefix-is-a-directory"),
    pytest.param("tests/t.py", PathPolicy(("src",), ("tests",)), True, id="s7.5-not-rescued"),
    pytest.param("tests/t.py", PathPolicy((), ("tests",)), False, id="s7.5-sensitive-allowed"),
    pytest.param("a/tests/t.py", OPEN, True, id="s7.5-any-segment"),
    pytest.param("A/TESTS/t.py", OPEN, True, id="s7.5-lower-cased"),
    pytest.param(".github/w.yml", OPEN, True, id="s7.5-first-segment"),
    pytest.param("x/ci/y", OPEN, False, id="s7.5-first-segment-only"),
    pytest.param("sub/setup.py", OPEN, True, id="s7.5-file-name"),
    pytest.param("pytest.ini", OPEN, True, id="s7.5-prefix"),
    pytest.param("run.sh", OPEN, True, id="s7.5-suffix"),
    pytest.param("a/site.pth", OPEN, True, id="s17-7.5-late-names"),
    pytest.param("Makefile", OPEN, True, id="s7.5-target-adds"),
    pytest.param("Makefile", PathPolicy(profile="compat"), False, id="s7.5-compat-names"),
    pytest.param("src/test_x.py", OPEN, True, id="s7.5-target-adds-prefix"),
    pytest.param("src/latest_x.py", OPEN, False, id="s7.5-prefix-of-the-name-only"),
]


@pytest.mark.parametrize(("path", "policy", "denied"), DENIED)
def test_paths_are_denied(path: str, policy: PathPolicy, denied: bool) -> None:
    assert is_denied(path, policy) is denied


GLOBS = [
    pytest.param("src/*.py", "src/a.py", True, id="FIX-23-star"),
    pytest.param("src/*.py", "src/a/b.py", False, id="FIX-23-star-stays-in-a-segment"),
    pytest.param("src/?.py", "src//.py", False, id="FIX-23-question-mark"),
    pytest.param("src/**/b.py", "src/x/y/b.py", True, id="FIX-23-two-stars"),
    pytest.param("src/**/b.py", "src/b.py", True, id="FIX-23-two-stars-span-nothing"),
    pytest.param("**", "a/b/c", True, id="FIX-23-everything"),
    pytest.param("**/t", "a/t/c", False, id="FIX-23-whole-path"),
    pytest.param("a[1].py", "a[1].py", True, id="FIX-23-literal-brackets"),
    pytest.param("a[1].py", "a1.py", True, id="FIX-23-class"),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), GLOBS)
def test_patterns_match(pattern: str, path: str, expected: bool) -> None:
    assert matches(path, [pattern]) is expected


def test_compat_globs_cross_segments_fix_23() -> None:
    assert matches("src/a/b.py", ["src/*.py"], "compat")


@pytest.mark.parametrize("mode", ["120000", "160000"])
@pytest.mark.parametrize("line", ["new file mode", "new mode"])
def test_links_and_submodules_need_leave_fix_22(line: str, mode: str) -> None:
    patch = f"diff --git a/l b/l\n{line} {mode}\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+t\n"
    refused = decide(patch, PathPolicy())
    assert (refused.reason, refused.denied) == ("candidate_patch_policy_violation", ("l",))
    assert decide(patch, PathPolicy((), ("l",))).reason is None


def test_preserved_sections_are_dropped_s7_5() -> None:
    patch = change("src/a") + change("tests/t") + change("src/b")
    policy = PathPolicy(patch_preserved_paths=("tests",))
    decision = decide(patch, policy)
    assert decision.reason is None
    assert decision.changed == {"src/a", "src/b"}
    assert decision.patch == change("src/a") + change("src/b")
    assert decide(change("tests/t"), policy).reason == "empty_filtered_candidate_patch"


def test_without_a_sandbox_the_policy_still_refuses() -> None:
    task = compiled(row("repo_patch"))
    refused = judge(task, Candidate("patch", change("tests/t.py")), Judging())
    assert (refused.status, refused.phase) == ("failed", "candidate_policy")
    assert refused.metadata == {"denied_paths": ["tests/t.py"]}
    allowed = judge(task, Candidate("patch", change("m.py")), Judging())
    assert (allowed.status, allowed.reason) == ("error", "sandbox_unavailable")


@pytest.mark.parametrize("late", [True, False])
def test_the_policy_may_stand_in_either_place_s13(late: bool) -> None:
    tests = {"source": "command", "command": ["true"]}
    policy = {"allow_paths": ["src"]}
    evaluation = (
        {"tests": tests, "candidate_policy": policy}
        if late
        else {"tests": tests | {"candidate_policy": policy}}
    )
    task = compiled(row("repo_patch", eval=evaluation))
    assert judge(task, Candidate("patch", change("m.py")), Judging()).phase == "candidate_policy"


HOSTILE = {
    "headers": "diff --git a/x b/x\n" * 50_000,
    "one long header": "diff --git a/" + "x " * 500_000,
    "quotes": 'diff --git "a/' + "\\" * 1_000_000,
    "hunks": change("x", "@@ -1 +1 @@\n" * 80_000),
    "minus": change("x", "@@ -1,1000000 +1 @@\n" + "-\n" * 500_000),
}


@pytest.mark.parametrize("patch", HOSTILE.values(), ids=[f"FIX-13-patch-{n}" for n in HOSTILE])
def test_a_hostile_patch_is_decided(patch: str) -> None:
    decide(patch, PathPolicy(("src/**/x",), ("**/*a*a*a*b",)))


@given(st.text())
def test_any_text_is_decided(patch: str) -> None:
    decide(patch, PathPolicy())
    decide(f"diff --git a/x b/x\n{patch}", PathPolicy(("x",)))
