"""Warnings: what a benchmark may do, and probably does not mean."""

import pytest

from tasks.benchmarks import check_benchmark
from tests.support.benchmarks import Raw, as_bytes, item, tiny_benchmark


def warnings(raw: Raw) -> list[tuple[str, str]]:
    return [(found.code, found.location) for found in check_benchmark(as_bytes(raw)).warnings]


def test_an_ordinary_benchmark_gives_no_warning() -> None:
    assert warnings(tiny_benchmark()) == []


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        pytest.param(
            {"context_builders": {"conclusion": {"kind": "template"}}},
            "joiner_trap",
            "$.context_builders.conclusion",
            id="conclusions without joiner",
        ),
        pytest.param(
            {"context_builders": {"premise": {"kind": "plugin", "plugin": "a:b"}}},
            "plugin_builder",
            "$.context_builders.premise",
            id="premise plugin",
        ),
        pytest.param(
            {"context_builders": {"conclusion": {"kind": "plugin", "plugin": "a:b"}}},
            "plugin_builder",
            "$.context_builders.conclusion",
            id="conclusion plugin",
        ),
        pytest.param(
            {"items": [item("1"), item("2", premises=["p", "q"])]},
            "repeated_implication",
            "$.items[1]",
            id="same implication in other words",
        ),
        pytest.param({"id": "a/b"}, "unsafe_id", "$.id", id="id that is no file name"),
        pytest.param({"id": "schemas"}, "unsafe_id", "$.id", id="reserved id"),
    ],
)
def test_a_second_look_is_asked_for_and_the_file_stays_valid(
    changes: Raw, code: str, place: str
) -> None:
    checked = check_benchmark(as_bytes(tiny_benchmark(**changes)))
    assert [(found.code, found.location) for found in checked.warnings] == [(code, place)]
    assert checked.value is not None


@pytest.mark.parametrize(
    "builder",
    [
        pytest.param({"premise": {"kind": "template"}}, id="premises join by and anyway"),
        pytest.param({"conclusion": {"kind": "template", "joiner": " and "}}, id="and is meant"),
    ],
)
def test_a_joiner_that_is_no_trap_gives_no_warning(builder: Raw) -> None:
    assert warnings(tiny_benchmark(context_builders=builder)) == []


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10",
        "between $5 and $ 10",
        "from US$5 to US$10",
        "$5-$10",
        "$x$ costs $5 and $10",
        "$5 is more than $x",
    ],
)
def test_amounts_of_money_give_a_warning(text: str) -> None:
    bearers = {"p": {"expression": text}, "q": {"expression": "q", "paraphrases": ["q", text]}}
    assert warnings(tiny_benchmark(bearers=bearers)) == [
        ("tex_currency", "$.bearers.p.expression"),
        ("tex_currency", "$.bearers.q.paraphrases[1]"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "$x$ is wet",
        "$5$ °C",
        "it costs $5",
        "no dollars",
        "$2 + 2 = 4$ and $3 + 3 = 6$",
        "$$5$$",
        "from $5$ to $10$",
        "$a = 1$ 2 and $b$",
    ],
)
def test_tex_and_lone_dollars_give_no_warning(text: str) -> None:
    bearers = {"p": {"expression": text}, "q": {"expression": "q"}}
    assert warnings(tiny_benchmark(bearers=bearers)) == []


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"id": 5}, id="id"),
        pytest.param({"context_builders": 5}, id="builders"),
        pytest.param({"context_builders": {"conclusion": 5}}, id="a builder"),
        pytest.param({"bearers": 5}, id="bearers"),
        pytest.param({"bearers": {"p": 5, "q": {"expression": 5, "paraphrases": 5}}}, id="bearer"),
        pytest.param({"items": [5, item(premises=5), item(conclusions=None)]}, id="items"),
    ],
)
def test_parts_of_wrong_types_give_no_warning(changes: Raw) -> None:
    assert warnings(tiny_benchmark(**changes)) == []


def test_warnings_are_given_beside_errors() -> None:
    checked = check_benchmark(as_bytes(tiny_benchmark(id="a/b", title=5)))
    assert [found.code for found in checked.errors] == ["type"]
    assert [found.code for found in checked.warnings] == ["unsafe_id"]
