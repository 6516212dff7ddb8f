"""A pytest plugin for tests that need a part of the system: `@pytest.mark.needs("postgresql")`.

Where the part is missing the test is skipped and the closing summary says so. With
ASSENT_REQUIRE_PARTS=1, as in continuous integration, it fails instead, and so does any other skip:
a green run there means that everything ran.
"""

import os
from collections.abc import Callable, Generator

import pytest

from tasks.sandbox.finding import find_sandbox
from tests.support.postgres import postgres_directory

PARTS: dict[str, Callable[[], bool]] = {
    "bubblewrap": lambda: find_sandbox().backend is not None,
    "postgresql": lambda: postgres_directory() is not None,
}

NOT_RUN = pytest.StashKey[dict[str, list[str]]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"needs(part): a part of the system, of {sorted(PARTS)}")
    config.stash[NOT_RUN] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        unknown = [part for part in _needed(item) if part not in PARTS]
        if unknown:
            raise pytest.UsageError(
                f"{item.nodeid} needs unknown parts {unknown}; known: {sorted(PARTS)}"
            )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for part in _needed(item):
        if not PARTS[part]():
            item.config.stash[NOT_RUN].setdefault(part, []).append(item.nodeid)
            pytest.skip(f"{part} is missing")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for part, tests in sorted(config.stash[NOT_RUN].items()):
        terminalreporter.write_line(f"not run: {part} missing: {', '.join(sorted(tests))}")


def _needed(item: pytest.Item) -> list[str]:
    return [str(part) for mark in item.iter_markers("needs") for part in mark.args]


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get("ASSENT_REQUIRE_PARTS") != "1" or hasattr(report, "wasxfail"):
        return
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}\nNothing may be skipped while ASSENT_REQUIRE_PARTS=1."
