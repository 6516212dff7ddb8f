import json
from pathlib import Path

import pytest

from docs.generate.blocks import ROOT, Block, blocks_of, markdown_files, masked, rewrite
from docs.generate.transcripts import demo_recipe, run, scratch
from docs.regenerate import content_of

BLOCKS = [block for file in markdown_files() for block in blocks_of(file)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_generated_block_is_what_the_program_says_now(block: Block) -> None:
    advice = "stale: run .venv/bin/python -m docs.regenerate"
    assert masked(block.content) == masked(content_of(block)), advice


def test_every_command_has_its_help_in_the_reference() -> None:
    shown = {block.arguments for block in BLOCKS if block.kind == "help"}
    assert shown == {("assent",), *_commands()}


def _commands(*group: str) -> set[tuple[str, ...]]:
    """Every command below a group, by its words."""
    with scratch() as directory:
        listed = run(" ".join(("assent", *group, "--help")), directory).stdout
    if "─ Commands ─" not in listed:
        return set()
    found = {(*group, line.split()[1]) for line in _commands_panel(listed)}
    return found.union(*(_commands(*command) for command in found))


def _commands_panel(text: str) -> list[str]:
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if "─ Commands ─" in line) + 1
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("╰"))
    # A wrapped line has no name in its first column.
    return [line for line in lines[start:end] if not line.startswith("│  ")]


def test_every_published_schema_is_in_the_reference() -> None:
    with scratch() as directory:
        names = json.loads(run("assent schemas --format json", directory).stdout)["schemas"]
    shown = {block.arguments[0] for block in BLOCKS if block.kind == "schema"}
    assert shown == set(names)


def test_the_readme_shows_what_make_demo_runs() -> None:
    demo = next(block for block in blocks_of(ROOT / "README.md") if "make demo" in block.content)
    assert demo.content.splitlines()[1:3] == ["$ make demo", demo_recipe()]


def test_run_ids_times_and_durations_do_not_make_a_block_stale() -> None:
    before = "run 20260101-120000-abc123 at 2026-01-01T12:00:00.123Z\n│ x │ Completed │ 0.19    │\n"
    after = "run 20270202-130000-def456 at 2027-02-02T13:00:00Z\n│ x │ Completed │ 12.50   │\n"
    assert masked(before) == masked(after)


def test_a_number_that_changed_makes_a_block_stale() -> None:
    assert masked("kappa 0.118 on 12 items") != masked("kappa 0.119 on 12 items")


def test_rewriting_puts_fresh_content_into_stale_blocks_only(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n")
    assert rewrite(file, lambda block: block.content.replace("old", "new"))
    assert file.read_text() == "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n"
    assert not rewrite(file, lambda block: "new\n")
