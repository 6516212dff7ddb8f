"""Which engine a command takes, and what it says when a server is not there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flows.engines import Engine, choose_engine, configured_server
from schemas.errors import Unfinished
from tests.support.prefect_server import BIN, environment, free_port

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "stop_sign" / "benchmark.json"


@pytest.fixture(autouse=True)
def _no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect-home"))
    for name in ("PREFECT_API_URL", "PREFECT_PROFILE", "PREFECT_PROFILES_PATH"):
        monkeypatch.delenv(name, raising=False)


def write_profile(home: Path, text: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "profiles.toml").write_text(text)


def test_without_a_server_auto_is_embedded() -> None:
    assert choose_engine("auto") == Engine("embedded", None)


def test_prefect_can_be_asked_for_without_a_server() -> None:
    assert choose_engine("prefect") == Engine("prefect", None)


def test_a_configured_server_makes_auto_take_prefect(
    prefect_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", prefect_url)
    assert choose_engine("auto") == Engine("prefect", prefect_url)
    assert choose_engine("embedded") == Engine("embedded", None)


def test_the_active_profile_is_read(tmp_path: Path) -> None:
    text = 'active = "team"\n[profiles.team]\nPREFECT_API_URL = "http://127.0.0.1:1/api"\n'
    write_profile(tmp_path / "prefect-home", text)
    assert configured_server() == "http://127.0.0.1:1/api"


def test_a_profile_without_address_configures_nothing(tmp_path: Path) -> None:
    write_profile(tmp_path / "prefect-home", 'active = "ephemeral"\n[profiles.ephemeral]\n')
    assert configured_server() is None


def test_a_broken_profile_file_configures_nothing(tmp_path: Path) -> None:
    write_profile(tmp_path / "prefect-home", "active = ")
    assert configured_server() is None


def test_the_projects_prefect_file_is_read() -> None:
    Path("prefect.toml").write_text('[api]\nurl = "http://127.0.0.1:2/api"\n')
    assert configured_server() == "http://127.0.0.1:2/api"


def test_a_server_that_does_not_answer_ends_the_command_and_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dead = f"http://127.0.0.1:{free_port()}/api"
    monkeypatch.setenv("PREFECT_API_URL", dead)
    with pytest.raises(Unfinished, match=dead):
        choose_engine("auto")


def test_the_command_exits_3_when_its_server_is_dead(tmp_path: Path) -> None:
    dead = f"http://127.0.0.1:{free_port()}/api"
    done = subprocess.run(
        [str(BIN / "assent"), "evaluate", str(EXAMPLE), "--model", "control/coin"],
        env=environment(PREFECT_API_URL=dead),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert dead in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "outputs").exists()


def test_the_command_runs_on_a_configured_server_and_prints_one_document(
    prefect_url: str, tmp_path: Path
) -> None:
    command = [str(BIN / "assent"), "evaluate", str(EXAMPLE), "--model", "control/coin"]
    env = environment(PREFECT_API_URL=prefect_url, PREFECT_HOME=str(tmp_path / "client"))
    done = subprocess.run(
        [*command, "--format", "json"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["calls"] == 80
    output = json.loads((tmp_path / document["output"]).read_text())
    assert output["results"]["details"]["provenance"]["engine"] == "prefect"
    assert prefect_url in done.stderr


def test_a_user_error_on_prefect_is_one_line_without_traceback(
    prefect_url: str, tmp_path: Path
) -> None:
    command = [str(BIN / "assent"), "evaluate", "missing.json", "--model", "control/coin"]
    env = environment(PREFECT_API_URL=prefect_url, PREFECT_HOME=str(tmp_path / "client"))
    done = subprocess.run(
        command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == ["missing.json: $: no such file"]


def test_results_stay_in_our_directory_when_the_caller_imported_prefect_first(
    prefect_url: str, tmp_path: Path
) -> None:
    script = (
        "import prefect\n"
        "from flows.evaluate import evaluate\n"
        f"run = evaluate(benchmark={str(EXAMPLE)!r}, model='control/coin')\n"
        "print(run.calls, run['reused'])\n"
    )
    env = environment(PREFECT_API_URL=prefect_url, PREFECT_HOME=str(tmp_path / "client"))
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert [done.stdout.split() for done in outputs] == [["80", "0"], ["0", "80"]]
    assert list((tmp_path / ".assent" / "results").iterdir())
    assert "imported before Assent" in outputs[0].stderr
