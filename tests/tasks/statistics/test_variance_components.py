"""Variance components by hand and simulated, and what calls are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from schemas.errors import UserError
from schemas.evaluation import Evaluation
from schemas.variability import VarianceStudy
from tasks.statistics.components import study_variance
from tasks.statistics.random_effects import Floats, solve_components, sources
from tasks.statistics.spending import Sizes, standard_error, ways_to_spend
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item


def test_a_one_way_layout_by_hand() -> None:
    # Means 1, 3 and 5 have variance 4; draws bring 1.5 of it.
    assert solve_components(np.array([1.0, 3.0, 5.0]), 1.5) == {(0,): 2.5}


def test_a_two_way_layout_by_hand() -> None:
    # Rows differ by 4, columns by 2, and nothing else happens: mean squares 16, 4 and 0.
    cells = np.array([[1.0, 3.0], [5.0, 7.0]])
    assert solve_components(cells, 0.0) == pytest.approx({(0,): 8.0, (1,): 2.0, (0, 1): 0.0})


def test_a_crossed_table_is_solved_as_by_the_usual_two_way_formulas() -> None:
    cells = np.random.default_rng(1).integers(0, 2, (10, 12)).astype(float)
    rows, columns = cells.mean(axis=1), cells.mean(axis=0)
    rest = cells - rows[:, np.newaxis] - columns + cells.mean()
    ms_rows, ms_columns = 12 * rows.var(ddof=1), 10 * columns.var(ddof=1)
    ms_rest = (rest**2).sum() / (9 * 11)
    assert solve_components(cells, 0.0) == pytest.approx(
        {(0,): (ms_rows - ms_rest) / 12, (1,): (ms_columns - ms_rest) / 10, (0, 1): ms_rest}
    )


@given(hnp.arrays(np.float64, (4, 3, 2), elements=st.integers(-5, 5).map(float)))
def test_relabelling_levels_and_shifting_all_cells_changes_no_component(cells: Floats) -> None:
    moved = cells[::-1, [2, 0, 1]] + 7
    assert solve_components(moved, 0.25) == pytest.approx(solve_components(cells, 0.25), abs=1e-9)


def test_components_that_were_put_in_come_out() -> None:
    generator = np.random.default_rng(2)
    put_in = {
        (0,): 4.0,
        (1,): 1.0,
        (2,): 0.5,
        (0, 1): 2.0,
        (0, 2): 1.0,
        (1, 2): 0.3,
        (0, 1, 2): 1.5,
    }
    shape = (30, 6, 5)
    found: dict[tuple[int, ...], list[float]] = {source: [] for source in sources(3)}
    for _ in range(400):
        cells = np.zeros(shape)
        for source, variance in put_in.items():
            levels = [shape[axis] if axis in source else 1 for axis in range(3)]
            cells = cells + generator.normal(0, variance**0.5, levels)
        for source, value in solve_components(cells, 0.0).items():
            found[source].append(value)
    for source, values in found.items():
        error = float(np.std(values)) / 20
        assert np.mean(values) == pytest.approx(put_in[source], abs=4 * error)


def evaluation(
    draws: list[str], variant: int = 0, run_id: str = "r", panel: str = "g"
) -> Evaluation:
    items = [eta_item(f"i{k}", "g", letters, panel) for k, letters in enumerate(draws)]
    return eta(items, id=run_id, paraphrase_variant=variant)


def component(found: VarianceStudy, source: str) -> float | None:
    return next(one.value for one in found.components if one.source == source)


def test_one_run_is_split_into_items_and_samples_by_hand() -> None:
    # Item means 1, 1/2 and 0; within the second draws vary by 1/2 of 1 + 1 + 1 degrees of freedom.
    found = study_variance([evaluation(["gg", "gb", "bb"])])
    within = 0.5 / 3
    assert component(found, "sample") == pytest.approx(within)
    assert component(found, "item") == pytest.approx(0.25 - within / 2)
    assert found.mean_agreement == pytest.approx(0.5)
    assert found.standard_error == pytest.approx((0.25 / 3) ** 0.5)


def test_sources_that_were_not_varied_are_null_with_a_reason() -> None:
    found = study_variance([evaluation(["g", "b", "g"])])
    unknown = {one.source for one in found.components if one.value is None}
    assert {"wording", "epoch", "sample", "analyst"} <= unknown
    assert all(one.reason for one in found.components if one.value is None)
    assert {one.on for one in found.spending if one.reason} == {"samples", "wordings", "epochs"}


def test_a_wording_that_changes_every_answer_is_seen() -> None:
    runs = [evaluation(["gg"] * 4, 0, "a"), evaluation(["bb"] * 4, 1, "b")]
    found = study_variance(runs)
    assert component(found, "wording") == pytest.approx(0.5)
    assert component(found, "item") == 0
    assert found.best == "wordings"
    assert (found.n_wordings, found.n_epochs) == (2, 1)


def test_runs_of_one_wording_are_epochs() -> None:
    runs = [evaluation(["gg"] * 4, 0, "a"), evaluation(["bb"] * 4, 0, "b")]
    found = study_variance(runs)
    assert (found.n_wordings, found.n_epochs) == (1, 2)
    assert component(found, "epoch") == pytest.approx(0.5)
    assert component(found, "wording") is None


def test_analysts_who_differ_from_each_other_have_a_part() -> None:
    found = study_variance([evaluation(["gg"] * 4, panel="gb")])
    assert component(found, "analyst") == pytest.approx(0.5)
    assert found.mean_agreement == 0.5


def test_the_panel_is_that_of_the_run_named_first() -> None:
    runs = [evaluation(["gg", "bb"], 1, "a", "g"), evaluation(["gg", "bb"], 0, "b", "")]
    assert study_variance(runs).mean_agreement == 0.5


def test_failed_samples_are_no_draws_and_items_without_any_are_left_out() -> None:
    found = study_variance([evaluation(["gf", "gb", "ff"])])
    assert (found.n_items, found.n_left_out, found.n_samples) == (2, 1, 3)


def test_items_without_words_of_their_own_are_left_out_when_the_benchmark_is_known() -> None:
    bearers = {
        "p": {"expression": "p", "paraphrases": ["pp"]},
        "q": {"expression": "q"},
        "r": {"expression": "r"},
    }
    items: list[Raw] = [{"id": "i0"}, {"id": "i1"}, {"id": "i2", "premises": ["r"]}]
    benchmark = bench(items, bearers=bearers)
    runs = [evaluation(["gb", "gg", "bb"], k, f"r{k}") for k in range(2)]
    assert study_variance(runs).n_items == 3
    assert study_variance(runs, benchmark).n_items == 2


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        pytest.param(
            [
                evaluation(["g"] * 2, 0, "a"),
                evaluation(["g"] * 2, 0, "b"),
                evaluation(["g"] * 2, 1),
            ],
            "unbalanced_design",
            id="two runs of one wording and one of the other",
        ),
        pytest.param([evaluation(["g"])], "too_few_items", id="one item"),
        pytest.param([evaluation(["g", "b"], panel="")], "verdict_count", id="no analysts"),
        pytest.param(
            [
                evaluation(["g"] * 2),
                eta([], model={"provider": "openai", "model_id": "n"}),
            ],
            "not_comparable",
            id="another model",
        ),
    ],
)
def test_runs_that_form_no_design_are_refused(runs: list[Evaluation], code: str) -> None:
    with pytest.raises(UserError) as caught:
        study_variance(runs)
    assert caught.value.code == code


def test_the_same_seed_gives_the_same_intervals() -> None:
    runs = [evaluation(["gg", "gb", "bb", "ga"])]
    assert study_variance(runs, seed=1) == study_variance(runs, seed=1)
    assert study_variance(runs, seed=1) != study_variance(runs, seed=2)


SIZES = Sizes(items=10, wordings=1, epochs=1, samples=5, analysts=2)


def test_the_standard_error_adds_each_component_over_its_number() -> None:
    parts = {"item": 0.2, "sample": 0.1, "analyst": 0.04, "item x wording": 0.3}
    by_hand = 0.2 / 10 + 0.1 / 50 + 0.04 / 2 + 0.3 / 10
    assert standard_error(parts, SIZES) == pytest.approx(by_hand**0.5)


def test_calls_are_worth_most_where_the_variance_is() -> None:
    noisy = ways_to_spend({"item": 0.001, "sample": 0.2}, SIZES, 100)
    assert noisy[1] == "items"  # New items bring draws of their own.
    assert noisy[2] == "samples"
    steady = ways_to_spend({"item": 0.2, "sample": 0.0}, SIZES, 100)
    assert steady[1:3] == ("items", None)


def test_without_any_spread_nothing_is_advised() -> None:
    ways, best, best_here, words = ways_to_spend({"item": 0.0, "sample": 0.0}, SIZES, 100)
    assert (best, best_here) == (None, None)
    assert "no spread" in words
    assert [one.reduction for one in ways if one.reduction is not None] == [0.0, 0.0]


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.001, 1))
def test_more_calls_never_raise_the_standard_error(calls: int, item: float, sample: float) -> None:
    parts = {"item": item, "sample": sample}
    for way in ways_to_spend(parts, SIZES, calls)[0]:
        if way.standard_error is not None:
            assert way.standard_error <= standard_error(parts, SIZES) + 1e-12
