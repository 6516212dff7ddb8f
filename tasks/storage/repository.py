"""State of the git repository that a run starts in."""

import subprocess
from collections.abc import Sequence

from schemas.output import GitBlock


def git_state(ignored: Sequence[str]) -> GitBlock | None:
    """Commit and dirtiness of the enclosing work tree; None outside of one.

    Args:
        ignored: Directories of our own, relative to the current one, that never make it dirty.
    """
    commit = _git("rev-parse", "--verify", "HEAD")
    if not commit:
        return None
    excluded = [f":(exclude,literal){path}" for path in ignored]
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", *excluded)
    return GitBlock(commit=commit.strip(), dirty=None if changed is None else bool(changed.strip()))


def _git(*args: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *args], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
