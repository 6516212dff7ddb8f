"""The factor model: its numbers, and everything that keeps it from having any."""

from collections.abc import Sequence
from math import exp, log

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UserError
from schemas.factor_model import FactorModel
from tasks.statistics.factor_design import gather_rows, make_design
from tasks.statistics.factor_model import fit_factor_model, require_sound, separating_columns
from tasks.statistics.referring import reference_verdicts
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item

Floats = npt.NDArray[np.float64]

FACTORS = {"size": ["small", "large", "huge"], "age": ["old", "new"]}


class Item:
    """An item at some levels, and what its samples say; the panel says good."""

    def __init__(self, letters: str, **levels: str) -> None:
        self.letters, self.levels = letters, levels


def fit(
    items: Sequence[Item],
    factors: Raw | None = None,
    reference: str = "consensus",
    panel: str = "g",
) -> FactorModel:
    declared = {"size": ["small", "large"]} if factors is None else factors
    said = {"g": "good", "b": "bad", "a": "abstain"}
    benchmark = bench(
        [
            {
                "id": f"i{k}",
                "factor_levels": item.levels,
                "analyst_verdicts": [said[letter] for letter in panel],
            }
            for k, item in enumerate(items)
        ],
        n_analysts=len(panel),
        factors=declared,
    )
    answers = [eta_item(f"i{k}", "g", item.letters, panel) for k, item in enumerate(items)]
    evaluation = eta(answers)
    wanted = reference_verdicts(reference, evaluation, benchmark)
    return fit_factor_model(evaluation, benchmark, wanted)


BALANCED = [
    *(Item(letters, size="small") for letters in ("gggb", "ggbb", "gggg")),
    *(Item(letters, size="large") for letters in ("gbbb", "gbbb", "ggbb")),
]


def test_one_factor_of_two_levels_gives_the_log_odds_ratio() -> None:
    found = fit(BALANCED)
    (effect,) = found.effects
    # Small: 9 of 12 agree; large: 4 of 12.
    assert (effect.factor, effect.level) == ("size", "large")
    assert effect.coef == pytest.approx(log((4 / 8) / (9 / 3)))
    assert effect.odds_ratio == pytest.approx(1 / 6)
    assert found.intercept.coef == pytest.approx(log(9 / 3))
    assert (effect.n_observations, effect.n_agreeing) == (12, 4)
    assert found.baselines == {"size": "small"}


def test_the_deviances_are_those_of_the_likelihoods_by_hand() -> None:
    found = fit(BALANCED)
    fitted = 9 * log(9 / 12) + 3 * log(3 / 12) + 4 * log(4 / 12) + 8 * log(8 / 12)
    without = 13 * log(13 / 24) + 11 * log(11 / 24)
    assert found.deviance == pytest.approx(-2 * fitted)
    assert found.null_deviance == pytest.approx(-2 * without)
    assert found.pseudo_r2 == pytest.approx(1 - fitted / without)


def test_errors_are_clustered_by_item() -> None:
    (effect,) = fit(BALANCED).effects
    # The sandwich by hand: sums of residuals per item, with the usual small-sample factors.
    residuals = {
        "small": [k - 4 * 9 / 12 for k in (3, 2, 4)],
        "large": [k - 4 * 4 / 12 for k in (1, 1, 2)],
    }
    information = {"small": 12 * (9 / 12) * (3 / 12), "large": 12 * (4 / 12) * (8 / 12)}
    variance = sum(
        sum(r**2 for r in residuals[level]) / information[level] ** 2 for level in residuals
    )
    correction = (6 / 5) * (23 / 22)
    assert effect.std_err == pytest.approx((variance * correction) ** 0.5, rel=1e-6)
    assert effect.z_value == pytest.approx(effect.coef / effect.std_err)


def test_a_factor_of_two_levels_has_the_joint_p_value_of_its_effect() -> None:
    found = fit(BALANCED)
    assert found.factor_wald == {"size": pytest.approx(found.effects[0].p_value)}


def crossed(seed: int) -> list[Item]:
    generator = np.random.default_rng(seed)
    return [
        Item("".join(generator.choice(list("gb"), 6)), size=size, age=age)
        for size in FACTORS["size"]
        for age in FACTORS["age"]
        for _ in range(4)
    ]


def test_two_factors_are_fitted_as_by_a_generalised_linear_model() -> None:
    items = crossed(4)
    found = fit(items, FACTORS)
    rows = [(item, letter == "g") for item in items for letter in item.letters]
    names = [("age", "new"), ("size", "large"), ("size", "huge")]
    matrix = [[1.0, *(float(item.levels[f] == level) for f, level in names)] for item, _ in rows]
    groups = np.repeat(np.arange(len(items)), 6)
    family = sm.families.Binomial()
    theirs = sm.GLM([float(agrees) for _, agrees in rows], matrix, family=family).fit(
        tol=1e-12, cov_type="cluster", cov_kwds={"groups": groups}
    )
    assert [(one.factor, one.level) for one in found.effects] == names
    assert [one.coef for one in found.effects] == pytest.approx(theirs.params[1:], abs=1e-7)
    assert [one.std_err for one in found.effects] == pytest.approx(theirs.bse[1:], rel=1e-5)
    joint = theirs.wald_test([[0, 0, 1, 0], [0, 0, 0, 1]], scalar=True).pvalue
    assert found.factor_wald["size"] == pytest.approx(float(joint), rel=1e-5)


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        pytest.param(
            [Item("gb", size="small"), Item("gg", size="large"), Item("gg", size="large")],
            "separation: all of the 4 samples at size=large agree",
            id="a level on which all agree",
        ),
        pytest.param(
            [Item("bb", size="small"), Item("bb", size="small"), Item("gb", size="large")],
            "separation: none of the 4 samples at size=small agree",
            id="a baseline on which none agrees",
        ),
        pytest.param(
            [Item("gg", size="small"), Item("gg", size="large"), Item("gg", size="large")],
            "every sample agrees",
            id="nothing to explain",
        ),
        pytest.param(
            [Item("aa", size="small"), Item("ff", size="large")], "no sample of an item", id="empty"
        ),
        pytest.param(
            [Item("gb", size="small"), Item("gb", size="small")],
            "no factor has two levels",
            id="one level",
        ),
        pytest.param(
            [Item("gb", size="small"), Item("gb", size="small"), Item("gb", size="large")],
            "items do not differ",
            id="no spread over items",
        ),
        pytest.param(
            [Item("gb", size="small"), Item("gb", size="large")],
            "2 items for 2 coefficients",
            id="too few clusters",
        ),
        pytest.param(
            [Item("g", size="small"), Item("b", size="large")],
            "2 samples for 2 coefficients",
            id="too few samples",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused_with_the_reason(
    items: list[Item], reason: str
) -> None:
    with pytest.raises(UserError, match=reason) as caught:
        fit(items)
    assert caught.value.code == "not_estimable"


def test_a_factor_whose_levels_share_all_their_uncertainty_has_no_joint_test() -> None:
    # Large and huge items do not differ among themselves: both effects vary with the baseline only.
    items = [
        *(Item(letters, size="small") for letters in ("ggb", "gbb", "ggb")),
        *(Item("ggb", size="large") for _ in range(2)),
        *(Item("gbb", size="huge") for _ in range(2)),
    ]
    found = fit(items, {"size": ["small", "large", "huge"]})
    assert found.factor_wald == {"size": None}
    assert "singular" in found.reasons["factor_wald.size"]


@pytest.mark.parametrize(
    ("errors", "converged"), [([0.1, 0.2], False), ([0.1, float("nan")], True)]
)
def test_a_fit_that_does_not_come_to_an_end_is_refused(
    errors: list[float], converged: bool
) -> None:
    benchmark = bench([{"id": "i", "factor_levels": {"f": "x"}}], factors={"f": ["x", "y"]})
    rows = gather_rows(eta([eta_item("i", "g", "gb")]), benchmark, {"i": "good"})
    design = make_design(
        rows._replace(rows=(*rows.rows, rows.rows[0]._replace(levels={"f": "y"}))),
        {"f": ["x", "y"]},
    )
    with pytest.raises(UserError, match="does not converge"):
        require_sound(design, np.array(errors), converged=converged)


def test_a_combination_of_factors_that_separates_is_found() -> None:
    # No single level is all of one kind, but small and old together are.
    items = [
        Item("gggg", size="small", age="old"),
        Item("ggbb", size="small", age="new"),
        Item("ggbb", size="large", age="old"),
        Item("bbbb", size="large", age="new"),
    ] * 2
    with pytest.raises(UserError, match=r"combination of .*age=new.*size=large"):
        fit(items, {"size": ["small", "large"], "age": ["old", "new"]})


def test_factors_that_go_together_are_named() -> None:
    items = [Item("gb", size="small", age="old"), Item("gb", size="large", age="new")] * 3
    with pytest.raises(UserError, match="size=large cannot be told from other factors"):
        fit(items, {"size": ["small", "large"], "age": ["old", "new"]})


def test_a_benchmark_without_factors_is_refused() -> None:
    with pytest.raises(UserError, match="declares no factors"):
        fit([Item("gb")], {})


def test_a_level_that_no_item_has_is_left_out_and_said() -> None:
    found = fit(BALANCED, {"size": ["tiny", "small", "large"]})
    assert found.baselines == {"size": "small"}
    assert found.notes == ("no sample has size at tiny: left out",)


def test_a_factor_with_one_level_is_left_out_and_said() -> None:
    items = [Item(item.letters, **item.levels, age="old") for item in BALANCED]
    found = fit(items, {"size": ["small", "large"], "age": ["old", "new"]})
    assert found.n_factors == 1
    assert any("age has one level only" in note for note in found.notes)


def test_items_that_lack_a_factor_are_left_out_and_never_read_as_the_baseline() -> None:
    declared = {"size": ["small", "large"], "age": ["old", "new"]}
    whole = [
        Item(item.letters, **item.levels, age=("old", "new")[k % 2])
        for k, item in enumerate(BALANCED)
    ]
    found = fit([*whole, Item("bbbb", age="old")], declared)
    assert found.n_items_incomplete == 1
    assert "1 items lack a factor and are left out: i6" in found.notes
    assert found.effects == fit(whole, declared).effects


def test_items_without_any_factor_are_no_part_of_the_design() -> None:
    found = fit([*BALANCED, Item("bbbb")])
    assert (found.n_items, found.n_items_incomplete) == (6, 0)


def test_abstentions_and_failures_are_counted_apart() -> None:
    items = [*BALANCED, Item("gbaaf", size="small")]
    found = fit(items)
    assert (found.n_observations, found.n_dropped_abstain, found.n_failed) == (26, 2, 1)


def test_the_consensus_is_that_of_metrics_when_analysts_abstain() -> None:
    # One analyst says good, two abstain: the majority of those who took a side is good.
    found = fit(BALANCED, panel="gaa")
    assert (found.reference, found.n_observations) == ("consensus", 24)
    with pytest.raises(UserError, match="no sample of an item"):
        fit(BALANCED, reference="plurality", panel="gaa")


LETTERS = st.text(alphabet="gb", min_size=1, max_size=3)
LEVELS = st.tuples(st.sampled_from(["small", "large"]), st.sampled_from(["old", "new"]))


@settings(max_examples=60)
@given(st.lists(st.tuples(LETTERS, LEVELS), min_size=3, max_size=8))
def test_separation_is_found_exactly_when_coefficients_run_away(
    cells: list[tuple[str, tuple[str, str]]],
) -> None:
    declared = {"size": ["small", "large"], "age": ["old", "new"]}
    items = [Item(letters, size=size, age=age) for letters, (size, age) in cells]
    benchmark = bench(
        [{"id": f"i{k}", "factor_levels": item.levels} for k, item in enumerate(items)],
        factors=declared,
    )
    evaluation = eta([eta_item(f"i{k}", "g", item.letters) for k, item in enumerate(items)])
    rows = gather_rows(evaluation, benchmark, {f"i{k}": "good" for k in range(len(items))})
    try:
        design = make_design(rows, declared)
    except UserError:
        return
    if np.linalg.matrix_rank(design.matrix) < design.matrix.shape[1]:
        return
    assert bool(separating_columns(design)) == _runs_away(design.matrix, design.agrees)


def _runs_away(matrix: Floats, agrees: Floats) -> bool:
    """Newton's method with a tiny ridge: without separation the ridge hardly matters."""
    sizes = []
    for ridge in (1e-6, 1e-9):
        beta = np.zeros(matrix.shape[1])
        for _ in range(200):
            chance = 1 / (1 + np.exp(-np.clip(matrix @ beta, -500, 500)))
            gradient = matrix.T @ (agrees - chance) - ridge * beta
            curvature = (matrix.T * (chance * (1 - chance))) @ matrix + ridge * np.eye(len(beta))
            step = np.linalg.solve(curvature, gradient)
            beta = beta + step * min(1.0, 5 / max(1e-12, float(np.abs(step).max())))
        sizes.append(float(np.abs(beta).max()))
    return sizes[1] - sizes[0] > 0.5


def test_the_odds_ratio_is_the_exponential_of_the_coefficient() -> None:
    for effect in fit(crossed(9), FACTORS).effects:
        assert effect.odds_ratio == pytest.approx(exp(effect.coef))
        assert effect.conf_int_low < effect.coef < effect.conf_int_high
