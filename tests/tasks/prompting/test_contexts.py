import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.benchmark import Bearer, ContextBuilder, PluginBuilder, TemplateBuilder
from tasks.prompting.contexts import (
    Wording,
    builder_identity,
    strip_tex,
    template_builder,
    wording,
)

BEARER = Bearer(expression="$x$ rains", paraphrases=("it rains", "$y$ pours"))


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        pytest.param("$x$ is wet", "x is wet", id="formula"),
        pytest.param("$x$ and $y$", "x and y", id="two formulas"),
        pytest.param("costs $5 and $10", "costs 5 and 10", id="money"),
        pytest.param("$$x$$", "$x$", id="display formula"),
        pytest.param("a lone $ stays", "a lone $ stays", id="lone dollar"),
        pytest.param("$a$ and a lone $", "a and a lone $", id="formula and lone dollar"),
        pytest.param("$a\nb$", "a\nb", id="over a line"),
        pytest.param("$$", "$$", id="nothing between"),
        pytest.param("none", "none", id="no dollar"),
        pytest.param(r"$\alpha$", r"\alpha", id="backslash"),
    ],
)
def test_pairs_of_dollars_are_dropped(text: str, stripped: str) -> None:
    assert strip_tex(text) == stripped


@given(st.text("$ab\n"))
def test_stripping_drops_dollars_in_pairs_and_nothing_else(text: str) -> None:
    stripped = strip_tex(text)
    assert stripped.replace("$", "") == text.replace("$", "")
    assert (text.count("$") - stripped.count("$")) % 2 == 0


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        pytest.param(0, Wording("x rains", fallback=False), id="canonical"),
        pytest.param(1, Wording("it rains", fallback=False), id="first paraphrase"),
        pytest.param(2, Wording("y pours", fallback=False), id="second paraphrase"),
        pytest.param(3, Wording("x rains", fallback=True), id="missing paraphrase"),
    ],
)
def test_a_bearer_has_its_wording_or_falls_back(variant: int, expected: Wording) -> None:
    assert wording(BEARER, variant, strip=True) == expected


def test_dollars_are_kept_on_request() -> None:
    assert wording(BEARER, 0, strip=False).text == "$x$ rains"


@pytest.mark.parametrize(
    ("texts", "context"),
    [
        pytest.param([], "So: {}.", id="nothing"),
        pytest.param(["a"], "So: {}a.", id="one"),
        pytest.param(["a", "{b}", "c"], "So: {}a; {b}; c.", id="many, braces kept"),
    ],
)
def test_a_template_holds_the_joined_sentences(texts: list[str], context: str) -> None:
    builder = TemplateBuilder(kind="template", template="So: {{}}{expressions}.", joiner="; ")
    assert template_builder(builder)(texts) == context


@pytest.mark.parametrize(
    ("builder", "identity"),
    [
        pytest.param(TemplateBuilder(kind="template"), "conjunction-and-v1", id="default"),
        pytest.param(
            TemplateBuilder(kind="template", joiner="; "),
            "template:'{expressions}':'; '",
            id="own joiner",
        ),
        pytest.param(
            TemplateBuilder(kind="template", template="So {expressions}"),
            "template:'So {expressions}':' and '",
            id="own template",
        ),
        pytest.param(PluginBuilder(kind="plugin", plugin="m:f"), "plugin:m:f", id="plugin"),
    ],
)
def test_a_builder_is_named_for_what_it_is(builder: ContextBuilder, identity: str) -> None:
    assert builder_identity(builder, "conjunction-and-v1", " and ") == identity
