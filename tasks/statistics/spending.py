"""What further calls buy: the standard error of a mean agreement if they are spent in one way."""

from collections.abc import Mapping
from typing import NamedTuple

from schemas.variability import Spending

_SIZE_OF = {"items": "item", "wordings": "wording", "epochs": "epoch", "samples": "sample"}

UNKNOWN = "the part of its source in the variance is not known"


class Sizes(NamedTuple):
    """How much was asked; sizes that are planned need not be whole."""

    items: float
    wordings: float
    epochs: float
    samples: float
    analysts: int


def standard_error(components: Mapping[str, float], sizes: Sizes) -> float:
    """Of the mean over a full design: every component over the number of times it was drawn."""
    number = {
        "item": sizes.items,
        "wording": sizes.wordings,
        "epoch": sizes.epochs,
        "analyst": float(sizes.analysts),
        "sample": sizes.items * sizes.wordings * sizes.epochs * sizes.samples,
    }
    total = 0.0
    for name, variance in components.items():
        times = 1.0
        for part in name.split(" x "):
            times *= number[part]
        total += variance / times
    return float(total**0.5)


def ways_to_spend(
    components: Mapping[str, float], sizes: Sizes, calls: int
) -> tuple[tuple[Spending, ...], str | None, str | None, str]:
    """Each way with its standard error, the best one, the best on the same items, and words."""
    now = standard_error(components, sizes)
    per_item = sizes.wordings * sizes.epochs * sizes.samples
    grown = {
        "items": sizes._replace(items=sizes.items + calls / per_item),
        "samples": sizes._replace(
            samples=sizes.samples + calls / (sizes.items * sizes.wordings * sizes.epochs)
        ),
        "wordings": sizes._replace(
            wordings=sizes.wordings + calls / (sizes.items * sizes.epochs * sizes.samples)
        ),
        "epochs": sizes._replace(
            epochs=sizes.epochs + calls / (sizes.items * sizes.wordings * sizes.samples)
        ),
    }
    found = tuple(_spending(on, components, now, after) for on, after in grown.items())
    best = _best(found)
    best_here = _best(tuple(one for one in found if one.on != "items"))
    return found, best, best_here, _in_words(found, best, best_here, calls)


def _spending(on: str, components: Mapping[str, float], now: float, after: Sizes) -> Spending:
    if _SIZE_OF[on] not in components:
        return Spending(on=on, standard_error=None, reduction=None, reason=UNKNOWN)
    error = standard_error(components, after)
    reduction = max(0.0, 1 - error / now) if now > 0 else 0.0
    return Spending(on=on, standard_error=error, reduction=reduction, reason=None)


def _best(ways: tuple[Spending, ...]) -> str | None:
    useful = [one for one in ways if one.reduction]
    return max(useful, key=lambda one: one.reduction or 0.0).on if useful else None


def _in_words(
    ways: tuple[Spending, ...], best: str | None, best_here: str | None, calls: int
) -> str:
    if best is None:
        return "no spread was seen, so nothing can be said about where calls are worth most"
    reduction = {one.on: one.reduction or 0.0 for one in ways}
    words = f"the next {calls} calls are worth most on {best}: the standard error falls by "
    words += f"{reduction[best]:.1%}"
    if best == "items" and best_here is not None:
        words += f"; on the items there are, on {best_here}: by {reduction[best_here]:.1%}"
    unknown = [one.on for one in ways if one.reason is not None]
    return words + (f"; not known of {', '.join(unknown)}" if unknown else "")
