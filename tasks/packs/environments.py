"""The environment of a row: merged from two places, checked, and free of empty promises."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from schemas.errors import Problem
from schemas.pack_values import is_number, kind_of
from schemas.problems import one_line
from tasks.packs.faults import caution, config, material
from tasks.packs.paths import UnsafePath, safe_path

IGNORED = ("setup", "packages", "env", "network", "resources")
"""Keys that look as if they did something; the sandbox and the tester decide these matters."""

_USED_BY = {
    "image": None,
    "timeout_seconds": None,
    "workdir": ("terminal_task", "repo_patch"),
    "materialize_workdir_from_image": ("terminal_task",),
    "repository": ("repo_patch",),
}


def merged(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The environment of a row: its own keys win, and nothing below a key is merged."""
    return {**defaults, **own}


def environment_problems(environment: Mapping[str, Any], family: str) -> Iterator[Problem]:
    """What is wrong with a merged environment; null stands for absence."""
    for key, check in _CHECKS.items():
        value = environment.get(key)
        if value is not None:
            yield from check(value, family)


def environment_cautions(own: Mapping[str, Any], family: str) -> Iterator[Problem]:
    """Keys that have no effect on a row of the family."""
    for key, value in own.items():
        if value is None:
            continue
        path = ("environment", key)
        families = _USED_BY.get(key)
        if key in IGNORED:
            message = f"{key!r} has no effect: the sandbox and the tester decide"
            yield caution("no_effect", path, message, "remove it")
        elif key not in _USED_BY:
            message = f"nothing reads {one_line(repr(key))}; it is only passed on"
            yield caution("no_effect", path, message, "correct or remove it")
        elif families is not None and family not in families:
            message = f"{key!r} has no effect on a row of {one_line(family)}"
            yield caution("no_effect", path, message, "remove it")


def _image(value: Any, _: str) -> Iterator[Problem]:
    path = ("environment", "image")
    if not isinstance(value, str):
        yield config("type", path, f"expected text, found {kind_of(value)}")
    elif not value.strip():
        yield config("min_length", path, "must not be blank", "name an image, or remove the key")


def _workdir(value: Any, family: str) -> Iterator[Problem]:
    path = ("environment", "workdir")
    if family not in ("terminal_task", "repo_patch"):
        return
    if not isinstance(value, str):
        yield config("type", path, f"expected text, found {kind_of(value)}")
    elif not value.strip():
        yield config("min_length", path, "must not be blank")
    elif family == "terminal_task" and not is_container_path(value):
        message = "must be an absolute path without .. or backslash"
        yield config("unsafe_path", path, message, "for example /workspace")


def is_container_path(path: str) -> bool:
    """Whether a path can be a directory inside a container."""
    below = path.removeprefix("/")
    return path.startswith("/") and not isinstance(safe_path(below), UnsafePath)


def _timeout(value: Any, _: str) -> Iterator[Problem]:
    path = ("environment", "timeout_seconds")
    if not is_number(value):
        yield config("type", path, f"expected a number, found {kind_of(value)}")
    elif not 0 < value < float("inf"):
        yield config("minimum", path, "must be above 0 and finite")


def _materialize(value: Any, family: str) -> Iterator[Problem]:
    path = ("environment", "materialize_workdir_from_image")
    if not isinstance(value, bool):
        yield config("type", path, f"expected true or false, found {kind_of(value)}")
    elif value and family != "terminal_task":
        message = "only rows of terminal_task can take their workspace from an image"
        yield config("wrong_family", path, message, "remove it")


def _repository(value: Any, family: str) -> Iterator[Problem]:
    if family != "repo_patch":
        return
    reason = safe_path(value)
    if isinstance(reason, UnsafePath):
        yield material("unsafe_path", ("environment", "repository"), reason.message, reason.fix)


_CHECKS: dict[str, Callable[[Any, str], Iterator[Problem]]] = {
    "image": _image,
    "workdir": _workdir,
    "timeout_seconds": _timeout,
    "materialize_workdir_from_image": _materialize,
    "repository": _repository,
}
