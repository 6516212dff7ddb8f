"""The two questions we ask, in their fixed wordings.

User messages of the support question are byte-exact to those that recorded replies were made for,
so recorded replies keep working. Every wording has an id; a new wording gets a new id.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemas.benchmark import Benchmark, VerificationPrompt
from schemas.errors import UserError
from schemas.evaluation import DEFAULT_FRAME
from tasks.prompting.templates import render

SUPPORT_PROMPT = "default-v1"
OVERRIDE_PROMPT = "benchmark-override-v1"
DEFAULT_TEMPLATE = "framework-default-v1"

_SUPPORT_SYSTEM = """\
You judge single inferences. Reply with exactly one of these words and nothing else:
GOOD - by ordinary standards the conclusion follows from the premises.
BAD - the premises do not support the conclusion.
ABSTAIN - the question is defective, or cannot be decided either way."""

_SUPPORT_TEMPLATE = "Premises: {premise_context}\nConclusion: {conclusion_context}\nVerdict:"

COHERENCE_QUESTION = (
    "Can one and the same position accept all of the former and reject all of the latter? "
    "Answer with one word: COHERENT, INCOHERENT or UNCLEAR."
)

_COHERENCE_TEMPLATES: Mapping[str, str] = {
    DEFAULT_TEMPLATE: "Accepted: {accepted}\nRejected: {rejected}",
    "clinical-coherence-v1": (
        "Recorded in the chart as true: {accepted}\nRecorded in the chart as false: {rejected}"
    ),
}

_COHERENCE_SYSTEM = """\
You judge whether a position hangs together. Reply with exactly one of these words, nothing else:
COHERENT - somebody could hold this position.
INCOHERENT - nobody could hold this position: what it accepts rules out what it rejects.
UNCLEAR - the question is defective, or cannot be decided either way."""

_FRAMES: Mapping[str, str] = {
    DEFAULT_FRAME: _COHERENCE_SYSTEM,
    "defeasible-coherence-explicit-v1": (
        f"{_COHERENCE_SYSTEM}\n"
        "Go by what ordinarily holds. A position that accepts the usual grounds for something and "
        "rejects it is INCOHERENT unless it also accepts a reason why this case is an exception."
    ),
    "defeasible-coherence-underdet-v1": (
        f"{_COHERENCE_SYSTEM}\n"
        "Go by what ordinarily holds. When what is accepted leaves open whether this case is an "
        "exception, the position is UNCLEAR, not INCOHERENT."
    ),
}

NOTHING = "(nothing)"


class Question(NamedTuple):
    """One way of asking: system text and ids, and the means to word the user message."""

    system: str
    prompt_id: str
    template: str
    parse_regex: str | None = None

    def support(self, premises: str, conclusions: str) -> str:
        """User message of the support question."""
        values = {"premise_context": premises, "conclusion_context": conclusions}
        return render(self.template, values)

    def coherence(self, premises: str, conclusions: Sequence[str]) -> str:
        """User message of the coherence question; any number of conclusions."""
        position = render(
            self.template,
            {"accepted": premises or NOTHING, "rejected": "; ".join(conclusions) or NOTHING},
        )
        return f"{position}\n{COHERENCE_QUESTION}"


def support_question(override: VerificationPrompt | None) -> Question:
    """The benchmark's own question where it has one, ours otherwise."""
    if override is None:
        return Question(_SUPPORT_SYSTEM, SUPPORT_PROMPT, _SUPPORT_TEMPLATE)
    return Question(
        override.system if override.system is not None else _SUPPORT_SYSTEM,
        override.id or OVERRIDE_PROMPT,
        override.template,
        override.parse_regex or None,
    )


def coherence_question(benchmark: Benchmark, frame: str | None) -> Question:
    """The coherence question under a frame: the given one, the benchmark's, or the thin one.

    Raises:
        UserError: The frame or the benchmark's template does not exist.
    """
    template_id = benchmark.template_id or DEFAULT_TEMPLATE
    frame_id = coherence_frame(benchmark, frame)
    if template_id not in _COHERENCE_TEMPLATES:
        raise UserError(
            f"unknown coherence template {template_id!r}",
            where="$.template_id",
            fix=f"use one of {', '.join(sorted(_COHERENCE_TEMPLATES))}",
            code="unknown_template",
        )
    if frame_id not in _FRAMES:
        raise UserError(
            f"unknown coherence frame {frame_id!r}",
            where="--coherence-frame" if frame else "$.coherence_frame_id",
            fix=f"use one of {', '.join(sorted(_FRAMES))}",
            code="unknown_frame",
        )
    return Question(
        _FRAMES[frame_id],
        f"{template_id}:coherence:{frame_id}",
        _COHERENCE_TEMPLATES[template_id],
    )


def coherence_frame(benchmark: Benchmark, frame: str | None) -> str:
    """The frame that applies: the one asked for, the benchmark's own, or the thin one."""
    return frame or benchmark.coherence_frame_id or DEFAULT_FRAME


def prompt_hash(user: str) -> str:
    """Identity of a user message; the system text is not part of it."""
    return f"sha256:{hashlib.sha256(user.encode()).hexdigest()}"
