"""The built-in parsers: tables of replies, laws, statuses, and time on hostile replies."""

import string
import time
from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import ParserName, QuestionForm, Verdict
from tasks.judging import FAILED, PARSER_VERSIONS, Parsed, ReplyParser, make_parser, parse_reply

Table = dict[str, tuple[str, Verdict | None]]

FIRST_MATCH_SUPPORT: Final[Table] = {
    "good with full stop": ("good.", "good"),
    "bold": ("**Bad**", "bad"),
    "abstain": ("ABSTAIN", "abstain"),
    "negation is not seen": ("not good", "good"),
    "label in a question first": ("Is this a good inference? BAD", "good"),
    "underscore blocks": ("_GOOD_", None),
    "digit blocks": ("GOOD2", None),
    "longer word": ("goodness", None),
    "accented letter blocks": ("éGOOD", None),
    "empty": ("", None),
    "matches by Unicode case rules but is another word": ("ab\u017ftain, so GOOD", None),
    "label of the other form": ("INCOHERENT", None),
}
FIRST_MATCH_COHERENCE: Final[Table] = {
    "incoherent is good": ("INCOHERENT", "good"),
    "coherent is bad": ("It is coherent.", "bad"),
    "unclear is abstain": ("**Unclear**", "abstain"),
    "first of two": ("Coherent? No: incoherent.", "bad"),
    "dotted capital I": ("\u0130NCOHERENT", None),
    "longer word": ("coherently", None),
    "label of the other form": ("GOOD", None),
}
FINAL_ANSWER_SUPPORT: Final[Table] = {
    "good with full stop": ("good.", "good"),
    "bold": ("**Bad**", "bad"),
    "announced": ("Verdict: GOOD", "good"),
    "label in a question first": ("Is this a good inference? BAD", "bad"),
    "negated": ("not good", None),
    "neither nor": ("neither good nor bad", None),
    "label line, then an argument": (
        "GOOD\nThe premises settle it.\nNothing is left open.",
        "good",
    ),
    "first and last line differ": ("BAD\nOn reflection:\nGOOD", None),
    "change of mind": (
        "The premises look bad at first. On reflection the answer is good.",
        "good",
    ),
    "wavering": ("It could be good or bad.", None),
    "prose": ("I would say this one is good, all told.", "good"),
    "emphasis by underscores": ("_GOOD_", "good"),
    "longer word": ("goodness", None),
    "digit blocks": ("GOOD2", None),
    "empty": ("", None),
    "only white space": (" \n\t ", None),
    "abstain": ("ABSTAIN", "abstain"),
    "label of the other form": ("INCOHERENT", None),
    "another letter by ASCII rules": ("ab\u017ftain", None),
    "nested emphasis": ("***`good`***", "good"),
    "emphasis inside a word stays": ("GOOD_BAD", None),
    "stars between labels stay": ("GOOD**BAD", None),
    "emphasis up to a letter": ("**GOOD**because of that", "good"),
    "emphasis before punctuation": ("**Verdict:** **BAD**.", "bad"),
    "code fence": ("```text\nBAD\n```", "bad"),
    "first and last line agree": ("GOOD\nBad objections come up.\nGood!", "good"),
    "last line": ("It looks bad, does it not?\n\n> (GOOD) \u2713\n\n", "good"),
    "first line beats an announcement": ("GOOD\nverdict: BAD, some say", "good"),
    "carriage returns": ("BAD\r\nThe good is oft interred.\r\nBones.", "bad"),
    "line separator": ("BAD\u2028The verdict is good, some say", "bad"),
    "two labels on the only line": ("GOOD, GOOD", "good"),
    "middle line is no outer line": ("Well,\nGOOD\nor so I say, not bad", None),
    "last announcement": ("Answer: BAD. Wait. Answer = GOOD. No bad feelings.", "good"),
    "is": ("My conclusion is bad, as it is no good proof", "bad"),
    "label on the next line": ("ANSWER:\n\n  good, clearly\nbad luck", "good"),
    "no space": ("answer:good or bad", "good"),
    "announcement without label is passed over": (
        "Verdict: GOOD, my final answer is short",
        "good",
    ),
    "announced but negated": ("The verdict is not good", None),
    "word between": ("The answer is clearly good, while bad is out", None),
    "two signs": ("The answer is: good, while bad is out", None),
    "longer announcing word": ("answers: good, bad", None),
    "glued is": ("answer isgood, bad", "bad"),
    "longer label": ("answer: goodness, bad", "bad"),
    "announced after an announcing word": ("answer is verdict is good or bad", "good"),
    "last sentence of several": ("Good premises! Is it bad? I find it bad. So be it.", "bad"),
    "sentences end at newlines": ("Some good in it\nyet I call it bad\nall told", "bad"),
    "same label twice": ("good is good, I think", "good"),
    "an earlier sentence does not help": ("It is good. It is good or bad. Hm.", None),
    "never": ("that is never good, I think", None),
    "nor": ("nor good, I think", None),
    "one word between": ("that is NOT a good one", None),
    "two words between": ("not at all good, I think", "good"),
    "contraction": ("it isn't good, I think", None),
    "contraction, capitals": ("IT ISN'T A GOOD ONE", None),
    "contraction, typographic": ("it isn\u2019t really good", None),
    "contraction, two words between": ("it isn't quite as good", "good"),
    "contraction inside emphasis": ("it is**n't** good", None),
    "longer word with n't": ("the ain'ts good, I think", "good"),
    "apostrophe without n": ("it'll be good, I think", "good"),
    "negation of any occurrence": ("good, though not good everywhere", None),
    "negation of the first occurrence": ("not good at first sight, then good", None),
    "negation after": ("good, is it not", "good"),
    "negation in the sentence before": ("I think not. A good one, this", "good"),
    "label with contraction counts": ("good, or does one abstain't", None),
    "word that holds a negation": ("notably good, I think", "good"),
}
FINAL_ANSWER_COHERENCE: Final[Table] = {
    "incoherent is good": ("INCOHERENT", "good"),
    "coherent is bad": ("**Coherent**.", "bad"),
    "unclear is abstain": ("verdict: unclear", "abstain"),
    "differing lines": ("COHERENT\nHm.\nINCOHERENT", None),
    "announced": ("Coherent at first; the answer is incoherent, then", "good"),
    "prose": ("Taken together this is coherent, I think", "bad"),
    "negated": ("Taken together this isn't coherent, I think", None),
    "two labels": ("coherent or incoherent", None),
    "label of the other form": ("GOOD", None),
}
TABLES: Final[dict[tuple[ParserName, QuestionForm], Table]] = {
    ("first-match", "support"): FIRST_MATCH_SUPPORT,
    ("first-match", "coherence"): FIRST_MATCH_COHERENCE,
    ("final-answer", "support"): FINAL_ANSWER_SUPPORT,
    ("final-answer", "coherence"): FINAL_ANSWER_COHERENCE,
}
LABELS: Final[dict[QuestionForm, dict[str, Verdict]]] = {
    "support": {"GOOD": "good", "BAD": "bad", "ABSTAIN": "abstain"},
    "coherence": {"INCOHERENT": "good", "COHERENT": "bad", "UNCLEAR": "abstain"},
}
PARSERS: Final = {setup: make_parser(*setup) for setup in TABLES}
OPPOSITES: Final = {"good": "bad", "bad": "good", "GOOD": "BAD", "BAD": "GOOD"}
OPPOSITE_VERDICTS: Final[dict[Verdict | None, Verdict | None]] = {"good": "bad", "bad": "good"}
SWAP_ASCII_CASE: Final = str.maketrans(
    string.ascii_letters, string.ascii_uppercase + string.ascii_lowercase
)

setups = st.sampled_from(list(TABLES))
fragments = st.sampled_from(
    [
        *("GOOD", "bad", "good", "abstain", "COHERENT", "incoherent", "unclear"),
        *("not", "isn't", "never", "nor", "verdict", "answer is", "so"),
        *(":", "=", " ", "\n", ".", "?", "2", "é", "'", "**", "_"),
    ]
)
replies = st.one_of(st.text(), st.lists(fragments).map("".join), st.lists(fragments).map(" ".join))


@pytest.mark.parametrize(
    ("parser", "reply", "verdict"),
    [
        pytest.param(PARSERS[setup], reply, verdict, id=f"{setup[0]}, {setup[1]}: {case}")
        for setup, table in TABLES.items()
        for case, (reply, verdict) in table.items()
    ],
)
def test_a_reply_reads_as_the_table_says(
    parser: ReplyParser, reply: str, verdict: Verdict | None
) -> None:
    assert parser(reply) == verdict


def test_every_parser_has_a_version() -> None:
    assert set(PARSER_VERSIONS) == set(get_args(ParserName))
    assert all(version >= 1 for version in PARSER_VERSIONS.values())


@pytest.mark.parametrize(
    ("reply", "finish_reason", "parsed"),
    [
        pytest.param("GOOD", "stop", Parsed("good", "ok"), id="read"),
        pytest.param("ABSTAIN", None, Parsed("abstain", "ok"), id="said abstain"),
        pytest.param("BAD", "length", Parsed("bad", "ok"), id="read although clipped"),
        pytest.param("hm", "stop", Parsed("abstain", "unparseable"), id="no label"),
        pytest.param("", None, Parsed("abstain", "unparseable"), id="empty, no reason"),
        pytest.param("hm", "length", Parsed("abstain", "budget_clipped"), id="length"),
        pytest.param("", "max_tokens", Parsed("abstain", "budget_clipped"), id="max_tokens"),
        pytest.param("hm", "LENGTH", Parsed("abstain", "unparseable"), id="other spelling"),
    ],
)
def test_the_status_says_why_a_reply_abstains(
    reply: str, finish_reason: str | None, parsed: Parsed
) -> None:
    assert parse_reply(PARSERS["final-answer", "support"], reply, finish_reason) == parsed


def test_a_failed_sample_is_recorded_as_an_abstention_with_its_own_status() -> None:
    assert FAILED == ("abstain", "sample_failed")


@given(setups, replies)
def test_reading_never_raises_and_ignores_case(
    setup: tuple[ParserName, QuestionForm], reply: str
) -> None:
    parser = PARSERS[setup]
    assert parser(reply) == parser(reply.translate(SWAP_ASCII_CASE))


@given(
    st.sampled_from([(form, *pair) for form, labels in LABELS.items() for pair in labels.items()]),
    st.text("*_`.,:;!?()[]{}<>\"'\u2019-=#~/|$%&@^+\\ \t\n\u2026\u2713\u3002"),
    st.text("*_`.,:;!?()[]{}<>\"'\u2019-=#~/|$%&@^+\\ \t\n\u2026\u2713\u3002"),
)
def test_a_label_wrapped_in_emphasis_and_punctuation_is_that_label(
    case: tuple[QuestionForm, str, Verdict], before: str, after: str
) -> None:
    form, label, verdict = case
    assert PARSERS["final-answer", form](before + label + after) == verdict


@given(st.sampled_from(get_args(ParserName)), st.lists(fragments), st.sampled_from(["", " "]))
def test_swapping_good_and_bad_in_a_reply_swaps_the_verdict(
    name: ParserName, parts: list[str], joiner: str
) -> None:
    parser = PARSERS[name, "support"]
    verdict = parser(joiner.join(parts))
    swapped = parser(joiner.join(OPPOSITES.get(part, part) for part in parts))
    assert swapped == OPPOSITE_VERDICTS.get(verdict, verdict)


@given(st.lists(fragments).map(" ".join))
def test_final_answer_never_finds_a_label_where_first_match_sees_none(reply: str) -> None:
    bare = reply.replace("_", " ")
    if PARSERS["first-match", "support"](bare) is None:
        assert PARSERS["final-answer", "support"](bare) is None


@pytest.mark.parametrize("setup", TABLES, ids=", ".join)
@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("*", id="stars"),
        pytest.param("a*", id="letters and stars"),
        pytest.param("*a", id="stars and letters"),
        pytest.param("a_*`", id="mixed emphasis"),
        pytest.param("verdict is ", id="announcements without label"),
        pytest.param("answer" + " " * 1000, id="white space after announcements"),
        pytest.param("verdict: good\n", id="announcements"),
        pytest.param("good ", id="labels"),
        pytest.param("good.", id="sentences"),
        pytest.param("coherent unclear ", id="labels of coherence"),
        pytest.param("good\nx\n", id="label lines"),
        pytest.param("\n", id="newlines"),
        pytest.param(" \n", id="blank lines"),
        pytest.param(".", id="dots"),
        pytest.param("n't ", id="contractions"),
        pytest.param("n'", id="nearly contractions"),
        pytest.param("x", id="one word"),
        pytest.param(" ", id="spaces"),
    ],
)
@pytest.mark.parametrize("tail", ["", " good", "answer:", "\n!x"], ids=repr)
def test_a_megabyte_of_anything_is_read_in_under_a_second(
    setup: tuple[ParserName, QuestionForm], unit: str, tail: str
) -> None:
    reply = tail + unit * (1_000_000 // len(unit)) + tail
    started = time.process_time()
    PARSERS[setup](reply)
    assert time.process_time() - started < 1
