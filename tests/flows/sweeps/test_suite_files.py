"""What a suite file may hold, and how its problems are told."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError

from flows.suite_files import read_suite
from flows.suites import is_suite, parse_vary
from schemas.errors import InvalidFile, UserError
from schemas.published import stored
from schemas.sweep import Suite
from tests.support.runs import Desk

ROOT = Path(__file__).resolve().parents[3]
GOOD = """\
name: nightly
benchmarks: [bench.json]
models: [control/coin]
vary: {n_samples: [3, 5]}
"""


def problems(tmp_path: Path, text: str | bytes) -> list[tuple[str, str]]:
    path = tmp_path / "suite.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidFile) as caught:
        read_suite(str(path))
    assert all("\n" not in problem.message for problem in caught.value.problems)
    return [(problem.code, problem.location) for problem in caught.value.problems]


def test_a_short_suite_has_the_defaults_of_an_evaluation(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(GOOD)
    suite = read_suite(str(tmp_path / "s.yaml"))
    assert suite.vary.n_samples == (3, 5)
    assert (suite.settings.n_samples, suite.settings.temperature) == (5, 1.0)


def test_the_shipped_suite_is_valid_and_its_benchmarks_exist() -> None:
    suite = read_suite(str(ROOT / "deployments/suites/example.yaml"))
    assert len(suite.benchmarks) == 3
    assert all((ROOT / path).is_file() for path in suite.benchmarks)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("a: [1", [("invalid_yaml", "$")], id="syntax"),
        pytest.param("", [("invalid_yaml", "$")], id="empty"),
        pytest.param(GOOD + "---\n" + GOOD, [("invalid_yaml", "$")], id="two documents"),
        pytest.param(b"name: \xff", [("invalid_yaml", "$")], id="not UTF-8"),
        pytest.param("name: \x00", [("invalid_yaml", "$")], id="control character"),
        pytest.param("[" * 1000, [("invalid_yaml", "$")], id="absurd nesting"),
        pytest.param("#" * 1_000_001, [("invalid_yaml", "$")], id="too large"),
        pytest.param(
            "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", [("yaml_alias", "$")], id="YAML bomb"
        ),
        pytest.param("a: *b", [("yaml_alias", "$")], id="alias"),
        pytest.param(GOOD + "name: again\n", [("duplicate_key", "$")], id="key twice"),
        pytest.param(
            GOOD.replace("5]}", "5], n_samples: [7]}"), [("duplicate_key", "$.vary")], id="inner"
        ),
        pytest.param(
            GOOD.replace("nightly", "!!python/object/apply:os.getcwd []"),
            [("invalid_yaml", "$.name")],
            id="tag",
        ),
        pytest.param(
            GOOD.replace("nightly", "!!set {a}"), [("invalid_yaml", "$.name")], id="tagged set"
        ),
        pytest.param(
            GOOD.replace("3,", "!!int x,"), [("type", "$.vary.n_samples[0]")], id="no int"
        ),
        pytest.param(
            GOOD.replace("3,", "9" * 5000 + ","), [("type", "$.vary.n_samples[0]")], id="9…"
        ),
        pytest.param(GOOD + "? [a]\n: b\n", [("type", "$")], id="list as a key"),
        pytest.param("[]", [("type", "$")], id="a list"),
        pytest.param("just text", [("type", "$")], id="text"),
        pytest.param(GOOD + "<<: {description: x}\n", [("additional_property", "$")], id="merge"),
        pytest.param(GOOD + "colour: red\n", [("additional_property", "$")], id="unknown key"),
        pytest.param("name: x", [("required", "$")], id="keys missing"),
        pytest.param(
            GOOD.replace("n_samples", "n_sample"), [("additional_property", "$.vary")], id="typo"
        ),
        pytest.param(GOOD.replace("{n_samples: [3, 5]}", "{}"), [("invalid", "$.vary")], id="none"),
        pytest.param(GOOD.replace("[3, 5]", "3"), [("type", "$.vary.n_samples")], id="no list"),
        pytest.param(GOOD.replace("3,", "0,"), [("minimum", "$.vary.n_samples[0]")], id="zero"),
        pytest.param(GOOD.replace("3,", "3.5,"), [("type", "$.vary.n_samples[0]")], id="fraction"),
        pytest.param(GOOD.replace("3,", "true,"), [("type", "$.vary.n_samples[0]")], id="boolean"),
        pytest.param(GOOD.replace("3,", '"3",'), [("type", "$.vary.n_samples[0]")], id="quoted"),
        pytest.param(GOOD.replace("3,", "5,"), [("invalid", "$.vary.n_samples")], id="value twice"),
        pytest.param(
            GOOD.replace("n_samples: [3, 5]", "tie_break: [coin]"),
            [("enum", "$.vary.tie_break[0]")],
            id="unknown word",
        ),
        pytest.param(
            GOOD.replace("n_samples: [3, 5]", "temperature: [.inf, -1]"),
            [("non_finite_number", "$.vary.temperature[0]"), ("minimum", "$.vary.temperature[1]")],
            id="two problems",
        ),
        pytest.param(
            GOOD.replace("[control/coin]", "[]"), [("min_length", "$.models")], id="no model"
        ),
        pytest.param(
            GOOD.replace("[control/coin]", "[control/coin, control/coin]"),
            [("invalid", "$.models")],
            id="model twice",
        ),
        pytest.param(
            GOOD + "settings: {n_samples: none}\n", [("type", "$.settings.n_samples")], id="setting"
        ),
        pytest.param(
            GOOD + "settings: {strip_tex: 1}\n", [("type", "$.settings.strip_tex")], id="no boolean"
        ),
    ],
)
def test_each_problem_is_told_at_its_place(
    tmp_path: Path, text: str | bytes, found: list[tuple[str, str]]
) -> None:
    assert problems(tmp_path, text) == found


def test_a_date_without_quotes_is_text(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(GOOD.replace("nightly", "2026-01-31"))
    assert read_suite(str(tmp_path / "s.yaml")).name == "2026-01-31"


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"vary": {"temperature": [0, 0.5]}}, True),
        ({"vary": {"n_samples": [0]}}, False),
        ({"vary": {"n_samples": "3"}}, False),
        ({"vary": {"unknown": [1]}}, False),
        ({"models": []}, False),
        ({"name": ""}, False),
        ({"settings": {"seed": "x"}}, False),
        ({"extra": 1}, False),
    ],
    ids=str,
)
def test_schema_and_model_agree_on_a_suite(change: dict[str, Any], valid: bool) -> None:
    raw = yaml.safe_load(GOOD) | change
    assert jsonschema.Draft202012Validator(stored("suite-1.0")).is_valid(raw) == valid
    try:
        Suite.model_validate(raw)
    except ValidationError:
        assert not valid
    else:
        assert valid


def test_the_command_prints_one_line_per_problem(desk: Desk) -> None:
    Path("s.yaml").write_text(GOOD.replace("n_samples: [3, 5]", "n_samples: [0, x]"))
    done = desk.run("sweep", "s.yaml")
    assert (done.code, done.out) == (2, "")
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == ["s.yaml", "s.yaml"]
    done = desk.run("sweep", "s.yaml", "--format", "json")
    assert [error["code"] for error in json.loads(done.out)["errors"]] == ["minimum", "type"]


def test_a_syntax_error_names_its_line(desk: Desk) -> None:
    Path("s.yaml").write_text("name: x\nmodels: [\n")
    done = desk.run("sweep", "s.yaml")
    assert done.code == 2
    assert "(line 3)" in done.err


def test_a_suite_that_is_not_there_is_named(desk: Desk) -> None:
    done = desk.run("sweep", "nowhere.yml", "--format", "json")
    assert done.code == 2
    [error] = done.json["errors"]
    assert (error["file"], error["code"]) == ("nowhere.yml", "unreadable")


def test_a_suite_is_told_by_its_ending() -> None:
    assert [is_suite(name) for name in ("a.yaml", "a.YML", "a.json")] == [True, True, False]


def test_values_are_read_by_their_parameter() -> None:
    texts = ["n_samples=3, 5", "tie-break=good,bad", "temperature=0,0.5", "paraphrase_variant=1"]
    assert parse_vary(texts) == {
        "n_samples": [3, 5],
        "tie_break": ["good", "bad"],
        "temperature": [0.0, 0.5],
        "paraphrase_variant": [1],
    }


@pytest.mark.parametrize("text", ["n_samples", "n_samples=", "n_samples=3,x", "temperature=hot"])
def test_a_value_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_vary([text])
    assert caught.value.code == "bad_option"
