"""The tester file: which pack is run, by which harness, and what verifiers may do."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from schemas.base import Frozen
from schemas.pack_families import KNOWN_COMMANDS
from schemas.pack_values import Command, Filled, Flag, Seconds, kind_of, wrong

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def _variable(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong("type", f"expected text, found {kind_of(value)}")
    if not _NAME.fullmatch(value):
        raise wrong("format", "must be the name of a variable, without its value")
    return value


def _domain(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong("type", f"expected text, found {kind_of(value)}")
    name = value.lower().removesuffix(".")
    labels = name.split(".")
    is_address = labels[-1].isdigit()
    if len(labels) < 2 or is_address or not all(_LABEL.fullmatch(label) for label in labels):
        raise wrong("format", "must be a domain such as example.org, without scheme, port or path")
    return name


def _command_name(value: Any) -> str:
    if value not in KNOWN_COMMANDS:
        raise wrong("enum", f"must be one of {', '.join(KNOWN_COMMANDS)}")
    return str(value)


def _version(value: Any) -> str:
    if value != "0.2" or not isinstance(value, str):
        raise wrong("const", "must be the text '0.2', in quotes")
    return value


Variable = Annotated[
    str, PlainValidator(_variable), WithJsonSchema({"type": "string", "pattern": "^[^=]+$"})
]
Domain = Annotated[str, PlainValidator(_domain), WithJsonSchema({"type": "string"})]
CommandName = Annotated[
    str, PlainValidator(_command_name), WithJsonSchema({"enum": list(KNOWN_COMMANDS)})
]
SchemaVersion = Annotated[
    Literal["0.2"], BeforeValidator(_version), WithJsonSchema({"const": "0.2"})
]


class TesterRun(Frozen):
    """The run."""

    id: Filled = Field(description="Names the run.")
    output_dir: Filled = Field(description="Relative to the tester file.")


class TesterBenchmark(Frozen):
    """The pack; both paths are relative to the tester file."""

    manifest: Filled = Field(description="The manifest.")
    tasks: Filled = Field(description="The rows.")


class CommandConfig(Frozen):
    """A command that answers each row."""

    command: Command = Field(description="Run once per row.")
    artifact_path: Filled | None = Field(default=None, description="The answer; else its output.")
    task_file: Filled = Field(default="task.json", description="The public part of the row.")
    timeout_seconds: Seconds | None = Field(default=None, description="For one row.")
    allowed_domains: list[Domain] = Field(default=[], description="It may reach these.")


class CodexConfig(Frozen):
    """The Codex command line."""

    model: Filled = Field(description="Which model it uses.")
    version: Filled = Field(default="latest", description="Of the command line.")
    task_file: Filled = Field(default="task.json", description="The public part of the row.")
    timeout_seconds: Seconds = Field(default=900, description="For one row.")
    allowed_domains: list[Domain] = Field(
        default=[], description="It may reach these and its provider's."
    )


class ClaudeCodeConfig(CodexConfig):
    """The Claude Code command line."""

    model: Filled = Field(default="sonnet", description="Which model it uses.")


class _Harness(Frozen):
    env: list[Variable] = Field(default=[], description="Names of variables that are passed on.")


class CommandHarness(_Harness):
    """Answers come from a command."""

    type: Literal["command"]
    config: CommandConfig


class CodexHarness(_Harness):
    """Answers come from Codex."""

    type: Literal["codex"]
    config: CodexConfig


class ClaudeCodeHarness(_Harness):
    """Answers come from Claude Code."""

    type: Literal["claude_code"]
    config: ClaudeCodeConfig = Field(default=ClaudeCodeConfig())


def _harness_type(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return f"<{kind}>" if kind in ("command", "codex", "claude_code") else None


# The tags appear in Pydantic's paths; the brackets tell them from keys.
Harness = Annotated[
    Annotated[CommandHarness, Tag("<command>")]
    | Annotated[CodexHarness, Tag("<codex>")]
    | Annotated[ClaudeCodeHarness, Tag("<claude_code>")],
    Discriminator(_harness_type),
]


class Verification(Frozen):
    """What verifiers may do."""

    disallow_dangerous_commands: Flag = Field(
        default=True, description="Refuse rows that need a dangerous command."
    )
    deny_commands: list[CommandName] = Field(
        default=[], description="Refused whatever else is said."
    )


class Tester(Frozen):
    """A tester file, schema version 0.2."""

    schema_version: SchemaVersion = Field(description="Always the text 0.2.")
    run: TesterRun = Field(description="The run.")
    benchmark: TesterBenchmark = Field(description="The pack.")
    harness: Harness = Field(description="Who answers.")
    verification: Verification = Field(default=Verification(), description="What verifiers may do.")
