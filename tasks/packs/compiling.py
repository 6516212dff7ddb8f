"""From a checked row to a task: named resources, each with those who may see it."""

from collections.abc import Mapping
from typing import Any

from schemas.errors import ConfigError
from schemas.pack import Manifest, Row
from schemas.pack_families import DEFERRED, FAMILIES, Visibility
from schemas.pack_task import CompiledTask, Mount, Resource
from schemas.problems import one_line


def visibility_of(family: str, key: str) -> Visibility:
    """Who may see a key of `eval`."""
    rules = FAMILIES.get(family)
    seen = rules.evaluation_inputs if rules else DEFERRED.get(family, frozenset())
    return "evaluation_inputs" if key in seen else "hidden"


def resources_of(row: Row, family: str) -> dict[str, Resource]:
    """Every value of a row under its name.

    Raises:
        ConfigError: Two of them have the same name.
    """
    public = dict(row.input)
    if row.assets:
        public = _joined(public, {"assets": row.assets})
    named = {name: _resource(value, "public") for name, value in public.items()}
    judged = {
        name: _resource(value, visibility_of(family, name)) for name, value in row.eval.items()
    }
    return _joined(named, judged)


def _joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    twice = sorted(one.keys() & other.keys())
    if twice:
        names = one_line(", ".join(map(repr, twice)))
        raise ConfigError(f"{names} would name two resources", fix="rename one", code="name_clash")
    return {**one, **other}


def _resource(value: Any, visibility: Visibility) -> Resource:
    kind: Any = "text" if isinstance(value, str) else "json"
    return Resource.model_construct(value=value, visibility=visibility, kind=kind)


def task_metadata(
    manifest: Manifest, row: Row, environment: Mapping[str, Any], manifest_path: str | None
) -> dict[str, Any]:
    """What a task says about its origin; a row cannot forge it, and keeps its own words."""
    roots, defaults = manifest.asset_roots, manifest.asset_defaults
    return {
        **row.metadata,
        "benchmark_pack": {
            "id": manifest.id,
            "version": manifest.version,
            "manifest_path": manifest_path,
        },
        "environment": dict(environment),
        "asset_roots": {"public": roots.public, "eval": roots.eval},
        "asset_defaults": {"read_only": defaults.read_only},
        "row_metadata": dict(row.metadata),
    }


def compile_row(
    row: Row,
    family: str,
    manifest: Manifest,
    environment: dict[str, Any],
    *,
    manifest_path: str | None = None,
    mounts: tuple[Mount, ...] = (),
    line: int | None = None,
    row_digest: str | None = None,
) -> CompiledTask:
    """The task of a row that was checked.

    Raises:
        ConfigError: Two of its resources have the same name.
    """
    rules = FAMILIES.get(family)
    return CompiledTask.model_construct(
        id=row.id,
        benchmark_id=manifest.id,
        task_type=family,
        metadata=task_metadata(manifest, row, environment, manifest_path),
        row_metadata=row.metadata,
        environment=environment,
        resources=resources_of(row, family),
        mounts=mounts,
        candidate_kind=rules.candidate_kind if rules else None,
        line=line,
        row_digest=row_digest,
    )
