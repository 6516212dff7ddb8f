"""A benchmark's own pattern: what it reads, what is refused, and that refusal is quick."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import ParserName, Verdict
from schemas.errors import UserError
from tasks.judging import compile_own_regex, make_parser, regex_fault


@pytest.mark.parametrize(
    ("pattern", "reply", "verdict"),
    [
        pytest.param(r"FINAL: (\w+)", "final: Good", "good", id="case-insensitive"),
        pytest.param(r"(good|bad)", "not good but bad", "good", id="first match"),
        pytest.param(r"<v>(\w+)</v>", "BAD <v>abstain</v>", "abstain", id="abstain"),
        pytest.param(r"v=(?P<word>\w+) (\w+)", "v=bad good", "bad", id="named group 1"),
        pytest.param(r"v=(\w+)", "v=fine v=good", None, id="other word"),
        pytest.param(r"v=(\w+)", "good", None, id="no match"),
        pytest.param(r"x|(good)", "x good", None, id="group took no part"),
        pytest.param(r"()", "good", None, id="empty group"),
        pytest.param(r"é(\w+)", "É\u2603 ébad", "bad", id="beyond ASCII"),
        pytest.param(r"(\C)", "é", None, id="half a character"),
        pytest.param(r"(good)", "\ud800 good", "good", id="lone surrogate in the reply"),
    ],
)
def test_group_one_of_the_first_match_is_the_verdict(
    pattern: str, reply: str, verdict: Verdict | None
) -> None:
    assert regex_fault(pattern) is None
    assert compile_own_regex(pattern)(reply) == verdict


@pytest.mark.parametrize("pattern", [r"verdict: (\pL+)", r"verdict.{0,200}(good|bad)"])
def test_a_large_pattern_that_people_write_is_kept(pattern: str) -> None:
    assert regex_fault(pattern) is None


def test_the_slowest_patterns_allowed_read_a_long_reply_quickly() -> None:
    parser = compile_own_regex("(.*.*.*.*(a?){400})")
    started = time.process_time()
    parser("a" * 10_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("name", ["final-answer", "first-match"])
def test_an_own_pattern_is_read_first_match_whatever_the_parser(name: ParserName) -> None:
    assert make_parser(name, "support", r"\b(GOOD|BAD)\b")("good at first, yet BAD") == "good"


@pytest.mark.parametrize("missing", [None, ""], ids=repr)
def test_without_an_own_pattern_the_named_parser_reads(missing: str | None) -> None:
    assert make_parser("final-answer", "support", missing)("good at first?\nBAD") == "bad"


def test_a_refused_pattern_is_the_users_error() -> None:
    with pytest.raises(UserError, match="capture group") as caught:
        make_parser("final-answer", "support", "GOOD")
    assert caught.value.where == "parse_regex"
    assert "RE2" in caught.value.fix


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        pytest.param("GOOD|BAD", "no capture group", id="no group"),
        pytest.param("(?:GOOD)", "no capture group", id="group that captures nothing"),
        pytest.param("(GOOD", "missing )", id="open group"),
        pytest.param(r"(?=x)(GOOD)", "(?=", id="look-ahead"),
        pytest.param(r"(a)\1", r"\1", id="back-reference"),
        pytest.param("\ud800(a)", "surrogate", id="lone surrogate"),
        pytest.param("(\n\x1b", "\ufffd", id="unprintable"),
        pytest.param("(a{1001})", "repetition", id="huge count"),
        pytest.param("((a{100}){100}){100}", "repetition", id="nested counts"),
        pytest.param(r"(\pL{1000})", "too large", id="huge class"),
        pytest.param(r"(\pL{20})", "too large", id="class repeated"),
        pytest.param("(good).{300}", "too large", id="long gap"),
        pytest.param("a" * 1_000_000, "too large", id="a megabyte"),
        pytest.param("(" * 1_000_000, "cannot compile", id="a megabyte of open groups"),
        pytest.param("(" * 500_000 + ")" * 500_000, "cannot compile", id="deep groups"),
        pytest.param("(a)|" * 250_000, "too large", id="many alternatives"),
        pytest.param("[" * 1_000_000, "cannot compile", id="open classes"),
    ],
)
def test_an_unusable_pattern_is_refused_quickly_in_one_short_line(
    pattern: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    started = time.process_time()
    fault = regex_fault(pattern)
    assert time.process_time() - started < 1
    assert fault is not None
    assert reason in fault
    assert fault.isprintable()
    assert len(fault) < 250
    assert capfd.readouterr() == ("", "")


@given(st.text(), st.text())
def test_an_own_pattern_is_refused_or_reads_any_reply(pattern: str, reply: str) -> None:
    if regex_fault(pattern) is None:
        assert compile_own_regex(pattern)(reply) in {None, "good", "bad", "abstain"}


def test_re2_is_loaded_only_for_an_own_pattern() -> None:
    code = (
        "import sys, tasks.judging as j\n"
        "j.make_parser('final-answer', 'support')('GOOD')\n"
        "assert 're2' not in sys.modules\n"
        "j.make_parser('final-answer', 'support', '(x)')\n"
        "assert 're2' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
