"""Who carries out the stages: this process alone, or Prefect.

Found out without importing Prefect, which takes longer than a small evaluation.
"""

import os
import tomllib
from pathlib import Path
from typing import NamedTuple

from schemas.errors import Unfinished
from schemas.settings import EngineName


class Engine(NamedTuple):
    """The engine of a command, and the server that it talks to."""

    name: EngineName
    server: str | None


def choose_engine(wanted: EngineName) -> Engine:
    """The engine for a wish: `auto` takes Prefect when a server is configured.

    Raises:
        Unfinished: A server is configured and does not answer.
    """
    if wanted == "embedded":
        return Engine("embedded", None)
    server = configured_server()
    if server is not None:
        _require_answer(server)
        return Engine("prefect", server)
    return Engine("embedded" if wanted == "auto" else "prefect", None)


def configured_server() -> str | None:
    """Address of the Prefect server that the user has configured, if any."""
    stated = os.environ.get("PREFECT_API_URL")  # noqa: TID251 - Prefect's setting, not ours
    if stated:
        return stated
    here = _toml(Path("prefect.toml")).get("api", {})
    if isinstance(here, dict) and isinstance(here.get("url"), str):
        return str(here["url"])
    return _profile_server()


def _profile_server() -> str | None:
    environment = os.environ  # noqa: TID251 - Prefect's settings, not ours
    home = Path(environment.get("PREFECT_HOME") or Path.home() / ".prefect")
    profiles = _toml(Path(environment.get("PREFECT_PROFILES_PATH") or home / "profiles.toml"))
    active = environment.get("PREFECT_PROFILE") or profiles.get("active")
    known = profiles.get("profiles")
    profile = known.get(active) if isinstance(known, dict) else None
    url = profile.get("PREFECT_API_URL") if isinstance(profile, dict) else None
    return url if isinstance(url, str) else None


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _require_answer(server: str) -> None:
    import httpx

    try:
        httpx.get(f"{server.rstrip('/')}/health", timeout=5).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unfinished(
            f"the Prefect server at {server} does not answer ({type(error).__name__})",
            fix="start it, or run with --engine embedded",
            code="server_unreachable",
        ) from error
