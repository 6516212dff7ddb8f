from collections.abc import Sequence
from typing import NamedTuple

import pytest

from schemas.base import Verdict
from schemas.errors import UserError
from schemas.metrics import Metric, PanelAgreement
from tasks.statistics.agreement import NO_SHARED_SIDE, ONE_RATER
from tasks.statistics.codes import encode_table
from tasks.statistics.measuring import Measurer, Request
from tasks.statistics.panels import Panels, group_by_panel, measure_panels

LETTERS: dict[str, Verdict] = {"G": "good", "B": "bad", "-": "abstain"}


class Member(NamedTuple):
    id: str
    panel: str | None


def members(panels: str) -> list[Member]:
    return [Member(f"a{index}", panel) for index, panel in enumerate(panels)]


def agreement(panels: str, rows: Sequence[str]) -> PanelAgreement:
    grouped = group_by_panel(members(panels), None)
    assert grouped is not None
    table = encode_table([[LETTERS[x] for x in row] for row in rows], len(panels))
    return measure_panels(table, grouped, Measurer.of(Request()))


def test_columns_are_grouped_by_panel_in_alphabetical_order() -> None:
    grouped = group_by_panel(members("qpq"), None)
    assert grouped == Panels("p", {"p": [1], "q": [0, 2]})
    assert list(grouped.columns) == ["p", "q"]


def test_a_given_primary_panel_goes_before_the_alphabet() -> None:
    grouped = group_by_panel(members("pq"), "q")
    assert grouped is not None
    assert grouped.primary == "q"


def test_an_empty_name_is_a_panel() -> None:
    assert group_by_panel([Member("a", "")], "") == Panels("", {"": [0]})


def test_analysts_without_panels_form_none() -> None:
    assert group_by_panel([Member("a", None)], None) is None


@pytest.mark.parametrize(
    ("panels", "known"), [("pq", "use one of: p, q"), ("", "none is declared")]
)
def test_an_unknown_primary_panel_is_refused_with_the_known_ones(panels: str, known: str) -> None:
    with pytest.raises(UserError, match=f"unknown primary panel 'x'.*{known}"):
        group_by_panel(members(panels), "x")


def test_each_panel_is_measured_over_its_own_columns() -> None:
    # Panel p (columns 0, 2) always agrees; panel q (columns 1, 3) never does.
    measured = agreement("pqpq", ["GGGB", "BBBG"])
    assert measured.inter_analyst_fleiss == {
        "p": Metric(value=1.0, n=2, chance=0.5),
        "q": Metric(value=-1.0, n=2, chance=0.5),
    }


def test_panels_are_compared_by_plurality() -> None:
    # Pluralities of p: G, G, B, B, abstain (tie), abstain (two of three); of q: G, B, B, B, G, G.
    # Over the first four, one disagreement; chance 1/2 * 3/4 + 1/2 * 1/4 = 1/2.
    rows = ["GGBG", "GGGB", "BBBB", "BB-B", "GB-G", "G--G"]
    assert agreement("pppq", rows).cross_panel_kappa == Metric(value=0.5, n=4, chance=0.5)


@pytest.mark.parametrize(("panels", "count"), [("ppp", 1), ("pqr", 3)])
def test_panels_are_compared_only_when_there_are_two(panels: str, count: int) -> None:
    measured = agreement(panels, ["GGG", "BBB"]).cross_panel_kappa
    assert measured == Metric.undefined(f"needs exactly two panels, there are {count}")


def test_an_undefined_comparison_says_why() -> None:
    measured = agreement("pq", ["G-", "-B"])
    assert measured.cross_panel_kappa == Metric.undefined(NO_SHARED_SIDE)
    assert measured.inter_analyst_fleiss["p"] == Metric.undefined(ONE_RATER)
