"""`assent outputs check` over a tree, and over what a user names."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Assent
from tests.support.output_documents import legacy, valid
from tests.support.repository import Repository, isolate_git, obey_permissions, write_file

ASSENT = str(Path(sys.executable).parent / "assent")


def run_id(name: str) -> Any:
    return valid(metadata__run__id=name)


def codes(report: Any) -> set[tuple[str, str]]:
    return {(error["file"], error["code"]) for error in report["errors"]}


def test_a_tree_is_red_for_what_is_bad_old_or_misplaced_and_for_nothing_else(
    assent: Assent, repo: Repository
) -> None:
    repo.write("outputs/arc/good.json", run_id("good"))
    repo.write("benchmarks/arc/results/fine.json", run_id("fine"))
    repo.write("outputs/arc/bad.json", valid(results__status="fine", metadata__run__id="bad"))
    repo.write("outputs/arc/old.json", {"scores": {}, "details": {}})
    repo.write("results/run.json", run_id("moved"))
    repo.write("experiments/metrics.json", legacy())
    repo.write("outputs/schemas/benchmark_schema.json", "not looked at")
    repo.write("conf/settings.json", "not looked at")
    repo.write("outputs/arc/log.jsonl", "not looked at")
    ran = assent("outputs", "check", "--format", "json")
    assert ran.code == 1
    assert ran.json["checked"] == 6
    assert codes(ran.json) == {
        ("experiments/metrics.json", "deprecated_path"),
        ("outputs/arc/bad.json", "enum"),
        ("outputs/arc/old.json", "required"),
        ("outputs/arc/old.json", "additional_property"),
        ("results/run.json", "deprecated_path"),
    }
    assert [e["file"] for e in ran.json["errors"]] == sorted(e["file"] for e in ran.json["errors"])
    assert [(w["file"], w["code"]) for w in ran.json["warnings"]] == [
        ("outputs/arc/old.json", "legacy_shape")
    ]


def test_a_good_tree_is_one_line_on_stdout(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/arc/good.json", valid())
    ran = assent("outputs", "check")
    assert (ran.code, ran.out, ran.err) == (0, "1 files checked, no errors\n", "")


def test_findings_are_lines_on_stderr_that_say_what_to_do(assent: Assent, repo: Repository) -> None:
    repo.write("results/it's/run.json", valid())
    ran = assent("outputs", "check")
    assert (ran.code, ran.out) == (1, "")
    assert ran.lines == [
        "results/it's/run.json: $: results no longer live here. Fix: move it to "
        "outputs/arc/r1.json: assent outputs migrate --move 'results/it'\"'\"'s/run.json'",
        "1 errors in 1 files checked against outputs/schemas/benchmark_schema.json",
    ]


def test_a_place_is_not_promised_when_it_cannot_be_known(assent: Assent, repo: Repository) -> None:
    repo.write("results/run.json", "{")
    (error,) = assent("outputs", "check", "--format", "json").json["errors"]
    assert error["fix"].startswith("mend it first (")
    assert error["fix"].endswith("then assent outputs migrate --move results/run.json")


def test_a_directory_means_the_results_below_it(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/arc/bad.json", {})
    repo.write("outputs/arc/conf.txt", "{}")
    repo.write("outputs/schemas/any.json", "not looked at")
    repo.write("outputs/other/bad.json", {})
    repo.write("results/old.json", valid())
    ran = assent("outputs", "check", "outputs/arc", "results", "outputs/schemas", "--format=json")
    assert ran.json["checked"] == 2
    assert {file for file, _ in codes(ran.json)} == {"outputs/arc/bad.json", "results/old.json"}


def test_a_named_file_elsewhere_is_checked_with_a_remark(assent: Assent, repo: Repository) -> None:
    repo.write("drafts/run.json", valid())
    ran = assent("outputs", "check", "drafts/run.json", "--format", "json")
    assert (ran.code, ran.json["checked"], ran.json["errors"]) == (0, 1, [])
    assert [w["code"] for w in ran.json["warnings"]] == ["unrecognised_path"]
    below = assent("outputs", "check", "drafts", "--format", "json")
    assert (below.json["checked"], below.json["warnings"]) == (0, [])


def test_a_file_that_is_named_and_found_counts_once(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/a.json", valid())
    ran = assent("outputs", "check", "outputs/a.json", "outputs", "./outputs/a.json")
    assert (ran.code, ran.out) == (0, "1 files checked, no errors\n")


def test_the_schema_file_is_meta_validated_when_named(assent: Assent, repo: Repository) -> None:
    place = "outputs/schemas/benchmark_schema.json"
    repo.write(place, {"type": "strin"})
    ran = assent("outputs", "check", place, "--format", "json")
    assert (ran.code, ran.json["checked"]) == (1, 0)
    assert codes(ran.json) == {(place, "invalid_schema")}


@pytest.mark.parametrize(
    ("arrange", "reason"),
    [
        ("missing", "no such file"),
        ("pipe", "is not a regular file"),
        ("loop", "cannot be read: Too many levels of symbolic links"),
        ("link out", "is a link that leads out of the repository"),
        ("linked folder", "is a link that leads out of the repository"),
        ("file in a linked folder", "is a link that leads out of the repository"),
        ("folder outside", "is a directory outside the repository"),
    ],
)
def test_a_named_path_that_cannot_be_read_is_exit_2_and_the_others_are_checked(
    assent: Assent,
    repo: Repository,
    tmp_path_factory: pytest.TempPathFactory,
    arrange: str,
    reason: str,
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_file(elsewhere / "x.json", {})
    repo.write("outputs/bad.json", {})
    name = "outputs/x.json"
    match arrange:
        case "pipe":
            os.mkfifo(name)
        case "loop":
            Path(name).symlink_to("x.json")
        case "link out":
            Path(name).symlink_to(elsewhere / "x.json")
        case "linked folder" | "file in a linked folder":
            Path("outputs/out").symlink_to(elsewhere)
            name = "outputs/out" if arrange == "linked folder" else "outputs/out/x.json"
        case "folder outside":
            name = str(elsewhere)
    ran = assent("outputs", "check", name, "outputs/bad.json", "--format", "json")
    assert (ran.code, ran.json["checked"]) == (2, 1)
    assert codes(ran.json) == {(name, "unreadable"), ("outputs/bad.json", "required")}
    assert reason in [e["message"] for e in ran.json["errors"]]


def test_a_walk_passes_over_pipes_links_out_and_folders_of_tools(
    assent: Assent, repo: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_file(elsewhere / "x.json", {})
    repo.write("outputs/good.json", valid())
    os.mkfifo("outputs/pipe.json")
    Path("outputs/out.json").symlink_to(elsewhere / "x.json")
    Path("outputs/dangling.json").symlink_to("nowhere")
    Path("outputs/folder").symlink_to(elsewhere)
    Path("outputs/again.json").symlink_to("good.json")
    for folder in (".venv", "node_modules", "deep/node_modules", ".git"):
        repo.write(f"{folder}/x/output.json", {})
    ran = assent("outputs", "check", "--format", "json")
    assert (ran.code, ran.json["checked"], ran.json["errors"]) == (0, 1, [])


def test_a_link_to_a_file_that_is_not_checked_by_itself_is_followed(
    assent: Assent, repo: Repository
) -> None:
    repo.write("data/real.json", {})
    repo.write("outputs/good.json", valid())
    Path("outputs/link.json").symlink_to("../data/real.json")
    Path("latest").symlink_to("outputs")
    ran = assent("outputs", "check", "latest", "--format", "json")
    assert ran.json["checked"] == 2
    assert codes(ran.json) == {("outputs/link.json", "required")}


def test_what_cannot_be_read_is_said_and_the_rest_is_checked(repo: Repository) -> None:
    repo.write("outputs/locked.json", valid()).chmod(0)
    repo.write("outputs/shut/x.json", valid()).parent.chmod(0)
    repo.write("private/x.json", valid()).parent.chmod(0)
    repo.write("outputs/good.json", run_id("other"))
    done = subprocess.run(
        [ASSENT, "outputs", "check", "--format", "json"],
        preexec_fn=obey_permissions,
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["checked"]) == (2, 1)
    assert [(e["file"], e["code"], e["message"]) for e in report["errors"]] == [
        ("outputs/locked.json", "unreadable", "no permission to read it"),
        ("outputs/shut", "unreadable", "cannot be listed: Permission denied"),
    ]


def test_nothing_to_check_is_fine_unless_it_must_not_be(assent: Assent, repo: Repository) -> None:
    assert assent("outputs", "check").code == 0
    ran = assent("outputs", "check", "--fail-on-empty", "--format", "json")
    assert (ran.code, [e["code"] for e in ran.json["errors"]]) == (2, ["empty"])
    repo.write("outputs/a.json", valid())
    assert assent("outputs", "check", "--fail-on-empty").code == 0


def test_a_generic_name_is_a_warning_or_with_strict_names_an_error(
    assent: Assent, repo: Repository
) -> None:
    repo.write("outputs/arc/results.json", valid())
    assert assent("outputs", "check").code == 0
    lenient = assent("outputs", "check", "--format", "json").json
    assert [w["code"] for w in lenient["warnings"]] == ["generic_name"]
    strict = assent("outputs", "check", "--strict-names", "--format", "json")
    assert (strict.code, codes(strict.json), strict.json["warnings"]) == (
        1,
        {("outputs/arc/results.json", "generic_name")},
        [],
    )


def test_lax_lets_unknown_keys_pass_with_a_warning(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/a.json", valid(metadata__model__size=1))
    assert assent("outputs", "check").code == 1
    ran = assent("outputs", "check", "--lax", "--format", "json")
    assert (ran.code, [w["code"] for w in ran.json["warnings"]]) == (0, ["additional_property"])


def test_errors_of_a_file_are_cut_and_counted(assent: Assent, repo: Repository) -> None:
    many = {f"m{i:03}": "text" for i in range(60)}
    repo.write("outputs/a.json", valid(results__metrics=many))
    repo.write("outputs/b.json", {})
    ran = assent("outputs", "check", "--format", "json")
    assert (ran.json["total_errors"], len(ran.json["errors"])) == (61, 51)
    few = assent("outputs", "check", "--max-errors", "2")
    assert (few.code, len(few.lines)) == (1, 4)
    assert few.lines[-1].startswith("61 errors, 3 shown in 2 files")
    assert assent("outputs", "check", "--max-errors", "0").code == 2


def test_a_run_id_belongs_to_the_first_file_in_path_order(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/b.json", valid())
    repo.write("outputs/a.json", valid())
    repo.write("results/old.json", valid())
    repo.write("outputs/other.json", run_id("other"))
    ran = assent("outputs", "check", "outputs/b.json", "results", "outputs", "--format", "json")
    repeated = [e for e in ran.json["errors"] if e["code"] == "duplicate_run_id"]
    assert [e["file"] for e in repeated] == ["outputs/b.json", "results/old.json"]
    assert {e["location"] for e in repeated} == {"$.metadata.run.id"}
    assert all("outputs/a.json" in e["message"] for e in repeated)
    alone = assent("outputs", "check", "outputs/b.json", "--format", "json")
    assert (alone.code, alone.json["errors"]) == (0, [])


def test_an_old_place_counts_for_run_ids_before_a_new_one(assent: Assent, repo: Repository) -> None:
    repo.write("a/output.json", valid())
    repo.write("outputs/b.json", valid())
    ran = assent("outputs", "check", "--format", "json")
    assert codes(ran.json) == {
        ("a/output.json", "deprecated_path"),
        ("outputs/b.json", "duplicate_run_id"),
    }


@pytest.mark.parametrize("name", ["line\nfeed.json", "tab\t.json", "esc\x1b[31m.json", "del\x7f"])
def test_control_characters_in_names_are_escaped_wherever_they_are_printed(
    assent: Assent, repo: Repository, name: str
) -> None:
    repo.write(f"outputs/{name}", valid(results__status="fine"))
    assert assent("outputs", "check", f"outputs/{name}").code == 1
    ran = assent("outputs", "check", f"outputs/{name}", "--format", "json")
    assert ran.json["errors"][0]["file"] == f"outputs/{name}"
    annotated = assent("outputs", "check", f"outputs/{name}", "--format", "github")
    assert len(annotated.out.splitlines()) == 2


def test_a_result_whose_name_no_rule_covers_gets_a_remark(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/line\nfeed.json", valid())
    repo.write("conf/line\nfeed.json", {"not": "a result"})
    ran = assent("outputs", "check", "--format", "json")
    assert (ran.code, ran.json["checked"]) == (0, 0)
    assert [(w["file"], w["code"]) for w in ran.json["warnings"]] == [
        ("outputs/line\nfeed.json", "unrecognised_path")
    ]


def test_a_name_that_is_no_unicode_is_checked_and_printed(assent: Assent, repo: Repository) -> None:
    path = os.fsdecode(b"outputs/\xff.json")
    repo.write(path, {})
    assert assent("outputs", "check").code == 1
    assert assent("outputs", "check", "--format", "json").json["errors"][0]["file"] == path


def test_annotations_are_escaped_as_github_reads_them(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/50%,a:b\nc.json", valid(results__status="100%"))
    ran = assent("outputs", "check", "outputs/50%,a:b\nc.json", "--format", "github")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "::error file=outputs/50%25%2Ca%3Ab%0Ac.json,title=enum::"
        "$.results.status: must be 'ok' or 'error', found '100%25'",
        "::warning file=outputs/50%25%2Ca%3Ab%0Ac.json,title=unrecognised_path::"
        "$: is not a place for results. Fix: move it below outputs/",
    ]
    assert ran.lines == [
        "1 errors in 1 files checked against outputs/schemas/benchmark_schema.json"
    ]


def test_paths_are_those_of_the_repository_wherever_one_stands(
    assent: Assent, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("outputs/arc/bad.json", {})
    repo.write("results/..odd.json", {})
    monkeypatch.chdir("outputs/arc")
    expected = {
        ("outputs/arc/bad.json", "required"),
        ("results/..odd.json", "deprecated_path"),
    }
    assert codes(assent("outputs", "check", "--format", "json").json) == expected
    named = assent("outputs", "check", "bad.json", "../../results", "--format", "json")
    assert codes(named.json) == expected


def test_the_way_to_the_repository_may_lead_through_a_link(
    assent: Assent, repo: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repo.write("outputs/bad.json", {})
    alias = tmp_path_factory.mktemp("alias") / "work"
    alias.symlink_to(repo.top)
    for path in (alias / "outputs" / "bad.json", alias / "outputs"):
        ran = assent("outputs", "check", path, "--format", "json")
        assert codes(ran.json) == {("outputs/bad.json", "required")}


def test_without_a_repository_the_current_directory_is_the_root(
    assent: Assent, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate_git(monkeypatch, here)
    write_file(here / "outputs" / "bad.json", {})
    ran = assent("outputs", "check", "--format", "json")
    assert codes(ran.json) == {("outputs/bad.json", "required")}


def test_without_git_the_tree_can_still_be_checked(
    assent: Assent, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(here / "outputs" / "bad.json", {})
    monkeypatch.setenv("PATH", str(here))
    assert assent("outputs", "check").code == 1
    staged = assent("outputs", "check", "--staged", "--format", "json")
    assert (staged.code, staged.json["errors"][0]["message"]) == (2, "git is not installed")


def test_classify_says_what_holds_at_a_path(assent: Assent) -> None:
    paths = ["outputs/a.json", "results/metrics.json", "../a.json", "conf/a.json"]
    found = assent("outputs", "classify", *paths, "--format", "json").json["paths"]
    assert found[1] == {
        "path": "results/metrics.json",
        "normalized": "results/metrics.json",
        "status": "deprecated",
        "rule": "legacy_results_root",
        "flags": ["generic_name"],
        "schema_version": "v1",
    }
    assert (found[2]["status"], found[2]["normalized"]) == ("invalid", None)
    text = assent("outputs", "classify", *paths)
    assert (text.code, len(text.out.splitlines())) == (0, 4)


def advice(assent: Assent) -> str:
    [error] = assent("outputs", "check", "--format", "json").json["errors"]
    assert error["code"] == "deprecated_path"
    return str(error["fix"])


def test_the_advice_for_a_file_in_an_old_place_works_when_it_is_followed(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", run_id("moved"))
    command = advice(assent).partition(": ")[2]
    assert assent(*command.split()[1:]).code == 0
    assert assent("outputs", "check").code == 0


def test_the_advice_for_a_file_that_lacks_something_says_what_to_supply(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", {"scores": {"accuracy": 0.5}, "details": {}})
    command = advice(assent)
    assert "--set metadata.model.name=…" in command
    supplied = command.replace("started_at=…", "started_at=2026-01-02T03:04:05Z").replace("…", "x")
    assert assent(*supplied.split()[1:]).code == 0
    assert assent("outputs", "check").code == 0


@pytest.mark.parametrize("content", ["not JSON", {"neither": "old nor new"}])
def test_a_file_that_cannot_be_migrated_is_to_be_mended_first(
    assent: Assent, repo: Repository, content: Any
) -> None:
    repo.write("results/run.json", content)
    assert advice(assent).startswith("mend it first (")
