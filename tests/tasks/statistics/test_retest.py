"""Two runs of one model with the same settings: what is stable, what flips, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import UserError
from schemas.evaluation import Evaluation
from schemas.metrics import Metric
from schemas.retest import RetestResult
from tasks.benchmarks.hashing import benchmark_hash
from tasks.statistics.agreement import ONE_CLASS
from tasks.statistics.retest_pairing import same_draws
from tasks.statistics.retesting import band, retest_runs
from tests.support.benchmarks import Raw
from tests.support.evaluations import bench, eta, eta_item

MODEL: Raw = {"provider": "openai", "model_id": "m"}


def run(verdicts: str, endorsement_config: Raw | None = None, **changes: object) -> Evaluation:
    """A run with one item per letter, three samples each."""
    items = [eta_item(f"i{k:02}", letter, letter * 3) for k, letter in enumerate(verdicts)]
    config = {"n_samples": 3} | (endorsement_config or {})
    return eta(items, endorsement_config=config, **changes)


def retested(a: str, b: str) -> RetestResult:
    return retest_runs(run(a), run(b, id="run-b"))


def test_a_flip_to_abstain_counts_in_the_flip_rate_and_in_the_kappa_of_three_classes() -> None:
    # Half of the sides turn into abstentions, and where both take a side they agree.
    found = retested("gggg" + "bbbb", "ggaa" + "bbaa")
    assert found.test_retest_kappa == 1.0
    assert found.flip_rate == 0.5
    # Four agree; chance: good (4/8)(2/8) + bad (4/8)(2/8) = 1/4. (1/2 - 1/4) / (3/4).
    assert found.kappa_three_class == pytest.approx(1 / 3)
    assert found.kappa_three_class_band == "unstable"
    assert (found.n_flips_with_abstain, found.n_flips_between_sides) == (4, 0)
    assert [one.item_id for one in found.flipped_items] == ["i02", "i03", "i06", "i07"]


def test_two_identical_runs_of_one_class_are_undefined_and_not_unstable() -> None:
    found = retested("gggggg", "gggggg")
    assert (found.agreement_rate, found.flip_rate) == (1.0, 0.0)
    assert (found.test_retest_kappa, found.kappa_three_class) == (None, None)
    assert found.reasons == {"test_retest_kappa": ONE_CLASS, "kappa_three_class": ONE_CLASS}
    assert (found.stability_band, found.kappa_three_class_band) == ("undefined", "undefined")
    assert "undefined" in found.stability_verdict
    assert "unstable" not in found.stability_verdict


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"model": MODEL | {"model_id": "n"}}, "model_id"),
        ({"model": MODEL | {"provider": "anthropic"}}, "provider"),
        ({"model": MODEL | {"params": {"temperature": 0.0}}}, r"params\.temperature"),
        ({"model": MODEL | {"params": {"reasoning": "high"}}}, r"params\.reasoning"),
        ({"paraphrase_variant": 1}, "paraphrase_variant"),
        ({"endorsement_config": {"n_samples": 7}}, "n_samples"),
        ({"endorsement_config": {"tie_break": "good"}}, "tie_break"),
        ({"endorsement_config": {"question_form": "coherence"}}, "question_form"),
        ({"endorsement_config": {"verification_prompt_id": "x"}}, "verification_prompt_id"),
    ],
)
def test_another_model_parameter_or_setting_is_no_retest(changes: Raw, named: str) -> None:
    with pytest.raises(UserError, match=named) as refused:
        retest_runs(run("gb"), run("gb", id="run-b", **changes))
    assert refused.value.code == "not_comparable"


def test_everything_that_differs_is_named_at_once() -> None:
    other = run("gb", model=MODEL | {"model_id": "n"}, paraphrase_variant=1)
    with pytest.raises(UserError, match=r"model_id \('m' and 'n'\), paraphrase_variant \(0 and 1"):
        retest_runs(run("gb"), other)


@pytest.mark.parametrize("key", ["parser", "strip_tex", "prompt_id"])
def test_another_parser_or_template_is_refused_where_it_is_known(key: str) -> None:
    known: Raw = {"parser": "final-answer", "strip_tex": True, "prompt_id": "p-v1"}
    other = known | {key: "other"}
    with pytest.raises(UserError, match=key):
        retest_runs(run("gb"), run("gb"), recorded=(known, other))
    assert retest_runs(run("gb"), run("gb"), recorded=(known, known)).unchecked == ()
    one_sided = {name: value for name, value in known.items() if name != key}
    assert retest_runs(run("gb"), run("gb"), recorded=(known, one_sided)).unchecked == (key,)


def test_another_benchmark_is_refused() -> None:
    with pytest.raises(UserError) as refused:
        retest_runs(run("gb"), run("gb", benchmark_id="other"))
    assert refused.value.code == "benchmark_mismatch"


def test_a_benchmark_that_was_edited_in_between_is_refused() -> None:
    a, b = run("gb", benchmark_hash="sha256:1"), run("gb", benchmark_hash="sha256:2")
    with pytest.raises(UserError, match="changed between"):
        retest_runs(a, b)
    assert retest_runs(a, run("gb")).benchmark_hash == "sha256:1"
    assert retest_runs(run("gb"), b).benchmark_hash == "sha256:2"


def test_two_hashes_of_one_content_are_recognised_with_the_benchmark_at_hand() -> None:
    content = bench([{"id": "i00"}, {"id": "i01"}])
    later = run("gb", benchmark_hash=benchmark_hash(content))
    earlier = run("gb", benchmark_hash=benchmark_hash(content, "0.5"))
    assert retest_runs(earlier, later, content).n_items == 2
    with pytest.raises(UserError, match="hashes differ"):
        retest_runs(earlier, later)
    with pytest.raises(UserError, match="hashes differ"):
        retest_runs(run("gb", benchmark_hash="sha256:1"), later, content)


def test_an_item_whose_calls_all_failed_is_missing_and_did_not_abstain() -> None:
    failed = eta_item("i00", "a", "fff")
    a = eta([eta_item("i00", "g", "ggg"), eta_item("i01", "b", "bbb")])
    b = eta([failed, eta_item("i01", "b", "bbb")], id="run-b")
    found = retest_runs(a, b)
    assert (found.n_items, found.n_judged, found.n_missing_a, found.n_missing_b) == (2, 1, 0, 1)
    # The classic figure reads it as a flip to abstain, the one beside it leaves it out.
    assert (found.flip_rate, found.figures.flip_rate_judged.value) == (0.5, 0.0)
    assert found.n_flips_with_abstain == 0
    (flip,) = found.flipped_items
    assert (flip.missing_a, flip.missing_b) == (False, True)


def test_only_shared_items_count_and_the_others_are_named() -> None:
    a = eta([eta_item(name, "g", "g") for name in ("k", "i", "x")])
    b = eta([eta_item(name, "g", "g") for name in ("z", "y", "i", "k")])
    found = retest_runs(a, b)
    assert [one.item_id for one in found.item_deltas] == ["i", "k"]
    assert (found.only_in_a, found.only_in_b) == (("x",), ("y", "z"))


@pytest.mark.parametrize("left_over", [0, 2])
def test_without_shared_items_every_figure_is_null_with_a_reason(left_over: int) -> None:
    found = retest_runs(run("g" * left_over), eta([eta_item("z", "g", "ggg")]))
    names = {"test_retest_kappa", "kappa_three_class", "agreement_rate", "flip_rate"}
    assert {name for name in names if getattr(found, name) is None} == names
    assert found.reasons.keys() == names
    assert all(one["value"] is None for one in found.figures.model_dump().values())


def test_kappa_is_that_of_the_verdicts_where_both_took_a_side() -> None:
    found = retested("ggbba", "gbbbb")
    # Over four items: three agree, chance (2/4)(1/4) + (2/4)(3/4) = 1/2; kappa (3/4 - 1/2) / 1/2.
    assert found.test_retest_kappa == pytest.approx(0.5)
    assert (found.figures.test_retest_kappa.n, found.figures.kappa_three_class.n) == (4, 5)
    assert found.stability_verdict == (
        "test-retest reliability is substantively unstable (kappa 0.500); "
        "40.0% of 5 verdicts flipped"
    )


def test_the_flip_rate_has_wilsons_interval() -> None:
    flips = retested("g" * 5 + "b" * 5, "b" + "g" * 4 + "b" * 5).figures.flip_rate
    # Wilson (1927) for 1 of 10, as tables give it: 0.0179 to 0.4042.
    assert flips.interval is not None
    assert (flips.interval.lo, flips.interval.hi) == pytest.approx((0.0179, 0.4042), abs=5e-5)
    assert (flips.value, flips.n, flips.interval.method) == (0.1, 10, "wilson")


def test_both_kappas_have_an_interval_around_them() -> None:
    figures = retested("ggggbbbbaa", "gggbbbbbag").figures
    for kappa in (figures.test_retest_kappa, figures.kappa_three_class):
        assert kappa.value is not None
        assert kappa.interval is not None
        assert kappa.interval.lo < kappa.value < kappa.interval.hi
        assert kappa.interval.method == "dirichlet"


@pytest.mark.parametrize(
    ("kappa", "expected"),
    [
        (1.0, "stable"),
        (0.8, "stable"),
        ((0.9 - 0.5) / 0.5, "stable"),
        (0.79, "moderately stable"),
        (0.6, "moderately stable"),
        (0.59, "unstable"),
        (-1.0, "unstable"),
    ],
)
def test_the_bands_begin_at_their_edges(kappa: float, expected: str) -> None:
    assert band(Metric(value=kappa, n=9)) == expected


def test_deltas_are_distances_of_entropy_and_margin() -> None:
    a = eta([eta_item("i", "g", "ggggg")])
    b = eta([eta_item("i", "g", "gggbb")])
    (delta,) = retest_runs(a, b).item_deltas
    # Entropy of 3 and 2 in 5 in units of ln 3: 0.6126; the lead is 1 in 5.
    assert (delta.entropy_a, delta.entropy_b) == pytest.approx((0.0, 0.61260), abs=1e-5)
    assert delta.entropy_delta == pytest.approx(delta.entropy_b)
    assert (delta.margin_a, delta.margin_b, delta.margin_delta) == pytest.approx((1.0, 0.2, 0.8))


def test_factor_levels_of_flips_come_from_the_benchmark() -> None:
    levels = {"tone": "warm"}
    content = bench(
        [{"id": "i00", "factor_levels": levels}, {"id": "i01"}], factors={"tone": ["warm"]}
    )
    found = retest_runs(run("gg"), run("bb"), content)
    assert [one.factor_levels for one in found.flipped_items] == [levels, None]
    assert retest_runs(run("gg"), run("bb")).flipped_items[0].factor_levels is None


@pytest.mark.parametrize(
    ("name", "epochs", "n_warnings"),
    [
        ("run-b", ("", ""), 1),
        ("run-b", ("", "later"), 0),
        ("run-b", (None, None), 0),
        ("run-a", ("", "later"), 1),
    ],
)
def test_runs_that_share_their_draws_are_warned_of(
    name: str, epochs: tuple[str | None, str | None], n_warnings: int
) -> None:
    known = [None if epoch is None else {"epoch": epoch} for epoch in epochs]
    assert len(same_draws(run("g"), run("g", id=name), (known[0], known[1]))) == n_warnings


VERDICTS = st.lists(st.tuples(st.sampled_from("gba"), st.sampled_from("gba")), max_size=12)


@given(VERDICTS)
def test_the_order_of_the_runs_changes_no_figure(pairs: list[tuple[str, str]]) -> None:
    a, b = ("".join(side) for side in zip(*pairs, strict=True)) if pairs else ("", "")
    there, back = retested(a, b), retested(b, a)
    for name in ("flip_rate", "test_retest_kappa", "kappa_three_class"):
        assert getattr(there, name) == pytest.approx(getattr(back, name))
    assert there.stability_verdict == back.stability_verdict


@given(st.text(alphabet="gba", max_size=12))
def test_a_run_never_flips_against_itself(verdicts: str) -> None:
    found = retested(verdicts, verdicts)
    assert found.flipped_items == ()
    assert found.flip_rate in (0.0, None)
    assert found.kappa_three_class in (1.0, None)
