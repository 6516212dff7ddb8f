"""Tester files: every level is closed, every problem is told."""

import json
from typing import Any

import jsonschema
import pytest

from schemas.published import stored
from tasks.packs.testers import check_tester
from tests.support.packs import codes

GOOD: dict[str, Any] = {
    "schema_version": "0.2",
    "run": {"id": "r", "output_dir": "out"},
    "benchmark": {"manifest": "p/manifest.yaml", "tasks": "p/tasks.jsonl"},
    "harness": {"type": "command", "config": {"command": ["solve"]}},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(GOOD))
    place = made
    *parents, last = path.split(".")
    for parent in parents:
        place = place.setdefault(parent, {})
    place[last] = value
    return made


def check(raw: Any) -> tuple[Any, tuple[Any, ...]]:
    return check_tester(json.dumps(raw).encode())


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        pytest.param("schema_version", 0.2, "const", id="s12-version-number"),
        pytest.param("schema_version", "0.3", "const", id="s12-version-other"),
        pytest.param("run.id", "", "min_length", id="s12-run-id"),
        pytest.param("run.output_dir", 3, "type", id="s12-output-dir"),
        pytest.param("run.seed", 3, "additional_property", id="s12-unknown-run-key"),
        pytest.param("benchmark.manifest", None, "type", id="s12-manifest"),
        pytest.param("benchmark.tasks", "", "min_length", id="s12-tasks"),
        pytest.param("harness.type", "robot", "enum", id="s12-harness-type"),
        pytest.param("harness.env", ["A=1"], "format", id="s12-env-value"),
        pytest.param("harness.config.model", "m", "additional_property", id="s12-config-model"),
        pytest.param("harness.config.command", [], "min_length", id="s12-command"),
        pytest.param("harness.config.task_file", "../t", "unsafe_path", id="s12-task-file"),
        pytest.param("harness.config.artifact_path", "/a", "unsafe_path", id="s12-artifact"),
        pytest.param(
            "harness.config.artifact_path", "task.json", "mount_overlap", id="s12-overlap"
        ),
        pytest.param("harness.config.timeout_seconds", 0, "minimum", id="s12-timeout"),
        pytest.param("harness.config.allowed_domains", ["localhost"], "format", id="s11-localhost"),
        pytest.param("harness.config.allowed_domains", ["10.0.0.1"], "format", id="s11-address"),
        pytest.param("harness.config.allowed_domains", ["*.a.org"], "format", id="s11-wildcard"),
        pytest.param("harness.config.allowed_domains", ["a.org:80"], "format", id="s11-port"),
        pytest.param("verification.deny_commands", ["rm"], "enum", id="s12-deny"),
        pytest.param("verification.disallow_dangerous_commands", 1, "type", id="s12-disallow"),
        pytest.param("notes", "x", "additional_property", id="s12-unknown-key"),
    ],
)
def test_a_wrong_tester_file_is_refused(path: str, value: Any, code: str) -> None:
    tester, problems = check(changed(path, value))
    assert tester is None
    assert codes(problems) == [code]
    assert all(problem.type == "ConfigError" for problem in problems)


@pytest.mark.parametrize(
    ("harness", "expected"),
    [
        pytest.param({"type": "claude_code"}, ("sonnet", "latest", 900), id="s12-claude"),
        pytest.param(
            {"type": "codex", "config": {"model": "m"}}, ("m", "latest", 900), id="s12-codex"
        ),
    ],
)
def test_agents_have_defaults(harness: dict[str, Any], expected: tuple[Any, ...]) -> None:
    tester, problems = check(GOOD | {"harness": harness})
    assert problems == ()
    config = tester.harness.config
    assert (config.model, config.version, config.timeout_seconds) == expected
    assert config.task_file == "task.json"


@pytest.mark.parametrize("text", [pytest.param("API.Example.org.", id="s11-domain")])
def test_domains_are_lower_case_without_a_last_dot(text: str) -> None:
    tester, _ = check(changed("harness.config.allowed_domains", [text]))
    assert tester.harness.config.allowed_domains == ["api.example.org"]


@pytest.mark.parametrize("missing", [pytest.param("codex", id="s12-codex-needs-a-model")])
def test_codex_needs_a_model(missing: str) -> None:
    _, problems = check(GOOD | {"harness": {"type": missing, "config": {}}})
    assert [(p.code, p.location) for p in problems] == [("required", "$.harness.config")]


def test_the_defaults_of_verification_are_careful() -> None:
    tester, _ = check(GOOD)
    assert tester.verification.disallow_dangerous_commands is True
    assert tester.verification.deny_commands == []


def test_the_published_schema_accepts_what_we_accept() -> None:
    jsonschema.validate(GOOD, stored("tester-0.2"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed("run.seed", 3), stored("tester-0.2"))
