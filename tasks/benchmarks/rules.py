"""Rules of a benchmark beyond types.

They read the raw document, not the model, for two reasons: indices must be those of the file, and
a rule must run on every part that has the right type even when another part has not.
"""

import difflib
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from schemas.errors import Problem
from schemas.problems import one_line
from schemas.strict_json import location
from tasks.benchmarks.raw import Raw, bearer_names, keys_of, list_in, object_in
from tasks.judging import regex_fault
from tasks.prompting.templates import BUILDER_FIELDS, PROMPT_FIELDS, template_fault


def rule_problems(raw: Raw) -> list[Problem]:
    """Everything that makes a benchmark unusable."""
    return [
        *_analysts(raw),
        *_families(raw),
        *_items(raw),
        *_regularities(raw),
        *_factors(raw),
        *_builders(raw),
        *_verification_prompt(raw),
    ]


def _near(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1) if len(known) <= 10_000 else []
    return f"did you mean {close[0]!r}?" if close else "declare it, or correct the name"


def _unknown(code: str, path: list[str | int], what: str, name: str, known: set[str]) -> Problem:
    shown = one_line(repr(name))
    return Problem(code, location(path), f"unknown {what} {shown}", _near(name, known))


def _repeated(ids: list[tuple[int, Any]], owner: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for i, value in ids:
        if isinstance(value, str):
            if value in seen:
                yield Problem(
                    "duplicate_id",
                    location([owner, i, "id"]),
                    f"id {one_line(repr(value))} is used before",
                    "give it an id of its own",
                )
            seen.add(value)


def _ids(raw: Raw, owner: str) -> list[tuple[int, Any]]:
    return [(i, x.get("id")) for i, x in enumerate(list_in(raw, owner)) if isinstance(x, dict)]


def _analysts(raw: Raw) -> Iterator[Problem]:
    yield from _repeated(_ids(raw, "analysts"), "analysts")
    analysts = [(i, a) for i, a in enumerate(list_in(raw, "analysts")) if isinstance(a, dict)]
    panels = {a["panel"] for _, a in analysts if isinstance(a.get("panel"), str)}
    if panels:
        for i, analyst in analysts:
            if analyst.get("panel") is None:
                yield Problem(
                    "panel_missing",
                    location(["analysts", i]),
                    "no panel, although other analysts have one",
                    "give every analyst a panel, or none",
                )
    primary = raw.get("primary_panel")
    if isinstance(primary, str) and primary not in panels:
        yield _unknown("unknown_panel", ["primary_panel"], "panel", primary, panels)


def _families(raw: Raw) -> Iterator[Problem]:
    bearers, families = keys_of(raw, "bearers"), keys_of(raw, "ordinal_families")
    if bearers is not None:
        yield from _bearers_of_families(raw, bearers)
    if families is not None:
        yield from _names_of_families(raw, families)


def _bearers_of_families(raw: Raw, bearers: set[str]) -> Iterator[Problem]:
    for family, tiers in object_in(raw, "ordinal_families").items():
        for j, tier in bearer_names(tiers if isinstance(tiers, list) else []):
            if tier not in bearers:
                path: list[str | int] = ["ordinal_families", family, j]
                yield _unknown("unknown_bearer", path, "bearer", tier, bearers)
    for i, rule in enumerate(list_in(raw, "entailment_rules")):
        for end in ("antecedent", "consequent"):
            name = rule.get(end) if isinstance(rule, dict) else None
            if isinstance(name, str) and name not in bearers:
                path = ["entailment_rules", i, end]
                yield _unknown("unknown_bearer", path, "bearer", name, bearers)


def _names_of_families(raw: Raw, families: set[str]) -> Iterator[Problem]:
    for key, bearer in object_in(raw, "bearers").items():
        name = bearer.get("ordinal_family") if isinstance(bearer, dict) else None
        if isinstance(name, str) and name not in families:
            path: list[str | int] = ["bearers", key, "ordinal_family"]
            yield _unknown("unknown_family", path, "ordinal family", name, families)
    for i, rule in enumerate(list_in(raw, "copresence_rules")):
        for j, name in bearer_names(list_in(rule, "families")):
            if name not in families:
                path = ["copresence_rules", i, "families", j]
                yield _unknown("unknown_family", path, "ordinal family", name, families)


def _items(raw: Raw) -> Iterator[Problem]:
    yield from _repeated(_ids(raw, "items"), "items")
    bearers = keys_of(raw, "bearers")
    analysts = raw.get("analysts")
    width = len(analysts) if isinstance(analysts, list) else None
    targets = {t for t in list_in(raw, "targets") if isinstance(t, str)}
    for i, item in enumerate(list_in(raw, "items")):
        if not isinstance(item, dict):
            continue
        if bearers is not None:
            yield from _item_bearers(i, item, bearers)
        if width is not None:
            yield from _item_counts(i, item, width)
        yield from _item_levels(i, item, raw)
        target = item.get("target")
        if targets and isinstance(target, str) and target not in targets:
            yield _unknown("unknown_target", ["items", i, "target"], "target", target, targets)
        if isinstance(item.get("monotonicity_step"), dict):
            yield from _item_step(i, item["monotonicity_step"], raw, bearers)


def _item_bearers(i: int, item: Raw, bearers: set[str]) -> Iterator[Problem]:
    lists: list[tuple[list[str | int], list[Any]]] = [
        (["premises"], list_in(item, "premises")),
        (["conclusions"], list_in(item, "conclusions")),
        (["rsr_target", "X"], list_in(item.get("rsr_target"), "X")),
        (["rsr_target", "A"], list_in(item.get("rsr_target"), "A")),
    ]
    for path, values in lists:
        for j, name in bearer_names(values):
            if name not in bearers:
                yield _unknown("unknown_bearer", ["items", i, *path, j], "bearer", name, bearers)


def _item_counts(i: int, item: Raw, width: int) -> Iterator[Problem]:
    for key, code, word in (
        ("analyst_verdicts", "verdict_count", "verdicts"),
        ("analyst_rationales", "rationale_count", "rationales"),
    ):
        values = item.get(key)
        if isinstance(values, list) and len(values) != width:
            yield Problem(
                code,
                location(["items", i, key]),
                f"{len(values)} {word} for {width} analysts",
                "give one per analyst, in the order of the analysts",
            )


def _item_levels(i: int, item: Raw, raw: Raw) -> Iterator[Problem]:
    factors = keys_of(raw, "factors")
    if factors is None:
        return
    for factor, level in object_in(item, "factor_levels").items():
        path: list[str | int] = ["items", i, "factor_levels", factor]
        if factor not in factors:
            yield _unknown("unknown_factor", path, "factor", factor, factors)
        elif isinstance(raw["factors"][factor], list) and isinstance(level, str):
            levels = {x for x in raw["factors"][factor] if isinstance(x, str)}
            if level not in levels:
                yield _unknown("unknown_level", path, "level", level, levels)


def _item_step(i: int, step: Raw, raw: Raw, bearers: set[str] | None) -> Iterator[Problem]:
    path: list[str | int] = ["items", i, "monotonicity_step"]
    families = keys_of(raw, "ordinal_families")
    family, tier, index = step.get("family"), step.get("tier"), step.get("tier_index")
    if families is not None and isinstance(family, str):
        if family not in families:
            yield _unknown("unknown_family", [*path, "family"], "ordinal family", family, families)
        elif isinstance(raw["ordinal_families"][family], list) and isinstance(tier, str):
            tiers = [t for _, t in bearer_names(raw["ordinal_families"][family])]
            if tier not in tiers:
                yield _unknown("unknown_tier", [*path, "tier"], "tier", tier, set(tiers))
            elif str(index).lstrip("+-").isdigit() and tiers.index(tier) != int(str(index)):
                yield Problem(
                    "tier_index",
                    location([*path, "tier_index"]),
                    f"tier {one_line(repr(tier))} stands at {tiers.index(tier)}, not at {index}",
                    f"write {tiers.index(tier)}",
                )
    fixed = step.get("fixed")
    if bearers is not None and isinstance(fixed, str) and fixed not in bearers:
        yield _unknown("unknown_bearer", [*path, "fixed"], "bearer", fixed, bearers)


def _regularities(raw: Raw) -> Iterator[Problem]:
    if not isinstance(raw.get("items"), list):
        return
    items = {value for _, value in _ids(raw, "items") if isinstance(value, str)}
    for i, regularity in enumerate(list_in(raw, "regularities")):
        for j, name in bearer_names(list_in(regularity, "test_item_ids")):
            if name not in items:
                path: list[str | int] = ["regularities", i, "test_item_ids", j]
                yield _unknown("unknown_item", path, "item", name, items)


def _factors(raw: Raw) -> Iterator[Problem]:
    factors = keys_of(raw, "factors")
    if factors is None:
        return
    for name in object_in(raw, "factor_kinds"):
        if name not in factors:
            yield _unknown("unknown_factor", ["factor_kinds", name], "factor", name, factors)
    least = object_in(raw, "factor_constraints").get("min_items_per_cell")
    if isinstance(least, int) and not isinstance(least, bool) and factors:
        yield from _thin_cells(raw, least)


def _thin_cells(raw: Raw, least: int) -> Iterator[Problem]:
    names = sorted(raw["factors"])
    levels = [
        list(dict.fromkeys(x for x in list_in(raw["factors"], name) if isinstance(x, str)))
        for name in names
    ]
    cells = 1
    for choices in levels:
        cells *= len(choices)
    counted: Counter[tuple[Any, ...]] = Counter()
    for item in list_in(raw, "items"):
        given = object_in(item, "factor_levels")
        if all(isinstance(given.get(name), str) for name in names):
            counted[tuple(given[name] for name in names)] += 1
    if least <= 0 or cells == 0:
        return
    # A hostile design may have more cells than anybody can list: name some, count the rest.
    full = sum(1 for cell, n in counted.items() if n >= least and _in_design(cell, levels))
    thin = cells - full
    if thin:
        every = (cell for cell in product(*levels) if counted[cell] < least)
        shown = [f"{' × '.join(map(str, cell))} ({counted[cell]})" for cell in islice(every, 10)]
        more = f" and {thin - len(shown)} more" if thin > len(shown) else ""
        yield Problem(
            "thin_cell",
            "$.factor_constraints",
            one_line(f"{thin} cells hold fewer than {least} items: {', '.join(shown)}{more}", 400),
            "add items to these cells, or lower min_items_per_cell",
        )


def _in_design(cell: tuple[Any, ...], levels: list[list[str]]) -> bool:
    return all(level in choices for level, choices in zip(cell, levels, strict=True))


def _builders(raw: Raw) -> Iterator[Problem]:
    for side in ("premise", "conclusion"):
        builder = object_in(object_in(raw, "context_builders"), side)
        template = builder.get("template")
        if builder.get("kind") == "template" and isinstance(template, str):
            fault = template_fault(template, BUILDER_FIELDS)
            if fault:
                path = ["context_builders", side, "template"]
                yield Problem("bad_template", location(path), one_line(fault, 200))


def _verification_prompt(raw: Raw) -> Iterator[Problem]:
    prompt = object_in(raw, "verification_prompt")
    template, regex = prompt.get("template"), prompt.get("parse_regex")
    if isinstance(template, str):
        fault = template_fault(template, PROMPT_FIELDS)
        if fault:
            path = ["verification_prompt", "template"]
            yield Problem("bad_template", location(path), one_line(fault, 200))
    if isinstance(regex, str) and regex:
        fault = regex_fault(regex)
        if fault:
            yield Problem(
                "bad_regex",
                "$.verification_prompt.parse_regex",
                one_line(fault, 200),
                "write a pattern that RE2 accepts, with the verdict in group 1",
            )
