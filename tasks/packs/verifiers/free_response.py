"""Free responses: statements that a reply must contain or come close to, and must not."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from schemas.errors import ConfigError
from tasks.packs.verifiers import token_f1
from tasks.packs.verifiers.numbers import exact
from tasks.packs.verifiers.preparing import folded_statement, normalised_statement
from tasks.packs.verifiers.spans import occurs, occurs_compat
from tasks.packs.verifiers.verdicts import REDACTED, Profile, TextVerdict, candidate_facts


class Rubric(NamedTuple):
    """What is looked for."""

    accepted: Sequence[str]
    rejected: Sequence[str]
    min_token_f1: Decimal


class _Best(NamedTuple):
    """The answer whose words overlap most with the reply; no index when nothing is shared."""

    f1: Fraction | float
    answer: int | None


class _Reader(NamedTuple):
    """How a profile reads."""

    normalise: Callable[[str], str]
    occurs: Callable[[str, str], bool]
    tokens: Callable[[str], Any]
    f1: Callable[[Any, Any], Fraction | float]


_READERS: Mapping[Profile, _Reader] = {
    "target": _Reader(folded_statement, occurs, token_f1.tokens, token_f1.f1),
    "compat": _Reader(
        normalised_statement, occurs_compat, token_f1.compat_tokens, token_f1.compat_f1
    ),
}


def verify_free_response(values: Mapping[str, Any], reply: str, profile: Profile) -> TextVerdict:
    """Whether a reply says something accepted and nothing rejected.

    Args:
        values: `rubric` of the row.
        reply: The candidate; not blank.
        profile: How it is read.

    Raises:
        ConfigError: The rubric is not of the kind that can be checked.
    """
    rubric, read = read_rubric(values.get("rubric"), profile), _READERS[profile]
    form, words = read.normalise(reply), read.tokens(reply)
    matched = _contained(rubric.accepted, form, read)
    rejected = _contained(rubric.rejected, form, read)
    best = _best(rubric.accepted, words, read)
    worst = _best(rubric.rejected, words, read)
    enough = Fraction(rubric.min_token_f1) if profile == "target" else float(rubric.min_token_f1)
    if matched is None and best.f1 >= enough:
        matched = best.answer
    outdone = worst.f1 > best.f1 if profile == "target" else worst.f1 >= best.f1
    if rejected is None and worst.f1 >= enough and outdone:
        rejected = worst.answer
    facts = candidate_facts(reply) | {
        "verifier": "free_response",
        "rubric_type": "contains_any",
        "n_accepted": len(rubric.accepted),
        "n_rejected": len(rubric.rejected),
        "matched_index": matched,
        "rejected_index": rejected,
        "accepted_f1": float(best.f1),
        "rejected_f1": float(worst.f1),
        "min_token_f1": REDACTED,
    }
    return TextVerdict(matched is not None and rejected is None, None, facts)


def read_rubric(rubric: Any, profile: Profile) -> Rubric:
    """The rubric, checked.

    Raises:
        ConfigError: It is no object of type `contains_any` with usable answers and threshold.
    """
    if not isinstance(rubric, Mapping):
        raise _unusable("a rubric that is text cannot be checked by a program", "")
    if rubric.get("type", "contains_any") != "contains_any":
        raise _unusable("the rubric is of another type than contains_any", ".type")
    accepted = _texts(rubric, "accepted_answers")
    if not accepted:
        raise _unusable("expected at least one answer", ".accepted_answers")
    rejected = _texts(rubric, "rejected_answers") if "rejected_answers" in rubric else ()
    if profile == "compat" and "rejected_answers" in rubric and not rejected:
        raise _unusable("expected at least one answer", ".rejected_answers")
    threshold = rubric.get("min_token_f1", 1)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        raise _unusable("expected a number", ".min_token_f1")
    if not 0 <= threshold <= 1:
        raise _unusable("expected a number between 0 and 1", ".min_token_f1")
    return Rubric(accepted, rejected, exact(threshold))


def _texts(rubric: Mapping[str, Any], key: str) -> Sequence[str]:
    texts = rubric.get(key)
    if not isinstance(texts, list | tuple):
        raise _unusable("expected a list of texts", f".{key}")
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise _unusable("expected texts that are not blank", f".{key}")
    return texts


def _unusable(what: str, where: str) -> ConfigError:
    return ConfigError(
        what,
        where=f"eval.rubric{where}",
        fix="give an object with type contains_any and accepted_answers",
        code="unusable_rubric",
    )


def _contained(answers: Sequence[str], form: str, read: _Reader) -> int | None:
    """The first answer that stands in the reply."""
    found = (i for i, answer in enumerate(answers) if read.occurs(read.normalise(answer), form))
    return next(found, None)


def _best(answers: Sequence[str], words: Any, read: _Reader) -> _Best:
    """The highest F1, and the earliest answer that reaches it."""
    scores = [read.f1(words, read.tokens(answer)) for answer in answers]
    top = max(scores, default=Fraction(0))
    return _Best(top, scores.index(top) if top > 0 else None)
