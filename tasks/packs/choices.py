"""Which choices the answer of a multiple_choice row names."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from schemas.pack import Profile
from schemas.pack_values import is_number
from tasks.packs.verifiers.labels import compat_label, label, unwrapped
from tasks.packs.verifiers.multiple_choice import MOST_CHOICES
from tasks.packs.verifiers.preparing import folded, normalised, visible

__all__ = ["MOST_CHOICES", "Expected", "expected_choices", "label_index"]


class Expected(NamedTuple):
    """The choices that are right, and the entries of the answer that name none."""

    indexes: frozenset[int]
    unknown: tuple[int, ...]


def label_index(text: str, n_choices: int, profile: Profile = "target") -> int | None:
    """The choice that a label such as `B`, `(b)` or `answer: B.` names."""
    if profile == "compat":
        return compat_label(text, n_choices)
    return label(unwrapped(visible(text)), n_choices)


def expected_choices(choices: Sequence[str], answer: Any, profile: Profile = "target") -> Expected:
    """What the answer of a row stands for.

    A number is an index from 0. A text is a label before it is the text of a choice; equal texts
    stand for every choice that has them.
    """
    entries = answer if isinstance(answer, list) else [answer]
    named = [frozenset(_named(choices, entry, profile)) for entry in entries]
    unknown = tuple(position for position, found in enumerate(named) if not found)
    return Expected(frozenset[int]().union(*named), unknown)


def _named(choices: Sequence[str], entry: Any, profile: Profile) -> Iterator[int]:
    if is_number(entry):
        if entry == int(entry) and 0 <= entry < len(choices):
            yield int(entry)
        return
    index = label_index(entry, len(choices), profile)
    if index is not None:
        yield index
        return
    normal = normalised if profile == "compat" else folded
    wanted = normal(entry)
    yield from (i for i, choice in enumerate(choices) if normal(choice) == wanted)
