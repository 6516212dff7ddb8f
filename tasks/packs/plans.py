"""What a component of a run finds in its directory: planned as a whole, before a byte is written.

A plan lists files with their content, or with the file of the pack that they are copies of.
`tasks.storage.materialise` carries it out.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from schemas.errors import ConfigError, MaterializationError, PathPolicyError
from schemas.pack_task import SEEN_BY, CompiledTask, Component, Lane, Mount, Resource
from schemas.problems import one_line
from tasks.packs.paths import UnsafePath, clashes, overlap, safe_path
from tasks.packs.references import PREFIXES, PackFiles, is_file_reference

_PREFIX_OF_EVALUATOR = PREFIXES["hidden"]


class PlannedFile(NamedTuple):
    """One file to be: its own bytes, or a copy of `source`."""

    destination: str
    content: bytes | None = None
    lane: Lane = "public"
    source: str = ""
    read_only: bool = True


class Plan(NamedTuple):
    """Every file that a component finds, in the order of their places."""

    component: Component
    files: tuple[PlannedFile, ...]
    mounts: tuple[Mount, ...] = ()


def plan_for(task: CompiledTask, component: str, files: PackFiles) -> Plan:
    """What a component finds of a task.

    Raises:
        MaterializationError: A value or a file cannot be put in place.
        PathPolicyError: Two of them want the same place, or there is no such component.
    """
    chosen = _component(component)
    values = [
        _value_file(name, resource, chosen)
        for name, resource in task.resources.items()
        if resource.visibility in SEEN_BY[chosen] and not _is_reference(resource)
    ]
    mounts = tuple(m for m in task.mounts if _is_seen(m, task, chosen))
    _require_apart([*(f.destination for f in values), *(m.mount for m in mounts)])
    copies = [copy for mount in mounts for copy in _copies(mount, files)]
    ordered = sorted([*values, *copies], key=lambda file: file.destination)
    return Plan(chosen, tuple(ordered), mounts)


def require_free(plan: Plan, reserved: Iterable[str]) -> None:
    """Refuse a plan that touches files of the tester, such as the task file.

    Raises:
        ConfigError: A destination overlaps one of them.
    """
    for name in reserved:
        path = safe_path(name)
        if isinstance(path, UnsafePath):
            raise ConfigError(path.message, where=name, fix=path.fix, code="unsafe_path")
        places = [*(m.mount for m in plan.mounts), *(f.destination for f in plan.files)]
        if any(overlap(place, path) for place in places):
            message = f"a file of the row overlaps {one_line(path)}, which the tester needs"
            raise ConfigError(message, fix="choose another mount", code="mount_overlap")


def _component(name: str) -> Component:
    for known in SEEN_BY:
        if name == known and known != "result":
            return known
    if name == "result":
        message = "the result is a record and has no directory"
        raise MaterializationError(message, code="no_directory")
    message = f"unknown component {one_line(repr(name))}"
    fix = f"use one of {', '.join(SEEN_BY)}"
    raise PathPolicyError(message, fix=fix, code="unknown_component")


def _is_reference(resource: Resource) -> bool:
    return resource.visibility != "public" and is_file_reference(resource.value)


def _value_file(name: str, resource: Resource, component: Component) -> PlannedFile:
    _require_plain_name(name)
    prefix = PREFIXES[resource.visibility]
    if component == "evaluator":
        prefix = _PREFIX_OF_EVALUATOR
    return PlannedFile(f"{prefix}/{name}.json", as_json(resource.value))


def _require_plain_name(name: str) -> None:
    reason = safe_path(f"{name}.json")
    if not name or "/" in name or ".." in name or isinstance(reason, UnsafePath):
        message = f"resource name {one_line(repr(name))} cannot be a file name"
        raise MaterializationError(message, fix="use letters and digits", code="bad_name")


def as_json(value: Any) -> bytes:
    """A value as it stands in its file.

    Raises:
        MaterializationError: JSON cannot hold it.
    """
    try:
        text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        message = "a value cannot be written as JSON"
        raise MaterializationError(message, code="not_json") from None
    return f"{text}\n".encode("utf-8", "surrogatepass")


def _is_seen(mount: Mount, task: CompiledTask, component: Component) -> bool:
    if mount.lane == "public":
        return component != "evaluator"
    return task.resources[mount.resource].visibility in SEEN_BY[component]


def _require_apart(destinations: list[str]) -> None:
    for first, second in clashes(destinations):
        one, other = (one_line(destinations[i]) for i in (first, second))
        message = f"{other} overlaps {one}"
        raise PathPolicyError(message, fix="choose another mount", code="mount_overlap")


def _copies(mount: Mount, files: PackFiles) -> list[PlannedFile]:
    found = files.look(mount.lane, mount.path)
    if found.state not in ("file", "directory"):
        message = "a file of the row is gone, or is no regular file or directory any more"
        raise MaterializationError(message, where=mount.resource, code="missing_file")
    return [
        PlannedFile(
            mount.mount + name.removeprefix(mount.path), None, mount.lane, name, mount.read_only
        )
        for name in found.files
    ]
