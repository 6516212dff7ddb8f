import pytest

from schemas.benchmark import VerificationPrompt
from schemas.errors import UserError
from tasks.prompting.questions import (
    NOTHING,
    coherence_frame,
    coherence_question,
    prompt_hash,
    support_question,
)
from tests.support.benchmarks import Raw, benchmark

OURS = support_question(None)
FRAMES = ["thin-v1", "defeasible-coherence-explicit-v1", "defeasible-coherence-underdet-v1"]


@pytest.mark.parametrize(
    ("premises", "conclusions", "message"),
    [
        pytest.param("p", "q", "Premises: p\nConclusion: q\nVerdict:", id="both"),
        pytest.param("", "q", "Premises: \nConclusion: q\nVerdict:", id="no premises"),
        pytest.param("p", "", "Premises: p\nConclusion: \nVerdict:", id="no conclusions"),
        pytest.param("{p}", "a\nb", "Premises: {p}\nConclusion: a\nb\nVerdict:", id="as it is"),
    ],
)
def test_the_support_question_is_byte_exact(premises: str, conclusions: str, message: str) -> None:
    assert OURS.support(premises, conclusions) == message


def test_the_system_message_names_the_three_labels() -> None:
    assert all(label in OURS.system for label in ("GOOD", "BAD", "ABSTAIN"))
    assert OURS.prompt_id == "default-v1"
    assert OURS.parse_regex is None


@pytest.mark.parametrize(
    ("fields", "system", "prompt_id", "regex"),
    [
        pytest.param({}, OURS.system, "benchmark-override-v1", None, id="template alone"),
        pytest.param({"id": ""}, OURS.system, "benchmark-override-v1", None, id="empty id"),
        pytest.param(
            {"parse_regex": ""}, OURS.system, "benchmark-override-v1", None, id="empty pattern"
        ),
        pytest.param({"system": ""}, "", "benchmark-override-v1", None, id="empty system"),
        pytest.param(
            {"system": "Judge.", "id": "own-v2", "parse_regex": "(GOOD)"},
            "Judge.",
            "own-v2",
            "(GOOD)",
            id="everything",
        ),
    ],
)
def test_a_benchmark_overrides_what_it_names(
    fields: Raw, system: str, prompt_id: str, regex: str | None
) -> None:
    template = "{conclusion_context} from {premise_context}?"
    question = support_question(VerificationPrompt.model_validate(fields | {"template": template}))
    assert question.support("p", "q") == "q from p?"
    assert (question.system, question.prompt_id) == (system, prompt_id)
    assert question.parse_regex == regex


@pytest.mark.parametrize(
    ("premises", "conclusions", "position"),
    [
        pytest.param("p", [], f"Accepted: p\nRejected: {NOTHING}", id="none"),
        pytest.param("p", ["q"], "Accepted: p\nRejected: q", id="one"),
        pytest.param("p and r", ["q", "s"], "Accepted: p and r\nRejected: q; s", id="many"),
        pytest.param("", ["q"], f"Accepted: {NOTHING}\nRejected: q", id="no premises"),
    ],
)
def test_the_coherence_question_takes_any_number_of_conclusions(
    premises: str, conclusions: list[str], position: str
) -> None:
    message = coherence_question(benchmark(), None).coherence(premises, conclusions)
    first, _, question = message.rpartition("\n")
    assert first == position
    assert all(label in question for label in ("COHERENT", "INCOHERENT", "UNCLEAR"))


@pytest.mark.parametrize(
    ("asked", "own", "frame"),
    [
        pytest.param(None, None, "thin-v1", id="default"),
        pytest.param(None, FRAMES[1], FRAMES[1], id="the benchmark's"),
        pytest.param(FRAMES[2], FRAMES[1], FRAMES[2], id="the one asked for"),
        pytest.param("thin-v1", FRAMES[1], "thin-v1", id="the default asked for"),
    ],
)
def test_the_frame_asked_for_comes_before_the_benchmarks(
    asked: str | None, own: str | None, frame: str
) -> None:
    framed = benchmark(coherence_frame_id=own)
    assert coherence_frame(framed, asked) == frame
    question = coherence_question(framed, asked)
    assert question.prompt_id == f"framework-default-v1:coherence:{frame}"


def test_every_frame_has_a_system_message_of_its_own() -> None:
    systems = {coherence_question(benchmark(), frame).system for frame in FRAMES}
    assert len(systems) == len(FRAMES)
    assert all("INCOHERENT" in system for system in systems)


def test_a_benchmark_chooses_its_template() -> None:
    question = coherence_question(benchmark(template_id="clinical-coherence-v1"), None)
    assert question.prompt_id == "clinical-coherence-v1:coherence:thin-v1"
    assert question.coherence("p", ["q"]) != coherence_question(benchmark(), None).coherence(
        "p", ["q"]
    )


@pytest.mark.parametrize(
    ("changes", "asked", "code", "where"),
    [
        pytest.param(
            {"template_id": "x"}, None, "unknown_template", "$.template_id", id="template"
        ),
        pytest.param({}, "x", "unknown_frame", "--coherence-frame", id="frame asked for"),
        pytest.param(
            {"coherence_frame_id": "x"},
            None,
            "unknown_frame",
            "$.coherence_frame_id",
            id="the benchmark's frame",
        ),
    ],
)
def test_an_unknown_id_is_refused_with_the_known_ones(
    changes: Raw, asked: str | None, code: str, where: str
) -> None:
    with pytest.raises(UserError, match="unknown coherence") as caught:
        coherence_question(benchmark(**changes), asked)
    assert (caught.value.code, caught.value.where) == (code, where)
    assert "-v1" in caught.value.fix


def test_the_prompt_hash_is_this_one() -> None:
    message = OURS.support("x is wet and café is shut", "café is shut")
    assert prompt_hash(message) == (
        "sha256:dbb181eae7df983abf01f3b35adb83e40581b52c47a9008b811cac2037578641"
    )
