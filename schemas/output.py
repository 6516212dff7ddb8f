"""Output document v1: the one shape in which results are kept, whatever produced them.

The models write documents and are the source of the published schema; `tasks/outputs` reads and
checks documents by that schema. What a schema cannot say (real calendar dates, the order of two
times, safe paths, run ids across files) is checked there too.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, GenerateJsonSchema, JsonSchemaMode

SCHEMA_PATH = "outputs/schemas/benchmark_schema.json"

# `$` alone would let a final line feed pass in some dialects of regular expressions.
_END = r"$(?!\n)"
TIME_PATTERN = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?" + _END
)

Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Timestamp = Annotated[str, Field(json_schema_extra={"pattern": TIME_PATTERN})]
Digest = Annotated[str, Field(json_schema_extra={"pattern": f"^[0-9a-f]{{64}}{_END}"})]


class _Closed(BaseModel):
    """Unknown keys are refused, but for those that start with `x_`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"patternProperties": {"^x_": {}}}
    )


class BenchmarkBlock(_Closed):
    """What was evaluated on."""

    name: Text = Field(description="Name of the benchmark.")
    suite: str | None = Field(default=None, description="Suite that it belongs to.")
    version: str | None = Field(default=None, description="Its version, as text.")
    task: str | None = Field(default=None, description="Task within the benchmark.")


class ModelBlock(_Closed):
    """What was evaluated."""

    name: Text = Field(description="Model.")
    provider: Text = Field(description="Who serves it.")
    parameters: dict[str, Any] | None = Field(default=None, description="Decoding parameters.")
    revision: str | None = Field(default=None, description="Revision of the model.")


class GitBlock(_Closed):
    """State of the repository that the run started in."""

    commit: str | None = Field(default=None, description="Commit.")
    dirty: bool | None = Field(default=None, description="Whether tracked files were changed.")


class HostBlock(BaseModel):
    """The machine; further keys are welcome."""

    model_config = ConfigDict(frozen=True, extra="allow")

    os: str | None = Field(default=None, description="Operating system.")
    python: str | None = Field(default=None, description="Python version.")
    hostname: str | None = Field(default=None, description="Name of the machine.")


class RunBlock(_Closed):
    """When, where and how."""

    id: Text = Field(description="Unique in the repository.")
    started_at: Timestamp = Field(description="ISO 8601 with seconds; offset or Z recommended.")
    finished_at: Timestamp | None = Field(default=None, description="ISO 8601; not before start.")
    git: GitBlock | None = Field(default=None, description="Repository state.")
    command: str | None = Field(default=None, description="A command that repeats the run.")
    host: HostBlock | None = Field(default=None, description="The machine.")


class Metadata(_Closed):
    """About the run."""

    benchmark: BenchmarkBlock = Field(description="What was evaluated on.")
    model: ModelBlock = Field(description="What was evaluated.")
    run: RunBlock = Field(description="When, where and how.")
    tags: tuple[Text, ...] | None = Field(default=None, description="Labels.")
    notes: str | None = Field(default=None, description="Remarks.")


class ErrorBlock(_Closed):
    """Why a run has no good result."""

    message: Text = Field(description="What went wrong.")
    type: str | None = Field(default=None, description="Kind of error.")
    traceback: str | None = Field(default=None, description="Where it went wrong.")


class ArtifactBlock(_Closed):
    """A file that belongs to the run."""

    model_config = ConfigDict(
        json_schema_extra={
            "patternProperties": {"^x_": {}},
            "oneOf": [{"required": ["path"]}, {"required": ["uri"]}],
        }
    )

    role: Text = Field(description="What it is.")
    path: str | None = Field(default=None, description="Relative to the repository.")
    uri: str | None = Field(default=None, description="Where it is, when outside of it.")
    sha256: Digest | None = Field(default=None, description="64 lower-case hex digits.")
    bytes: Annotated[int, Field(ge=0)] | None = Field(default=None, description="Size.")
    media_type: str | None = Field(default=None, description="MIME type.")


def _if_status(status: str, then: dict[str, Any]) -> dict[str, Any]:
    return {
        "if": {"properties": {"status": {"const": status}}, "required": ["status"]},
        "then": then,
    }


class Results(_Closed):
    """What came out."""

    model_config = ConfigDict(
        json_schema_extra={
            "patternProperties": {"^x_": {}},
            "allOf": [
                _if_status("error", {"required": ["error"]}),
                _if_status("ok", {"not": {"required": ["error"]}}),
            ],
        }
    )

    status: Literal["ok", "error"] = Field(description="Whether the run can be relied on.")
    metrics: dict[Annotated[str, StringConstraints(min_length=1)], FiniteFloat] = Field(
        description="Numbers only; undefined ones are absent."
    )
    error: ErrorBlock | None = Field(default=None, description="Present when status is error.")
    details: dict[str, Any] | None = Field(default=None, description="Anything else.")
    cases: tuple[dict[str, Any], ...] | None = Field(default=None, description="One per item.")
    artifacts: tuple[ArtifactBlock, ...] | None = Field(default=None, description="Files.")


class OutputDocument(BaseModel):
    """One result file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_: Text = Field(alias="$schema", description="Path or URI of the schema.")
    schema_version: Literal["v1"] = Field(description="Always v1.")
    metadata: Metadata = Field(description="About the run.")
    results: Results = Field(description="What came out.")

    @classmethod
    def model_json_schema(
        cls,
        by_alias: bool | None = True,
        ref_template: str = DEFAULT_REF_TEMPLATE,
        schema_generator: type[GenerateJsonSchema] = GenerateJsonSchema,
        mode: JsonSchemaMode = "validation",
        **options: Any,
    ) -> dict[str, Any]:
        """The schema of written documents: an optional key is absent rather than null."""
        schema = super().model_json_schema(
            bool(by_alias), ref_template, schema_generator, mode, **options
        )
        written: dict[str, Any] = _without_null(schema)
        return written


def _without_null(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_null(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    choices = schema.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        [kept] = [choice for choice in choices if choice != {"type": "null"}]
        rest = {k: v for k, v in schema.items() if k not in {"anyOf", "default"}}
        return _without_null({**kept, **rest})
    return {key: _without_null(value) for key, value in schema.items()}
