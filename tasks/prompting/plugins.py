"""Context builders that are code. They run only when the user allowed them."""

import hashlib
import importlib
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from schemas.errors import UserError
from tasks.prompting.contexts import BuildContext


class Plugin(NamedTuple):
    """A resolved plugin and what identifies it in a record."""

    build: BuildContext
    identity: str


def load_plugin(name: str) -> Plugin:
    """Import `module:attribute` (or `module.attribute`) from the environment or the directory.

    Raises:
        UserError: It cannot be imported, or is not callable.
    """
    module_name, _, attribute = name.partition(":") if ":" in name else name.rpartition(".")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # Whatever goes wrong in the author's code is not ours to mend.
        raise UserError(
            f"plugin builder {name!r} cannot be loaded: {_reason(error)}",
            fix="install its module, or run from the directory that holds it",
            code="bad_plugin",
        ) from error
    if not callable(found):
        raise UserError(f"plugin builder {name!r} is not callable", code="bad_plugin")

    def build(texts: Sequence[str]) -> str:
        try:
            text = found(list(texts))
        except Exception as error:  # As above.
            raise UserError(
                f"plugin builder {name!r} failed: {_reason(error)}", code="bad_plugin"
            ) from error
        if not isinstance(text, str):
            raise UserError(
                f"plugin builder {name!r} returned {type(text).__name__}, not text",
                code="bad_plugin",
            )
        return text

    return Plugin(build, f"{name}@{_source_digest(found)}")


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _source_digest(found: object) -> str:
    try:
        source = inspect.getsourcefile(found)  # type: ignore[arg-type]  # it answers TypeError itself
        content = Path(source or "").read_bytes()
    except (TypeError, OSError):
        return "no-source"
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
