"""Checks a whole pack: every problem of every row, and what looks like a mistake."""

from typing import NamedTuple

from schemas.errors import Problem, UserError
from schemas.pack import Profile
from tasks.packs.lint import Linter
from tasks.packs.rows import Options
from tasks.storage.pack_files import locate_pack
from tasks.storage.packs import Pack, try_pack

MOST_WARNINGS = 1000
"""Warnings listed; a pack of many rows can repeat one for each."""


class CheckedPack(NamedTuple):
    """What was found in one pack; `rows` is None when they could not be read."""

    rows: int | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


class PackRequest(NamedTuple):
    """Which pack to check, and how."""

    path: str
    tasks: str | None = None
    limit: int | None = None
    profile: Profile = "target"
    strict: bool = False


def check_pack(request: PackRequest) -> CheckedPack:
    """Everything that is wrong with a pack, found without running anything of it."""
    try:
        places = locate_pack(request.path, request.tasks)
        opened = try_pack(places, Options(request.profile, request.strict))
        if opened.pack is None:
            return CheckedPack(None, opened.errors, opened.warnings)
        return _check_rows(opened.pack, request)
    except UserError as error:
        problem = Problem(
            error.code, "$", error.what, error.fix, type="ConfigError", file=error.where
        )
        return CheckedPack(None, (problem,))
    except Exception as error:  # one pack must not take the others down with it
        message = f"Assent failed on this pack with {type(error).__name__}; please report it"
        problem = Problem("crashed", "$", message, type="ConfigError", file=request.path)
        return CheckedPack(None, (problem,))


def _check_rows(pack: Pack, request: PackRequest) -> CheckedPack:
    linter = Linter(pack.files, request.profile)
    rows, dropped = 0, 0
    errors: list[Problem] = []
    warnings = list(pack.warnings)
    for rows, found in enumerate(pack.rows(request.limit), 1):  # noqa: B007 - the count is used
        errors += found.errors
        cautions = list(found.warnings)
        if found.task is not None:
            name = str(pack.places.rows)
            cautions += (p._replace(file=name) for p in linter.warnings(found.task))
        kept = cautions[: MOST_WARNINGS - len(warnings)]
        warnings += kept
        dropped += len(cautions) - len(kept)
    if not rows:
        message = "the pack has no rows"
        warnings.append(Problem("no_rows", "$", message, file=str(pack.places.rows)))
    if dropped:
        message = f"{dropped} further warnings are not listed"
        warnings.append(Problem("more_warnings", "$", message, file=str(pack.places.rows)))
    return CheckedPack(rows, tuple(errors), tuple(warnings))
