"""Long and hostile replies: every verifier ends, and does work in proportion to the reply."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.packs.verifiers import (
    TEXT_FAMILIES,
    VERIFIER_VERSIONS,
    verifier_version,
    verify_text,
)
from tasks.packs.verifiers.preparing import folded, visible
from tasks.packs.verifiers.spans import _further_starts, _starts, occurs
from tasks.packs.verifiers.verdicts import Profile

ROWS: dict[str, dict[str, Any]] = {
    "multiple_choice": {"choices": ["aaaa", "x", "(((("], "answer": 0},
    "short_answer": {"accepted_answers": ["a" * 3000, 7, "ab" * 40, "u.s."], "tolerance": 1},
    "free_response": {
        "rubric": {"accepted_answers": ["a" * 3000 + " b"], "rejected_answers": ["ab" * 40]}
    },
}
MEGABYTE = 1_000_000
HOSTILE = {
    "blanks": " " * MEGABYTE + "x",
    "blanks in the middle": "answer" + " " * MEGABYTE + "B",
    "keywords": "answer " * (MEGABYTE // 7),
    "keywords with is": "answer is: " * (MEGABYTE // 11),
    "lines": "\n" * MEGABYTE + "answer",
    "one letter": "a" * MEGABYTE,
    "period two": "ab" * (MEGABYTE // 2),
    "boxes": "\\boxed{" * (MEGABYTE // 8) + "}" * (MEGABYTE // 8),
    "asterisks": "*" * MEGABYTE,
    "brackets": "(" * MEGABYTE,
    "digits": "9" * MEGABYTE,
    "comma groups": "1" + ",111" * (MEGABYTE // 4),
    "signs": "-" * MEGABYTE,
    "points": ".1" * (MEGABYTE // 2),
    "exponent": "1e" + "9" * MEGABYTE,
    "exponent of zeros": "1e" + "0" * MEGABYTE + "1",
    "marks out of order": "a" + "\u0301\u0316" * (MEGABYTE // 4),
    "half-width marks out of order": "a" + "\uff9e\u0334\u0301\u0316" * (MEGABYTE // 12),
    "expanding": "\ufdfa" * (MEGABYTE // 18),
    "contractions": "n't" * (MEGABYTE // 3),
    "han": "東" * (MEGABYTE // 3),
    "u.s.": "u.s." * (MEGABYTE // 4),
}


@pytest.mark.parametrize("family", sorted(TEXT_FAMILIES))
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=[f"FIX-13-{name}" for name in HOSTILE])
def test_a_hostile_megabyte_is_judged(family: str, reply: str) -> None:
    assert verify_text(family, ROWS[family], reply).reason is None
    assert verify_text(family, ROWS[family], reply, "compat").reason is None


@pytest.mark.parametrize("profile", ["target", "compat"])
@pytest.mark.parametrize(
    ("size", "reason"),
    [
        pytest.param(10 * 2**20, None, id="s7.0-candidate-of-10-mib"),
        pytest.param(10 * 2**20 + 1, "candidate_too_large", id="s7.0-candidate-too-large"),
    ],
)
def test_a_candidate_above_10_mib_fails(size: int, reason: str | None, profile: Profile) -> None:
    reply = "é" * (size // 2) + "x" * (size % 2)
    found = verify_text("multiple_choice", ROWS["multiple_choice"], reply, profile)
    assert (found.passed, found.reason) == (False, reason)
    assert len(found.metadata["candidate"]) == 1000


@pytest.mark.parametrize("family", sorted(TEXT_FAMILIES))
def test_a_blank_reply_fails_with_its_reason_7_0(family: str) -> None:
    found = verify_text(family, ROWS[family], " \u200b\n")
    assert (found.passed, found.reason) == (False, "empty_candidate")


def test_another_family_is_a_type_error_10() -> None:
    with pytest.raises(TypeError):
        verify_text("repo_patch", {}, "x")


def test_every_verifier_has_a_version_in_both_profiles() -> None:
    assert set(VERIFIER_VERSIONS) == {
        (family, profile) for family in TEXT_FAMILIES for profile in ("target", "compat")
    }
    assert verifier_version("short_answer", "compat") == "short_answer/compat/1"


MARKS = st.text(
    st.sampled_from("ae \u0301\u0316\u0334\u0f71\u0f73\u0344\u3099\uff9e\uff76\u0e48"),
    min_size=30,
    max_size=90,
)


@given(MARKS)
def test_long_runs_of_marks_are_normalised_as_the_standard_says_fix_11(text: str) -> None:
    assert visible(text) == unicodedata.normalize("NFKC", text)


def test_only_known_characters_begin_with_a_mark_when_decomposed_fix_11() -> None:
    odd = {
        char
        for char in map(chr, range(0x80, 0x110000))
        if char.isalnum() and unicodedata.combining(unicodedata.normalize("NFKD", char)[0])
    }
    assert odd == {"\uff9e", "\uff9f"}


@given(st.text())
def test_folding_never_fails_and_forgets_invisible_characters_fix_11(text: str) -> None:
    assert folded(text + "\u200b\ufeff") == folded(text)


@given(st.text("ab", min_size=1, max_size=6), st.text("ab", max_size=40))
def test_all_overlapping_occurrences_are_found_fix_13(answer: str, text: str) -> None:
    expected = [at for at in range(len(text)) if text.startswith(answer, at)]
    assert list(_starts(answer, text)) == expected
    if expected:
        assert list(_further_starts(answer, text, expected[0])) == expected[1:]


@given(st.integers(65, 80), st.integers(0, 200))
def test_a_long_answer_is_found_where_words_end_fix_13(length: int, extra: int) -> None:
    answer = "a" * length
    assert not occurs(answer, "a" * (length + 1 + extra))
    assert occurs(answer, "a" * (length + 1 + extra) + " " + answer)
