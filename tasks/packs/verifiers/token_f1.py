"""Overlap of words between a reply and an answer: token F1.

Precision o/c and recall o/a over the multisets of tokens (o shared, c in the candidate, a in the
answer); F1 is their harmonic mean, 2o / (c + a), and 0 when nothing is shared.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from tasks.packs.verifiers.preparing import visible
from tasks.packs.verifiers.scripts import is_letter, is_token_by_itself

_STOP_WORDS: Final = """
a an and are as at be because been before being by did do does due for from how if in into is it its
no not of on or over that the their this through to was were what when where which who whom whose
why with you your
"""
COMPAT_STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
STOP_WORDS: Final = COMPAT_STOP_WORDS - {"no", "not", "nor", "never", "without", "cannot"}
"""Without the words that deny: they turn a statement into its opposite."""

_ASCII_TOKEN: Final = re.compile(r"[a-z0-9]+")
_CONTRACTED: Final = re.compile(r"n['\u2019\u02bc]t(?![^\W_])")
_CUT_SHORT: Final = re.compile(r"(?<![^\W_])(?:ca|wo|sha)(?= not )")
_WHOLE_VERBS: Final = {"ca": "can", "wo": "will", "sha": "shall"}


def tokens(text: str) -> Counter[str]:
    """The words of a text that count, with denials; each Han, Kana or Thai character is one."""
    plain = visible(text).casefold().replace("u.s.", "united states")
    plain = _CONTRACTED.sub(" not ", plain)
    plain = _CUT_SHORT.sub(lambda found: _WHOLE_VERBS[found[0]], plain)
    words: Iterable[str] = _ASCII_TOKEN.findall(plain) if plain.isascii() else _words(plain)
    return Counter(word for word in words if word not in STOP_WORDS)


def compat_tokens(text: str) -> Counter[str]:
    """The words of a text that count: ASCII letters and digits, denials left out."""
    plain = text.lower().replace("u.s.", "united states")
    return Counter(word for word in _ASCII_TOKEN.findall(plain) if word not in COMPAT_STOP_WORDS)


def f1(candidate: Counter[str], answer: Counter[str]) -> Fraction:
    """Token F1, exactly."""
    shared = _shared(candidate, answer)
    return Fraction(2 * shared, candidate.total() + answer.total()) if shared else Fraction(0)


def compat_f1(candidate: Counter[str], answer: Counter[str]) -> float:
    """Token F1 by way of rounded precision and recall."""
    shared = _shared(candidate, answer)
    if not shared:
        return 0.0
    precision, recall = shared / candidate.total(), shared / answer.total()
    return 2 * precision * recall / (precision + recall)


def _shared(candidate: Counter[str], answer: Counter[str]) -> int:
    # Along the answer, which is short, and not along the candidate.
    return sum(min(count, candidate[word]) for word, count in answer.items())


def _words(text: str) -> Iterator[str]:
    letters: list[str] = []
    for char in text:
        alone = is_token_by_itself(char)
        if is_letter(char) and not alone:
            letters.append(char)
            continue
        if letters:
            yield "".join(letters)
            letters = []
        if alone and is_letter(char):
            yield char
    if letters:
        yield "".join(letters)
