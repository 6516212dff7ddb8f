"""Output document v1: the one shape in which results are kept, whatever produced them."""

import datetime
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, FiniteFloat, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from schemas.base import Frozen, Open

SCHEMA_PATH = "outputs/schemas/benchmark_schema.json"

_TIME = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$"


def _is_real_time(value: str) -> str:
    try:
        datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value))
    except ValueError as error:
        raise PydanticCustomError("format", "not a real date and time") from error
    return value


Text = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Timestamp = Annotated[str, StringConstraints(pattern=_TIME), AfterValidator(_is_real_time)]


class BenchmarkBlock(Frozen):
    """What was evaluated on."""

    name: Text = Field(description="Name of the benchmark.")
    suite: Text | None = Field(default=None, description="Suite that it belongs to.")
    version: Text | None = Field(default=None, description="Its version, as text.")
    task: Text | None = Field(default=None, description="Task within the benchmark.")


class ModelBlock(Frozen):
    """What was evaluated."""

    name: Text = Field(description="Model.")
    provider: Text = Field(description="Who serves it.")
    revision: Text | None = Field(default=None, description="Revision of the model.")
    parameters: dict[str, Any] | None = Field(default=None, description="Decoding parameters.")


class GitBlock(Frozen):
    """State of the repository that the run started in."""

    commit: Text | None = Field(default=None, description="Commit.")
    dirty: bool | None = Field(default=None, description="Whether tracked files were changed.")


class HostBlock(Open):
    """The machine."""

    os: str | None = Field(default=None, description="Operating system.")
    python: str | None = Field(default=None, description="Python version.")
    hostname: str | None = Field(default=None, description="Name of the machine.")


class RunBlock(Frozen):
    """When, where and how."""

    id: Text = Field(description="Unique in the repository.")
    started_at: Timestamp = Field(description="ISO 8601, with offset or Z.")
    finished_at: Timestamp | None = Field(default=None, description="ISO 8601; not before start.")
    git: GitBlock | None = Field(default=None, description="Repository state.")
    command: Text | None = Field(default=None, description="A command that repeats the run.")
    host: HostBlock | None = Field(default=None, description="The machine.")


class Metadata(Frozen):
    """About the run."""

    benchmark: BenchmarkBlock = Field(description="What was evaluated on.")
    model: ModelBlock = Field(description="What was evaluated.")
    run: RunBlock = Field(description="When, where and how.")
    tags: tuple[Text, ...] | None = Field(default=None, description="Labels.")
    notes: Text | None = Field(default=None, description="Remarks.")


class ErrorBlock(Frozen):
    """Why a run has no good result."""

    message: Text = Field(description="What went wrong.")
    type: Text | None = Field(default=None, description="Kind of error.")
    traceback: Text | None = Field(default=None, description="Where it went wrong.")


class ArtifactBlock(Frozen):
    """A file that belongs to the run."""

    role: Text = Field(description="What it is.")
    path: Text | None = Field(default=None, description="Relative to the repository.")
    uri: Text | None = Field(default=None, description="Where it is, when outside of it.")
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None, description="Digest."
    )
    bytes: Annotated[int, Field(ge=0, strict=True)] | None = Field(
        default=None, description="Size."
    )
    media_type: Text | None = Field(default=None, description="MIME type.")

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if (self.path is None) == (self.uri is None):
            raise PydanticCustomError("one_of", "exactly one of path and uri is needed")
        return self


class Results(Frozen):
    """What came out."""

    status: Literal["ok", "error"] = Field(description="Whether the run can be relied on.")
    metrics: dict[Text, Annotated[FiniteFloat, Field(strict=True)]] = Field(
        description="Numbers only; undefined ones are absent."
    )
    error: ErrorBlock | None = Field(default=None, description="Present when status is error.")
    details: dict[str, Any] | None = Field(default=None, description="Anything else.")
    cases: tuple[dict[str, Any], ...] | None = Field(default=None, description="One per item.")
    artifacts: tuple[ArtifactBlock, ...] | None = Field(default=None, description="Files.")

    @model_validator(mode="after")
    def _has_error_exactly_when_failed(self) -> Self:
        if (self.status == "error") != (self.error is not None):
            raise PydanticCustomError("conditional_required", "error belongs to status error")
        return self


class OutputDocument(Frozen):
    """One result file."""

    schema_: Text = Field(alias="$schema", description="Path or URI of the schema.")
    schema_version: Literal["v1"] = Field(description="Always v1.")
    metadata: Metadata = Field(description="About the run.")
    results: Results = Field(description="What came out.")
