"""Money: prices, forecasts, and limits that stop a run cleanly."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from flows.cli.main import run
from schemas.run import ModelSpec
from schemas.settings import PriceOverride
from tasks.providers.presets import PRESETS
from tasks.providers.prices import Price, find_price
from tasks.sampling.records import Reply
from tests.support.model_server import Turn

OWN = {"vllm/m": PriceOverride(input_per_million=Decimal(100), output_per_million=Decimal(1000))}


def price(model: str, base_url: str | None = None) -> Price | None:
    return find_price(ModelSpec.parse(model), base_url, OWN)


def write_price(folder: Path) -> None:
    text = '[prices."vllm/m"]\ninput_per_million = 100\noutput_per_million = 1000\n'
    (folder / "assent.toml").write_text(text)


def test_a_stated_price_is_used() -> None:
    found = price("vllm/m")
    assert found is not None
    usage = {"input_tokens": 20, "output_tokens": 3}
    assert found.of(Reply("x", usage=usage)) == Decimal("0.005")


def test_an_embedded_model_costs_nothing_and_a_strangers_price_is_unknown() -> None:
    free = price("control/coin")
    assert free is not None
    assert free.of(Reply("x")) == 0
    assert price("vllm/other") is None
    assert price("openai/no-such-model", PRESETS["openai"].base_url) is None


def test_a_list_price_holds_for_the_public_endpoint_only() -> None:
    listed = price("openai/gpt-4.1-mini", PRESETS["openai"].base_url)
    assert listed is not None
    assert listed.per_output_token > listed.per_input_token > 0
    assert listed.basis.startswith("list price")
    assert price("openai/gpt-4.1-mini", "http://127.0.0.1:1/v1") is None


def test_a_reply_without_token_counts_has_no_known_cost() -> None:
    found = price("vllm/m")
    assert found is not None
    assert found.of(Reply("x")) is None


def test_a_limit_on_money_stops_the_run_and_the_rerun_continues(bench: Any) -> None:
    write_price(bench.folder)
    bench.write(10)
    stopped = bench.evaluate("--max-cost", "0.012", "--concurrency", "1")
    assert (stopped.code, stopped.document["stopped"]) == (3, "max_cost")
    assert stopped.document["calls"] == 3
    assert "--max-cost" in stopped.err
    rest = bench.evaluate()
    assert (rest.code, rest.document["calls"], rest.document["reused"]) == (0, 7, 3)


def test_a_limit_on_money_needs_a_known_price(bench: Any) -> None:
    refused = bench.evaluate("--max-cost", "1")
    assert refused.code == 2
    assert refused.document["errors"][0]["code"] == "unknown_price"
    assert bench.server.asked == []


def test_a_forecast_asks_nobody_and_counts_what_is_missing(bench: Any) -> None:
    write_price(bench.folder)
    bench.write(4)
    found = bench.evaluate("--dry-run", "--max-tokens", "10", n_samples=3).document
    assert (found["samples"], found["in_store"], found["calls_needed"]) == (12, 0, 12)
    assert found["most_output_tokens"] == 120
    assert bench.server.asked == []
    assert not (bench.folder / ".assent").exists()
    bench.evaluate(n_samples=2)
    again = bench.evaluate("--dry-run", n_samples=3).document
    assert (again["in_store"], again["calls_needed"]) == (8, 4)
    assert Decimal(again["most_cost_usd"]) > Decimal(again["least_cost_usd"]) > 0


def test_an_unknown_cost_is_said_to_be_unknown(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    found = bench.evaluate("--dry-run").document
    assert (found["least_cost_usd"], found["most_cost_usd"]) == (None, None)
    address = f"{bench.server.url}/v1"
    args = ["evaluate", "b.json", "--model", "vllm/m", "--base-url", address, "--dry-run"]
    assert run(args) == 0
    assert "cost: unknown" in capsys.readouterr().out


def test_a_forecast_of_a_free_model_costs_nothing(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", "b.json", "--model", "control/coin", "--dry-run"]) == 0
    assert "cost: 0.0000 to 0.0000" in capsys.readouterr().out


def test_a_forecast_rests_on_earlier_replies_of_the_model_and_says_so(bench: Any) -> None:
    write_price(bench.folder)
    bench.write(4)
    unknown = bench.evaluate("--dry-run", n_samples=2).document
    for figure in ("expected_output_tokens", "expected_cost_usd", "expected_seconds"):
        assert unknown[figure] is None
    assert "no earlier replies" in unknown["basis"]["expected_seconds"]

    bench.server.script = lambda _prompt, n: Turn(delay_seconds=0.2)
    bench.evaluate(n_samples=2)
    found = bench.evaluate("--dry-run", "--concurrency", "2", n_samples=3).document
    # The server counts 20 tokens of each request and 3 of each reply; four calls are missing.
    assert (found["input_tokens"], found["expected_output_tokens"]) == (80, 12)
    # 80 at 100 dollars a million, 12 at 1000.
    assert Decimal(found["expected_cost_usd"]) == Decimal("0.020")
    assert 0.4 <= found["expected_seconds"] < found["most_seconds"] == 120
    basis = found["basis"]
    assert basis["expected_output_tokens"] == "mean of 8 earlier replies of this model"
    assert basis["expected_seconds"] == "median of 8 earlier replies of this model"
    assert basis["input_tokens"] == "8 earlier requests with these prompts to this model"


def test_replies_of_another_model_are_no_basis(bench: Any) -> None:
    bench.evaluate()
    found = bench.evaluate("--dry-run", model="vllm/other").document
    assert found["expected_output_tokens"] is None
    assert found["basis"]["input_tokens"] == "4 characters per token"


def test_replies_are_expected_to_be_no_longer_than_allowed(bench: Any) -> None:
    bench.evaluate()
    found = bench.evaluate("--dry-run", "--max-tokens", "2", n_samples=5).document
    assert found["expected_output_tokens"] == found["most_output_tokens"] == 10


def test_requests_a_minute_bound_the_time(bench: Any) -> None:
    bench.write(11)
    found = bench.evaluate("--dry-run", "--rpm", "6", "--timeout", "5").document
    assert found["most_seconds"] == 105  # the last of 11 starts after 100 s


def test_a_forecast_for_people_names_what_it_rests_on(
    bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.evaluate(n_samples=2)
    address = f"{bench.server.url}/v1"
    assert run(["evaluate", "b.json", "--model", "vllm/m", "--base-url", address, "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "tokens of replies: about 9 (mean of 2 earlier replies of this model)" in out
