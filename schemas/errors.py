"""Every error we raise on purpose.

    EvalError
    ├── UserError         the input or the options are wrong: exit 2, nothing was run or written
    │   ├── InvalidFile   one file with one or more located problems
    │   ├── ConfigError           a pack, row, tester file or verifier setting is wrong
    │   ├── MaterializationError  a resource of a pack cannot be put in place
    │   └── PathPolicyError       a destination of a pack is not allowed
    ├── TransientError    waiting may cure it: the stage is retried
    └── Unfinished        could not be finished here (budget, disk, state, server): exit 3

Anything else that escapes is a bug: it keeps its traceback and exits 70.
Only `what` is required, so that every error survives pickling.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class EvalError(Exception):
    """Base of every error we raise on purpose.

    Args:
        what: What is wrong, in one line.
        where: The place in the user's terms: an option, a path, a JSON location.
        fix: What the user can do about it.
        code: A short stable word for machines.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "", code: str = "usage") -> None:
        super().__init__(what)
        self.what, self.where, self.fix, self.code = what, where, fix, code

    def __str__(self) -> str:
        """One line for people."""
        where = f" [{self.where}]" if self.where else ""
        fix = f" Fix: {self.fix}" if self.fix else ""
        return f"{self.what}{where}{fix}"


class Problem(NamedTuple):
    """One thing that is wrong in one file, and how to mend it.

    Packs are several files of many rows, so theirs also say which error it is, and of which row of
    which file.
    """

    code: str
    location: str
    message: str
    fix: str = ""
    line: int | None = None
    type: str | None = None
    task_id: str | None = None
    file: str | None = None


class UserError(EvalError):
    """The user's input or options are wrong; trying again without a change cannot help."""


class InvalidFile(UserError):
    """A file whose content cannot be used; `problems` lists everything that was found."""

    def __init__(self, what: str, *, file: str = "", problems: Sequence[Problem] = ()) -> None:
        super().__init__(what, where=file, code="invalid_file")
        self.file, self.problems = file, tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the problems when crossing a process boundary."""
        return _rebuild_invalid_file, (self.what, self.file, self.problems)


def _rebuild_invalid_file(what: str, file: str, problems: tuple[Problem, ...]) -> InvalidFile:
    return InvalidFile(what, file=file, problems=problems)


class ConfigError(UserError, ValueError):
    """A pack, a row, a tester file or a setting of a verifier is wrong."""


class MaterializationError(UserError, ValueError):
    """A resource of a pack cannot be put in place: unsafe, missing, or of the wrong kind."""


class PathPolicyError(UserError, ValueError):
    """A destination of a pack lies outside what is allowed, or clashes with another."""


class TransientError(EvalError):
    """Something that waiting may cure."""


class Unfinished(EvalError):
    """The work cannot be finished here and now; what was paid for is kept, a rerun continues."""


def unreadable(path: str | Path, reason: str) -> UserError:
    """The error for a file that is missing, unreadable or not a regular file."""
    return UserError(reason, where=str(path), code="unreadable")
