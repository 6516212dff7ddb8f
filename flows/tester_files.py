"""Reads tester files: what one says about a run, with its paths as seen from here."""

from pathlib import Path
from typing import NamedTuple

from schemas.errors import InvalidFile
from tasks.packs.testers import check_tester
from tasks.storage.files import read_regular
from tasks.storage.places import relative


class TesterOptions(NamedTuple):
    """What a tester file decides."""

    run_id: str
    output_dir: str
    manifest: str
    tasks: str
    harness: str
    deny_commands: tuple[str, ...]
    allows_dangerous: bool


def load_tester(path: str) -> TesterOptions:
    """The options of a tester file.

    Raises:
        UserError: It cannot be read.
        InvalidFile: Something in it is wrong; every problem is listed.
    """
    tester, problems = check_tester(read_regular(path))
    if tester is None:
        located = [problem._replace(file=path) for problem in problems]
        raise InvalidFile(f"{len(located)} problems", file=path, problems=located)
    base = Path(path).parent
    return TesterOptions(
        run_id=tester.run.id,
        output_dir=_from(base, tester.run.output_dir),
        manifest=_from(base, tester.benchmark.manifest),
        tasks=_from(base, tester.benchmark.tasks),
        harness=tester.harness.type,
        deny_commands=tuple(tester.verification.deny_commands),
        allows_dangerous=not tester.verification.disallow_dangerous_commands,
    )


def _from(base: Path, path: str) -> str:
    return relative(base / path)
