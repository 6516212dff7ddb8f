"""Tasks written out by hand: the way tests make one without a pack."""

from collections.abc import Mapping
from typing import Any

from schemas.pack_families import FAMILIES, Visibility
from schemas.pack_task import CompiledTask, Resource
from schemas.pack_values import kind_of
from schemas.problems import one_line

_VISIBILITIES: tuple[Visibility, ...] = ("public", "evaluation_inputs", "hidden")
_NEEDED = {"multiple_choice": ("question", "choices", "answer"), "code_completion": ("prompt",)}


def task_from_spec(spec: Mapping[str, Any]) -> CompiledTask:
    """The task that an object describes.

    Raises:
        ValueError: Something is missing or of the wrong kind, or a resource carries `expose`: who
            sees a value is said by its visibility alone.
    """
    if not isinstance(spec, Mapping):
        raise ValueError(f"a task must be an object, not {kind_of(spec)}")
    names = {key: _filled(spec, key) for key in ("id", "benchmark_id", "task_type")}
    metadata = spec.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise ValueError(f"metadata must be an object, not {kind_of(metadata)}")
    given = spec.get("resources")
    if not isinstance(given, Mapping):
        raise ValueError(f"resources must be an object, not {kind_of(given)}")
    resources = {name: _resource(name, value) for name, value in given.items()}
    missing = [n for n in _NEEDED.get(names["task_type"], ()) if n not in resources]
    if missing:
        raise ValueError(f"a task of {names['task_type']} needs {', '.join(missing)}")
    rules = FAMILIES.get(names["task_type"])
    environment = (metadata or {}).get("environment")
    return CompiledTask(
        id=names["id"],
        benchmark_id=names["benchmark_id"],
        task_type=names["task_type"],
        metadata=dict(metadata or {}),
        environment=dict(environment) if isinstance(environment, Mapping) else {},
        resources=resources,
        candidate_kind=rules.candidate_kind if rules else None,
    )


def _filled(spec: Mapping[str, Any], key: str) -> str:
    value = spec.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key} must be text that is not blank")
    return value


def _resource(name: object, given: object) -> Resource:
    if not isinstance(name, str) or not name.strip():
        raise ValueError("a resource needs a name")
    shown = one_line(repr(name))
    if not isinstance(given, Mapping):
        raise ValueError(f"resource {shown} must be an object, not {kind_of(given)}")
    if "expose" in given:
        raise ValueError(f"resource {shown} carries 'expose'; say 'visibility' instead")
    if "value" not in given:
        raise ValueError(f"resource {shown} has no value")
    visibility = given.get("visibility")
    if visibility not in _VISIBILITIES:
        raise ValueError(f"visibility of {shown} must be one of {', '.join(_VISIBILITIES)}")
    value = given["value"]
    return Resource(
        value=value, visibility=visibility, kind="text" if isinstance(value, str) else "json"
    )
