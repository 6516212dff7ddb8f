"""What rows of the six families hold: the public `input` and the `eval` that judges answers."""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from schemas.base import Frozen
from schemas.pack_values import (
    Answer,
    Command,
    Filled,
    Filleds,
    NotNegative,
    Object,
    Seconds,
    Share,
    StringsOrNumbers,
    Text,
    TextOrObject,
    kind_of,
    wrong,
)

Family = Literal[
    "multiple_choice",
    "short_answer",
    "free_response",
    "code_completion",
    "repo_patch",
    "terminal_task",
]
CandidateKind = Literal["text", "code", "patch", "workspace"]
Visibility = Literal["public", "evaluation_inputs", "hidden"]


def optional(description: str) -> Any:
    """A field that may be absent; null is no absence."""
    return Field(default=None, description=description, json_schema_extra=_without_default)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


class MultipleChoiceInput(Frozen):
    """A question and its choices."""

    question: Filled = Field(description="The question.")
    choices: Filleds = Field(description="At most 26 texts, lettered from A.")


class MultipleChoiceEval(Frozen):
    """Which choice is right."""

    answer: Answer = Field(description="Index from 0, letter or text; of a list any one will do.")


class ShortAnswerInput(Frozen):
    """A question with a short answer."""

    question: Filled = Field(description="The question.")
    answer_format: Filled = optional("A hint; nobody enforces it.")
    context: TextOrObject = optional("What the question is about.")


class ShortAnswerEval(Frozen):
    """Which answers are right."""

    accepted_answers: StringsOrNumbers = Field(description="Any one of them will do.")
    tolerance: NotNegative = Field(0, description="How far a number may be off.")


class FreeResponseInput(Frozen):
    """Something to write about."""

    prompt: Filled = Field(description="The request.")
    context: TextOrObject = optional("What it is about.")


class FreeResponseEval(Frozen):
    """How the text is judged."""

    rubric: TextOrObject = Field(description="Verifiable when its type is contains_any.")
    reference_answer: Filled = optional("For readers; never used for scoring.")


class Rubric(Frozen):
    """A rubric that can be verified."""

    type: Literal["contains_any"] = "contains_any"
    accepted_answers: Filleds = Field(description="One of them must be said.")
    rejected_answers: list[Filled] = Field(default=[], description="None of them may be said.")
    min_token_f1: Share = Field(1.0, description="Likeness that counts as said.")


class CodeCompletionInput(Frozen):
    """Code to write."""

    prompt: Filled = Field(description="The request.")
    language: Filled = Field("python", description="Only python can be verified.")
    starter_code: Text = optional("Shown; never joined to the answer.")


class CodeCompletionEval(Frozen):
    """Tests of the code."""

    tests: Object = Field(description="To be verified: `source` inline, and `code`.")
    reference_solution: Text = optional("A solution; only selftest runs it.")
    canonical_solution: Text = optional("The same under an older name.")


class InlinePatch(Frozen):
    """A patch written out."""

    source: Literal["inline"]
    patch: Filled = Field(description="As git writes it.")


class CandidatePolicy(Frozen):
    """Which paths a patch may touch."""

    allow_paths: list[Filled] = Field(default=[], description="Only these, if any.")
    allow_sensitive_paths: list[Filled] = Field(
        default=[], description="Though they look like tests, builds or settings."
    )
    patch_preserved_paths: list[Filled] = Field(
        default=[], description="Sections that touch these are dropped."
    )


class TestsPolicy(Frozen):
    """The same where it stands beside the tests; the newer key does not."""

    allow_paths: list[Filled] = Field(default=[])
    allow_sensitive_paths: list[Filled] = Field(default=[])


def _patch(value: Any) -> Any:
    return {"source": "inline", "patch": value} if isinstance(value, str) else value


Patch = Annotated[
    InlinePatch,
    BeforeValidator(_patch),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": r"\S"},
                {
                    "type": "object",
                    "properties": {
                        "source": {"const": "inline"},
                        "patch": {"type": "string", "pattern": r"\S"},
                    },
                    "required": ["source", "patch"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]


class RepoPatchInput(Frozen):
    """A repository and what to change in it."""

    repo: Filled = Field(description="For readers; nothing is cloned from there.")
    base_commit: Filled = Field(description="The commit that the patch applies to.")
    instructions: Filled = Field(description="What to change.")
    hints: Filled = optional("Further help.")


class RepoTests(Frozen):
    """How the patched repository is tested."""

    source: Literal["command"]
    command: Command = Field(description="Exit 0 passes; a list of words is safer than a line.")
    workdir: Filled = Field("/testbed", description="Where the repository is.")
    timeout_seconds: Seconds = Field(300, description="For each command.")
    setup_patch: Patch = optional("Applied before the answer.")
    test_patch: Patch = optional("Applied after the answer.")
    candidate_policy: TestsPolicy = Field(default_factory=TestsPolicy, description="Allowed paths.")


class RepoPatchEval(Frozen):
    """Tests of the patch."""

    tests: RepoTests = Field(description="How the patched repository is tested.")
    gold_patch: Text = optional("A solution; only selftest applies it.")
    candidate_policy: CandidatePolicy = Field(
        default_factory=CandidatePolicy, description="The same as in `tests`; not both."
    )


class TerminalTaskInput(Frozen):
    """Work to do in a directory."""

    instructions: Filled = Field(description="What to do.")
    context: TextOrObject = optional("What it is about.")


class CommandChecker(Frozen):
    """A command that inspects the workspace."""

    command: Command = Field(description="Exit 0 passes.")
    workdir: Filled = Field("/workspace", description="Where it runs; else the workspace.")
    timeout_seconds: Seconds = Field(300, description="For the command.")


class FileChecker(Frozen):
    """A file below the evaluation root that inspects the workspace."""

    source: Literal["pytest", "script"]
    path: Filled = Field(description="Below the evaluation root.")
    timeout_seconds: Seconds = Field(300, description="For the run.")


KNOWN_COMMANDS = ("chroot",)
"""Commands that a checker may need and that a tester must allow."""


def _checker_shape(value: Any) -> str:
    is_file = isinstance(value, dict) and "source" in value and "command" not in value
    return "<file>" if is_file else "<command>"


def _needed(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong("type", f"expected a list, found {kind_of(value)}")
    known = {part.strip() for part in value if isinstance(part, str)} & set(KNOWN_COMMANDS)
    if len(known) < len({part.strip() if isinstance(part, str) else "" for part in value}):
        raise wrong("enum", f"must name only {', '.join(KNOWN_COMMANDS)}")
    return sorted(known)


# The tags appear in Pydantic's paths; the brackets tell them from keys.
Checker = Annotated[
    Annotated[CommandChecker, Tag("<command>")] | Annotated[FileChecker, Tag("<file>")],
    Discriminator(_checker_shape),
]
NeededCommands = Annotated[
    list[str],
    PlainValidator(_needed),
    WithJsonSchema({"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "string"}}]}),
]


class TerminalTaskEval(Frozen):
    """How the workspace is inspected."""

    checker: Checker = Field(description="A command, or a file below the evaluation root.")
    run_tests: Object = Field(default_factory=dict, description="A file or data for the checker.")
    test_files: Object = Field(default_factory=dict, description="A file or data for the checker.")
    expected_state: Any = Field(None, description="Hidden, also from the checker; not scored.")
    needed_commands: NeededCommands = Field(
        default=[], description="Dangerous commands that the checker runs."
    )


class FamilyRules(NamedTuple):
    """What one family demands of its rows."""

    input: type[Frozen]
    eval: type[Frozen]
    candidate_kind: CandidateKind
    evaluation_inputs: frozenset[str] = frozenset()
    """Keys of `eval` that the test sandbox sees; every other one is hidden."""


FAMILIES: dict[str, FamilyRules] = {
    "multiple_choice": FamilyRules(MultipleChoiceInput, MultipleChoiceEval, "text"),
    "short_answer": FamilyRules(ShortAnswerInput, ShortAnswerEval, "text"),
    "free_response": FamilyRules(FreeResponseInput, FreeResponseEval, "text"),
    "code_completion": FamilyRules(
        CodeCompletionInput, CodeCompletionEval, "code", frozenset({"tests"})
    ),
    "repo_patch": FamilyRules(
        RepoPatchInput, RepoPatchEval, "patch", frozenset({"tests", "candidate_policy"})
    ),
    "terminal_task": FamilyRules(
        TerminalTaskInput,
        TerminalTaskEval,
        "workspace",
        frozenset({"checker", "needed_commands", "run_tests", "test_files"}),
    ),
}

DEFERRED: dict[str, frozenset[str]] = {
    "tool_call": frozenset({"initial_state"}),
    "browser_task": frozenset({"credentials"}),
    "desktop_task": frozenset(),
    "artifact_task": frozenset(),
    "multimodal_qa": frozenset(),
    "preference_pair": frozenset(),
}
"""Families that compile and have no verifier yet: what their test sandbox sees."""

FAMILY_ALIASES = {"code_generation": "code_completion"}
"""Older names."""
