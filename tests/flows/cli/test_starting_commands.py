"""`assent init` and `assent schemas`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.published import PUBLISHED, generate
from tests.support.command import Assent

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    "name", ["kettle", "with space", 'quo"te', "{brace}", "ü", "deep/er/still", "kettle/"]
)
def test_a_starter_is_valid_and_named_for_its_directory(
    assent: Assent, here: Path, name: str
) -> None:
    ran = assent("init", name)
    path = here / name / "benchmark.json"
    assert ran.code == 0
    assert ran.out == f"{Path(name) / 'benchmark.json'}\n"
    assert json.loads(path.read_text("utf-8"))["id"] == Path(name).name
    checked = assent("validate", path, "--format", "json").json["files"][0]
    assert (checked["valid"], checked["warnings"]) == (True, [])


def test_the_next_command_can_be_pasted(assent: Assent) -> None:
    ran = assent("init", "two words")
    assert ran.lines == ["next: assent evaluate 'two words/benchmark.json' --model control/coin"]


def test_the_current_directory_will_do(assent: Assent, here: Path) -> None:
    assert assent("init", ".").code == 0
    assert json.loads((here / "benchmark.json").read_text())["id"] == here.name


@pytest.mark.parametrize("as_link", [False, True], ids=["file", "dangling link"])
def test_an_existing_benchmark_is_never_replaced(assent: Assent, here: Path, as_link: bool) -> None:
    (here / "kettle").mkdir()
    path = here / "kettle" / "benchmark.json"
    if as_link:
        path.symlink_to("nowhere")
    else:
        path.write_text("mine")
    ran = assent("init", "kettle")
    assert ran.code == 2
    assert "is already there" in ran.err
    assert path.is_symlink() if as_link else path.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("schemas", "reserved", id="reserved"),
        pytest.param(".hidden", "starts with a dot", id="hidden"),
        pytest.param("x" * 300, "longer than 200 bytes", id="endless"),
        pytest.param("evil\x1b[31m", "control character", id="control character"),
        pytest.param("/", "empty", id="root"),
        pytest.param("file", "is not a directory", id="a file in its place"),
    ],
)
def test_a_directory_that_cannot_name_a_benchmark_is_refused(
    assent: Assent, here: Path, name: str, message: str
) -> None:
    (here / "file").write_text("x")
    ran = assent("init", name)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.lines) == 1
    assert message in ran.lines[0]
    assert [path.name for path in here.iterdir()] == ["file"]


def test_schemas_are_listed(assent: Assent) -> None:
    assert assent("schemas").out.split() == list(PUBLISHED)
    assert assent("schemas", "--format", "json").json == {"schemas": list(PUBLISHED)}


@pytest.mark.parametrize("options", [[], ["--format", "json"]], ids=["text", "json"])
def test_a_schema_is_printed_as_one_document(assent: Assent, options: list[str]) -> None:
    assert assent("schemas", "benchmark-1.0", *options).json == generate("benchmark-1.0")


def test_schemas_are_written_to_their_files(tmp_path: Path) -> None:
    for package in ("flows", "tasks", "schemas"):
        shutil.copytree(CHECKOUT / package, tmp_path / package)
    for file in (tmp_path / "schemas" / "json").iterdir():
        file.write_text("stale")
    code = "from flows.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "schemas", "--write", "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == {"schemas": list(PUBLISHED)}
    for name in PUBLISHED:
        written = json.loads((tmp_path / "schemas" / "json" / f"{name}.json").read_text())
        assert written == generate(name)
