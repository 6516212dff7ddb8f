"""Free responses: containment, token overlap and denial. Ids carry the rule they show."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import ConfigError
from tasks.packs.verifiers import TextVerdict, verify_text
from tasks.packs.verifiers.token_f1 import compat_f1, compat_tokens, f1, tokens
from tasks.packs.verifiers.verdicts import Profile


def verdict(rubric: Any, reply: str, profile: Profile = "target") -> TextVerdict:
    return verify_text("free_response", {"prompt": "p", "rubric": rubric}, reply, profile)


def rubric(*accepted: str, no: tuple[str, ...] = (), f1: float | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "contains_any", "accepted_answers": list(accepted)}
    if no:
        made["rejected_answers"] = list(no)
    return made if f1 is None else made | {"min_token_f1": f1}


BATS = rubric("bats can see", no=("bats are blind",))
CASES = [
    pytest.param(BATS, "Well, bats can see.", True, True, id="s7.3-1-contained"),
    pytest.param(BATS, "acrobats can see", False, False, id="s7.3-1-inside-a-word"),
    pytest.param(
        BATS, "Bats can see, though people say bats are blind.", False, False, id="s7.3-4-rejected"
    ),
    pytest.param(rubric("the cat sat"), "sat: a cat", True, True, id="s7.3-2-f1-default-is-1"),
    pytest.param(rubric("cat dog", f1=0.5), "cat", True, True, id="s7.3-2-f1-above-threshold"),
    pytest.param(rubric("cat dog emu", f1=0.5), "cat", True, True, id="s7.3-2-f1-at-threshold"),
    pytest.param(rubric("cat dog", f1=0.7), "cat", False, False, id="s7.3-2-f1-below-threshold"),
    pytest.param(rubric("cat", f1=0), "dog", False, False, id="s7.3-2-best-is-0"),
    # Accepted and rejected have the same tokens: F1 1 on both sides.
    pytest.param(
        rubric("cat dog", no=("dog, the cat",)),
        "a cat. a dog",
        True,
        False,
        id="s17-7.3-equal-sets",
    ),
    pytest.param(
        rubric("cat emu", no=("cat dog",), f1=0.4), "dog cat", False, False, id="s7.3-3-outdone"
    ),
    pytest.param(
        rubric("red green blue black", no=("red yellow",), f1=0.5),
        "red green blue",
        True,
        True,
        id="s7.3-3-below-threshold",
    ),
    pytest.param(rubric("United States"), "in the U.S.", True, True, id="s7.3-u.s.-replaced"),
    pytest.param(
        rubric("X cause Y"), "X do not cause Y", False, True, id="FIX-17-denial-is-a-token"
    ),
    pytest.param(
        rubric("vaccines do not cause autism"),
        "Vaccines don\u2019t cause autism",
        True,
        False,
        id="FIX-17-contraction",
    ),
    pytest.param(
        rubric("pigs can not fly"), "pigs can't fly", True, False, id="FIX-17-cut-short-verb"
    ),
    pytest.param(rubric("Straße frei"), "frei STRASSE", True, False, id="FIX-11-folded-tokens"),
    pytest.param(rubric("東京 大阪"), "大阪と東京", False, False, id="FIX-17-extra-character"),
    pytest.param(rubric("東京"), "京東", True, False, id="FIX-17-each-han-character-is-a-token"),
    pytest.param(rubric("東京"), "答えは東京です", True, False, id="FIX-16-script-aware-span"),
    pytest.param(rubric("сад ёж"), "ёж, сад", True, False, id="FIX-17-other-letters-form-tokens"),
    pytest.param(BATS, "  ", False, False, id="s7.3-blank"),
]


@pytest.mark.parametrize(("rules", "reply", "target", "compat"), CASES)
def test_each_profile_reads_in_its_own_way(
    rules: dict[str, Any], reply: str, target: bool, compat: bool
) -> None:
    assert verdict(rules, reply).passed is target
    assert verdict(rules, reply, "compat").passed is compat


def test_the_threshold_is_compared_exactly_7_3() -> None:
    rules = rubric("one two three", f1=0.8)
    assert verdict(rules, "one two").metadata["accepted_f1"] == 0.8
    assert verdict(rules, "one two").passed


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("say hello", id="s7.3-rubric-text"),
        pytest.param({"type": "judge", "accepted_answers": ["a"]}, id="s7.3-other-type"),
        pytest.param({"type": None, "accepted_answers": ["a"]}, id="s7.3-type-null"),
        pytest.param({"type": "contains_any"}, id="s7.3-no-accepted-answers"),
        pytest.param({"accepted_answers": []}, id="s7.3-empty-accepted-answers"),
        pytest.param({"accepted_answers": [" "]}, id="s7.3-blank-answer"),
        pytest.param({"accepted_answers": [1]}, id="s7.3-number-as-answer"),
        pytest.param({"accepted_answers": ["a"], "rejected_answers": None}, id="s7.3-null"),
        pytest.param({"accepted_answers": ["a"], "min_token_f1": True}, id="s7.3-f1-boolean"),
        pytest.param({"accepted_answers": ["a"], "min_token_f1": 1.1}, id="s7.3-f1-above-1"),
        pytest.param({"accepted_answers": ["a"], "min_token_f1": -0.1}, id="s7.3-f1-below-0"),
        pytest.param({"accepted_answers": ["a"], "min_token_f1": float("nan")}, id="s7.3-f1-nan"),
    ],
)
@pytest.mark.parametrize("profile", ["target", "compat"])
def test_a_rubric_that_no_program_can_check_is_the_packs_fault(
    rules: Any, profile: Profile
) -> None:
    with pytest.raises(ConfigError) as caught:
        verdict(rules, "a", profile)
    assert caught.value.where.startswith("eval.rubric")


def test_an_empty_rejected_list_means_none_in_target_only_7_3() -> None:
    rules = rubric("moon") | {"rejected_answers": []}
    assert verdict(rules, "the moon").passed
    with pytest.raises(ConfigError):
        verdict(rules, "the moon", "compat")


def test_absent_type_and_other_keys_are_fine_7_3() -> None:
    assert verdict({"accepted_answers": ["a"], "weight": 3}, "a").passed


def test_indexes_and_scores_are_named_and_the_rubric_is_not_7_3_metadata() -> None:
    found = verdict(rubric("emu", "cat dog", no=("fox",), f1=0.5), "the cat")
    facts = dict(found.metadata)
    assert facts.pop("accepted_f1") == pytest.approx(2 / 3)
    assert facts == {
        "verifier": "free_response",
        "rubric_type": "contains_any",
        "candidate": "the cat",
        "candidate_characters": 7,
        "n_accepted": 2,
        "n_rejected": 1,
        "matched_index": 1,
        "rejected_index": None,
        "rejected_f1": 0.0,
        "min_token_f1": "[redacted]",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It is not, never, no: nor without", "not never no nor without", id="FIX-17"),
        pytest.param("we cannot; you can't, won't", "we cannot can not will not", id="FIX-17-nt"),
        pytest.param("ไม่ ok", "ไ ม \u0e48 ok", id="FIX-17-thai"),
        pytest.param("snake_case 3.5", "snake case 3 5", id="s7.3-runs-of-letters-and-digits"),
    ],
)
def test_tokens_of_the_target_profile(text: str, expected: str) -> None:
    assert tokens(text) == Counter(expected.split())


def test_compat_tokens_drop_denials_and_other_letters_7_3() -> None:
    assert compat_tokens("No, it's NOT a café") == Counter(["s", "caf"])


bags = st.lists(st.sampled_from("abcde"), max_size=8).map(Counter)


@given(bags, bags)
def test_f1_is_symmetric_and_between_0_and_1(first: Counter[str], second: Counter[str]) -> None:
    score = f1(first, second)
    assert score == f1(second, first)
    assert 0 <= score <= 1
    assert (score == 1) == (first == second and first.total() > 0)
    assert compat_f1(first, second) == pytest.approx(float(score))


@given(bags, bags)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(
    candidate: Counter[str], answer: Counter[str]
) -> None:
    shared = (candidate & answer).total()
    if not shared:
        assert f1(candidate, answer) == 0
        return
    precision, recall = Fraction(shared, candidate.total()), Fraction(shared, answer.total())
    assert f1(candidate, answer) == 2 / (1 / precision + 1 / recall)


words = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=1, max_size=10)


@given(st.lists(words, min_size=1, max_size=4), st.sampled_from(["target", "compat"]))
def test_a_gold_answer_passes(parts: list[str], profile: Profile) -> None:
    answer = " ".join(parts)
    assert verdict(rubric("other", answer), answer, profile).passed


@given(st.text(" \n\u00a0", min_size=1, max_size=3), st.sampled_from([str.upper, str.title]))
def test_case_and_spacing_do_not_matter(blanks: str, case: Any) -> None:
    assert verdict(BATS, case(blanks.join(["we", "know", "bats", "can", "see"]))).passed
