import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.prompting.templates import BUILDER_FIELDS, PROMPT_FIELDS, render, template_fault


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        pytest.param("{text}", "placeholder {text} is not known", id="unknown"),
        pytest.param("{}", "placeholder {} is not known", id="positional"),
        pytest.param("{0}", "placeholder {0} is not known", id="numbered"),
        pytest.param("{expressions[0]}", "is not known", id="indexed"),
        pytest.param("{expressions.upper}", "is not known", id="attribute"),
        pytest.param("{expressions:>9}", "must stand alone", id="formatted"),
        pytest.param("{expressions:{expressions}}", "must stand alone", id="formatted by itself"),
        pytest.param("{expressions!r}", "must stand alone", id="converted"),
        pytest.param("{ expressions }", "is not known", id="spaces"),
        pytest.param("none", "placeholder {expressions} is missing", id="missing"),
        pytest.param("{{expressions}}", "placeholder {expressions} is missing", id="escaped"),
        pytest.param("", "placeholder {expressions} is missing", id="empty"),
        pytest.param("{expressions", "write literal braces as {{ and }}", id="open brace"),
        pytest.param("{expressions} }", "write literal braces as {{ and }}", id="closing brace"),
        pytest.param("{expressions} {more}", "{more} is not known", id="one too many"),
    ],
)
def test_a_template_that_could_surprise_is_refused(template: str, reason: str) -> None:
    fault = template_fault(template, BUILDER_FIELDS)
    assert fault is not None
    assert reason in fault


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        pytest.param("{premise_context}", "{conclusion_context} is missing", id="no conclusion"),
        pytest.param("{conclusion_context}", "{premise_context} is missing", id="no premise"),
        pytest.param("{expressions}", "{premise_context} and {conclusion_context}", id="other"),
    ],
)
def test_a_prompt_needs_both_contexts(template: str, reason: str) -> None:
    fault = template_fault(template, PROMPT_FIELDS)
    assert fault is not None
    assert reason in fault


@pytest.mark.parametrize(
    ("template", "text"),
    [
        pytest.param("{expressions}", "{x} $1 %s", id="alone"),
        pytest.param("{{a}} {expressions}, {expressions}!", "{a} {x} $1 %s, {x} $1 %s!", id="both"),
    ],
)
def test_values_are_put_in_as_they_are(template: str, text: str) -> None:
    assert template_fault(template, BUILDER_FIELDS) is None
    assert render(template, {"expressions": "{x} $1 %s"}) == text


@given(
    st.lists(st.sampled_from(["{expressions}", "{", "}", ":", "!r", "[0]", ".", "x"])).map("".join)
)
def test_a_template_without_fault_can_be_filled(template: str) -> None:
    if template_fault(template, BUILDER_FIELDS) is None:
        assert "value" in render(template, {"expressions": "value"})
