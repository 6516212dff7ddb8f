"""Tester files: from YAML to a checked value, with every problem at once."""

from pydantic import ValidationError

from schemas.errors import Problem
from schemas.plain_yaml import parse_yaml
from schemas.tester import Tester
from tasks.packs.faults import config, model_problems
from tasks.packs.paths import UnsafePath, overlap, safe_path


def check_tester(data: bytes) -> tuple[Tester | None, tuple[Problem, ...]]:
    """The tester file, or everything that is wrong with it."""
    raw, problems = parse_yaml(data)
    if problems:
        return None, tuple(p._replace(type="ConfigError") for p in problems)
    try:
        tester = Tester.model_validate(raw)
    except ValidationError as error:
        return None, tuple(model_problems(error, raw))
    found = _path_problems(tester)
    return (None if found else tester), tuple(found)


def _path_problems(tester: Tester) -> list[Problem]:
    found, places = [], {}
    for key in ("task_file", "artifact_path"):
        value = getattr(tester.harness.config, key, None)
        path = safe_path(value) if value is not None else None
        if isinstance(path, UnsafePath):
            where = ("harness", "config", key)
            found.append(config("unsafe_path", where, path.message, path.fix))
        elif path is not None:
            places[key] = path
    if len(places) == 2 and overlap(*places.values()):
        message = "artifact_path and task_file overlap"
        found.append(config("mount_overlap", ("harness", "config"), message, "rename one"))
    return found
