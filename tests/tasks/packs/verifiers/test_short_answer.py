"""Short answers: numbers and texts in either profile. Ids carry the rule they show."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ConfigError
from tasks.packs.verifiers import TextVerdict, verify_text
from tasks.packs.verifiers.numbers import tokens
from tasks.packs.verifiers.verdicts import Profile


def verdict(
    answers: list[Any], reply: str, tolerance: Any = None, profile: Profile = "target"
) -> TextVerdict:
    values = {"question": "q", "accepted_answers": answers}
    if tolerance is not None:
        values["tolerance"] = tolerance
    return verify_text("short_answer", values, reply, profile)


TOKENS = {
    "FIX-16-plain": ("42", ["42"]),
    "FIX-16-fraction": ("42.50", ["42.50"]),
    "FIX-16-comma-groups": ("12,345,678.9", ["12345678.9"]),
    "FIX-16-not-groups-of-three": ("1,00 and 1234,567", ["1", "0", "1234", "567"]),
    "FIX-16-group-too-long": ("12,3456", ["12", "3456"]),
    "FIX-16-exponent": ("1e3 1.5E-2 2e+1", ["1000", "0.015", "20"]),
    "FIX-16-sign": ("-5 +6 \u22127", ["-5", "6", "-7"]),
    "FIX-16-sign-after-letter-digit-or-bracket": ("x-5 3-4 (a)-6 [b]-7", ["5", "3", "4", "6", "7"]),
    "FIX-16-sign-after-opening-bracket": ("(-5)", ["-5"]),
    "FIX-16-letter-after": ("100km 1.5km 1e3x 2nd", []),
    "FIX-16-letter-before": ("x2 v42.5 a1,000", []),
    "FIX-16-underscore-around": ("_5 5_", []),
    "FIX-16-dangling-exponent": ("3e 3e+", []),
    "FIX-16-full-stop-after": ("It is 5.", ["5"]),
    "FIX-16-unit-signs": ("$5 6% 7°", ["5", "6", "7"]),
    "FIX-16-other-digits": ("\u0664\u0662", ["42"]),
    "s17-7.2-leading-point": (".5 -.5 (.25)", ["0.5", "-0.5", "0.25"]),
    "s17-7.2-point-after-a-letter": ("No.5", ["5"]),
    "s17-7.2-point-after-a-digit": ("1.2.3", ["1.2", "3"]),
    "s17-7.2-point-after-a-point": ("so...5", ["5"]),
    "s17-7.2-fraction-slash": ("1\u20442 and 3", ["3"]),
    "s17-7.2-fraction-slash-after-a-fraction": ("1.5\u20442", []),
    "FIX-16-huge-exponents": ("0e999999999999 7", ["0", "7"]),
}


@pytest.mark.parametrize(("text", "expected"), TOKENS.values(), ids=TOKENS)
def test_numbers_are_read_out_of_a_text(text: str, expected: list[str]) -> None:
    assert list(tokens(text)) == [Decimal(number) for number in expected]


TARGET = [
    pytest.param([12345], "The total is 12,345.", None, True, id="FIX-16-comma-group"),
    pytest.param([42], "42.5", None, False, id="FIX-16-42-is-not-42.5"),
    pytest.param([42], "-42", None, False, id="FIX-16-42-is-not-minus-42"),
    pytest.param([42], "42,000", None, False, id="FIX-16-42-is-not-42-thousand"),
    pytest.param([42], "42.5", 0.4, False, id="FIX-16-no-span-after-a-failed-tolerance"),
    pytest.param([10**9], str(10**9 + 1), 0, False, id="FIX-16-tolerance-0-is-exact"),
    pytest.param([2019], "In 2019 it was 3.\nAnswer: 7", None, False, id="FIX-16-focus-governs"),
    pytest.param([2019], "In 2019.\nAnswer: none", None, True, id="FIX-16-whole-if-focus-has-none"),
    pytest.param([0.3], "0.4", 0.1, True, id="FIX-16-edge-is-exact"),
    pytest.param([0.3], "0.40001", 0.1, False, id="FIX-16-beyond-the-edge"),
    pytest.param([1000], "1e3", None, True, id="FIX-16-exponent"),
    pytest.param(["1,000"], "1000", None, True, id="FIX-16-numeric-string"),
    pytest.param([" \u22125 "], "-5", None, True, id="FIX-16-numeric-string-with-minus-sign"),
    pytest.param(["007"], "7", None, False, id="FIX-16-leading-zeros-are-text"),
    pytest.param(["007"], "Agent 007!", None, True, id="FIX-16-leading-zeros-occur"),
    pytest.param(["0.5"], ".5", None, True, id="s17-7.2-point-five"),
    pytest.param([0.5], "\u00bd", None, False, id="s17-7.2-vulgar-fraction-is-no-token"),
    pytest.param([-5], "answer -5", None, True, id="FIX-12-minus-belongs-to-the-number"),
    pytest.param([5], "answer - 5", None, True, id="FIX-12-dash-separates"),
    pytest.param([-0.5], "answer -.5", None, True, id="FIX-12-minus-before-a-point"),
    pytest.param(["isotope"], "answer isotope", None, True, id="FIX-12-is-inside-a-word"),
    pytest.param(["isotope"], "The Answer IS: Isotope.", None, True, id="s7.2-focus-equal"),
    pytest.param(["Paris"], "The capital is Paris, of course.", None, True, id="s7.2-span"),
    pytest.param(["Paris"], "Parisian", None, False, id="s7.2-span-inside-a-word"),
    pytest.param(["C++"], "It is C++11", None, True, id="FIX-16-edge-that-is-no-letter"),
    pytest.param(["東京"], "答えは東京です", None, True, id="FIX-16-script-without-spaces"),
    pytest.param(["กรุง"], "คือกรุงเทพ", None, True, id="FIX-16-thai"),
    pytest.param(["कि"], "किताब", None, False, id="FIX-16-devanagari-has-spaces"),
    pytest.param(["ताब"], "किताब", None, False, id="FIX-16-marks-belong-to-letters"),
    pytest.param(["東京"], "Tokyo東京Tower", None, True, id="FIX-16-one-side-without-spaces"),
    pytest.param(["x\u00b2"], "x2", None, True, id="FIX-11-superscript"),
    pytest.param(["New York"], "new\u00a0york", None, True, id="FIX-11-no-break-space"),
    pytest.param(["..."], "...", None, True, id="FIX-16-empty-form-compares-raw"),
    pytest.param(["..."], ";;;", None, False, id="FIX-16-empty-form-is-not-any-punctuation"),
    pytest.param(["a"], " \u200b ", None, False, id="FIX-16-blank-fails"),
    pytest.param(["yes"], "Yes!", None, True, id="s7.2-span-with-punctuation"),
    pytest.param(["b", 7, "c"], "c 7", None, True, id="s7.2-any-of-several"),
]


@pytest.mark.parametrize(("answers", "reply", "tolerance", "expected"), TARGET)
def test_target(answers: list[Any], reply: str, tolerance: Any, expected: bool) -> None:
    assert verdict(answers, reply, tolerance).passed is expected


COMPAT = [
    pytest.param([42], "42.5", None, "answer_span", id="s7.2-compat-dot-is-no-word-character"),
    pytest.param([42], "-42", None, "answer_span", id="s7.2-compat-sign"),
    pytest.param([42], "42,000", 0.1, "answer_span", id="s7.2-compat-span-after-failed-tolerance"),
    pytest.param([10**9], str(10**9 + 1), 0, "numeric_tolerance", id="s7.2-compat-relative"),
    pytest.param([2019], "In 2019\nanswer: 7", None, "answer_span", id="s7.2-compat-whole-text"),
    pytest.param([0.3], "0.4", 0.1, None, id="s7.2-compat-binary-edge"),
    pytest.param([1], "1e3", 0, "numeric_tolerance", id="s7.2-compat-no-exponent"),
    pytest.param([1000], "1,000 or so", 0, "numeric_tolerance", id="s7.2-compat-commas-deleted"),
    pytest.param(["..."], ";;;", None, "normalized_exact", id="s7.2-compat-only-punctuation"),
    pytest.param(["otope"], "answer isotope", None, "normalized_exact", id="s7.0-compat-focus"),
    pytest.param([5], "answer -5", None, "answer_span", id="s7.0-compat-focus-minus"),
    pytest.param(["Paris"], "Parisian", None, None, id="s7.2-compat-word-character-after"),
    pytest.param(["C++"], "C++11", None, None, id="s7.2-compat-any-edge"),
    pytest.param(["Straße"], "STRASSE", None, None, id="s7.0-compat-lower-case-only"),
]


@pytest.mark.parametrize(("answers", "reply", "tolerance", "strategy"), COMPAT)
def test_compat_reproduces_the_other_reading(
    answers: list[Any], reply: str, tolerance: Any, strategy: str | None
) -> None:
    found = verdict(answers, reply, tolerance, "compat")
    assert (found.passed, found.metadata["strategy"]) == (strategy is not None, strategy)


def test_the_first_answer_that_hits_is_named_7_2_metadata() -> None:
    found = verdict(["no", "forty", 42], "forty, that is 42", 1)
    assert dict(found.metadata) == {
        "verifier": "short_answer",
        "candidate": "forty, that is 42",
        "candidate_characters": 17,
        "answer_index": 1,
        "strategy": "answer_span",
        "tolerance": "[redacted]",
        "n_answers": 3,
    }


@pytest.mark.parametrize(
    ("answers", "tolerance"),
    [
        pytest.param([], None, id="s7.2-no-answers"),
        pytest.param([True], None, id="s7.2-boolean"),
        pytest.param([1], -1, id="s7.2-negative-tolerance"),
        pytest.param([1], "1", id="s7.2-tolerance-text"),
        pytest.param([float("nan")], None, id="FIX-4-not-a-number"),
    ],
)
def test_a_row_that_cannot_be_verified_is_the_packs_fault(answers: Any, tolerance: Any) -> None:
    with pytest.raises(ConfigError):
        verdict(answers, "1", tolerance)


decimals = st.decimals(-(10**6), 10**6, places=3)


class Written(float):
    """A number that remembers its text, as the reader of rows gives it."""

    text: str

    def __new__(cls, text: str) -> "Written":
        number = super().__new__(cls, text)
        number.text = text
        return number


def test_a_number_counts_by_its_decimal_text_fix_16() -> None:
    answer = Written("0.30000000000000001")
    assert answer == 0.3
    assert not verdict([answer], "0.3").passed
    assert verdict([answer], "0.30000000000000001").passed


@given(decimals, st.decimals(0, 100, places=3))
def test_a_number_passes_exactly_up_to_the_edge(answer: Decimal, tolerance: Decimal) -> None:
    numbers = [Written(str(answer))], Written(str(tolerance))
    step = Decimal("1e-20")
    for edge, outwards in ((answer - tolerance, -step), (answer + tolerance, step)):
        assert verdict(numbers[0], f"{edge:f}", numbers[1]).passed
        assert not verdict(numbers[0], f"{edge + outwards:f}", numbers[1]).passed


words = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=1, max_size=10)


@given(words, st.sampled_from(["target", "compat"]))
def test_a_gold_answer_passes(answer: str, profile: Profile) -> None:
    assert verdict([answer], answer, None, profile).passed


@given(st.lists(words, min_size=1, max_size=3), st.text(" \t\u00a0", min_size=1, max_size=3))
def test_case_and_spacing_do_not_matter(parts: list[str], blanks: str) -> None:
    answer = " ".join(parts)
    assert verdict([answer], f"{blanks}{blanks.join(parts)}{blanks}").passed
    assert verdict(["Oslo Quay"], blanks.join(["oSLO", "qUAY"])).passed
