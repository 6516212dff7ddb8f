"""The factor model: its numbers, and everything that keeps it from having any."""

from collections.abc import Sequence
from itertools import pairwise
from math import exp, log

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from schemas.errors import UserError
from schemas.factor_model import FactorModel
from tasks.statistics.factor_design import Design, gather_rows, make_design
from tasks.statistics.factor_model import (
    fit_design,
    fit_factor_model,
    require_sound,
    separating_columns,
)
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


def test_errors_are_clustered_by_item_and_allow_for_their_leverage() -> None:
    (effect,) = fit(BALANCED).effects
    # The sandwich by hand: sums of residuals per item. Each of the three items of a level holds a
    # third of its information, so that squares are divided by 2/3.
    residuals = {
        "small": [k - 4 * 9 / 12 for k in (3, 2, 4)],
        "large": [k - 4 * 4 / 12 for k in (1, 1, 2)],
    }
    information = {"small": 12 * (9 / 12) * (3 / 12), "large": 12 * (4 / 12) * (8 / 12)}
    variance = sum(
        sum(r**2 for r in residuals[level]) / (2 / 3) / information[level] ** 2
        for level in residuals
    )
    assert effect.std_err == pytest.approx(variance**0.5, rel=1e-6)
    assert effect.z_value == pytest.approx(effect.coef / variance**0.5, rel=1e-6)


def test_two_levels_are_compared_as_by_welch() -> None:
    found = fit(BALANCED)
    (effect,) = found.effects
    # Satterthwaite's: variances 1/I of the levels, each known from three items.
    parts = [1 / (12 * (9 / 12) * (3 / 12)), 1 / (12 * (4 / 12) * (8 / 12))]
    degrees = sum(parts) ** 2 / sum(part**2 / 2 for part in parts)
    assert effect.degrees_of_freedom == pytest.approx(degrees)
    assert effect.z_value is not None
    assert effect.std_err is not None
    student = stats.t(degrees)
    assert effect.p_value == pytest.approx(2 * student.sf(abs(effect.z_value)))
    reach = student.ppf(0.975) * effect.std_err
    assert effect.conf_int_low == pytest.approx(effect.coef - reach)
    assert effect.conf_int_high == pytest.approx(effect.coef + reach)
    assert found.method.startswith("CR2")


def test_an_effect_that_rests_on_one_item_has_no_error_and_says_why() -> None:
    items = [*BALANCED, Item("gbb", size="huge")]
    found = fit(items, {"size": ["small", "large", "huge"]})
    large, huge = found.effects
    assert huge.coef == pytest.approx(log((1 / 2) / (9 / 3)))
    assert (huge.std_err, huge.z_value, huge.p_value, huge.conf_int_low) == (None,) * 4
    assert "one item" in found.reasons["effects.size=huge"]
    assert found.factor_wald == {"size": None}
    assert "one item" in found.reasons["factor_wald.size"]
    assert large.std_err == pytest.approx(fit(BALANCED).effects[0].std_err)


def test_a_baseline_of_one_item_leaves_no_effect_with_an_error() -> None:
    items = [*BALANCED[:1], *BALANCED[3:]]
    found = fit([*items, Item("gggb", size="large")])
    assert found.effects[0].std_err is None
    assert found.intercept.std_err is None
    assert found.reasons.keys() == {"intercept", "effects.size=large", "factor_wald.size"}


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


def dense(items: Sequence[Item]) -> tuple[Floats, Floats, Floats, list[slice]]:
    """Everything sample by sample: coefficients, inverse information, design and its items."""
    rows = [(item, letter == "g") for item in items for letter in item.letters]
    matrix = np.array(
        [[1.0, *(float(item.levels[f] == level) for f, level in NAMES)] for item, _ in rows]
    )
    theirs = sm.GLM(
        [float(agrees) for _, agrees in rows], matrix, family=sm.families.Binomial()
    ).fit(tol=1e-12)
    ends = np.cumsum([0, *(len(item.letters) for item in items)])
    parts = [slice(start, end) for start, end in pairwise(ends.tolist())]
    agrees = np.array([float(agrees) for _, agrees in rows])
    spread = theirs.fittedvalues * (1 - theirs.fittedvalues)
    # In the scale of unit variance: rows of the design, and residuals.
    scaled = matrix * np.sqrt(spread)[:, None]
    residuals = (agrees - theirs.fittedvalues) / np.sqrt(spread)
    return np.asarray(theirs.params), scaled, residuals, parts


NAMES = [("age", "new"), ("size", "large"), ("size", "huge")]


def test_errors_and_tests_are_those_of_the_formulas_with_whole_matrices() -> None:
    # Unequal numbers of samples, and of items per level.
    items = [Item(one.letters[k % 4 :], **one.levels) for k, one in enumerate(crossed(4)[:-3])]
    found = fit(items, FACTORS)
    params, scaled, residuals, parts = dense(items)
    bread = np.linalg.inv(scaled.T @ scaled)
    rest = np.eye(len(scaled)) - scaled @ bread @ scaled.T
    pulls, effect = [], []
    for part in parts:
        values, vectors = np.linalg.eigh(rest[part, part])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        pulls.append(bread @ scaled[part].T @ root)
        effect.append(pulls[-1] @ residuals[part])
    covariance = np.array(effect).T @ np.array(effect)
    assert [(one.factor, one.level) for one in found.effects] == NAMES
    assert [one.coef for one in found.effects] == pytest.approx(params[1:], abs=1e-7)
    errors = np.sqrt(np.diag(covariance))
    assert [one.std_err for one in found.effects] == pytest.approx(errors[1:], rel=1e-6)
    # Moments of the covariance when residuals are independent before the fit.
    for column, one in enumerate(found.effects, start=1):
        forms = np.array([p[column] @ rest[part] for p, part in zip(pulls, parts, strict=True)])
        of_items = forms @ forms.T
        degrees = np.trace(of_items) ** 2 / (of_items**2).sum()
        assert one.degrees_of_freedom == pytest.approx(degrees, rel=1e-6)
    # Of both sizes together, after standardising: the variances of all entries added up.
    half = np.linalg.inv(np.linalg.cholesky(bread[2:, 2:]))
    forms = np.array([half @ p[2:] @ rest[part] for p, part in zip(pulls, parts, strict=True)])
    total = 0.0
    for s, t in ((0, 0), (0, 1), (1, 0), (1, 1)):
        form = sum((np.outer(one[s], one[t]) for one in forms), np.zeros_like(rest))
        form = (form + form.T) / 2
        total += 2 * np.trace(form @ form)
    degrees = 2 * 3 / total
    wald = params[2:] @ np.linalg.solve(covariance[2:, 2:], params[2:])
    joint = stats.f(2, degrees - 1).sf(wald * (degrees - 1) / (2 * degrees))
    assert found.factor_wald["size"] == pytest.approx(joint, rel=1e-5)


def test_many_levels_of_two_items_each_have_no_joint_test() -> None:
    items = [Item(letters, size=size) for size in "abcdef" for letters in ("ggb", "gbb")]
    found = fit(items, {"size": list("abcdef")})
    assert found.factor_wald == {"size": None}
    assert "too few items" in found.reasons["factor_wald.size"]
    # Each level against the first: two items each, so two degrees of freedom as by Welch.
    assert [one.degrees_of_freedom for one in found.effects] == pytest.approx([2.0] * 5)


@pytest.mark.parametrize(("n_items", "between_items"), [(21, 0.0), (21, 1.0), (42, 1.0)])
def test_tests_without_an_effect_raise_few_false_alarms(n_items: int, between_items: float) -> None:
    generator = np.random.default_rng(7)
    item, runs, n_samples = np.arange(n_items), 1500, 5
    of_item = np.column_stack(
        [np.ones(n_items), item // 3 % 2 == 1, item % 3 == 1, item % 3 == 2]
    ).astype(np.float64)
    design = Design(
        agrees=np.empty(0),
        matrix=np.repeat(of_item, n_samples, axis=0),
        clusters=np.repeat(item, n_samples),
        columns=tuple(NAMES),
        baselines={"age": "old", "size": "small"},
        notes=(),
    )
    alarms = np.zeros(2)
    for _ in range(runs):
        odds = 0.5 + between_items * generator.standard_normal(n_items)
        chance = np.repeat(1 / (1 + np.exp(-odds)), n_samples)
        agrees = (generator.random(len(chance)) < chance).astype(np.float64)
        fitted, _ = fit_design(design._replace(agrees=agrees))
        found = [fitted.joint_p([1]), fitted.joint_p([2, 3])]
        alarms += [isinstance(p, float) and p < 0.05 for p in found]
    assert (alarms / runs <= 0.06).all()
    # Not by never raising any.
    assert (alarms / runs >= 0.02).all()


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
        assert effect.conf_int_low is not None
        assert effect.conf_int_high is not None
        assert effect.conf_int_low < effect.coef < effect.conf_int_high
