"""Reading a verdict out of a model's reply.

Two built-in ways of reading, both for the labels of either question form:

* `final-answer` (the default) looks for the label the reply settles on:
  a line that is nothing but a label, else an announcement such as "verdict: good",
  else the last sentence that mentions a label, unless it wavers or negates.
* `first-match` takes the first label anywhere, "not good" included; it is here for
  comparison with tools that read replies that way.

A benchmark may bring its own pattern instead, which is read first-match as well.

Every built-in pattern runs in time linear in the reply: repetitions are possessive or cannot
meet a character twice.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from schemas.base import ParserName, ParseStatus, QuestionForm, Verdict
from schemas.errors import UserError

PARSER_VERSIONS: Final[Mapping[ParserName, int]] = {"final-answer": 1, "first-match": 1}
"""Recorded with every result; bumped when a reply may be read differently than before."""


class ReplyParser(Protocol):
    """Reads one reply; `None` when it holds no usable label. Never raises."""

    def __call__(self, text: str) -> Verdict | None:
        """The verdict that `text` states."""


class Parsed(NamedTuple):
    """What one sample says, and how we know."""

    verdict: Verdict
    status: ParseStatus


FAILED: Final = Parsed("abstain", "sample_failed")
"""What is recorded for a sample whose call failed; it takes no part in the vote."""

_CLIPPED: Final = frozenset({"length", "max_tokens"})


def parse_reply(parser: ReplyParser, text: str, finish_reason: str | None) -> Parsed:
    """Verdict and status of one reply; a verdict that was read is `ok` even in a clipped reply."""
    verdict = parser(text)
    if verdict is not None:
        return Parsed(verdict, "ok")
    return Parsed("abstain", "budget_clipped" if finish_reason in _CLIPPED else "unparseable")


def make_parser(name: ParserName, form: QuestionForm, own_regex: str | None = None) -> ReplyParser:
    """The parser for one run.

    Args:
        name: How the built-in labels are read.
        form: Which labels those are.
        own_regex: A benchmark's own pattern. It replaces both, and names good, bad or abstain
            itself, so it only makes sense for the support form; an empty one counts as missing.

    Raises:
        UserError: The benchmark's own pattern cannot be used.
    """
    if own_regex:
        return compile_own_regex(own_regex)
    read = _read_final_answer if name == "final-answer" else _read_first_match
    return partial(read, _VOCABULARIES[form])


class _Vocabulary(NamedTuple):
    """The labels of one question form, and the patterns that find them."""

    verdicts: Mapping[str, Verdict]
    first: re.Pattern[str]
    label: re.Pattern[str]
    alone: re.Pattern[str]
    announced: re.Pattern[str]

    def verdict(self, match: re.Match[str]) -> Verdict | None:
        return self.verdicts.get(match[1].lower())


def _vocabulary(verdicts: Mapping[str, Verdict]) -> _Vocabulary:
    words = "|".join(verdicts)
    # Only the letters are compared by ASCII rules, so that U+017F is no "s"; the word
    # boundaries around them stay Unicode's.
    label = rf"((?ai:{words}))\b"
    return _Vocabulary(
        verdicts=verdicts,
        first=re.compile(rf"\b({words})\b", re.IGNORECASE),
        label=re.compile(rf"\b{label}"),
        alone=re.compile(rf"\W*+{label}\W*+"),
        announced=re.compile(
            rf"\b(?ai:verdict|answer|conclusion)\b\s*+(?:(?ai:is)\b|[:=])\s*+{label}"
        ),
    )


# Coherence asks about holding the premises and denying the conclusions: that this is
# incoherent is what makes the inference good, hence the inverted polarity.
_VOCABULARIES: Final[Mapping[QuestionForm, _Vocabulary]] = {
    "support": _vocabulary({"good": "good", "bad": "bad", "abstain": "abstain"}),
    "coherence": _vocabulary({"incoherent": "good", "coherent": "bad", "unclear": "abstain"}),
}


def _read_first_match(vocabulary: _Vocabulary, text: str) -> Verdict | None:
    match = vocabulary.first.search(text)
    return None if match is None else vocabulary.verdict(match)


# A run of emphasis characters, unless a letter or digit stands on both sides of it: first the
# runs with none before, then those with none after.
_EMPHASIS: Final = re.compile(r"(?<![\w*`])[*_`]++|(?<![*_`])[*_`]++(?![^\W_])")
_SENTENCE_END: Final = re.compile(r"[.?!\n]")
_WORD: Final = re.compile(r"\w+")
_CONTRACTED_NOT: Final = re.compile(r"(?<=n)['\u2019]t\b", re.IGNORECASE)
_NEGATIONS: Final = frozenset({"not", "never", "neither", "nor"})


def _read_final_answer(vocabulary: _Vocabulary, text: str) -> Verdict | None:
    text = "\n".join(_EMPHASIS.sub("", text).splitlines()).strip()
    outer_lines = text.partition("\n")[0], text.rpartition("\n")[2]
    alone = {
        vocabulary.verdict(match)
        for match in map(vocabulary.alone.fullmatch, outer_lines)
        if match is not None
    }
    if alone:
        return alone.pop() if len(alone) == 1 else None
    announced = _last(vocabulary.announced.finditer(text))
    if announced is not None:
        return vocabulary.verdict(announced)
    last_label = _last(vocabulary.label.finditer(text))
    if last_label is None:
        return None
    return _read_sentence(vocabulary, _sentence_around(last_label))


def _last(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    kept = deque(matches, maxlen=1)
    return kept[0] if kept else None


def _sentence_around(match: re.Match[str]) -> str:
    text = match.string
    start = max(text.rfind(mark, 0, match.start()) for mark in ".?!\n") + 1
    end = _SENTENCE_END.search(text, match.end())
    return text[start : end.start() if end else len(text)]


def _read_sentence(vocabulary: _Vocabulary, sentence: str) -> Verdict | None:
    """The verdict of the only label in `sentence`; `None` if it has two or negates one."""
    found = set[Verdict]()
    before = deque[str](maxlen=2)
    for word in _WORD.findall(_CONTRACTED_NOT.sub(" not", sentence)):
        verdict = vocabulary.verdicts.get(word.lower())
        if verdict is not None:
            if not _NEGATIONS.isdisjoint(before):
                return None
            found.add(verdict)
        before.append(word.lower())
    return found.pop() if len(found) == 1 else None


_OWN_VERDICTS: Final = _VOCABULARIES["support"].verdicts
_LONGEST_REASON: Final = 120
_LARGEST_PROGRAM: Final = 2_000
"""In RE2's instructions: searching takes time in proportion to them. Letters of any alphabet with
a repetition are some 1,200, the labels and what may stand around them less than 100."""


def compile_own_regex(pattern: str) -> ReplyParser:
    """A parser from a benchmark's own pattern: first match, group 1, in lower case.

    Patterns come from strangers, so they run on RE2, which does not backtrack, and up to a size
    that keeps the search of a reply short.

    Raises:
        UserError: RE2 cannot compile the pattern, or it is too large or has no capture group.
    """
    import re2  # type: ignore[import-untyped]  # has no stubs; loaded only where one is used

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled = re2.compile(pattern.encode(), options=options)
    except Exception as error:  # Whatever a stranger's pattern provokes is the pattern's fault.
        raise _unusable(f"RE2 cannot compile it: {_reason(error)}") from error
    if not compiled.groups:
        raise _unusable("it has no capture group, so it cannot say which word is the verdict")
    if compiled.programsize > _LARGEST_PROGRAM:
        size = f"{compiled.programsize:,} instructions, at most {_LARGEST_PROGRAM:,} are allowed"
        raise _unusable(f"it is too large: {size}")
    return partial(_read_own_match, compiled)


def regex_fault(pattern: str) -> str | None:
    """Why a benchmark's own pattern cannot be used, in one line; `None` when it can."""
    try:
        compile_own_regex(pattern)
    except UserError as error:
        return error.what
    return None


def _read_own_match(compiled: Any, text: str) -> Verdict | None:
    # Bytes, because RE2 refuses lone surrogates, which a JSON reply may hold.
    match = compiled.search(text.encode(errors="replace"))
    word: bytes | None = match and match.group(1)
    return None if word is None else _OWN_VERDICTS.get(word.decode(errors="replace").lower())


def _unusable(reason: str) -> UserError:
    return UserError(
        f"the benchmark's own pattern is unusable: {reason}",
        where="parse_regex",
        fix=r"use RE2 syntax with the verdict in group 1, for example \b(GOOD|BAD|ABSTAIN)\b",
        code="parse_regex",
    )


def _reason(error: Exception) -> str:
    """RE2's message on one short line; it quotes the pattern, which may be long or unprintable."""
    message = error.args[0] if error.args else ""
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(error)
    line = "".join(char if char.isprintable() else "\ufffd" for char in text[:_LONGEST_REASON])
    return f"{line}…" if len(text) > _LONGEST_REASON else line
