"""Short answers: a number within a tolerance, or a text that occurs as words of its own."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from schemas.errors import ConfigError
from tasks.packs.verifiers.focusing import OF_ANSWERS, compat_focus, focus
from tasks.packs.verifiers.numbers import Range, allowed, tokens
from tasks.packs.verifiers.preparing import folded, normalised, visible
from tasks.packs.verifiers.spans import occurs, occurs_compat
from tasks.packs.verifiers.verdicts import REDACTED, Profile, TextVerdict, candidate_facts

_COMPAT_NUMBER: Final = re.compile(r"[-+]?\d+(?:\.\d+)?")


class _Hit(NamedTuple):
    answer: int
    strategy: str


def verify_short_answer(values: Mapping[str, Any], reply: str, profile: Profile) -> TextVerdict:
    """Whether a reply gives an accepted answer.

    Args:
        values: `accepted_answers` and `tolerance` of the row.
        reply: The candidate; not blank.
        profile: How it is read.

    Raises:
        ConfigError: The answers or the tolerance cannot be used.
    """
    answers, tolerance = _answers(values), values.get("tolerance")
    find = _compat_hit if profile == "compat" else _hit
    hit = find(answers, tolerance, reply)
    facts = candidate_facts(reply) | {
        "verifier": "short_answer",
        "answer_index": hit.answer if hit else None,
        "strategy": hit.strategy if hit else None,
        "tolerance": None if tolerance is None else REDACTED,
        "n_answers": len(answers),
    }
    return TextVerdict(hit is not None, None, facts)


def _answers(values: Mapping[str, Any]) -> Sequence[Any]:
    answers = values.get("accepted_answers")
    if not isinstance(answers, list | tuple) or not answers:
        raise ConfigError(
            "expected a list with at least one answer", where="eval.accepted_answers", code="type"
        )
    for answer in answers:
        if isinstance(answer, bool) or not isinstance(answer, str | int | float):
            raise ConfigError(
                "expected texts and numbers", where="eval.accepted_answers", code="type"
            )
    return answers


def _hit(answers: Sequence[Any], tolerance: object, reply: str) -> _Hit | None:
    """The first answer that the reply gives."""
    ranges = [allowed(answer, tolerance) for answer in answers]
    whole = visible(reply)
    focused = focus(whole, OF_ANSWERS)
    hits = [*_numeric_hits(ranges, whole, focused), *_text_hits(answers, ranges, reply, focused)]
    return min(hits, default=None)


def _numeric_hits(ranges: Sequence[Range | None], whole: str, focused: str) -> Iterator[_Hit]:
    """The first answer that some number is close to; numbers of the focus, if it has any."""
    numeric = [(index, near) for index, near in enumerate(ranges) if near is not None]
    if not numeric:
        return
    first, any_number = len(ranges), False
    for text in (focused, whole):
        for number in tokens(text):
            any_number = True
            hits = (index for index, near in numeric if index < first and near.holds(number))
            first = next(hits, first)
        if any_number:
            break
    if first < len(ranges):
        yield _Hit(first, "numeric_tolerance")


def _text_hits(
    answers: Sequence[Any], ranges: Sequence[Range | None], reply: str, focused: str
) -> Iterator[_Hit]:
    whole_form, focus_form = folded(reply), folded(focused)
    for index, answer in enumerate(answers):
        if ranges[index] is not None:
            continue
        form = folded(answer)
        if not form:
            if answer.strip() == reply.strip():
                yield _Hit(index, "raw_exact")
        elif form in {whole_form, focus_form}:
            yield _Hit(index, "normalized_exact")
        elif occurs(form, whole_form):
            yield _Hit(index, "answer_span")
        else:
            continue
        return


def _compat_hit(answers: Sequence[Any], tolerance: Any, reply: str) -> _Hit | None:
    trimmed = reply.strip()
    for value in dict.fromkeys((trimmed, compat_focus(reply, OF_ANSWERS))):
        number = None if tolerance is None else _first_number(value)
        strategy = partial(_compat_strategy, normalised(value), number, tolerance)
        for index, answer in enumerate(answers):
            found = strategy(answer)
            if found is not None:
                return _Hit(index, found)
    return None


def _compat_strategy(form: str, number: float | None, tolerance: Any, answer: Any) -> str | None:
    if number is not None:
        wanted = _first_number(answer) if isinstance(answer, str) else float(answer)
        if wanted is not None and math.isclose(number, wanted, rel_tol=1e-9, abs_tol=tolerance):
            return "numeric_tolerance"
    answer_form = normalised(str(answer))
    if form == answer_form:
        return "normalized_exact"
    return "answer_span" if occurs_compat(answer_form, form) else None


def _first_number(text: str) -> float | None:
    found = _COMPAT_NUMBER.search(text.replace(",", ""))
    return float(found[0]) if found else None
