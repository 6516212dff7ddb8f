"""Stage: verdicts and the panel become metrics."""

from schemas.base import TieBreak
from schemas.documents import CheckedBenchmark, MetricsDocument, VerdictTable
from schemas.metrics import OverallMetrics
from schemas.run import MeasuringSpec
from schemas.settings import read_settings
from tasks.stage import stage
from tasks.statistics import IntervalSpec, Judgement, Request, Tally, measure
from tasks.storage.home import Home
from tasks.storage.tables import read_rows
from tasks.validate import load_benchmark


@stage("measure-agreement", version=2)
def measure_agreement(
    benchmark: CheckedBenchmark,
    verdicts: VerdictTable,
    measuring: MeasuringSpec,
    tie_break: TieBreak,
) -> MetricsDocument:
    """Agreement of the model with the panel, over the items that were asked."""
    home = Home(read_settings().home)
    full = load_benchmark(home, benchmark)
    items = {item.id: item for item in full.items}
    judgements = [
        Judgement(
            item_id=row["item_id"],
            analyst_verdicts=items[row["item_id"]].analyst_verdicts,
            verdict=row["verdict"] or "abstain",
            tally=Tally(row["good"], row["bad"], row["abstain"]),
            tie_broken=row["tie_broken"],
            is_missing=row["status"] == "missing",
            n_unjudged=row["n_failed"] + row["n_unparseable"] + row["n_clipped"],
            n_undrawn=row["n_undrawn"],
            n_read_abstain=row["abstain"] - row["n_unparseable"] - row["n_clipped"],
        )
        for row in read_rows(home.locate(verdicts.file))
    ]
    request = Request(further=True, interval=IntervalSpec(), tie_break=tie_break)
    metrics = measure(judgements, full.analysts, full.primary_panel, measuring.references, request)
    return MetricsDocument(file=home.keep("measure", metrics.model_dump_json().encode(), ".json"))


def load_metrics(home: Home, document: MetricsDocument) -> OverallMetrics:
    """The metrics behind their document."""
    return OverallMetrics.model_validate_json(home.locate(document.file).read_bytes())
