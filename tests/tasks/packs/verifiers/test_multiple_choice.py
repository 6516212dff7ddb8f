"""Multiple choice: what names a choice in either profile. Ids carry the rule they show."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ConfigError
from tasks.packs.verifiers import verify_text
from tasks.packs.verifiers.verdicts import Profile

CITIES = ["Lagos", "Oslo", "Quito", "Hanoi"]


def passes(answer: Any, reply: str, profile: Profile = "target", choices: Any = CITIES) -> bool:
    values = {"question": "which?", "choices": choices, "answer": answer}
    return verify_text("multiple_choice", values, reply, profile).passed


BOTH = [
    pytest.param(1, "B", True, id="s7.1-integer-is-a-zero-based-index"),
    pytest.param(1.0, "B", True, id="s7.1-integral-float-is-an-index"),
    pytest.param(1, "Oslo", True, id="s7.1-index-accepts-the-text"),
    pytest.param("b", "B", True, id="s7.1-string-label"),
    pytest.param("answer: (b)", "B", True, id="s7.1-string-label-grammar"),
    pytest.param(" oslo ", "B", True, id="s7.1-string-equal-to-a-choice-gives-its-letter"),
    pytest.param([0, "C"], "C", True, id="s7.1-list-means-any-of"),
    pytest.param([0, "C"], "B", False, id="s7.1-list-without-this-one"),
    pytest.param(1, "  (B)  ", True, id="s7.1-label-in-brackets"),
    pytest.param(1, "[b]", True, id="s7.1-label-in-square-brackets"),
    pytest.param(1, "answer is: B", True, id="s7.1-label-after-a-prefix"),
    pytest.param(1, "A or B", False, id="s7.1-several-labels"),
    pytest.param(1, "It is 'Oslo'.", False, id="s7.1-text-inside-a-sentence"),
    pytest.param(1, "thinking\nFinal answer: oslo", True, id="s7.0-focus-last-line"),
    pytest.param(1, "E", False, id="s7.1-label-out-of-range"),
    pytest.param(1, " \n\t", False, id="s7.1-blank-gives-no-values"),
    pytest.param(1, "2", False, id="s7.1-number-is-never-compared-with-the-text"),
]


@pytest.mark.parametrize("profile", ["target", "compat"])
@pytest.mark.parametrize(("answer", "reply", "expected"), BOTH)
def test_both_profiles_agree_on_the_plain_rules(
    answer: Any, reply: str, expected: bool, profile: Profile
) -> None:
    assert passes(answer, reply, profile) is expected


DIFFERENT = [
    pytest.param(3, "of the options, the answer is D", True, False, id="FIX-12-inside-a-word"),
    pytest.param(1, "answer is A? No, the answer is B", True, False, id="FIX-12-last-one-wins"),
    pytest.param(3, "choice = D", True, False, id="FIX-12-equals-sign"),
    pytest.param(1, "B, my answer is", False, False, id="FIX-12-nothing-after-the-keyword"),
    pytest.param(1, "\uff22", True, False, id="FIX-11-full-width-label"),
    pytest.param(1, "o\u200bslo", True, False, id="FIX-11-zero-width-dropped"),
    pytest.param(1, "ANSWER IS B", True, True, id="FIX-15-focus-in-capitals"),
    pytest.param(1, "Option B.", True, True, id="FIX-15-prefix-in-either-case"),
    pytest.param(1, "**B**", True, False, id="FIX-15-wrapping-asterisks"),
    pytest.param(1, "_`B`_", True, False, id="FIX-15-wrapping-underscore-and-backtick"),
    pytest.param(1, "$\\boxed{B}$.", True, False, id="FIX-15-wrapping-boxed"),
    pytest.param(1, "**Answer:** B..", True, False, id="FIX-15-trailing-full-stops"),
    pytest.param(1, "**Oslo**", True, False, id="FIX-15-text-in-emphasis"),
    pytest.param(1, "B. Oslo", True, False, id="FIX-15-label-then-its-text"),
    pytest.param(1, "(B) Oslo.", True, False, id="FIX-15-bracketed-label-then-its-text"),
    pytest.param(1, "B - oslo", True, False, id="FIX-15-dash-between"),
    pytest.param(1, "**B:** Oslo", True, False, id="FIX-15-emphasis-between"),
    pytest.param(1, "B: Quito", False, False, id="FIX-15-label-and-text-contradict"),
    pytest.param(1, "is b", True, True, id="s7.1-optional-is"),
    pytest.param(1, "isb", False, True, id="FIX-15-is-must-be-a-word"),
    pytest.param(1, "B because it is cold\nanswer: B?", False, False, id="s17-7.1-none-resolves"),
    pytest.param(
        1, "B\nthat is my choice, really", False, False, id="s17-7.1-whole-resolves-no-better"
    ),
]


@pytest.mark.parametrize(("answer", "reply", "target", "compat"), DIFFERENT)
def test_each_profile_reads_in_its_own_way(
    answer: Any, reply: str, target: bool, compat: bool
) -> None:
    assert (passes(answer, reply), passes(answer, reply, "compat")) == (target, compat)


CHOICES = [
    pytest.param(["B", "A"], 1, "B", True, True, id="FIX-15-a-letter-is-always-a-letter"),
    # In compat the reply "B" also has the text of choice A.
    pytest.param(["B", "A"], 0, "B", False, True, id="FIX-15-and-never-the-text"),
    pytest.param(["x", "x", "y"], "x", "B", True, True, id="s7.1-letter-of-every-equal-text"),
    pytest.param(["x", "x", "y"], 0, "x", True, True, id="s7.1-equal-texts-meet"),
    pytest.param(["x", "x", "y"], 0, "B", False, False, id="s7.1-index-accepts-only-its-letter"),
    pytest.param(["no", "ISA"], 1, "ISA", True, True, id="FIX-15-no-label-inside-a-word"),
    pytest.param(
        ["isotope", "otope"], 0, "answer isotope", True, False, id="FIX-12-is-must-be-a-word"
    ),
    pytest.param(["fish", "fowl"], 0, "\ufb01sh", True, False, id="FIX-11-ligature"),
    pytest.param(["Straße", "Weg"], 0, "STRASSE", True, False, id="FIX-11-full-case-folding"),
    pytest.param(["_x_", "x"], 0, "_x_", True, True, id="s17-7.1-text-as-written-comes-first"),
    pytest.param(["my choice is red", "x"], 0, "My choice is red.", True, True, id="s17-7.1-whole"),
    pytest.param(["B", "C"], "B", "b", True, True, id="s7.1-label-reading-wins-over-text"),
]


@pytest.mark.parametrize(("choices", "answer", "reply", "target", "compat"), CHOICES)
def test_choices_may_look_like_labels_or_each_other(
    choices: list[str], answer: Any, reply: str, target: bool, compat: bool
) -> None:
    assert passes(answer, reply, choices=choices) is target
    assert passes(answer, reply, "compat", choices) is compat


@pytest.mark.parametrize(
    ("answer", "compat_says"),
    [
        pytest.param(0.5, None, id="FIX-14-not-integral"),
        pytest.param([0, 1.5], True, id="FIX-14-not-integral-in-a-list"),
        pytest.param(-1, None, id="FIX-14-negative"),
        pytest.param([0, 4], True, id="FIX-14-index-beyond-the-choices-in-a-list"),
        pytest.param(1e300, None, id="FIX-14-huge"),
        pytest.param("Bergen", False, id="FIX-14-string-that-names-no-choice"),
        pytest.param(True, None, id="s7.1-boolean"),
        pytest.param([], None, id="s7.1-nothing-valid-remains"),
    ],
)
def test_an_answer_that_names_no_choice_is_the_packs_fault(
    answer: Any, compat_says: bool | None
) -> None:
    if answer != []:
        with pytest.raises(ConfigError):
            passes(answer, "A")
    if compat_says is None:
        with pytest.raises(ConfigError):
            passes(answer, "A", "compat")
    else:
        assert passes(answer, "A", "compat") is compat_says


def test_compat_accepts_a_foreign_answer_literally_7_1() -> None:
    assert passes("Bergen", "bergen", "compat")


@pytest.mark.parametrize("profile", ["target", "compat"])
def test_more_than_26_choices_have_no_labels_7_1(profile: Profile) -> None:
    choices = [f"c{n}" for n in range(27)]
    assert passes(25, "z", profile, choices[:26])
    with pytest.raises(ConfigError, match="27 choices"):
        passes(0, "A", profile, choices)


def test_the_answer_is_not_in_the_verdict_7_1_metadata() -> None:
    values = {"choices": CITIES, "answer": "Oslo"}
    verdict = verify_text("multiple_choice", values, " A ")
    assert dict(verdict.metadata) == {
        "verifier": "multiple_choice",
        "candidate": "A",
        "candidate_characters": 1,
        "expected_answer": "[redacted]",
        "resolved": [0],
    }


texts = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=2, max_size=8)


@given(st.lists(texts, min_size=1, max_size=26), st.data(), st.sampled_from(["target", "compat"]))
def test_a_gold_answer_passes(choices: list[str], data: st.DataObject, profile: Profile) -> None:
    index = data.draw(st.integers(0, len(choices) - 1))
    assert passes(index, chr(ord("A") + index), profile, choices)
    if profile == "target":
        assert passes(index, f"Answer: {chr(ord('A') + index)}. {choices[index]}", profile, choices)


blanks = st.text(" \t\n\u00a0\u3000", max_size=4)


@given(st.integers(0, 3), blanks, blanks, st.sampled_from([str.upper, str.lower, str.title]))
def test_case_and_spacing_do_not_matter(index: int, before: str, after: str, case: Any) -> None:
    assert passes(index, before + case(CITIES[index]) + after)
    assert passes(index, before + case(f"answer is {chr(ord('A') + index)}") + after)


@given(
    st.lists(st.sampled_from("ABCD"), min_size=2, max_size=4, unique=True),
    st.sampled_from([" or ", ", ", " and ", "/", " ", " & "]),
    st.sampled_from(["", "Answer: ", "The answer is ", "options "]),
    st.integers(0, 3),
)
def test_a_reply_that_names_two_labels_does_not_pass(
    labels: list[str], between: str, before: str, answer: int
) -> None:
    assert not passes(answer, before + between.join(labels))
