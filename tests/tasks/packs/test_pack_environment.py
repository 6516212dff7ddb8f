"""Merging of defaults, and what an environment may say."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.packs import brief, checked, codes, row, task_of, write_pack


def with_defaults(**environment: Any) -> dict[str, Any]:
    return {"id": "x", "version": 1, "defaults": {"environment": environment}}


@pytest.mark.parametrize(
    ("defaults", "own", "merged"),
    [
        pytest.param({"image": "i:1"}, {}, {"image": "i:1"}, id="s4-inherited"),
        pytest.param(
            {"image": "i:1", "timeout_seconds": 5},
            {"timeout_seconds": 7},
            {"image": "i:1", "timeout_seconds": 7},
            id="s4-row-wins",
        ),
        pytest.param(
            {"env": {"A": "1", "B": "2"}}, {"env": {"C": "3"}}, {"env": {"C": "3"}}, id="s4-shallow"
        ),
        pytest.param(
            {"image": "i:1", "timeout_seconds": 5},
            {"timeout_seconds": None},
            {"image": "i:1", "timeout_seconds": None},
            id="s4-null-replaces",
        ),
        pytest.param({}, {"colour": [1]}, {"colour": [1]}, id="s6-unknown-keys-are-kept"),
    ],
)
def test_environments_are_merged_key_by_key(
    tmp_path: Path, defaults: dict[str, Any], own: dict[str, Any], merged: dict[str, Any]
) -> None:
    pack = write_pack(tmp_path, [row(environment=own)], with_defaults(**defaults))
    task = task_of(pack)
    assert task.environment == merged
    assert task.metadata["environment"] == merged


@pytest.mark.parametrize("key", [pytest.param("metadata", id="s4-nothing-else")])
def test_nothing_but_the_environment_is_merged(tmp_path: Path, key: str) -> None:
    manifest = {"id": "x", "version": 1, "defaults": {key: {"a": 1}}}
    assert task_of(write_pack(tmp_path, [row()], manifest)).row_metadata == {}


@pytest.mark.parametrize("order", [pytest.param("before", id="s4-merged-before-validation")])
def test_a_default_is_checked_as_part_of_the_row(tmp_path: Path, order: str) -> None:
    rows = [row(id="a"), row(id="b"), row(id="c", environment={"timeout_seconds": 3})]
    found = checked(write_pack(tmp_path, rows, with_defaults(timeout_seconds="60"))).errors
    assert [(p.task_id, p.location) for p in found] == [("a", "$.environment.timeout_seconds")]
    assert "manifest" in found[0].message


@pytest.mark.parametrize(
    ("family", "environment", "code", "key"),
    [
        pytest.param("short_answer", {"image": 3}, "type", "image", id="s6-image-number"),
        pytest.param("short_answer", {"image": " "}, "min_length", "image", id="s6-image-blank"),
        pytest.param(
            "terminal_task", {"workdir": "work"}, "unsafe_path", "workdir", id="s6-workdir-relative"
        ),
        pytest.param(
            "terminal_task", {"workdir": "/a/../b"}, "unsafe_path", "workdir", id="s6-workdir-up"
        ),
        pytest.param(
            "terminal_task", {"workdir": "/a\\b"}, "unsafe_path", "workdir", id="s6-workdir-slash"
        ),
        pytest.param("terminal_task", {"workdir": 1}, "type", "workdir", id="s6-workdir-number"),
        pytest.param(
            "short_answer", {"timeout_seconds": 0}, "minimum", "timeout_seconds", id="s6-zero"
        ),
        pytest.param(
            "short_answer", {"timeout_seconds": True}, "type", "timeout_seconds", id="s6-bool"
        ),
        pytest.param(
            "short_answer", {"timeout_seconds": "60"}, "type", "timeout_seconds", id="s6-text"
        ),
        pytest.param(
            "terminal_task",
            {"materialize_workdir_from_image": "yes"},
            "type",
            "materialize_workdir_from_image",
            id="s6-materialize-text",
        ),
        pytest.param(
            "short_answer",
            {"materialize_workdir_from_image": True},
            "wrong_family",
            "materialize_workdir_from_image",
            id="s6-materialize-family",
        ),
    ],
)
def test_a_wrong_environment_is_refused_at_load(
    tmp_path: Path, family: str, environment: dict[str, Any], code: str, key: str
) -> None:
    found = checked(write_pack(tmp_path, [row(family, environment=environment)])).errors
    assert brief(found) == [("ConfigError", code, f"$.environment.{key}")]


@pytest.mark.parametrize(
    ("repository", "code"),
    [
        pytest.param("../r.bundle", "unsafe_path", id="s6-repository-unsafe"),
        pytest.param("gone.bundle", "missing_file", id="s6-repository-missing"),
    ],
)
def test_a_repository_is_a_file_below_the_public_root(
    tmp_path: Path, repository: str, code: str
) -> None:
    raw = row("repo_patch", environment={"repository": repository})
    assert code in codes(checked(write_pack(tmp_path, [raw])).errors)


@pytest.mark.parametrize(
    ("family", "key", "value"),
    [
        *(
            pytest.param("short_answer", key, "none", id=f"s6-{key}-has-no-effect")
            for key in ("setup", "packages", "env", "network", "resources")
        ),
        pytest.param("short_answer", "workdir", "/w", id="s15-workdir-of-a-text-row"),
        pytest.param("short_answer", "tmeout", 3, id="s15-unknown-key"),
        pytest.param("short_answer", "repository", "r", id="s15-repository-of-a-text-row"),
    ],
)
def test_a_key_without_effect_is_a_warning(
    tmp_path: Path, family: str, key: str, value: Any
) -> None:
    found = checked(write_pack(tmp_path, [row(family, environment={key: value})]))
    assert found.errors == ()
    assert [(p.code, p.location) for p in found.warnings] == [("no_effect", f"$.environment.{key}")]


def test_a_default_without_effect_is_told_once(tmp_path: Path) -> None:
    rows = [row("short_answer", id=f"r{n}", input__question=f"q{n}?") for n in range(50)]
    found = checked(write_pack(tmp_path, rows, with_defaults(network="none")))
    assert codes(found.warnings) == ["no_effect"]


def test_a_key_of_the_row_is_not_blamed_on_the_manifest(tmp_path: Path) -> None:
    rows = [row(id=n, input__question=n, environment={"odd key": 1}) for n in ("a", "b")]
    found = checked(write_pack(tmp_path, rows)).warnings
    assert [p.task_id for p in found] == ["a", "b"]
    assert "manifest" not in found[0].message
