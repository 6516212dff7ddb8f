"""`assent outputs migrate`: what is written, what is refused, and what never happens."""

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tasks.outputs.validation import check_output
from tests.support.command import Assent, Ran
from tests.support.output_documents import legacy, valid
from tests.support.repository import Repository, as_bytes, isolate_git, obey_permissions, write_file

ASSENT = str(Path(sys.executable).parent / "assent")
LACKS_PROVIDER = {"metadata": legacy()["metadata"] | {"provider": None}, "metrics": {"acc": 0.5}}


def migrate(assent: Assent, *args: str | Path) -> Ran:
    return assent("outputs", "migrate", "--format", "json", *args)


def entry(assent: Assent, *args: str | Path) -> Any:
    (only,) = migrate(assent, *args).json["files"]
    return only


def old(run_id: str, **changes: Any) -> Any:
    return legacy(metadata=legacy()["metadata"] | {"run_id": run_id}, **changes)


def test_a_dry_run_writes_nothing_and_shows_the_difference(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", '{"metadata": {"team": "é"},\n "metrics": {"acc": 0.5}}\n')
    given = [
        "--set=metadata.benchmark.name=b",
        "--set=metadata.model.name=m",
        "--set=metadata.model.provider=p",
        "--set=$.metadata.run.started_at=2030-01-01T00:00:00Z",
    ]
    before = repo.files()
    ran = assent("outputs", "migrate", "--dry-run", "--move", "results/run.json", *given)
    assert (ran.code, repo.files()) == (0, before)
    lines = ran.out.splitlines()
    assert lines[:2] == ["--- results/run.json", "+++ outputs/b/run.json"]
    assert lines[2].startswith("@@ ")
    assert '-{"metadata": {"team": "é"},' in lines
    assert '+        "acc": 0.5' not in lines
    assert '+      "acc": 0.5' in lines


def test_a_dry_run_shows_a_move_without_a_change_as_one_line(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", valid())
    repo.write("outputs/stays.json", valid())
    ran = assent("outputs", "migrate", "--dry-run", "results/run.json", "outputs/stays.json")
    assert ran.out == "results/run.json -> outputs/arc/r1.json (unchanged)\n"


@pytest.mark.parametrize("move", [False, True])
def test_an_old_file_is_written_to_its_new_place_and_removed_only_on_demand(
    assent: Assent, repo: Repository, move: bool
) -> None:
    repo.write("results/run.json", legacy())
    options = ["--move"] if move else []
    ran = assent("outputs", "migrate", "results/run.json", *options)
    assert (ran.code, ran.out) == (0, "results/run.json -> outputs/q/g1.json (migrated)\n")
    expected = {"outputs/q/g1.json"} | (set() if move else {"results/run.json"})
    assert repo.files().keys() == expected
    assert check_output(repo.files()["outputs/q/g1.json"]).errors == ()
    assert assent("outputs", "check", "outputs").code == 0


def test_a_document_that_is_v1_already_moves_byte_for_byte(
    assent: Assent, repo: Repository
) -> None:
    odd = json.dumps(valid(), indent=7).encode() + b"\n\n \n"
    repo.write("results/run.json", odd)
    found = entry(assent, "results/run.json", "--move")
    assert (found["outcome"], found["new_path"]) == ("already_v1", "outputs/arc/r1.json")
    assert repo.files() == {"outputs/arc/r1.json": odd}


def test_an_old_file_in_a_good_place_is_rewritten_there(assent: Assent, repo: Repository) -> None:
    repo.write("outputs/arc/run.json", legacy())
    found = entry(assent, "outputs/arc/run.json", "--move")
    assert (found["path"], found["new_path"]) == ("outputs/arc/run.json",) * 2
    assert repo.files().keys() == {"outputs/arc/run.json"}
    written = repo.files()["outputs/arc/run.json"]
    assert json.loads(written) == found["document"]
    assert entry(assent, "outputs/arc/run.json")["outcome"] == "already_v1"
    assert repo.files()["outputs/arc/run.json"] == written


def test_another_file_in_the_new_place_is_never_overwritten(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", legacy())
    repo.write("outputs/q/g1.json", valid())
    before = repo.files()
    ran = migrate(assent, "results/run.json", "--move")
    (found,) = ran.json["files"]
    assert (ran.code, found["outcome"], found["error"]["code"]) == (1, "failed", "target_exists")
    assert (found["new_path"], found["document"], repo.files()) == (None, None, before)


@pytest.mark.parametrize("kind", ["dangling link", "link", "directory"])
def test_nothing_else_in_the_new_place_is_touched_either(
    assent: Assent, repo: Repository, kind: str
) -> None:
    repo.write("results/run.json", legacy())
    target = repo.top / "outputs" / "q" / "g1.json"
    target.parent.mkdir(parents=True)
    match kind:
        case "dangling link":
            target.symlink_to("nowhere")
        case "link":
            repo.write("data.json", legacy())
            target.symlink_to("../../data.json")
        case "directory":
            target.mkdir()
    assert entry(assent, "results/run.json", "--move")["error"]["code"] == "target_exists"
    assert (repo.top / "results" / "run.json").exists()
    assert target.is_symlink() or target.is_dir()


def test_the_same_content_in_the_new_place_is_fine(assent: Assent, repo: Repository) -> None:
    repo.write("results/run.json", legacy())
    assert migrate(assent, "results/run.json").code == 0
    target = repo.top / "outputs" / "q" / "g1.json"
    before = target.stat()
    assert migrate(assent, "results/run.json").code == 0
    assert target.stat().st_ino == before.st_ino
    assert migrate(assent, "results/run.json", "--move").code == 0
    assert repo.files().keys() == {"outputs/q/g1.json"}


@pytest.mark.parametrize("options", [[], ["--dry-run"]], ids=["for real", "dry run"])
def test_two_files_for_one_place_are_told_apart(
    assent: Assent, repo: Repository, options: list[str]
) -> None:
    repo.write("results/a.json", legacy())
    repo.write("results/b.json", legacy(metrics={"acc": 0.75}))
    repo.write("results/c.json", legacy())
    ran = migrate(assent, "results/a.json", "results/b.json", "results/c.json", *options)
    assert ran.code == 1
    assert [file["outcome"] for file in ran.json["files"]] == ["migrated", "failed", "migrated"]
    assert ran.json["files"][1]["error"]["code"] == "target_exists"


def test_one_file_that_fails_does_not_stop_the_others(assent: Assent, repo: Repository) -> None:
    repo.write("results/a.json", LACKS_PROVIDER)
    repo.write("results/b.json", legacy())
    repo.write("results/c.json", {"not": "a result"})
    ran = assent("outputs", "migrate", "results/a.json", "results/b.json", "results/c.json")
    assert (ran.code, ran.out) == (1, "results/b.json -> outputs/q/g1.json (migrated)\n")
    assert ran.lines == [
        "results/a.json: $: missing_fields: missing: $.metadata.model.provider. "
        "Fix: supply them with --set KEY=VALUE",
        "results/c.json: $: unrecognised_shape: neither v1 nor one of the old shapes that we know",
        "2 of 3 files could not be migrated",
    ]


def test_missing_facts_are_supplied_by_hand_or_marked_unknown(
    assent: Assent, repo: Repository
) -> None:
    repo.write("results/run.json", LACKS_PROVIDER)
    found = entry(assent, "results/run.json", "--dry-run")
    assert found["error"]["missing"] == ["$.metadata.model.provider"]
    by_hand = entry(assent, "results/run.json", "--dry-run", "--set", "metadata.model.provider=v")
    assert by_hand["document"]["metadata"]["model"]["provider"] == "v"
    ran = assent("outputs", "migrate", "results/run.json", "--fill-unknown")
    assert ran.code == 0
    assert ran.lines == ["results/run.json: $.metadata.model.provider: warning: is not known"]


@pytest.mark.parametrize(
    "option",
    [
        "metadata.model.colour=red",
        "metadata.model.provider",
        "metadata.model.provider=",
        "metadata.model.provider= ",
        "metadata.tags=a",
        "results.status=ok",
        "=x",
        "metadata.run.started_at=yesterday",
        "metadata.run.started_at=2030-02-30T00:00:00Z",
    ],
)
def test_what_cannot_be_set_is_exit_2_and_nothing_is_written(
    assent: Assent, repo: Repository, option: str
) -> None:
    repo.write("results/run.json", legacy())
    ran = migrate(assent, "results/run.json", "--set", option)
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "bad_option")
    assert repo.files().keys() == {"results/run.json"}


@pytest.mark.parametrize(("name", "reason"), [("gone.json", "no such"), ("outputs", "regular")])
def test_a_path_that_is_no_file_is_exit_2_and_nothing_is_written(
    assent: Assent, repo: Repository, name: str, reason: str
) -> None:
    repo.write("results/run.json", legacy())
    (repo.top / "outputs").mkdir()
    ran = migrate(assent, "results/run.json", name)
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "unreadable")
    assert reason in ran.json["errors"][0]["message"]
    assert repo.files().keys() == {"results/run.json"}


HOSTILE: dict[str, tuple[bytes, str]] = {
    "nesting bomb": (b'{"config": ' + b"[" * 100_000, "invalid_json"),
    "byte order mark": (b"\xef\xbb\xbf" + as_bytes(legacy()), "invalid_json"),
    "repeated key": (b'{"config": {}, "config": {}, "results": {}}', "invalid_json"),
    "NaN for a time": (b'{"scores": {}, "details": {}, "metadata": {"date": NaN}}', "missing"),
    "far future": (as_bytes(legacy(metadata={"date": 1e300})), "missing"),
    "empty": (b"", "invalid_json"),
    "no object": (b"[]", "unrecognised_shape"),
    "half a pair": (b'{"config": {"a": "\\ud800"}, "results": {}}', "invalid_json"),
    "as deep as can be read": (
        as_bytes(old("r", lab=json.loads("[" * 198 + "]" * 198))),
        "invalid_result",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_document_fails_alone(assent: Assent, repo: Repository, case: str) -> None:
    data, code = HOSTILE[case]
    repo.write("results/hostile.json", data)
    repo.write("results/run.json", legacy())
    ran = migrate(assent, "results/hostile.json", "results/run.json", "--move")
    assert ran.code == 1
    assert [file["outcome"] for file in ran.json["files"]] == ["failed", "migrated"]
    assert ran.json["files"][0]["error"]["code"].startswith(code)
    assert repo.files()["results/hostile.json"] == data


def test_numbers_that_json_cannot_hold_become_text(assent: Assent, repo: Repository) -> None:
    repo.write("results/run.json", json.dumps(legacy(metrics={"acc": float("nan")})))
    found = entry(assent, "results/run.json")
    assert [w["code"] for w in found["warnings"]] == ["non_numeric_metric"]
    assert check_output(repo.files()["outputs/q/g1.json"]).errors == ()


def test_a_file_of_twenty_megabytes_is_migrated(assent: Assent, repo: Repository) -> None:
    repo.write("results/run.json", legacy(details={"log": ["x" * 1000] * 20_000}))
    assert assent("outputs", "migrate", "results/run.json", "--move").code == 0
    assert check_output(repo.files()["outputs/q/g1.json"]).errors == ()


def test_a_folder_that_leads_out_of_the_repository_is_not_written_to(
    assent: Assent, repo: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (repo.top / "outputs").mkdir()
    (repo.top / "outputs" / "q").symlink_to(elsewhere)
    repo.write("results/run.json", legacy())
    assert entry(assent, "results/run.json", "--move")["error"]["code"] == "target_exists"
    write_file(elsewhere / "in_place.json", legacy())
    assert entry(assent, "outputs/q/in_place.json")["error"]["code"] == "unreadable"
    assert (elsewhere / "in_place.json").read_bytes() == as_bytes(legacy())
    assert [path.name for path in elsewhere.iterdir()] == ["in_place.json"]
    assert (repo.top / "results" / "run.json").exists()


def test_a_link_is_not_replaced_by_a_file(assent: Assent, repo: Repository) -> None:
    repo.write("data/real.json", legacy())
    (repo.top / "outputs").mkdir()
    Path("outputs/link.json").symlink_to("../data/real.json")
    found = entry(assent, "outputs/link.json")
    assert (found["error"]["code"], "link" in found["error"]["message"]) == ("target_exists", True)
    assert Path("outputs/link.json").is_symlink()


def test_the_same_file_twice_is_one_file(assent: Assent, repo: Repository) -> None:
    repo.write("results/run.json", legacy())
    ran = migrate(assent, "results/run.json", "./results/run.json", "--move")
    assert (ran.code, len(ran.json["files"])) == (0, 1)


def test_paths_are_those_of_the_repository_wherever_one_stands(
    assent: Assent, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("results/deep/run.json", legacy())
    monkeypatch.chdir("results/deep")
    found = entry(assent, "run.json", "--move")
    assert (found["path"], found["new_path"]) == ("results/deep/run.json", "outputs/q/g1.json")
    assert repo.files().keys() == {"outputs/q/g1.json"}


def test_a_file_from_outside_comes_in_and_a_good_one_stays_where_it_is(
    assent: Assent, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate_git(monkeypatch, here)
    write_file(here / "legacy.json", legacy())
    write_file(here / "good.json", valid())
    inside = here / "repo" / "sub"
    inside.mkdir(parents=True)
    repo = Repository(here / "repo")
    monkeypatch.chdir(inside)
    assert entry(assent, "../../legacy.json")["new_path"] == "outputs/q/g1.json"
    good = entry(assent, "../../good.json", "--move")
    assert (good["outcome"], good["new_path"]) == ("already_v1", "../../good.json")
    assert repo.files().keys() == {"outputs/q/g1.json"}
    assert sorted(path.name for path in here.iterdir()) == ["good.json", "legacy.json", "repo"]


def spawn(preexec: Any, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ASSENT, "outputs", "migrate", "--format", "json", *args],
        preexec_fn=preexec,
        capture_output=True,
        text=True,
        check=False,
    )


def little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_a_full_disk_leaves_every_file_as_it_was(repo: Repository) -> None:
    repo.write("results/large.json", old("large", details={"log": "x" * 8000}))
    repo.write("outputs/large_too.json", old("large-too", details={"log": "x" * 8000}))
    repo.write("results/small.json", old("small"))
    before = repo.files()
    done = spawn(
        little_room, "--move", "results/large.json", "outputs/large_too.json", "results/small.json"
    )
    found = json.loads(done.stdout)["files"]
    assert (done.returncode, done.stderr) == (3, "")
    assert [file["outcome"] for file in found] == ["failed", "failed", "migrated"]
    assert {file["error"]["code"] for file in found[:2]} <= {"disk_full", "unwritable"}
    after = repo.files()
    assert after.pop("outputs/q/small.json")
    assert after == {k: v for k, v in before.items() if k != "results/small.json"}


def test_a_place_that_cannot_be_written_is_exit_3_after_all_others(
    assent: Assent, repo: Repository
) -> None:
    repo.write("outputs/q", "a file where a directory is needed")
    repo.write("results/run.json", legacy())
    repo.write("results/run2.json", valid())
    ran = assent("outputs", "migrate", "--move", "results/run.json", "results/run2.json")
    assert (ran.code, ran.out) == (3, "results/run2.json -> outputs/arc/r1.json (already_v1)\n")
    assert "unwritable" in ran.lines[0]
    assert (repo.top / "results" / "run.json").exists()


def test_a_file_that_may_not_be_read_or_removed_fails_alone(repo: Repository) -> None:
    repo.write("results/locked.json", old("locked")).chmod(0)
    repo.write("fixed/run.json", old("fixed")).parent.chmod(0o555)
    repo.write("results/run.json", old("free"))
    done = spawn(
        obey_permissions, "--move", "results/locked.json", "fixed/run.json", "results/run.json"
    )
    found = json.loads(done.stdout)["files"]
    (repo.top / "fixed").chmod(0o755)
    assert done.returncode == 3
    assert [file["outcome"] for file in found] == ["failed", "failed", "migrated"]
    assert [file["error"]["code"] for file in found[:2]] == ["unreadable", "unwritable"]
    assert (repo.top / "fixed" / "run.json").exists()


def test_a_file_that_somebody_writes_to_never_ends_up_as_half_a_result(
    assent: Assent, repo: Repository
) -> None:
    versions = [as_bytes(old("run", details={"log": letter * 200_000})) for letter in "ab"]
    source = repo.write("results/run.json", versions[0])
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.is_set():
            for data in versions:
                half = len(data) // 2
                with source.open("wb", buffering=0) as file:
                    file.write(data[:half])
                    file.write(data[half:])

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        outcomes = []
        for _ in range(20):
            (found,) = migrate(assent, "results/run.json").json["files"]
            outcomes.append(found["error"]["code"] if found["error"] else found["outcome"])
            if found["error"] is None:
                written = (repo.top / found["new_path"]).read_bytes()
                assert json.loads(written) == found["document"]
                (repo.top / found["new_path"]).unlink()
    finally:
        stop.set()
        writer.join()
    assert set(outcomes) <= {"migrated", "invalid_json", "file_changed"}
    left = {path for path in repo.files() if path.endswith(".part")}
    assert left == set()


def test_names_of_the_worst_kind_are_migrated_and_printed(assent: Assent, repo: Repository) -> None:
    names = [
        "results/line\nfeed.json",
        os.fsdecode(b"results/\xff.json"),
        "results/esc\x1b[0m.json",
    ]
    for i, name in enumerate(names):
        repo.write(name, old(f"run{i}"))
    assert assent("outputs", "migrate", "--dry-run", *names).code == 0
    ran = assent("outputs", "migrate", "--move", *names)
    assert (ran.code, len(ran.out.splitlines())) == (0, 3)
    assert repo.files().keys() == {f"outputs/q/run{i}.json" for i in range(3)}
