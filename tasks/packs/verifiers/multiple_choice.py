"""Multiple choice: which of the choices a reply names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.errors import ConfigError
from tasks.packs.verifiers.focusing import OF_CHOICES, compat_focus, focus
from tasks.packs.verifiers.labels import compat_label, label, labelled, unwrapped
from tasks.packs.verifiers.preparing import folded, normalised, visible
from tasks.packs.verifiers.verdicts import REDACTED, Profile, TextVerdict, candidate_facts

MOST_CHOICES = 26


def verify_multiple_choice(values: Mapping[str, Any], reply: str, profile: Profile) -> TextVerdict:
    """Whether a reply names an expected choice.

    Args:
        values: `choices` and `answer` of the row.
        reply: The candidate; not blank.
        profile: How it is read.

    Raises:
        ConfigError: There are too many choices, or the answer names none of them.
    """
    choices, elements = _choices(values), _elements(values)
    facts = candidate_facts(reply) | {"verifier": "multiple_choice", "expected_answer": REDACTED}
    if profile == "compat":
        expected = _expected_values(choices, elements)
        return TextVerdict(not expected.isdisjoint(_compat_values(choices, reply)), None, facts)
    wanted = expected_indexes(choices, elements)
    found = resolve(choices, reply)
    return TextVerdict(not wanted.isdisjoint(found), None, facts | {"resolved": sorted(found)})


def resolve(choices: Sequence[str], reply: str) -> frozenset[int]:
    """The choices that a reply names, by label or by text; none when it names several labels."""
    whole = visible(reply)
    texts = [folded(choice) for choice in choices]
    for text in (focus(whole, OF_CHOICES), whole):
        for found in _readings(text, texts):
            if found:
                return found
    return frozenset()


def _readings(text: str, choices: Sequence[str]) -> Iterator[frozenset[int]]:
    inner = unwrapped(text)
    index = label(inner, len(choices))
    yield frozenset() if index is None else frozenset({index})
    yield _equal(folded(text), choices)
    yield _equal(folded(inner), choices)
    both = labelled(inner, len(choices))
    if both is not None:
        right = choices[both.choice] in {folded(both.text), folded(unwrapped(both.text))}
        yield frozenset({both.choice}) if right else frozenset()


def _equal(text: str, choices: Sequence[str]) -> frozenset[int]:
    return frozenset(index for index, choice in enumerate(choices) if choice == text)


def expected_indexes(choices: Sequence[str], elements: Sequence[Any]) -> frozenset[int]:
    """The choices that an answer names; any of them is right.

    Raises:
        ConfigError: Some element names no choice.
    """
    texts = [folded(choice) for choice in choices]
    found: set[int] = set()
    for place, element in enumerate(elements):
        named = _named(element, texts)
        if not named:
            raise ConfigError(
                f"element {place} of the answer names no choice",
                where="eval.answer",
                fix="use the index of a choice from 0, its label or its text",
                code="unknown_choice",
            )
        found |= named
    return frozenset(found)


def _named(element: Any, texts: Sequence[str]) -> frozenset[int]:
    if not isinstance(element, str):
        index = _integral(element, len(texts))
        return frozenset() if index is None else frozenset({index})
    index = label(unwrapped(visible(element)), len(texts))
    return _equal(folded(element), texts) if index is None else frozenset({index})


def _integral(number: Any, n_choices: int) -> int | None:
    """The index that a number is; a number that is no index of a choice is none."""
    return int(number) if 0 <= number < n_choices and number == int(number) else None


def _expected_values(choices: Sequence[str], elements: Sequence[Any]) -> frozenset[str]:
    texts = [normalised(choice) for choice in choices]
    found: set[str] = set()
    for element in elements:
        if isinstance(element, str):
            index = compat_label(element, len(choices))
        else:
            index = _integral(element, len(choices))
        if index is not None:
            found |= {_letter(index), texts[index]}
        elif isinstance(element, str):
            text = normalised(element)
            found |= {text, *(_letter(at) for at, choice in enumerate(texts) if choice == text)}
    if not found:
        raise ConfigError(
            "the answer names no choice",
            where="eval.answer",
            fix="use the index of a choice from 0, its label or its text",
            code="unknown_choice",
        )
    return frozenset(found)


def _compat_values(choices: Sequence[str], reply: str) -> frozenset[str]:
    focused = compat_focus(reply, OF_CHOICES)
    labels = (compat_label(text, len(choices)) for text in (focused, reply))
    return frozenset(
        {normalised(reply), normalised(focused)}
        | {_letter(index) for index in labels if index is not None}
    )


def _letter(index: int) -> str:
    return chr(ord("A") + index)


def _choices(values: Mapping[str, Any]) -> Sequence[str]:
    choices = values.get("choices")
    if not isinstance(choices, Sequence) or not all(isinstance(text, str) for text in choices):
        raise ConfigError("choices must be a list of texts", where="input.choices", code="type")
    if not 0 < len(choices) <= MOST_CHOICES:
        raise ConfigError(
            f"{len(choices)} choices; there are labels for {MOST_CHOICES}",
            where="input.choices",
            fix=f"give 1 to {MOST_CHOICES} choices",
            code="too_many_choices",
        )
    return choices


def _elements(values: Mapping[str, Any]) -> Sequence[Any]:
    answer = values.get("answer")
    elements = answer if isinstance(answer, list | tuple) else [answer]
    for element in elements:
        if isinstance(element, bool) or not isinstance(element, str | int | float):
            raise ConfigError("expected text or a number", where="eval.answer", code="type")
    return elements
