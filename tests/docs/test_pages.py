import re
from pathlib import Path

import pytest
import yaml

from docs.generate.blocks import ROOT, markdown_files
from docs.generate.transcripts import run, scratch
from tasks.providers.replay import read_recording
from tests.docs.markdown import code_blocks, links_of, page

README = page("README.md")


@pytest.mark.parametrize("file", markdown_files(), ids=lambda f: f.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(file: Path) -> None:
    broken = [target for target in links_of(file) if not _exists(file, *target.partition("#")[::2])]
    assert broken == []


def _exists(file: Path, path: str, anchor: str) -> bool:
    target = file.parent / path if path else file
    if not target.exists():
        return False
    return not anchor or anchor in _anchors(target)


def _anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_stays_short() -> None:
    assert len(README.splitlines()) <= 210


def test_the_python_of_the_readme_runs() -> None:
    (code,) = code_blocks(README, "python")
    with scratch() as directory:
        (directory / "snippet.py").write_text(code, "utf-8")
        done = run("python snippet.py", directory)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d{8}-\d{6}-[0-9a-f]{6} -?\d\.\d+$", done.stdout, re.MULTILINE)


def test_deployments_that_the_readme_names_exist() -> None:
    declared = yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text("utf-8"))
    names = {
        f"evaluate/{deployment['name']}"
        for deployment in declared["deployments"]
        if deployment["entrypoint"].endswith(":evaluate")
    }
    assert set(re.findall(r"\bevaluate/(?:local|nightly)\b", README)) == names
    pools = {deployment["work_pool"]["name"] for deployment in declared["deployments"]}
    assert set(re.findall(r"(?:--pool|work-pool create) (\S+)", README)) == pools


def test_installing_by_hand_is_what_make_does() -> None:
    makefile = page("Makefile")
    for flags in ("--require-hashes --no-deps", "--no-build-isolation --no-deps --editable ."):
        assert flags in makefile
        assert flags in README


def test_the_recording_shown_in_the_formats_page_can_be_replayed(tmp_path: Path) -> None:
    (example,) = code_blocks(page("docs/formats.md"), "json")
    (tmp_path / "replay.jsonl").write_text(example, "utf-8")
    assert len(read_recording(str(tmp_path / "replay.jsonl"))) == 2


def test_stages_of_the_cache_page_are_those_of_the_program() -> None:
    sources = "".join(path.read_text("utf-8") for path in ROOT.glob("tasks/*.py"))
    stages = set(re.findall(r'^@stage\("([a-z-]+)"', sources, re.MULTILINE))
    shown = re.findall(r"^\| ([a-z]+-[a-z]+) \|", page("docs/store-and-caches.md"), re.MULTILINE)
    assert set(shown) == stages


def test_every_decision_record_is_listed_and_accepted() -> None:
    index = page("docs/README.md")
    for record in sorted(ROOT.glob("docs/adr/*.md")):
        assert f"(adr/{record.name})" in index
        assert re.search(r"^Status: (accepted|superseded)", record.read_text(), re.MULTILINE)
