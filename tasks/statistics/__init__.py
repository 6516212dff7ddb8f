"""Figures of one evaluation: coverage, agreement, dispersion.

Promises: pure functions of their arguments; the order of items does not matter; a figure that is
undefined comes back as a `Metric` without value and with a reason.

Traps: a missing item (no usable sample) reads `abstain`, so the figures under classic names count
it as an abstention; use the `…_judged` ones to leave it out. There are two rules of consensus:
`consensus` ignores abstentions, `plurality_consensus` lets them win.
"""

from tasks.statistics.agreement import cohens_kappa, fleiss_kappa
from tasks.statistics.codes import encode, encode_table
from tasks.statistics.consensus import consensus, plurality_consensus
from tasks.statistics.coverage import coverage
from tasks.statistics.dispersion import THIN_MARGIN, aggregate, disperse, entropy, margin
from tasks.statistics.intervals import IntervalSpec
from tasks.statistics.judgement import AnalystLike, Judgement, Tally
from tasks.statistics.measuring import Request
from tasks.statistics.overall import measure
from tasks.statistics.panels import Panels, group_by_panel, measure_panels
from tasks.statistics.references import Reference, resolve_reference

__all__ = [
    "THIN_MARGIN",
    "AnalystLike",
    "IntervalSpec",
    "Judgement",
    "Panels",
    "Reference",
    "Request",
    "Tally",
    "aggregate",
    "cohens_kappa",
    "consensus",
    "coverage",
    "disperse",
    "encode",
    "encode_table",
    "entropy",
    "fleiss_kappa",
    "group_by_panel",
    "margin",
    "measure",
    "measure_panels",
    "plurality_consensus",
    "resolve_reference",
]
