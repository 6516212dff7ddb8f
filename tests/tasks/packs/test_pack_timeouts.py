"""Which time limit holds: ids carry the rule."""

from typing import Any

import pytest

from tasks.packs.timeouts import producing_seconds, verifying_seconds
from tests.support.scored_rows import compiled, row


@pytest.mark.parametrize(
    ("call", "environment", "harness", "expected"),
    [
        pytest.param(5, 7, 3, 5, id="s6-harness-call-comes-first"),
        pytest.param(None, 7, 3, 3, id="FIX-9-the-smaller-one-harness"),
        pytest.param(None, 2, 3, 2, id="FIX-9-the-smaller-one-environment"),
        pytest.param(None, None, 3, 3, id="s6-harness-config-alone"),
        pytest.param(None, None, None, None, id="s6-harness-no-limit"),
    ],
)
def test_a_harness_has_the_smaller_limit(
    call: float | None, environment: float | None, harness: float | None, expected: float | None
) -> None:
    task = compiled(row("short_answer", environment={"timeout_seconds": environment}))
    assert producing_seconds(task, harness, call) == expected


def task_with(family: str, own: float | None, environment: float | None) -> Any:
    raw = row(family, environment={"timeout_seconds": environment})
    part = {"repo_patch": "tests", "terminal_task": "checker"}.get(family)
    if part and own is not None:
        raw["eval"] = {**raw["eval"], part: {**raw["eval"][part], "timeout_seconds": own}}
    return compiled(raw)


@pytest.mark.parametrize(
    ("family", "call", "own", "environment", "target", "compat"),
    [
        pytest.param("code_completion", None, None, None, 30, 30, id="s6-code-default"),
        pytest.param("code_completion", None, None, 7, 7, 30, id="FIX-10-code-environment"),
        pytest.param("code_completion", 2, None, 7, 2, 2, id="s6-code-call"),
        pytest.param("repo_patch", None, None, None, 300, 300, id="s6-repo-default"),
        pytest.param("repo_patch", None, None, 7, 7, 300, id="FIX-10-repo-environment"),
        pytest.param("repo_patch", None, 9, 7, 9, 9, id="s6-repo-tests"),
        pytest.param("repo_patch", 2, 9, 7, 2, 2, id="s6-repo-call"),
        pytest.param("terminal_task", None, None, None, 300, 300, id="s6-terminal-default"),
        pytest.param("terminal_task", None, None, 7, 7, 7, id="s6-terminal-environment"),
        pytest.param("terminal_task", None, 9, 7, 9, 9, id="s6-terminal-checker"),
        pytest.param("terminal_task", 2, 9, 7, 2, 2, id="s6-terminal-call"),
    ],
)
def test_a_verification_has_the_first_limit_that_is_set(
    family: str,
    call: float | None,
    own: float | None,
    environment: float | None,
    target: float,
    compat: float,
) -> None:
    task = task_with(family, own, environment)
    assert verifying_seconds(task, call) == target
    assert verifying_seconds(task, call, "compat") == compat
