"""Makes assets/temperature.bundle, the repository that the rows of this pack change.

Everything that enters the commit is fixed, so that its id is always the one that the rows name.
Run it from anywhere: python examples/packs/repo_patch/make_repository.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUNDLE = Path(__file__).resolve().parent / "assets" / "temperature.bundle"
MODULE = '''"""Temperatures in two scales."""


def to_fahrenheit(celsius: float) -> float:
    """Degrees Fahrenheit."""
    return celsius * 9 / 5


def to_celsius(fahrenheit: float) -> float:
    """Degrees Celsius."""
    return (fahrenheit - 32) * 5 / 9
'''
WHO = {
    "GIT_AUTHOR_NAME": "Example",
    "GIT_AUTHOR_EMAIL": "example@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "Example",
    "GIT_COMMITTER_EMAIL": "example@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def make(bundle: Path) -> str:
    """Write the bundle; the id of its commit."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "temperature.py").write_text(MODULE, "utf-8")
        _git(place, "init", "--quiet", "--initial-branch", "main")
        _git(place, "add", "temperature.py")
        _git(place, "commit", "--quiet", "--no-gpg-sign", "--message", "Convert temperatures")
        _git(place, "bundle", "create", "--quiet", str(bundle), "HEAD", "main")
        return _git(place, "rev-parse", "HEAD").strip()


def _git(place: Path, *args: str) -> str:
    environment = {"PATH": os.defpath, "HOME": str(place), **WHO}
    ran = subprocess.run(
        ["git", *args], cwd=place, env=environment, check=True, capture_output=True, text=True
    )
    return ran.stdout


if __name__ == "__main__":
    BUNDLE.parent.mkdir(exist_ok=True)
    sys.stdout.write(f"{make(BUNDLE)}\n")
