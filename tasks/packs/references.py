"""The files that a row names: public assets, file references of `eval`, checkers, repositories."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, Protocol

from schemas.errors import Problem
from schemas.pack import Manifest, Row
from schemas.pack_task import Lane, Mount
from schemas.pack_values import kind_of
from schemas.problems import JsonPath, one_line
from tasks.packs.compiling import visibility_of
from tasks.packs.faults import caution, config, material, policy
from tasks.packs.paths import UnsafePath, clashes, denied, is_below, safe_path

PREFIXES = {
    "public": "securebench/public",
    "evaluation_inputs": "securebench/evaluation_inputs",
    "hidden": "securebench/evaluator",
}
"""Where values appear, by who may see them."""

_REFERENCE_KEYS = frozenset({"path", "mount", "read_only"})
_NO_EFFECT = ("type", "mode")

State = Literal["file", "directory", "missing", "link", "linked", "special", "outside"]


class Found(NamedTuple):
    """What lies at a path below a root.

    `link` is a link itself, `linked` a directory that holds one, `outside` a path that a link on
    the way leads out of the root. `files` are the regular files, relative to the root, sorted.
    """

    state: State
    files: tuple[str, ...] = ()
    digest: str = ""


class PackFiles(Protocol):
    """How the logic of packs looks at files."""

    def look(self, lane: Lane, path: str) -> Found:
        """What lies at a normalised path below a root."""

    def read(self, lane: Lane, path: str) -> bytes:
        """The bytes of a regular file below a root."""


class References(NamedTuple):
    """The files of one row, and what is wrong with them."""

    mounts: tuple[Mount, ...]
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    digests: tuple[str, ...] = ()


def is_file_reference(value: object) -> bool:
    """Whether a value of `eval` stands for a file rather than for itself."""
    return isinstance(value, dict) and "path" in value and value.keys() <= _REFERENCE_KEYS


def references_of(
    row: Row, family: str, environment: dict[str, Any], manifest: Manifest, files: PackFiles
) -> References:
    """Every file that a row names, looked up and given its place."""
    collector = _Collector(row, manifest, files)
    for index, asset in enumerate(row.assets):
        collector.asset(index, asset)
    for name, value in row.eval.items():
        if is_file_reference(value):
            collector.reference(name, value, family)
    collector.others(family, environment)
    collector.destinations()
    return References(
        tuple(collector.mounts),
        tuple(collector.errors),
        tuple(collector.warnings),
        tuple(collector.digests),
    )


class _Collector:
    def __init__(self, row: Row, manifest: Manifest, files: PackFiles) -> None:
        self.row, self.manifest, self.files = row, manifest, files
        self.mounts: list[Mount] = []
        self.places: list[JsonPath] = []
        self.errors: list[Problem] = []
        self.warnings: list[Problem] = []
        self.digests: list[str] = []

    def asset(self, index: int, asset: dict[str, Any]) -> None:
        path: JsonPath = ("assets", index)
        self.warnings += _asset_cautions(asset, path)
        default = self.manifest.asset_defaults.read_only
        mount = self._mount("public", asset, path, default=default)
        if mount is None:
            return
        if denied(mount.mount):
            message = "the destination belongs to the evaluation"
            where: JsonPath = (*path, "mount") if "mount" in asset else (*path, "path")
            self.errors.append(policy("denied_path", where, message, "choose another mount"))
        else:
            self._keep(mount, path)

    def reference(self, name: str, value: dict[str, Any], family: str) -> None:
        path: JsonPath = ("eval", name)
        visibility = visibility_of(family, name)
        mount = self._mount("eval", value, path, default=True)
        if mount is None:
            return
        prefix = PREFIXES[visibility]
        if "mount" not in value:
            mount = mount.model_copy(update={"mount": f"{prefix}/{mount.path}"})
        elif not is_below(mount.mount, prefix) or not mount.mount.startswith(f"{prefix}/"):
            message = f"the mount must lie below {prefix}"
            self.errors.append(material("mount_prefix", (*path, "mount"), message))
            return
        self._keep(mount.model_copy(update={"resource": name}), path)

    def others(self, family: str, environment: dict[str, Any]) -> None:
        """Files that are used and not mounted by the row: late checkers and repositories."""
        checker = self.row.eval.get("checker")
        if family == "terminal_task" and isinstance(checker, dict) and "source" in checker:
            self._need_file("eval", checker.get("path"), ("eval", "checker", "path"))
        repository = environment.get("repository")
        if family == "repo_patch" and isinstance(repository, str):
            self._need_file("public", repository, ("environment", "repository"))

    def destinations(self) -> None:
        """No two destinations may be equal or one inside the other, nor lie on a value."""
        values = [f"{PREFIXES['public']}/{name}.json" for name in (*self.row.input, "assets")]
        taken = [*values, *(mount.mount for mount in self.mounts)]
        seen = set[int]()
        for first, second in clashes(taken):
            index = second - len(values)
            if index < 0 or index in seen:
                continue
            seen.add(index)
            other = "a public value" if first < len(values) else "another destination"
            path, message = self.places[index], f"the destination overlaps {other}"
            self.errors.append(policy("mount_overlap", path, message, "choose another mount"))

    def _mount(
        self, lane: Lane, value: dict[str, Any], path: JsonPath, *, default: bool
    ) -> Mount | None:
        """The source and destination of a file reference, both looked at."""
        before = len(self.errors)
        if "path" not in value:
            self.errors.append(material("required", path, "missing key 'path'", "add 'path'"))
        source = self._safe(value.get("path"), (*path, "path")) if "path" in value else None
        target = self._safe(value["mount"], (*path, "mount")) if "mount" in value else source
        read_only = value.get("read_only", default)
        if not isinstance(read_only, bool):
            message = f"expected true or false, found {kind_of(read_only)}"
            self.errors.append(material("type", (*path, "read_only"), message))
        if source is not None:
            self._look(lane, source, (*path, "path"))
        if len(self.errors) > before or source is None or target is None:
            return None
        return Mount(path=source, mount=target, read_only=read_only, lane=lane)

    def _keep(self, mount: Mount, path: JsonPath) -> None:
        self.mounts.append(mount)
        self.places.append(path)

    def _safe(self, value: object, path: JsonPath) -> str | None:
        found = safe_path(value)
        if isinstance(found, UnsafePath):
            self.errors.append(material("unsafe_path", path, found.message, found.fix))
            return None
        return found

    def _look(self, lane: Lane, source: str, path: JsonPath) -> Found:
        found = self.files.look(lane, source)
        if found.state in _REASONS:
            code, message, fix = _REASONS[found.state]
            self.errors.append(material(code, path, message, fix))
        else:
            self.digests.append(found.digest)
        return found

    def _need_file(self, lane: Lane, value: object, path: JsonPath) -> None:
        source = self._safe(value, path)
        if source is not None and self._look(lane, source, path).state == "directory":
            self.errors.append(config("not_a_file", path, "must be a file, not a directory"))


_REASONS = {
    "missing": ("missing_file", "there is no such file below the root", "add it"),
    "link": ("link_in_assets", "is a symbolic link", "put the file itself there"),
    "linked": ("link_in_assets", "holds a symbolic link", "put the file itself there"),
    "special": ("special_file", "is neither a file nor a directory", "remove it"),
    "outside": ("link_in_assets", "a link leads out of the root", "put the file itself there"),
}


def _asset_cautions(asset: dict[str, Any], path: JsonPath) -> Iterator[Problem]:
    for key in _NO_EFFECT:
        if key in asset:
            message = f"{key!r} has no effect"
            yield caution("no_effect", (*path, key), message, "remove it")
    unknown = sorted(asset.keys() - _REFERENCE_KEYS - set(_NO_EFFECT))
    if unknown:
        names = one_line(", ".join(map(repr, unknown)), 400)
        yield caution("additional_property", path, f"unknown {names}", "remove or correct it")
