"""Every fault that a server can show: retried or not, what is recorded, which exit code.

The rows are those of the table in docs/models.md; a test there keeps both equal.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.model_server import Turn

PAGE = Path(__file__).resolve().parents[3] / "docs" / "models.md"


class Fault(NamedTuple):
    """A first answer that is no reply, and what must follow."""

    turn: Turn
    retried: bool
    recorded: str
    exit_code: int


FAULTS = {
    "408": Fault(Turn(status=408), True, "HTTP 408", 1),
    "409": Fault(Turn(status=409), True, "HTTP 409", 1),
    "425": Fault(Turn(status=425), True, "HTTP 425", 1),
    "429": Fault(Turn(status=429), True, "HTTP 429", 1),
    "429 with Retry-After": Fault(
        Turn(status=429, headers={"Retry-After": "0.01"}), True, "HTTP 429", 1
    ),
    "500": Fault(Turn(status=500), True, "HTTP 500", 1),
    "503": Fault(Turn(status=503), True, "HTTP 503", 1),
    "529": Fault(Turn(status=529), True, "HTTP 529", 1),
    "400": Fault(Turn(status=400), False, "HTTP 400", 1),
    "422": Fault(Turn(status=422), False, "HTTP 422", 1),
    "no reply in time": Fault(Turn(delay_seconds=5), True, "no reply within", 1),
    "cut connection": Fault(Turn(cut=True), True, "", 1),
    "truncated body": Fault(Turn(body=b'{"choices": [{"mess'), True, "malformed", 1),
    "wrong shape": Fault(Turn(body=b'{"choices": []}'), True, "malformed", 1),
    "no JSON": Fault(Turn(body=b"<html>busy</html>"), True, "malformed", 1),
    "blank reply": Fault(Turn(text="  "), True, "blank", 1),
    "401 before any success": Fault(Turn(status=401), False, "HTTP 401", 2),
    "403 before any success": Fault(Turn(status=403), False, "HTTP 403", 2),
    "404 before any success": Fault(Turn(status=404), False, "HTTP 404", 2),
}
STOPS = [name for name in FAULTS if name.endswith("before any success")]
TIMEOUT = ("--timeout", "0.3")


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in STOPS])
def test_a_fault_that_waiting_cures_costs_a_call_and_nothing_else(bench: Any, name: str) -> None:
    fault = FAULTS[name]
    bench.server.script = lambda _, n: fault.turn if n == 0 else Turn("GOOD")
    found = bench.evaluate(*TIMEOUT)
    calls, failed = (2, 0) if fault.retried else (1, 1)
    assert (found.document["calls"], found.document["failed"]) == (calls, failed)
    assert len(bench.server.asked) == calls
    assert found.code == (0 if fault.retried else 1)


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in STOPS])
def test_a_fault_that_lasts_is_a_failed_sample_with_its_cause(bench: Any, name: str) -> None:
    fault = FAULTS[name]
    bench.server.script = lambda _, n: fault.turn
    found = bench.evaluate(*TIMEOUT, "--max-retries", "2")
    assert (found.code, found.document["failed"]) == (fault.exit_code, 1)
    assert found.document["calls"] == (3 if fault.retried else 1)
    [sample] = bench.samples(found)
    assert sample["parse_status"] == "sample_failed"
    assert fault.recorded in sample["provider_error"]
    assert found.document["metrics"]["n_missing"] == 1


@pytest.mark.parametrize("name", STOPS)
def test_a_refusal_before_any_success_stops_the_run(bench: Any, name: str) -> None:
    bench.write(30)
    bench.server.script = lambda _, n: FAULTS[name].turn
    found = bench.evaluate("--concurrency", "2")
    assert (found.code, found.document["stopped"]) == (2, "refused")
    assert found.document["evaluation"] is None
    assert FAULTS[name].recorded in found.err
    assert len(bench.server.asked) <= 4
    assert not (bench.folder / "outputs").exists()


def test_a_refusal_after_a_success_is_a_failed_sample(bench: Any) -> None:
    bench.write(3)
    bench.server.script = lambda prompt, _: Turn(status=401 if "claim 2" in prompt else 200)
    found = bench.evaluate("--concurrency", "1", "--max-failed", "1")
    assert (found.code, found.document["failed"]) == (0, 1)


def test_a_clipped_blank_reply_is_a_reply(bench: Any) -> None:
    bench.server.script = lambda _, n: Turn("", finish_reason="length")
    found = bench.evaluate()
    [sample] = bench.samples(found)
    assert (found.document["calls"], sample["parse_status"]) == (1, "budget_clipped")


def test_the_page_has_the_same_table() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (yes|no) \| ([^|]+) \| (\d) \|$", PAGE.read_text(), re.M)
    documented = {name.strip(): (retried == "yes", int(code)) for name, retried, _, code in rows}
    assert documented == {name: (f.retried, f.exit_code) for name, f in FAULTS.items()}
