"""Sweeps over models behind HTTP: how they are asked, and budgets of the whole command."""

import json
from pathlib import Path
from typing import Any

import pytest

from flows.cli.main import run
from tests.support.model_server import Turn


def sweep(bench: Any, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    capsys.readouterr()
    code = run(["sweep", *args, "--engine", "embedded", "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def over_tie_breaks(bench: Any) -> list[str]:
    address = ["--base-url", f"{bench.server.url}/v1"]
    return ["b.json", "--model", "vllm/m", *address, "--vary", "tie_break=abstain,good"]


def test_every_run_of_a_sweep_is_asked_as_the_options_say(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked_with = ["--top-p", "0.5", "--seed", "7", "--stop", "END", "--max-tokens", "77"]
    more = ["--extra-body", '{"logprobs": true}', "--header", "x-team=blue", "--n-samples", "1"]
    code, _ = sweep(bench, capsys, *over_tie_breaks(bench), *asked_with, *more)
    assert code == 0
    [body] = bench.server.asked  # the second value shares the draw of the first
    wanted = {"top_p": 0.5, "seed": 7, "stop": ["END"], "max_tokens": 77, "logprobs": True}
    assert {name: body[name] for name in wanted} == wanted
    assert bench.server.headers[0]["x-team"] == "blue"


def test_a_budget_holds_for_the_whole_sweep_and_the_next_one_goes_on(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write(4)
    options = ["--n-samples", "1", "--name", "s", "--concurrency", "1"]
    varied = [*over_tie_breaks(bench)[:-1], "temperature=0.5,1.0", *options]
    code, document = sweep(bench, capsys, *varied, "--max-calls", "6")
    assert (code, document["stopped"], document["document"]) == (3, "max_calls", None)
    assert document["calls"] == len(bench.server.asked) == 6
    assert not Path("studies").exists()
    assert Path("outputs/b/s-temperature=0.5.json").exists()
    code, document = sweep(bench, capsys, *varied, "--max-calls", "6")
    assert (code, document["calls"], document["reused"]) == (0, 2, 6)
    assert len(bench.server.asked) == 8


def test_a_suite_file_names_the_endpoint_and_the_effort_and_options_come_first(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.write(3)
    Path("suite.yaml").write_text(
        "name: s\nbenchmarks: [b.json]\nmodels: [vllm/m]\nvary: {tie_break: [abstain]}\n"
        f"settings: {{base_url: '{bench.server.url}/v1', n_samples: 1, stop: [END]}}\n"
        "effort: {max_calls: 2, concurrency: 1, max_retries: 0}\n"
    )
    code, document = sweep(bench, capsys, "suite.yaml")
    assert (code, document["stopped"], len(bench.server.asked)) == (3, "max_calls", 2)
    code, document = sweep(bench, capsys, "suite.yaml", "--max-calls", "9")
    assert (code, document["calls"], len(bench.server.asked)) == (0, 1, 3)
    assert bench.server.asked[-1]["stop"] == ["END"]


def test_too_many_failed_samples_are_those_that_the_sweep_says(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.server.script = lambda _prompt, _n: Turn(status=400)
    options = [*over_tie_breaks(bench), "--n-samples", "1"]
    assert sweep(bench, capsys, *options)[0] == 1
    assert sweep(bench, capsys, *options, "--max-failed", "1")[0] == 0


def test_a_fresh_sweep_draws_everything_once_and_says_how_to_go_on(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*over_tie_breaks(bench), "--n-samples", "1"]
    sweep(bench, capsys, *options)
    assert sweep(bench, capsys, *options, "--fresh")[1]["calls"] == 1
    assert len(bench.server.asked) == 2
    assert run(["sweep", *options, "--engine", "embedded", "--fresh", "--max-calls", "0"]) == 3
    assert "--epoch fresh-" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (["--timeout", "0"], "--timeout"),
        (["--max-calls", "-1"], "--max-calls"),
        (["--extra-body", "[1]"], "--extra-body"),
        (["--top-p", "2"], "--top-p"),
        (["--base-url", "ftp://x"], "--base-url"),
        (["--fresh", "--epoch", "e"], "--fresh"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_impossible_option_is_named_and_nobody_is_asked(
    bench: Any, capsys: pytest.CaptureFixture[str], options: list[str], where: str
) -> None:
    code, document = sweep(bench, capsys, *over_tie_breaks(bench), *options)
    [error] = document["errors"]
    assert code == 2
    assert where in f"{error['location']} {error['message']}"
    assert bench.server.asked == []
