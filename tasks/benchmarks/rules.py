"""Rules of a benchmark beyond types.

They read the raw document, not the model, for two reasons: indices must be those of the file, and
a rule must run on every part that has the right type even when another part has not.
"""

from collections.abc import Iterator
from typing import NamedTuple

from schemas.errors import Problem
from schemas.problems import one_line
from schemas.strict_json import location
from tasks.benchmarks.design import design_findings
from tasks.benchmarks.names import Unknown, explain
from tasks.benchmarks.raw import (
    Raw,
    bearer_names,
    list_in,
    object_in,
    objects_in,
    texts,
    whole_number,
)
from tasks.judging import regex_fault
from tasks.prompting.templates import BUILDER_FIELDS, PROMPT_FIELDS, template_fault

Findings = Iterator[Problem | Unknown]


class Declared(NamedTuple):
    """What a benchmark declares, looked up by every rule; None where the type is wrong."""

    n_analysts: int | None
    bearers: frozenset[str] | None
    families: dict[str, dict[str, int] | None] | None
    targets: frozenset[str]


def rule_problems(raw: Raw) -> list[Problem]:
    """Everything that makes a benchmark unusable."""
    declared = _declared(raw)
    findings = [
        *_analysts(raw),
        *_families(raw, declared),
        *_items(raw, declared),
        *_regularities(raw),
        *design_findings(raw),
        *_builders(raw),
        *_verification_prompt(raw),
    ]
    return list(explain(findings))


def _declared(raw: Raw) -> Declared:
    analysts, bearers = raw.get("analysts"), raw.get("bearers")
    families = raw.get("ordinal_families", {})
    return Declared(
        n_analysts=len(analysts) if isinstance(analysts, list) else None,
        bearers=frozenset(bearers) if isinstance(bearers, dict) else None,
        families=(
            {name: _positions(tiers) for name, tiers in families.items()}
            if isinstance(families, dict)
            else None
        ),
        targets=frozenset(text for _, text in texts(raw.get("targets"))),
    )


def _positions(tiers: object) -> dict[str, int] | None:
    if not isinstance(tiers, list):
        return None
    positions: dict[str, int] = {}
    for i, tier in texts(tiers):
        positions.setdefault(tier, i)
    return positions


def _repeated(raw: Raw, owner: str) -> Iterator[Problem]:
    seen: set[str] = set()
    for i, one in objects_in(raw, owner):
        name = one.get("id")
        if isinstance(name, str):
            if name in seen:
                yield Problem(
                    "duplicate_id",
                    location([owner, i, "id"]),
                    f"id {one_line(repr(name))} is used before",
                    "give it an id of its own",
                )
            seen.add(name)


def _analysts(raw: Raw) -> Findings:
    yield from _repeated(raw, "analysts")
    panels = {a["panel"] for _, a in objects_in(raw, "analysts") if isinstance(a.get("panel"), str)}
    if panels:
        for i, analyst in objects_in(raw, "analysts"):
            if analyst.get("panel") is None:
                yield Problem(
                    "panel_missing",
                    location(["analysts", i]),
                    "no panel, although other analysts have one",
                    "give every analyst a panel, or none",
                )
    primary = raw.get("primary_panel")
    if isinstance(raw.get("analysts"), list) and isinstance(primary, str) and primary not in panels:
        yield Unknown("unknown_panel", ("primary_panel",), "panel", primary, panels)


def _families(raw: Raw, declared: Declared) -> Findings:
    if declared.bearers is not None:
        yield from _bearers_of_families(raw, declared.bearers)
    if declared.families is not None:
        yield from _names_of_families(raw, frozenset(declared.families))


def _bearers_of_families(raw: Raw, bearers: frozenset[str]) -> Findings:
    for family, tiers in object_in(raw, "ordinal_families").items():
        for j, tier in texts(tiers):
            if tier not in bearers:
                path = ("ordinal_families", family, j)
                yield Unknown("unknown_bearer", path, "bearer", tier, bearers)
    for i, rule in objects_in(raw, "entailment_rules"):
        for end in ("antecedent", "consequent"):
            name = rule.get(end)
            if isinstance(name, str) and name not in bearers:
                ends = ("entailment_rules", i, end)
                yield Unknown("unknown_bearer", ends, "bearer", name, bearers)


def _names_of_families(raw: Raw, families: frozenset[str]) -> Findings:
    for key, bearer in object_in(raw, "bearers").items():
        name = bearer.get("ordinal_family") if isinstance(bearer, dict) else None
        if isinstance(name, str) and name not in families:
            path = ("bearers", key, "ordinal_family")
            yield Unknown("unknown_family", path, "ordinal family", name, families)
    for i, rule in objects_in(raw, "copresence_rules"):
        for j, name in texts(rule.get("families")):
            if name not in families:
                place = ("copresence_rules", i, "families", j)
                yield Unknown("unknown_family", place, "ordinal family", name, families)


def _items(raw: Raw, declared: Declared) -> Findings:
    yield from _repeated(raw, "items")
    targets = declared.targets
    for i, item in objects_in(raw, "items"):
        if declared.bearers is not None:
            yield from _item_bearers(i, item, declared.bearers)
        if declared.n_analysts is not None:
            yield from _item_counts(i, item, declared.n_analysts)
        target = item.get("target")
        if targets and isinstance(target, str) and target not in targets:
            yield Unknown("unknown_target", ("items", i, "target"), "target", target, targets)
        yield from _item_step(i, object_in(item, "monotonicity_step"), declared)


def _item_bearers(i: int, item: Raw, bearers: frozenset[str]) -> Findings:
    target = object_in(item, "rsr_target")
    for path, values in (
        (("premises",), list_in(item, "premises")),
        (("conclusions",), list_in(item, "conclusions")),
        (("rsr_target", "X"), list_in(target, "X")),
        (("rsr_target", "A"), list_in(target, "A")),
    ):
        for j, name in bearer_names(values):
            if name not in bearers:
                place = ("items", i, *path, j)
                yield Unknown("unknown_bearer", place, "bearer", name, bearers)


def _item_counts(i: int, item: Raw, n_analysts: int) -> Iterator[Problem]:
    for key, code, word in (
        ("analyst_verdicts", "verdict_count", "verdicts"),
        ("analyst_rationales", "rationale_count", "rationales"),
    ):
        values = item.get(key)
        if isinstance(values, list) and len(values) != n_analysts:
            yield Problem(
                code,
                location(["items", i, key]),
                f"{len(values)} {word}, but the number of analysts is {n_analysts}",
                "give one per analyst, in the order of the analysts",
            )


def _item_step(i: int, step: Raw, declared: Declared) -> Findings:
    path = ("items", i, "monotonicity_step")
    families = declared.families
    family, fixed = step.get("family"), step.get("fixed")
    if families is not None and isinstance(family, str):
        if family not in families:
            place = (*path, "family")
            yield Unknown("unknown_family", place, "ordinal family", family, families)
        elif (positions := families[family]) is not None:
            yield from _item_tier(path, step, positions)
    if declared.bearers is not None and isinstance(fixed, str) and fixed not in declared.bearers:
        yield Unknown("unknown_bearer", (*path, "fixed"), "bearer", fixed, declared.bearers)


def _item_tier(path: tuple[str | int, ...], step: Raw, positions: dict[str, int]) -> Findings:
    tier, index = step.get("tier"), whole_number(step.get("tier_index"))
    if not isinstance(tier, str):
        return
    if tier not in positions:
        yield Unknown("unknown_tier", (*path, "tier"), "tier", tier, positions)
    elif index is not None and index != positions[tier]:
        yield Problem(
            "tier_index",
            location([*path, "tier_index"]),
            f"tier {one_line(repr(tier))} stands at {positions[tier]}, not at {index}",
            f"write {positions[tier]}",
        )


def _regularities(raw: Raw) -> Findings:
    if not isinstance(raw.get("items"), list):
        return
    items = {item["id"] for _, item in objects_in(raw, "items") if isinstance(item.get("id"), str)}
    for i, regularity in objects_in(raw, "regularities"):
        for j, name in texts(regularity.get("test_item_ids")):
            if name not in items:
                path = ("regularities", i, "test_item_ids", j)
                yield Unknown("unknown_item", path, "item", name, items)


def _builders(raw: Raw) -> Iterator[Problem]:
    for side in ("premise", "conclusion"):
        builder = object_in(object_in(raw, "context_builders"), side)
        if builder.get("kind") == "template":
            place = f"$.context_builders.{side}.template"
            yield from _template(place, builder.get("template"), BUILDER_FIELDS)


def _verification_prompt(raw: Raw) -> Iterator[Problem]:
    prompt = object_in(raw, "verification_prompt")
    yield from _template("$.verification_prompt.template", prompt.get("template"), PROMPT_FIELDS)
    regex = prompt.get("parse_regex")
    fault = regex_fault(regex) if isinstance(regex, str) and regex else None
    if fault:
        yield Problem(
            "bad_regex",
            "$.verification_prompt.parse_regex",
            one_line(fault, 200),
            "write a pattern that RE2 accepts, with the verdict in group 1",
        )


def _template(place: str, template: object, fields: tuple[str, ...]) -> Iterator[Problem]:
    fault = template_fault(template, fields) if isinstance(template, str) else None
    if fault:
        yield Problem("bad_template", place, one_line(fault, 200))
