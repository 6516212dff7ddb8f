"""`assent describe`: what is in a benchmark."""

from collections import Counter
from typing import Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from schemas.benchmark import Benchmark


def describe(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A benchmark.")],
    items: Annotated[bool, typer.Option("--items", help="List every item too.")] = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Summarise a benchmark: sizes, the panel's verdicts, how well the panel agrees, tags.

    Example: assent describe examples/food_storage/benchmark.json --items
    """
    from flows.cli.files import read_benchmark

    benchmark = read_benchmark(path)
    facts = _facts(benchmark)
    if items:
        facts["items"] = [_item(item) for item in benchmark.items]
    if format_ is Format.JSON:
        print_json(facts)
    else:
        _print(facts)


def _facts(benchmark: Benchmark) -> dict[str, Any]:
    from tasks.benchmarks import benchmark_hash
    from tasks.statistics import Judgement, Tally, measure

    # Nobody was asked yet: only what concerns the analysts is taken from these figures.
    unasked = [
        Judgement(item.id, item.analyst_verdicts, "abstain", Tally(0, 0, 0), is_missing=True)
        for item in benchmark.items
    ]
    panel = measure(unasked, benchmark.analysts, benchmark.primary_panel)
    kappa = panel.inter_analyst_fleiss
    reasons = {} if kappa.reason is None else {"inter_analyst_fleiss": kappa.reason}
    return {
        "id": benchmark.id,
        "title": benchmark.title,
        "hash": benchmark_hash(benchmark),
        "n_items": len(benchmark.items),
        "n_bearers": len(benchmark.bearers),
        "n_analysts": len(benchmark.analysts),
        "n_variants": benchmark.n_variants,
        "analysts": [_analyst(benchmark, i) for i in range(len(benchmark.analysts))],
        "inter_analyst_fleiss": kappa.value,
        "n_inter_analyst_fleiss": kappa.n,
        "panels": panel.to_json().get("panels"),
        "tags": dict(Counter(tag for item in benchmark.items for tag in item.tags)),
        "factors": {name: list(levels) for name, levels in benchmark.factors.items()},
        "reasons": reasons,
    }


def _analyst(benchmark: Benchmark, index: int) -> dict[str, Any]:
    analyst = benchmark.analysts[index]
    given = Counter(item.analyst_verdicts[index] for item in benchmark.items)
    counts = {verdict: given[verdict] for verdict in ("good", "bad", "abstain")}
    return {"id": analyst.id, "panel": analyst.panel, **counts}


def _item(item: Any) -> dict[str, Any]:
    return {
        "id": item.id,
        "premises": list(item.premises),
        "conclusions": list(item.conclusions),
        "analyst_verdicts": list(item.analyst_verdicts),
        "tags": list(item.tags),
    }


def _print(facts: dict[str, Any]) -> None:
    say(printable(f"{facts['id']}: {facts['title'] or '(no title)'}"))
    say(f"  {facts['hash']}")
    sizes = ("n_items", "n_bearers", "n_analysts", "n_variants")
    say("  " + ", ".join(f"{facts[name]} {name[2:]}" for name in sizes))
    say("  analyst              panel            good   bad  abstain")
    for a in facts["analysts"]:
        name, panel = printable(a["id"])[:20], printable(a["panel"] or "-")[:14]
        say(f"  {name:<20} {panel:<14} {a['good']:>6} {a['bad']:>5} {a['abstain']:>8}")
    say(f"  agreement of the analysts (Fleiss' kappa): {_figure(facts, 'inter_analyst_fleiss')}")
    if facts["panels"]:
        for panel, kappa in facts["panels"]["inter_analyst_fleiss"].items():
            star = " (primary)" if panel == facts["panels"]["primary"] else ""
            say(f"    panel {printable(panel)}{star}: {_number(kappa)}")
        say(f"    between panels: {_number(facts['panels']['cross_panel_kappa'])}")
    if facts["tags"]:
        say("  tags: " + printable(", ".join(f"{t} {n}" for t, n in facts["tags"].items())))
    for item in facts.get("items", []):
        held, said = " + ".join(item["premises"]) or "∅", " + ".join(item["conclusions"]) or "∅"
        verdicts = " ".join(item["analyst_verdicts"])
        say(printable(f"  {item['id']}: {held} ⇒ {said}  [{verdicts}]"))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _figure(facts: dict[str, Any], key: str) -> str:
    if facts[key] is None:
        return f"undefined: {facts['reasons'][key]}"
    return f"{facts[key]:.3f} on {facts[f'n_{key}']} items"
