"""The manifest of a pack: from YAML to a checked value, with every problem at once."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from schemas.errors import Problem
from schemas.pack import Manifest
from schemas.plain_yaml import YamlRules, parse_yaml
from schemas.problems import JsonPath, one_line
from tasks.packs.faults import caution, config, model_problems
from tasks.packs.paths import UnsafePath, overlap, safe_path

_RULES = YamlRules(deepest=100, aliases=True)
_KNOWN: dict[JsonPath, frozenset[str]] = {
    (): frozenset({"id", "version", "defaults", "asset_roots", "asset_defaults"}),
    ("defaults",): frozenset({"family", "environment"}),
    ("asset_roots",): frozenset({"public", "eval"}),
    ("asset_defaults",): frozenset({"read_only"}),
}


class CheckedManifest(NamedTuple):
    """The manifest when there is no error, and everything that was found."""

    value: Manifest | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def check_manifest(data: bytes, *, strict: bool = False) -> CheckedManifest:
    """Read a manifest; with `strict`, unknown keys are errors."""
    raw, problems = parse_yaml(data, _RULES)
    if problems:
        return CheckedManifest(None, tuple(_of_form(problem) for problem in problems))
    if not isinstance(raw, dict):
        message, fix = "the manifest must be an object", "write keys and values: id, version, …"
        return CheckedManifest(None, (config("type", (), message, fix),))
    if "schema_version" in raw:
        return CheckedManifest(None, (_other_format(raw),))
    return _checked(raw, strict=strict)


def _of_form(problem: Problem) -> Problem:
    """A problem of the YAML; its line is told in words, since `line` counts rows."""
    message = f"{problem.message} (line {problem.line})" if problem.line else problem.message
    return problem._replace(type="ConfigError", message=message, line=None)


def _other_format(raw: dict[str, Any]) -> Problem:
    if "harness" in raw or "benchmark" in raw:
        message = "this is a tester file, not a manifest"
        return config("pack_version", (), message, "name the pack's manifest")
    message = "schema_version belongs to a later pack format, which Assent does not read"
    return config("pack_version", (), message, "use a pack of version 1: id, version, defaults")


def _checked(raw: dict[str, Any], *, strict: bool) -> CheckedManifest:
    errors, warnings, value = [], list(_unknown_keys(raw)), None
    try:
        value = Manifest.model_validate(raw)
    except ValidationError as error:
        errors += model_problems(error, raw)
    else:
        errors += _root_problems(value)
        if value.version < 1:
            warnings.append(caution("low_version", ("version",), "counts from 1", "write 1"))
    if strict:
        unknown = [p for p in warnings if p.code == "additional_property"]
        warnings = [p for p in warnings if p not in unknown]
        errors += [p._replace(type="ConfigError") for p in unknown]
    return CheckedManifest(None if errors else value, tuple(errors), tuple(warnings))


def _unknown_keys(raw: dict[str, Any]) -> Iterator[Problem]:
    for path, known in _KNOWN.items():
        part = raw if not path else raw.get(str(path[0]))
        unknown = sorted(part.keys() - known) if isinstance(part, dict) else []
        if unknown:
            names = one_line(", ".join(repr(key) for key in unknown), 400)
            yield caution("additional_property", path, f"unknown {names}", "remove or correct it")


def _root_problems(manifest: Manifest) -> list[Problem]:
    found, roots = [], {}
    for name in ("public", "eval"):
        root = safe_path(getattr(manifest.asset_roots, name))
        if isinstance(root, UnsafePath):
            found.append(config("unsafe_path", ("asset_roots", name), root.message, root.fix))
        else:
            roots[name] = root
    if len(roots) == 2 and overlap(roots["public"], roots["eval"]):
        message = "the two roots overlap, which would show what is hidden"
        found.append(config("root_overlap", ("asset_roots",), message, "keep them apart"))
    return found
