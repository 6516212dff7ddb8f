"""`assent model` as users and scripts call it."""

from pathlib import Path

import jsonschema_rs

from schemas.published import stored
from tests.support.benchmarks import Raw, write_json
from tests.support.command import Assent
from tests.support.evaluations import eta_item, raw_bench, raw_eta

LETTERS = {"i0": "gggb", "i1": "ggbb", "i2": "gbbb", "i3": "ggbb"}


def files(here: Path, letters: dict[str, str]) -> tuple[str, str]:
    items: list[Raw] = [
        {"id": name, "factor_levels": {"size": "small" if i < 2 else "large"}}
        for i, name in enumerate(letters)
    ]
    bench = raw_bench(items, factors={"size": ["small", "large"]})
    answers = [eta_item(name, "g", said) for name, said in letters.items()]
    eta = raw_eta(answers, endorsement_config={"n_samples": 4})
    return write_json(here / "eta.json", eta), write_json(here / "bench.json", bench)


def test_the_json_is_one_document_of_its_published_schema(assent: Assent, here: Path) -> None:
    eta, bench = files(here, LETTERS)
    ran = assent("model", eta, "--benchmark", bench, "--format", "json")
    assert ran.code == 0
    jsonschema_rs.validate(stored("factor-model-1.0"), ran.json)
    (effect,) = ran.json["effects"]
    assert {"factor", "level", "coef", "std_err", "z_value", "p_value"} <= effect.keys()
    assert ran.json["factor_wald"].keys() == {"size"}


def test_the_table_names_effects_and_baselines(assent: Assent, here: Path) -> None:
    eta, bench = files(here, LETTERS)
    ran = assent("model", eta, "--benchmark", bench)
    assert (ran.code, ran.err) == (0, "")
    assert "size=large" in ran.out
    assert "size: against small" in ran.out
    assert "CR2 errors clustered by item, Satterthwaite degrees of freedom" in ran.out


def test_an_effect_that_rests_on_one_item_is_shown_without_an_interval(
    assent: Assent, here: Path
) -> None:
    eta, bench = files(here, {"i0": "gggb", "i1": "ggbb", "i2": "gbbb"})
    ran = assent("model", eta, "--benchmark", bench)
    (row,) = [line.split() for line in ran.out.splitlines() if line.startswith("  size=large")]
    assert (row[2], row[4]) == ("-", "undefined")
    assert "effects.size=large undefined: it rests on one item" in ran.out


def test_what_was_left_out_is_noted(assent: Assent, here: Path) -> None:
    eta, _ = files(here, LETTERS)
    items: list[Raw] = [
        {"id": name, "factor_levels": {"size": "small" if i < 2 else "large"}}
        for i, name in enumerate(LETTERS)
    ]
    declared = {"size": ["tiny", "small", "large"]}
    bench = write_json(here / "wider.json", raw_bench(items, factors=declared))
    ran = assent("model", eta, "--benchmark", bench)
    assert "note: no sample has size at tiny: left out" in ran.out


def test_separated_data_exit_2_with_the_reason(assent: Assent, here: Path) -> None:
    eta, bench = files(here, {"i0": "gggb", "i1": "ggbb", "i2": "gggg", "i3": "gggg"})
    ran = assent("model", eta, "--benchmark", bench, "--format", "json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "not_estimable")
    assert "all of the 8 samples at size=large agree" in ran.json["errors"][0]["message"]
