from collections.abc import Callable
from typing import cast, get_args

import numpy as np
import pytest

from schemas.base import ParserName, QuestionForm, TieBreak, Verdict
from schemas.metrics import Metric
from tasks.judging import make_parser, parse_reply, vote
from tasks.prompting.contexts import strip_tex
from tasks.statistics import (
    THIN_MARGIN,
    Tally,
    cohens_kappa,
    consensus,
    entropy,
    fleiss_kappa,
    margin,
    plurality_consensus,
)
from tasks.statistics.agreement import agreement
from tasks.statistics.codes import ABSTAIN, encode
from tasks.statistics.coefficients import Kind
from tests.docs.markdown import page, rows_below

METHOD = page("docs/method.md")


def verdicts(text: str) -> list[Verdict]:
    words = text.split()
    assert set(words) <= set(get_args(Verdict)), f"not verdicts: {text}"
    return cast(list[Verdict], words)


def read(parser: ParserName, form: QuestionForm, reply: str) -> str:
    parsed = parse_reply(make_parser(parser, form), reply, finish_reason="stop")
    return parsed.verdict if parsed.status == "ok" else "unreadable"


def shown(metric: Metric) -> str:
    return "undefined" if metric.value is None else f"{round(metric.value, 2):g}"


def yes(value: bool) -> str:
    return "yes" if value else "no"


def stripped(text: str) -> list[str]:
    return [strip_tex(text)]


def labelled(answer: str) -> list[str]:
    form: QuestionForm = "support" if answer in {"GOOD", "BAD", "ABSTAIN"} else "coherence"
    return [read("final-answer", form, answer)]


def read_support(reply: str) -> list[str]:
    return [read(parser, "support", reply) for parser in get_args(ParserName)]


def read_coherence(reply: str) -> list[str]:
    return [read(parser, "coherence", reply) for parser in get_args(ParserName)]


def voted(samples: str, tie_break: str) -> list[str]:
    assert tie_break in get_args(TieBreak)
    tally = vote(verdicts(samples), cast(TieBreak, tie_break))
    return [tally.verdict, yes(tally.tie_broken)]


def agreed(analysts: str) -> list[str]:
    return [consensus(verdicts(analysts)), plurality_consensus(verdicts(analysts))]


def cohen(model: str, reference: str) -> list[str]:
    return [shown(cohens_kappa(verdicts(model), verdicts(reference)))]


def beside(model: str, reference: str) -> list[str]:
    pairs = np.column_stack((encode(verdicts(model)), encode(verdicts(reference))))
    both = pairs[(pairs < ABSTAIN).all(axis=1)]
    kinds: tuple[Kind, ...] = ("raw", "brennan_prediger", "ac1", "alpha")
    return [shown(agreement(kind, both)) for kind in kinds]


def fleiss(raters: str) -> list[str]:
    by_rater = [verdicts(rater) for rater in raters.split("/")]
    return [shown(fleiss_kappa(list(zip(*by_rater, strict=True))))]


def dispersed(good: str, bad: str, abstain: str) -> list[str]:
    tally = Tally(int(good), int(bad), int(abstain))
    lead = float(margin([tally])[0])
    return [f"{float(entropy([tally])[0]):.3f}", f"{lead:.3f}", yes(lead < THIN_MARGIN)]


TABLES: dict[str, Callable[..., list[str]]] = {
    "strip-tex": stripped,
    "labels": labelled,
    "parsers support": read_support,
    "parsers misread": read_support,
    "parsers coherence": read_coherence,
    "votes": voted,
    "consensus": agreed,
    "cohen": cohen,
    "fleiss": fleiss,
    "beside": beside,
    "dispersion": dispersed,
}
ROWS = [
    pytest.param(TABLES[name], cells, id=f"{name}: {' | '.join(cells)}".replace("\n", "\\n"))
    for name in TABLES
    for cells in rows_below(METHOD, f"<!-- checked: {name} -->")
]


@pytest.mark.parametrize(("compute", "cells"), ROWS)
def test_a_row_of_the_method_page_is_what_the_code_computes(
    compute: Callable[..., list[str]], cells: list[str]
) -> None:
    n_given = compute.__code__.co_argcount
    assert compute(*cells[:n_given]) == cells[n_given:]


def test_every_checked_table_of_the_method_page_is_run() -> None:
    assert METHOD.count("<!-- checked: ") == len(TABLES)
