"""`assent metrics`: what an evaluation file says, as numbers with intervals."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.console import error_object, note, print_json, problem_line
from schemas.errors import Problem, UserError

if TYPE_CHECKING:
    from schemas.benchmark import Benchmark
    from schemas.evaluation import Evaluation
    from tasks.statistics.cells import Cell, Target
    from tasks.statistics.measuring import Request

_PARTS, _UNCERTAINTY = "Parts", "Uncertainty"


class MetricsFormat(StrEnum):
    """How the numbers are printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    CSV = "csv"


class CiMethod(StrEnum):
    """How intervals are found."""

    DIRICHLET = "dirichlet"
    BOOTSTRAP = "bootstrap"
    SUBSAMPLING = "subsampling"
    TWO_LEVEL = "two-level"


class ClusterBy(StrEnum):
    """What makes items stand or fall together."""

    RSR_TARGET = "rsr_target"
    LADDER = "ladder"


def metrics(
    eta: Annotated[str, typer.Argument(metavar="ETA", help="An evaluation file.")],
    benchmark: Annotated[
        str | None, typer.Option(help="Its benchmark: names, panels, targets, factors.")
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="consensus, or analyst:<id or index>; repeatable, the first governs the parts.",
            metavar="R",
        ),
    ] = None,
    weight_by_margin: Annotated[
        bool, typer.Option("--weight-by-margin", help="Also with items weighted by margin.")
    ] = False,
    by_tag: Annotated[
        list[str] | None,
        typer.Option(help="Items so tagged; repeatable.", metavar="T", rich_help_panel=_PARTS),
    ] = None,
    by_rsr_target: Annotated[
        list[str] | None,
        typer.Option(
            help='{"X": […], "A": […]}; repeatable.', metavar="JSON", rich_help_panel=_PARTS
        ),
    ] = None,
    by_factor: Annotated[
        list[str] | None,
        typer.Option(help="Its levels; repeatable.", metavar="F", rich_help_panel=_PARTS),
    ] = None,
    by_factor_cell: Annotated[
        bool,
        typer.Option("--by-factor-cell", help="Combinations of levels.", rich_help_panel=_PARTS),
    ] = False,
    by_panel: Annotated[
        bool, typer.Option("--by-panel", help="Each panel by itself.", rich_help_panel=_PARTS)
    ] = False,
    by_variation: Annotated[
        bool,
        typer.Option("--by-variation", help="Kinds of variation.", rich_help_panel=_PARTS),
    ] = False,
    by_variant: Annotated[
        list[str] | None,
        typer.Option(
            help="Evaluation of another wording; repeatable.",
            metavar="ETA",
            rich_help_panel=_PARTS,
        ),
    ] = None,
    ci: Annotated[
        bool, typer.Option("--ci", help="95 % intervals.", rich_help_panel=_UNCERTAINTY)
    ] = False,
    ci_method: Annotated[
        CiMethod, typer.Option(help="See docs/method.md.", rich_help_panel=_UNCERTAINTY)
    ] = CiMethod.DIRICHLET,
    ci_iterations: Annotated[
        int, typer.Option(help="Draws.", min=1, max=1_000_000, rich_help_panel=_UNCERTAINTY)
    ] = 1000,
    ci_subsample_size: Annotated[
        int | None, typer.Option(help="Items per subsample.", rich_help_panel=_UNCERTAINTY)
    ] = None,
    ci_seed: Annotated[int, typer.Option(rich_help_panel=_UNCERTAINTY)] = 0,
    cluster_by: Annotated[
        ClusterBy | None,
        typer.Option(help="Items that stand or fall together.", rich_help_panel=_UNCERTAINTY),
    ] = None,
    format_: Annotated[
        MetricsFormat, typer.Option("--format", help="csv is in long form.")
    ] = MetricsFormat.TEXT,
) -> None:
    """Measure an evaluation: coverage, agreement, dispersion, with intervals on demand.

    Works on evaluation files of any tool that writes the format. Every agreement stands beside
    what chance alone would give; undefined is null with a reason.

    Example: assent metrics evaluations/food-storage/RUN.json --ci
    """
    from flows.cli.files import read_benchmark, read_evaluation
    from tasks.benchmarks.matching import noticed
    from tasks.statistics.decomposition import decompose
    from tasks.statistics.intervals import IntervalSpec
    from tasks.statistics.measuring import Request

    evaluation = read_evaluation(eta)
    known = read_benchmark(benchmark) if benchmark else None
    warnings = [*noticed(evaluation, known)]
    cells = _cells(
        evaluation,
        known,
        tags=by_tag or [],
        targets=[_target(text) for text in by_rsr_target or []],
        factors=by_factor or [],
        whole=[
            name
            for name, wanted in (
                ("factor_cell", by_factor_cell),
                ("panel", by_panel),
                ("variation", by_variation),
            )
            if wanted
        ],
    )
    spec = IntervalSpec(ci_method.value, ci_iterations, ci_seed, 0.95, ci_subsample_size)
    request = Request(
        further=True,
        interval=spec if ci else None,
        by_margin=weight_by_margin,
        clusters=_clusters(evaluation, known, cluster_by),
        tie_break=evaluation.endorsement_config.tie_break,
    )
    references = list(dict.fromkeys(reference or ["consensus"]))
    found = decompose(evaluation, known, cells, references, request)
    for path in by_variant or []:
        other = read_evaluation(path)
        warnings += noticed(other, known)
        found.cells.append(_variant(other, evaluation, path, known, references, request))
    warnings += [Problem(c.code, "$", c.message) for c in found.cautions]
    _print(found, warnings, eta, format_)


def _print(found: Any, warnings: list[Problem], eta: str, format_: MetricsFormat) -> None:
    if format_ is MetricsFormat.JSON:
        print_json({**found.to_json(), "warnings": [error_object(w, eta) for w in warnings]})
        return
    from flows.cli import metric_tables

    for warning in warnings:
        note(problem_line(eta, warning._replace(message=f"warning: {warning.message}")))
    match format_:
        case MetricsFormat.MARKDOWN:
            metric_tables.print_markdown(found)
        case MetricsFormat.CSV:
            metric_tables.print_csv(found)
        case _:
            metric_tables.print_tables(found)


def _cells(
    evaluation: "Evaluation",
    known: "Benchmark | None",
    *,
    tags: list[str],
    targets: "list[Target]",
    factors: list[str],
    whole: list[str],
) -> "list[Cell]":
    from tasks.statistics import cells

    found = [cells.by_tag(evaluation, tag) for tag in tags]
    if not (targets or factors or whole):
        return found
    benchmark = _needed(known, "parts other than tags")
    found += [cells.by_target(evaluation, benchmark, target) for target in targets]
    for factor in factors:
        found += cells.by_factor(evaluation, benchmark, factor)
    makers = {
        "factor_cell": cells.by_factor_cell,
        "panel": cells.by_panel,
        "variation": cells.by_variation,
    }
    for name in whole:
        found += makers[name](evaluation, benchmark)
    return found


def _variant(
    other: "Evaluation",
    first: "Evaluation",
    path: str,
    known: "Benchmark | None",
    references: list[str],
    request: "Request",
) -> Any:
    from tasks.statistics.cells import Cell
    from tasks.statistics.decomposition import decompose

    if other.benchmark_id != first.benchmark_id:
        raise UserError(
            f"it is of benchmark {other.benchmark_id!r}, not {first.benchmark_id!r}",
            where=path,
            fix="--by-variant takes evaluations of the same benchmark",
            code="benchmark_mismatch",
        )
    measured = decompose(other, known, [], references[:1], request._replace(clusters=None))
    cell = Cell("variant", other.paraphrase_variant, list(range(len(other.items))), name=other.id)
    return cell, measured.overall


def _clusters(
    evaluation: "Evaluation", known: "Benchmark | None", by: ClusterBy | None
) -> list[str] | None:
    if by is None:
        return None
    from tasks.statistics.cells import clusters_of

    return clusters_of(evaluation, _needed(known, "--cluster-by"), by.value)


def _needed(known: "Benchmark | None", what: str) -> "Benchmark":
    if known is None:
        raise UserError(f"{what} need the benchmark", fix="add --benchmark FILE", code="usage")
    return known


def _target(text: str) -> "Target":
    from schemas.strict_json import NotStrictJson, parse

    try:
        value = parse(text.encode("utf-8", "surrogatepass"))
    except NotStrictJson:
        value = None
    if isinstance(value, dict) and set(value) == {"X", "A"}:
        sides = [value["X"], value["A"]]
        if all(isinstance(s, list) and all(isinstance(b, str) for b in s) for s in sides):
            return tuple(map(str, sides[0])), tuple(map(str, sides[1]))  # type: ignore[arg-type]  # lists, as was just checked
    raise UserError(
        f"not an RSR target: {text!r}",
        where="--by-rsr-target",
        fix='write {"X": ["id", …], "A": ["id", …]}',
        code="usage",
    )
