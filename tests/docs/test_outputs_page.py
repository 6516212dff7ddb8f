"""What the page on output documents says is tried out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.generate.blocks import ROOT
from docs.generate.transcripts import run
from tasks.outputs.migration import migrate, serialise
from tasks.outputs.paths import RULES
from tasks.outputs.validation import LONG_NOTES, check_output
from tests.docs.markdown import code_blocks, page, rows_below
from tests.support.output_documents import legacy, valid
from tests.support.repository import Repository, as_bytes, isolate_git

PAGE = page("docs/outputs.md")
SMALLEST, BEFORE, AFTER = code_blocks(PAGE, "json")
MIXED: dict[str, Any] = {
    "outputs/arc/good.json": valid(),
    "outputs/arc/bad.json": valid(metadata__run__id="r2", results__metrics={"accuracy": "0.5"}),
    "results/run_77.json": BEFORE,
    "results/run_78.json": valid(metadata__run__id="run_78"),
    "experiments/metrics.json": legacy(metadata=legacy()["metadata"] | {"provider": None}),
}


def test_the_rules_of_the_page_are_those_of_the_program() -> None:
    shown = [
        (name, tuple(re.findall(r"[^`, ]+", patterns)), status)
        for patterns, name, status in rows_below(PAGE, "<!-- checked: rules -->")
    ]
    assert shown == [(rule.name, rule.patterns, rule.status) for rule in RULES]


def test_the_small_document_is_valid_without_a_warning() -> None:
    checked = check_output(SMALLEST.encode())
    assert (checked.errors, checked.warnings) == ((), ())


def test_the_old_document_becomes_the_new_one() -> None:
    migrated = migrate(BEFORE.encode(), "results/run_77.json")
    assert migrated.new_path == "outputs/gsm8k/run_77.json"
    assert serialise(migrated.document).decode() == AFTER


def test_the_length_of_notes_is_that_of_the_program() -> None:
    assert f"more than {LONG_NOTES} characters" in PAGE


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The repository that the page describes, all of it committed."""
    isolate_git(monkeypatch, tmp_path)
    repo = Repository(tmp_path)
    for name, content in MIXED.items():
        repo.stage(name, content)
    repo.commit()
    return repo


def test_the_described_repository_is_the_one_that_is_migrated() -> None:
    table = PAGE.partition("Take a repository with")[2]
    described = [row[0] for row in rows_below(f"{table}", "\n")]
    assert described == list(MIXED)


def test_the_documented_commands_take_a_mixed_repository_from_red_to_green(
    mixed: Repository,
) -> None:
    (script,) = code_blocks(PAGE, "sh")
    done = [run(command, mixed.top) for command in script.splitlines()]
    printed = "".join(result.stdout for result in done)
    assert [result.returncode for result in done] == [1, 0, 0, 0, 0, 0], printed
    assert "4 errors in 5 files" in done[0].stdout
    assert "+++ outputs/gsm8k/run_77.json" in done[1].stdout
    assert "5 files checked, no errors" in done[-1].stdout
    assert mixed.files().keys() == {
        "outputs/arc/good.json",
        "outputs/arc/bad.json",
        "outputs/gsm8k/run_77.json",
        "outputs/arc/run_78.json",
        "outputs/q/g1.json",
    }
    assert mixed.files()["outputs/arc/run_78.json"] == as_bytes(MIXED["results/run_78.json"])
    mixed.git("add", "--all")
    staged = run("assent outputs check --staged", mixed.top)
    assert (staged.returncode, staged.stdout) == (0, "4 files checked, no errors\n")


def test_the_dry_run_of_the_page_writes_nothing(mixed: Repository) -> None:
    before = mixed.files()
    (script,) = code_blocks(PAGE, "sh")
    (command,) = [line for line in script.splitlines() if "--dry-run" in line]
    run(command, mixed.top)
    assert mixed.files() == before


def test_the_hook_to_paste_is_one_that_we_offer(tmp_path: Path) -> None:
    config, variant, _ = code_blocks(PAGE, "yaml")
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (asked,) = yaml.safe_load(config)["repos"][0]["hooks"]
    assert asked["id"] in {hook["id"] for hook in offered}
    assert yaml.safe_load(variant)[0]["id"] == asked["id"]
    (tmp_path / "config.yaml").write_text(config)
    done = run("pre-commit validate-config config.yaml", tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_options_of_the_hook_and_the_commands_for_ci_exist(mixed: Repository) -> None:
    _, variant, steps = code_blocks(PAGE, "yaml")
    args = " ".join(yaml.safe_load(variant)[0]["args"])
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert run(f"{hook['entry']} {args}", mixed.top).returncode == 0
    command = yaml.safe_load(steps)[1]["run"]
    annotated = run(command, mixed.top)
    assert annotated.returncode == 1
    assert annotated.stdout.count("::error file=") == 4


def test_the_schema_that_the_page_names_can_be_written_with_the_command_it_gives(
    mixed: Repository,
) -> None:
    printed = run("assent schemas output-v1", mixed.top).stdout
    assert "assent schemas output-v1" in PAGE
    kept = (ROOT / "outputs/schemas/benchmark_schema.json").read_text("utf-8")
    assert json.loads(printed) == json.loads(kept)
