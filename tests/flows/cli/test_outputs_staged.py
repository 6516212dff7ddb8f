"""`assent outputs check --staged`: what the next commit would bring."""

import os
from pathlib import Path
from typing import Any

import pytest

from schemas.output import SCHEMA_PATH
from schemas.published import generate
from tests.support.command import Assent, Ran
from tests.support.output_documents import legacy, valid
from tests.support.repository import Repository, isolate_git


def bad(name: str = "bad") -> Any:
    return valid(results__status="fine", metadata__run__id=name)


def check(assent: Assent, *options: str) -> Ran:
    return assent("outputs", "check", "--staged", "--format", "json", *options)


def files(ran: Ran) -> list[str]:
    return [error["file"] for error in ran.json["errors"]]


@pytest.mark.parametrize("has_commit", [False, True], ids=["before the first commit", "later"])
def test_the_staged_content_counts_and_not_the_file(
    assent: Assent, repo: Repository, has_commit: bool
) -> None:
    if has_commit:
        repo.commit()
    repo.stage("outputs/mended.json", bad("mended"))
    repo.write("outputs/mended.json", valid())
    repo.stage("outputs/spoilt.json", valid(metadata__run__id="spoilt"))
    repo.write("outputs/spoilt.json", bad())
    repo.write("outputs/untracked.json", bad())
    ran = check(assent)
    assert (ran.code, ran.json["checked"], files(ran)) == (1, 2, ["outputs/mended.json"])


def test_a_subdirectory_sees_the_whole_commit(
    assent: Assent, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.stage("outputs/bad.json", bad())
    (repo.top / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(repo.top / "deep" / "er")
    assert files(check(assent)) == ["outputs/bad.json"]


def test_only_what_the_commit_adds_or_changes_is_checked(assent: Assent, repo: Repository) -> None:
    repo.stage("outputs/old.json", bad("old"))
    repo.stage("outputs/changed.json", bad("changed"))
    repo.commit()
    repo.stage("outputs/changed.json", bad("changed again"))
    repo.stage("outputs/log.txt", "{")
    assert files(check(assent)) == ["outputs/changed.json"]


def test_removing_a_file_is_always_fine(assent: Assent, repo: Repository) -> None:
    repo.stage("results/old.json", valid())
    repo.stage("outputs/bad.json", bad())
    repo.commit()
    repo.git("rm", "--quiet", "results/old.json", "outputs/bad.json")
    ran = check(assent)
    assert (ran.code, ran.json["checked"]) == (0, 0)


def test_a_renamed_or_copied_file_is_checked_at_its_new_place(
    assent: Assent, repo: Repository
) -> None:
    repo.git("config", "diff.renames", "copies")
    repo.stage("drafts/a.json", bad())
    repo.stage("drafts/b.json", bad("b"))
    repo.commit()
    (repo.top / "outputs").mkdir()
    repo.git("mv", "drafts/a.json", "outputs/renamed.json")
    repo.stage("outputs/copied.json", bad("b"))
    assert files(check(assent)) == ["outputs/copied.json", "outputs/renamed.json"]


def test_an_old_place_fails_with_the_way_out(assent: Assent, repo: Repository) -> None:
    repo.stage("results/run.json", valid())
    ran = check(assent)
    assert ran.code == 1
    (error,) = ran.json["errors"]
    assert error["code"] == "deprecated_path"
    assert "outputs/arc/r1.json" in error["fix"]
    assert "assent outputs migrate --move results/run.json" in error["fix"]


def test_what_lay_in_an_old_place_before_may_be_allowed_to_stay(
    assent: Assent, repo: Repository
) -> None:
    repo.stage("results/stays.json", valid())
    repo.stage("results/moves.json", legacy())
    repo.commit()
    repo.stage("results/stays.json", valid(metadata__notes="changed"))
    repo.stage("results/new.json", valid(metadata__run__id="new"))
    repo.git("mv", "results/moves.json", "results/moved.json")
    assert files(check(assent)) == [f"results/{n}.json" for n in ("moved", "new", "stays")]
    ran = check(assent, "--allow-existing")
    assert (ran.code, files(ran)) == (1, ["results/moved.json", "results/new.json"])
    warned = [w["file"] for w in ran.json["warnings"] if w["code"] == "deprecated_path"]
    assert warned == ["results/stays.json"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (valid(), ["unrecognised_path"]),
        (legacy(), ["unrecognised_path"]),
        ({"name": "a package"}, []),
        ("{ broken", []),
    ],
    ids=["v1", "old shape", "something else", "no JSON"],
)
def test_a_result_in_an_unknown_place_gets_a_remark(
    assent: Assent, repo: Repository, content: Any, expected: list[str]
) -> None:
    repo.stage("drafts/a.json", content)
    ran = check(assent)
    assert (ran.code, ran.json["checked"]) == (0, 0)
    assert [w["code"] for w in ran.json["warnings"]] == expected


def test_links_and_submodules_are_passed_over(assent: Assent, repo: Repository) -> None:
    repo.write("data.json", bad())
    (repo.top / "outputs").mkdir()
    Path("outputs/link.json").symlink_to("../data.json")
    repo.git("add", "outputs/link.json")
    module = "160000,1234567890123456789012345678901234567890,outputs/module.json"
    repo.git("update-index", "--add", "--cacheinfo", module)
    repo.stage("outputs/good.json", valid())
    ran = check(assent)
    assert (ran.code, ran.json["checked"]) == (0, 1)


def test_a_link_that_becomes_a_file_is_checked(assent: Assent, repo: Repository) -> None:
    (repo.top / "outputs").mkdir()
    Path("outputs/a.json").symlink_to("nowhere")
    repo.git("add", "outputs/a.json")
    repo.commit()
    Path("outputs/a.json").unlink()
    repo.stage("outputs/a.json", bad())
    assert files(check(assent)) == ["outputs/a.json"]


def test_any_name_can_be_staged(assent: Assent, repo: Repository) -> None:
    names = ["outputs/ü ñ 数.json", 'outputs/"quo\\te".json', os.fsdecode(b"outputs/\xff.json")]
    for i, name in enumerate(names):
        repo.stage(name, bad(str(i)))
    repo.stage("outputs/line\nfeed.json", valid(metadata__run__id="feed"))
    ran = check(assent)
    assert sorted(files(ran)) == sorted(names)
    assert [w["file"] for w in ran.json["warnings"]] == ["outputs/line\nfeed.json"]
    assert assent("outputs", "check", "--staged").code == 1


def test_run_ids_are_compared_among_staged_files(assent: Assent, repo: Repository) -> None:
    repo.stage("outputs/committed.json", valid())
    repo.commit()
    repo.stage("outputs/a.json", valid())
    assert check(assent).code == 0
    repo.stage("outputs/b.json", valid())
    ran = check(assent)
    assert [(e["file"], e["code"]) for e in ran.json["errors"]] == [
        ("outputs/b.json", "duplicate_run_id")
    ]


def test_a_changed_schema_has_every_result_checked_again(assent: Assent, repo: Repository) -> None:
    repo.stage("outputs/committed.json", bad("committed"))
    repo.stage("benchmarks/x/results/old.json", bad("old"))
    repo.stage("results/deprecated.json", bad("deprecated"))
    repo.commit()
    repo.stage("outputs/staged.json", bad("staged"))
    repo.write("outputs/untracked.json", bad("untracked"))
    repo.stage(SCHEMA_PATH, generate("output-v1"))
    ran = check(assent)
    assert (ran.code, ran.json["checked"]) == (1, 3)
    assert files(ran) == [
        "benchmarks/x/results/old.json",
        "outputs/committed.json",
        "outputs/staged.json",
    ]


@pytest.mark.parametrize(
    ("content", "code"), [({"type": "strin"}, "invalid_schema"), ("{", "invalid_json")]
)
def test_a_schema_that_is_none_is_refused(
    assent: Assent, repo: Repository, content: Any, code: str
) -> None:
    repo.stage(SCHEMA_PATH, content)
    ran = check(assent)
    assert (ran.code, [(e["file"], e["code"]) for e in ran.json["errors"]]) == (
        1,
        [(SCHEMA_PATH, code)],
    )


def test_a_merge_that_is_not_decided_yet_does_not_confuse_the_check(
    assent: Assent, repo: Repository
) -> None:
    repo.stage("outputs/a.json", valid())
    repo.commit()
    repo.git("checkout", "--quiet", "-b", "other")
    repo.stage("outputs/a.json", bad("theirs"))
    repo.commit()
    repo.git("checkout", "--quiet", "main")
    repo.stage("outputs/a.json", bad("ours"))
    repo.commit()
    assert repo.git("merge", "other", ok=False).returncode == 1
    repo.stage(SCHEMA_PATH, generate("output-v1"))
    ran = check(assent)
    assert (ran.code, ran.json["checked"]) == (0, 0)


def test_there_has_to_be_a_work_tree(
    assent: Assent, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate_git(monkeypatch, here)
    ran = check(assent)
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "no_repository")
    assert "not a git repository" in ran.json["errors"][0]["message"]
    Repository(here).git("config", "core.bare", "true")
    ran = check(assent)
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "no_repository")


def test_content_that_git_has_lost_is_said_in_one_line(assent: Assent, repo: Repository) -> None:
    repo.stage("outputs/a.json", valid())
    for file in (repo.top / ".git" / "objects").glob("??/*"):
        file.unlink()
    ran = assent("outputs", "check", "--staged")
    assert (ran.code, ran.out, len(ran.lines)) == (2, "", 1)
    assert "lost" in ran.err


def test_paths_and_the_index_exclude_each_other(assent: Assent, repo: Repository) -> None:
    ran = check(assent, "outputs")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "usage")


def test_a_hundred_staged_files_are_checked_at_once(assent: Assent, repo: Repository) -> None:
    for i in range(100):
        repo.write(f"outputs/arc/run-{i:03}.json", valid(metadata__run__id=f"run-{i}"))
    repo.git("add", "outputs")
    ran = check(assent, "--fail-on-empty")
    assert (ran.code, ran.json["checked"]) == (0, 100)
