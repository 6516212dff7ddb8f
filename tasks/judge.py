"""Stage: samples become verdicts."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from schemas.documents import SampleTable, VerdictTable
from schemas.run import JudgingSpec
from schemas.settings import read_settings
from schemas.tables import JudgedSampleRow, VerdictRow
from tasks.judging import FAILED, ReplyParser, make_parser, parse_reply, vote
from tasks.stage import stage
from tasks.storage.home import Home
from tasks.storage.tables import read_rows, write_table

Row = dict[str, Any]


@stage("judge-samples", version=3)
def judge_samples(samples: SampleTable, judging: JudgingSpec) -> VerdictTable:
    """Verdict per item: read each reply, leave failed ones out, vote."""
    home = Home(read_settings().home)
    parser = make_parser(judging.voting.parser, judging.question_form, judging.parse_regex)
    verdicts: list[Row] = []

    def judged() -> Iterator[Row]:
        rows = read_rows(home.locate(samples.file))
        for _, group in groupby(rows, key=lambda row: row["item_id"]):
            item = [_read(row, parser) for row in group]
            verdicts.append(_verdict(item, judging))
            yield from item

    sample_file, _ = write_table(home, "judge", JudgedSampleRow, judged())
    file, count = write_table(home, "judge", VerdictRow, verdicts)
    return VerdictTable(
        file=file,
        samples=sample_file,
        n_items=count,
        n_missing=sum(row["status"] == "missing" for row in verdicts),
    )


def _read(row: Row, parser: ReplyParser) -> Row:
    if row["status"] == "failed":
        return row | {"parsed_verdict": None, "parse_status": FAILED.status}
    parsed = parse_reply(parser, row["text"], row["finish_reason"])
    return row | {"parsed_verdict": parsed.verdict, "parse_status": parsed.status}


def _verdict(samples: list[Row], judging: JudgingSpec) -> Row:
    usable = [row["parsed_verdict"] for row in samples if row["status"] == "ok"]
    tally = vote(usable, judging.voting.tie_break)
    statuses = [row["parse_status"] for row in samples]
    return {
        "item_id": samples[0]["item_id"],
        "variant": samples[0]["variant"],
        "status": "judged" if usable else "missing",
        "verdict": tally.verdict if usable else None,
        "good": tally.good,
        "bad": tally.bad,
        "abstain": tally.abstain,
        "tie_broken": tally.tie_broken,
        "n_samples": len(samples),
        "n_failed": statuses.count("sample_failed"),
        "n_unparseable": statuses.count("unparseable"),
        "n_clipped": statuses.count("budget_clipped"),
        "n_undrawn": judging.n_samples - len(samples),
    }
