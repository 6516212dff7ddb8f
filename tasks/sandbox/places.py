"""Directories that a row may ask for in a sandbox."""

import posixpath
from typing import Final

from schemas.errors import ConfigError
from tasks.sandbox.bubblewrap import HOME

_SYSTEM: Final = (
    "bin",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "proc",
    "sbin",
    "sys",
    "usr",
)
_TAKEN: Final = (*(f"/{name}" for name in _SYSTEM), "/opt/assent", "/opt/securebench", HOME)


def require_free_place(place: str, where: str) -> None:
    """Refuse a directory that would hide the system, our own files, or the home.

    Raises:
        ConfigError: The row wants such a place.
    """
    plain = posixpath.normpath(place)
    inside = any(plain == taken or plain.startswith(f"{taken}/") for taken in _TAKEN)
    around = plain in ("/", "//", "/tmp") or any(t.startswith(f"{plain}/") for t in _TAKEN)
    if not plain.startswith("/") or inside or around or ".." in place.split("/"):
        message = "the directory belongs to the system"
        raise ConfigError(message, where=where, fix="use /workspace", code="unusable_workdir")
