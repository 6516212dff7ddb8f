"""The command as a whole: usage errors, exit codes, what is imported, broken surroundings."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli.main import run
from schemas.version import VERSION
from tests.support.benchmarks import tiny_benchmark, write_json
from tests.support.command import Assent

CHECKOUT = Path(__file__).resolve().parents[3]
ASSENT = Path(sys.executable).parent / "assent"


def spawn(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | environment
    return subprocess.run([ASSENT, *args], capture_output=True, text=True, env=env, check=False)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["nonsense"], "No such command 'nonsense'", id="command"),
        pytest.param(["validate"], "Missing argument 'PATH'", id="argument missing"),
        pytest.param(["validate", "--nonsense", "x"], "No such option: --nonsense", id="option"),
        pytest.param(["validate", "--kind", "poem", "x"], "'--kind'", id="kind not offered"),
        pytest.param(["hash", "--profile", "0.6", "x"], "'--profile'", id="profile"),
        pytest.param(["describe", "x", "y"], "unexpected extra argument", id="one too many"),
        pytest.param(["prompts", "x", "--variant"], "requires an argument", id="value missing"),
        pytest.param(["schemas", "nonsense"], "unknown schema 'nonsense'", id="schema"),
        pytest.param(["validate", "--\x1b[31m", "x"], r"\x1b", id="control character"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_code_2(
    assent: Assent, args: list[str], message: str
) -> None:
    text = assent(*args)
    assert (text.code, text.out) == (2, "")
    assert len(text.lines) == 1
    assert text.lines[0].startswith("assent: ")
    assert message in text.lines[0]


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["validate", "--format", "json"], id="argument missing"),
        pytest.param(["validate", "--kind", "poem", "x", "--format=json"], id="kind not offered"),
        pytest.param(["--format", "json", "nonsense"], id="command"),
        pytest.param(["schemas", "nonsense", "--format", "json"], id="schema"),
    ],
)
def test_a_usage_error_is_one_document_on_request(assent: Assent, args: list[str]) -> None:
    ran = assent(*args)
    assert (ran.code, ran.err) == (2, "")
    (error,) = ran.json["errors"]
    assert list(error) == ["file", "code", "location", "message", "fix"]
    assert (error["file"], error["location"]) == (None, "$")
    assert error["message"]


def test_without_a_command_the_help_is_shown(assent: Assent) -> None:
    ran = assent()
    assert (ran.code, ran.err) == (2, "")
    assert "validate" in ran.out


@pytest.mark.parametrize(
    "command", [[], ["validate"], ["hash"], ["describe"], ["prompts"], ["schemas"], ["init"]]
)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help(assent: Assent, command: list[str], flag: str) -> None:
    ran = assent(*command, flag)
    assert ran.code == 0
    assert "Usage: assent" in ran.out


def test_the_version_is_printed(assent: Assent) -> None:
    assert assent("--version").out == f"assent {VERSION}\n"


def test_a_bug_keeps_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([object()]) == 70  # type: ignore[list-item]  # a mistake that only code can make
    assert "Traceback" in capsys.readouterr().err


def test_what_cannot_be_finished_here_is_exit_code_3(assent: Assent, here: Path) -> None:
    (here / "file").write_text("in the way")
    ran = assent("init", "file/below")
    assert ran.code == 3
    assert len(ran.lines) == 1
    assert "cannot write file/below/benchmark.json" in ran.lines[0]


def test_an_interrupt_is_exit_code_130(assent: Assent, here: Path) -> None:
    (here / "assent_test_interrupts.py").write_text(
        f"import signal\ndef build(texts):\n    signal.raise_signal({signal.SIGINT:d})\n"
    )
    plugin = {"kind": "plugin", "plugin": "assent_test_interrupts:build"}
    write_json(here / "b.json", tiny_benchmark(context_builders={"premise": plugin}))
    ran = assent("prompts", "b.json", "--allow-plugins")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_exit_codes_reach_the_shell(here: Path, tmp_path: Path) -> None:
    good = write_json(tmp_path / "good.json", tiny_benchmark())
    (tmp_path / "bad.json").write_text("{")
    assert spawn("validate", good).returncode == 0
    assert spawn("validate", good, "bad.json").returncode == 1
    assert spawn("validate", good, "missing.json").returncode == 2
    assert spawn("hash", "bad.json").returncode == 2


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["at the end", "at the first line"])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, unbuffered: str) -> None:
    good = write_json(tmp_path / "good.json", tiny_benchmark())
    with subprocess.Popen(
        [ASSENT, "prompts", good],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


def test_a_terminal_without_unicode_gets_escapes(tmp_path: Path) -> None:
    good = write_json(tmp_path / "good.json", tiny_benchmark(title="café ☕"))
    text = spawn("describe", "--items", good, PYTHONIOENCODING="ascii")
    assert (text.returncode, text.stderr) == (0, "")
    assert r"tiny-1: caf\xe9 \u2615" in text.stdout
    ran = spawn("describe", good, "--format", "json", PYTHONIOENCODING="ascii")
    assert json.loads(ran.stdout)["title"] == "café ☕"


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["--help"], id="help"),
        pytest.param(["validate", "good.json"], id="validate"),
        pytest.param(["hash", "good.json"], id="hash"),
        pytest.param(["prompts", "good.json"], id="prompts"),
        pytest.param(["schemas"], id="schemas"),
        pytest.param(["init", "fresh"], id="init"),
    ],
)
def test_small_commands_import_nothing_heavy(tmp_path: Path, args: list[str]) -> None:
    write_json(tmp_path / "good.json", tiny_benchmark())
    code = (
        "import sys\n"
        "from flows.cli.main import run\n"
        "assert run(sys.argv[1:]) == 0\n"
        "heavy = {'prefect', 'pyarrow', 'sqlalchemy', 'numpy', 'httpx', 're2'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, *args], cwd=tmp_path, check=True, capture_output=True
    )


@pytest.mark.parametrize("name", ["schemas", "tasks"])
@pytest.mark.parametrize("kind", ["copy", "module", "package"])
def test_a_namesake_of_our_packages_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    if kind == "copy":
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    elif kind == "module":
        (tmp_path / f"{name}.py").write_text("")
    else:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    ran = spawn("--version", PYTHONPATH=str(tmp_path))
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"assent: another package called {name!r}")
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("redirection", "code"), [(">/dev/full", 3), (">&-", 0), ("2>/dev/full", 0), ("2>&-", 0)]
)
def test_output_that_cannot_be_written_is_no_bug(
    tmp_path: Path, redirection: str, code: int
) -> None:
    write_json(tmp_path / "b.json", tiny_benchmark())
    command = f"'{ASSENT}' validate b.json {redirection}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
