"""Keys that a Prefect server keeps."""

import json
import secrets
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from flows.cli.main import run
from schemas.errors import UserError
from schemas.run import RunResult
from tests.support.model_server import Turn

KEY = "sk-block-0123456789abcdef"


@pytest.fixture
def block(on_prefect: Path) -> str:
    """A Secret block on the shared server, named in the settings of the working directory."""
    from prefect.blocks.system import Secret
    from prefect.context import SyncClientContext

    name = f"key-{secrets.token_hex(4)}"
    with SyncClientContext():
        Secret(value=SecretStr(KEY)).save(name)
    Path("assent.toml").write_text(f'[key_blocks]\nopenai = "{name}"\n')
    return name


def evaluate(bench: Any) -> RunResult:
    from flows.evaluate import evaluate as flow

    result = flow(
        benchmark="b.json", model="openai/m", base_url=f"{bench.server.url}/v1", n_samples=1
    )
    assert isinstance(result, RunResult)
    return result


def test_a_run_on_prefect_sends_the_key_of_its_block_and_keeps_it_nowhere(
    bench: Any, block: str
) -> None:
    bench.server.script = lambda _prompt, _n: Turn(f"GOOD harmless {KEY}")
    assert evaluate(bench).failed == 0
    assert [h["Authorization"] for h in bench.server.headers] == [f"Bearer {KEY}"]
    written = b"".join(p.read_bytes() for p in Path().rglob("*") if p.is_file())
    assert b"harmless" in written
    assert KEY.encode() not in written


def test_a_key_of_the_environment_comes_before_the_block(
    bench: Any, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment-1")
    evaluate(bench)
    assert [h["Authorization"] for h in bench.server.headers] == ["Bearer sk-environment-1"]


def test_a_block_that_does_not_exist_is_named_and_nobody_is_asked(bench: Any, block: str) -> None:
    Path("assent.toml").write_text('[key_blocks]\nopenai = "no-such-block"\n')
    with pytest.raises(UserError, match="no-such-block") as caught:
        evaluate(bench)
    assert caught.value.code == "no_key"
    assert bench.server.asked == []


def test_the_embedded_engine_says_that_it_reads_no_blocks(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("assent.toml").write_text('[key_blocks]\nopenai = "some-block"\n')
    address = ["--base-url", f"{bench.server.url}/v1"]
    options = ["--model", "openai/m", *address, "--engine", "embedded", "--format", "json"]
    assert run(["evaluate", "b.json", *options]) == 2
    error = json.loads(capsys.readouterr().out)["errors"][0]
    assert error["code"] == "no_key"
    assert "--engine prefect" in error["fix"]
    assert bench.server.asked == []
    assert not Path("outputs").exists()
