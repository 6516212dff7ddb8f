"""Templates that strangers wrote: only plain, named placeholders, each of them present."""

from collections.abc import Collection, Mapping
from string import Formatter

BUILDER_FIELDS = ("expressions",)
PROMPT_FIELDS = ("premise_context", "conclusion_context")


def template_fault(template: str, fields: Collection[str]) -> str | None:
    """Why a template cannot be used, in one line; None when it can."""
    known = " and ".join(f"{{{f}}}" for f in fields)
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        return f"{error}; write literal braces as {{{{ and }}}}"
    seen = set()
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in fields:
            return f"placeholder {{{name}}} is not known; use {known}"
        if spec or conversion:
            return f"placeholder {{{name}}} must stand alone, without : or !"
        seen.add(name)
    missing = [f for f in fields if f not in seen]
    if missing:
        return f"placeholder {{{missing[0]}}} is missing"
    return None


def render(template: str, values: Mapping[str, str]) -> str:
    """Fill a template that `template_fault` accepted."""
    return template.format(**values)
