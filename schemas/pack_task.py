"""A row after compilation: named resources, each with those who may see it."""

from typing import Any, Literal, NamedTuple

from pydantic import Field

from schemas.base import Frozen
from schemas.pack_families import CandidateKind, Visibility

Component = Literal["agent", "test_sandbox", "evaluator", "result"]
Kind = Literal["text", "json"]
Lane = Literal["public", "eval"]

REDACTED = "[redacted]"
"""What stands in place of a value that a component may not see."""

SEEN_BY: dict[Component, frozenset[Visibility]] = {
    "agent": frozenset({"public"}),
    "test_sandbox": frozenset({"public", "evaluation_inputs"}),
    "evaluator": frozenset({"public", "hidden"}),
    "result": frozenset({"public"}),
}


class Resource(Frozen):
    """One named value of a row."""

    value: Any = Field(description="As it stands in the row.")
    visibility: Visibility = Field(description="Who may see it.")
    kind: Kind = Field(description="`text` for text, else `json`.")


class Mount(Frozen):
    """A file or directory of the pack, and where it appears; both normalised."""

    path: str = Field(description="Below its root.")
    mount: str = Field(description="Below the workspace.")
    read_only: bool = Field(description="Whether it may be changed there.")
    lane: Lane = Field(default="public", description="Which root it comes from.")
    resource: str = Field(default="assets", description="The resource that names it.")


class CompiledTask(Frozen):
    """A row, ready to be asked and judged.

    `task_type` is the family after aliases; `candidate_kind` is null for a family that no verifier
    knows. `metadata` is what the format prescribes, `row_metadata` what the row itself says.
    """

    id: str
    benchmark_id: str
    task_type: str
    metadata: dict[str, Any]
    row_metadata: dict[str, Any] = Field(default_factory=dict)
    environment: dict[str, Any] = Field(default_factory=dict)
    resources: dict[str, Resource]
    mounts: tuple[Mount, ...] = ()
    candidate_kind: CandidateKind | None = None
    line: int | None = None
    row_digest: str | None = None

    @property
    def family(self) -> str:
        """The kind of row."""
        return self.task_type

    def value(self, name: str, default: Any = None) -> Any:
        """The value of a resource, or the default when the row has none of that name."""
        found = self.resources.get(name)
        return default if found is None else found.value


class ViewedResource(NamedTuple):
    """A resource as a component sees it."""

    name: str
    visibility: Visibility
    kind: Kind
    value: Any
    redacted: bool = False


def view(task: CompiledTask, component: Component) -> tuple[ViewedResource, ...]:
    """What a component sees of a row; the result sees every name and only public values."""
    seen = SEEN_BY[component]
    return tuple(
        ViewedResource(name, r.visibility, r.kind, r.value)
        if r.visibility in seen
        else ViewedResource(name, r.visibility, r.kind, REDACTED, redacted=True)
        for name, r in task.resources.items()
        if r.visibility in seen or component == "result"
    )
