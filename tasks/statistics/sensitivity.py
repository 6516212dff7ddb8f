"""How much a figure moves when a setting changes."""

from collections.abc import Iterable

from schemas.metrics import Metric

STABLE_BELOW = 0.05
MODERATE_BELOW = 0.10

# A difference of two kappas that is a band's edge on paper must not fall below it by rounding.
_ROUNDING = 1e-12

TOO_FEW = "fewer than two values have a defined kappa"


def spread(figures: Iterable[float | None]) -> Metric:
    """Largest less smallest of the defined figures, which `n` counts; two are needed."""
    defined = [figure for figure in figures if figure is not None]
    if len(defined) < 2:
        return Metric.undefined(TOO_FEW, len(defined))
    return Metric(value=max(defined) - min(defined), n=len(defined))


def stability_verdict(found: Metric) -> str:
    """What a range of kappas means, in words: below 0.05 stable, below 0.10 moderate."""
    if found.value is None:
        return f"undefined: {found.reason}"
    if found.value < STABLE_BELOW - _ROUNDING:
        return "stable"
    if found.value < MODERATE_BELOW - _ROUNDING:
        return "moderately sensitive"
    return "substantive variation"
