"""Models behind HTTP: what is sent, what is recorded, how hard they are asked."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import UserError
from schemas.run import ModelSpec
from tasks.providers.addresses import find_address, url_fault
from tasks.providers.http import retry_after
from tasks.providers.presets import as_sent
from tests.flows.models.conftest import KEY
from tests.support.model_server import Turn


def test_a_chat_request_has_both_messages_and_all_parameters(bench: Any) -> None:
    bench.evaluate(
        "--temperature", "0.3", "--max-tokens", "77", "--top-p", "0.5", "--seed", "10",
        "--stop", "END", "--extra-body", '{"logprobs": true}', "--header", "X-Team=blue",
        n_samples=2,
    )  # fmt: skip
    first, second = sorted(bench.server.asked, key=lambda body: body["seed"])
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert first["messages"][1]["content"] == "Premises: \nConclusion: claim 0\nVerdict:"
    sent = {k: v for k, v in first.items() if k != "messages"}
    assert sent == {
        "model": "m",
        "temperature": 0.3,
        "max_tokens": 77,
        "top_p": 0.5,
        "seed": 10,
        "stop": ["END"],
        "logprobs": True,
    }
    assert second["seed"] == 11
    assert bench.server.headers[0]["x-team"] == "blue"


def test_an_anthropic_request_speaks_the_other_dialect(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    found = bench.evaluate("--seed", "1", "--stop", "X", model="anthropic/claude-sonnet-9")
    [body] = bench.server.asked
    assert bench.server.paths == ["/v1/messages"]
    assert "seed" not in body
    assert body["stop_sequences"] == ["X"]
    assert body["system"].startswith("You judge single inferences")
    assert bench.server.headers[0]["x-api-key"] == KEY
    assert bench.server.headers[0]["anthropic-version"] == "2023-06-01"
    assert found.document["failed"] == 0


def test_what_the_server_says_is_recorded(bench: Any) -> None:
    found = bench.evaluate()
    [sample] = bench.samples(found)
    assert sample["usage"] == {"input_tokens": 20, "output_tokens": 3}
    assert (sample["reasoning_tokens"], sample["finish_reason"]) == (2, "stop")
    assert sample["wall_time_ms"] > 0
    import pyarrow.parquet as pq

    [row] = pq.read_table(found.document["artifacts"]["samples"]).to_pylist()
    assert (row["model_id"], row["provider_request_id"]) == ("m-2026", "req-1")


def test_a_rerun_asks_nobody_and_another_address_is_another_model(bench: Any) -> None:
    bench.write(5)
    assert bench.evaluate(n_samples=3).document["calls"] == 15
    assert bench.evaluate(n_samples=3).document["calls"] == 0
    other = bench.evaluate("--extra-body", '{"think": true}', n_samples=3)
    assert other.document["calls"] == 15


@pytest.mark.parametrize(
    ("dialect", "model", "expected"),
    [
        ("chat", "gpt-4.1-mini", {"temperature": 1.0, "max_tokens": 9}),
        ("chat", "gpt-5-mini", {"max_completion_tokens": 9}),
        ("chat", "openai/o3", {"max_completion_tokens": 9}),
        ("chat", "o11y", {"temperature": 1.0, "max_tokens": 9}),
        ("messages", "claude-sonnet-5", {"temperature": 1.0, "max_tokens": 9}),
        ("messages", "claude-opus-4-7-x", {"max_tokens": 9}),
        ("messages", "claude-opus-4-1", {"temperature": 1.0, "max_tokens": 9}),
    ],
)
def test_quirks_of_models_are_obeyed(dialect: Any, model: str, expected: dict[str, Any]) -> None:
    assert as_sent(dialect, model, {"temperature": 1.0, "max_tokens": 9, "stop": []}) == expected


def test_concurrency_is_used_and_never_exceeded(bench: Any) -> None:
    bench.write(40)
    bench.server.script = lambda _, n: Turn(delay_seconds=0.02)
    bench.evaluate("--concurrency", "8")
    assert bench.server.most_in_flight == 8


def test_overload_halves_the_calls_in_flight_and_nothing_is_lost(bench: Any) -> None:
    bench.write(120)
    bench.server.script = lambda _, n: Turn(status=429) if n == 0 else Turn(delay_seconds=0.01)
    found = bench.evaluate("--concurrency", "16")
    assert (found.document["failed"], found.document["calls"]) == (0, 240)


def test_a_server_that_names_a_time_is_left_alone_until_then(bench: Any) -> None:
    bench.write(4)
    started: list[float] = []

    def script(prompt: str, n: int) -> Turn:
        started.append(time.monotonic())
        first = len(started) == 1
        return Turn(status=429, headers={"Retry-After": "0.6"}) if first else Turn()

    bench.server.script = script
    bench.evaluate("--concurrency", "1")
    assert started[1] - started[0] >= 0.55


def test_requests_a_minute_are_spread_out(bench: Any) -> None:
    bench.write(4)
    started: list[float] = []

    def script(_prompt: str, _n: int) -> Turn:
        started.append(time.monotonic())
        return Turn()

    bench.server.script = script
    bench.evaluate("--rpm", "300")
    assert started[-1] - started[0] >= 0.55


@pytest.mark.parametrize("where", ["401 body", "header", "reply"])
def test_a_key_appears_nowhere(bench: Any, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    turns = {
        "401 body": Turn(status=401, body=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()),
        "header": Turn(headers={"x-request-id": f"id-{KEY}"}),
        "reply": Turn(f"GOOD harmless-canary {KEY}"),
    }
    bench.server.script = lambda _, n: turns[where]
    found = bench.evaluate("--log", "run.log", model="openai/gpt-4.1-mini")
    assert bench.server.headers[0]["Authorization"] == f"Bearer {KEY}"
    written = b"".join(p.read_bytes() for p in Path().rglob("*") if p.is_file())
    if where == "reply":
        assert b"harmless-canary" in written
    assert KEY.encode() not in written
    assert KEY not in found.err + str(found.document)


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("https://host/v1/", True),
        ("ftp://host/v1", False),
        ("127.0.0.1:8000", False),
        ("http://user:secret-word@host/v1", False),
        ("http://host/v1?key=secret-word", False),
        ("http://host:99999/v1", False),
        ("http://[", False),
    ],
)
def test_an_address_holds_no_credentials(url: str, fine: bool) -> None:
    fault = url_fault(url)
    assert (fault is None) is fine
    assert "secret-word" not in (fault or "")


def test_a_public_endpoint_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UserError, match="needs a key"):
        find_address(ModelSpec.parse("openai/x"))
    local = find_address(ModelSpec.parse("vllm/x"))
    assert (local.base_url, local.key) == ("http://127.0.0.1:8000/v1", None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/")
    assert find_address(ModelSpec.parse("openai/x")).base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("soon", None), ("nan", None), ("inf", None)],
)
def test_a_time_to_wait_in_seconds(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}) == seconds


def test_a_time_to_wait_as_a_date() -> None:
    moment = datetime.now(UTC) + timedelta(seconds=30)
    found = retry_after({"retry-after": format_datetime(moment, usegmt=True)})
    assert found is not None
    assert 25 < found <= 30
    assert retry_after({}) is None


def chat_reply(content: object) -> bytes:
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    return json.dumps({"model": "m", "choices": [choice]}).encode()


@pytest.mark.parametrize(
    "body",
    [
        chat_reply([{"type": "thinking", "text": "BAD?"}, {"type": "text", "text": "GOOD"}]),
        chat_reply([{"type": "text", "text": "GO"}, {"type": "text", "text": "OD"}]),
    ],
    ids=["thoughts", "parts"],
)
def test_a_chat_reply_in_parts_is_its_text(bench: Any, body: bytes) -> None:
    bench.server.script = lambda _prompt, _n: Turn(body=body)
    assert bench.samples(bench.evaluate())[0]["raw_response"] == "GOOD"


def test_thoughts_of_the_other_dialect_are_not_part_of_the_reply(bench: Any) -> None:
    parts = [{"type": "thinking", "thinking": "BAD?"}, {"type": "text", "text": "GOOD"}]
    document = {"model": "m", "content": parts, "stop_reason": "end_turn", "usage": {}}
    bench.server.script = lambda _prompt, _n: Turn(body=json.dumps(document).encode())
    found = bench.evaluate(model="anthropic/m")
    assert bench.samples(found)[0]["raw_response"] == "GOOD"


@pytest.mark.parametrize("key", ["sk-broken\nline-end", "sk-brök€n-12345678"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(
    bench: Any, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    found = bench.evaluate(model="openai/m")
    assert (found.code, found.document["errors"][0]["code"]) == (2, "bad_key")
    assert key not in str(found.document) + found.err
    assert bench.server.asked == []


def test_a_line_end_after_a_key_is_dropped(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    assert bench.evaluate(model="openai/m").code == 0
    assert bench.server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("header", ["x-team", "x team=blue", "x-team=bl\nue", "x-team=blé"])
def test_a_header_that_cannot_be_sent_is_refused(bench: Any, header: str) -> None:
    found = bench.evaluate("--header", header)
    assert (found.code, found.document["errors"][0]["code"]) == (2, "bad_option")
    assert bench.server.asked == []
