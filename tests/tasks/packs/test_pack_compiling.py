"""Compilation, views, plans, and tasks written out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import ConfigError, MaterializationError, PathPolicyError
from schemas.pack_task import Component, view
from tasks.packs.compiling import visibility_of
from tasks.packs.plans import plan_for, require_free
from tasks.packs.specs import task_from_spec
from tasks.storage.materialise import materialise
from tasks.storage.packs import open_pack
from tests.support.packs import brief, checked, codes, row, task_of, write_pack

FULL: dict[str, dict[str, Any]] = {
    "multiple_choice": row(),
    "short_answer": row("short_answer", input__answer_format="n", input__context="c"),
    "free_response": row("free_response", input__context="c", eval__reference_answer="r"),
    "code_completion": row(
        "code_completion",
        input__language="python",
        input__starter_code="",
        eval__reference_solution="a",
        eval__canonical_solution="b",
    ),
    "repo_patch": row(
        "repo_patch", input__hints="h", eval__gold_patch="p", eval__candidate_policy={}
    ),
    "terminal_task": row(
        "terminal_task",
        input__context="c",
        eval__needed_commands=[],
        eval__run_tests={},
        eval__test_files={},
        eval__expected_state=1,
    ),
}
TABLE = {
    "multiple_choice": ("question choices assets", "", "answer"),
    "short_answer": ("question answer_format context assets", "", "accepted_answers tolerance"),
    "free_response": ("prompt context assets", "", "rubric reference_answer"),
    "code_completion": (
        "prompt language starter_code assets",
        "tests",
        "reference_solution canonical_solution",
    ),
    "repo_patch": (
        "repo base_commit instructions hints assets",
        "tests candidate_policy",
        "gold_patch",
    ),
    "terminal_task": (
        "instructions context assets",
        "checker needed_commands run_tests test_files",
        "expected_state",
    ),
}


@pytest.mark.parametrize("family", [pytest.param(f, id=f"s8-table-{f}") for f in TABLE])
def test_every_resource_has_the_visibility_of_the_table(tmp_path: Path, family: str) -> None:
    raw = FULL[family] | {"assets": [{"path": "a"}]}
    task = task_of(write_pack(tmp_path, [raw], files={"assets/a": "A"}))
    found: dict[str, set[str]] = {"public": set(), "evaluation_inputs": set(), "hidden": set()}
    for name, resource in task.resources.items():
        found[resource.visibility].add(name)
    assert tuple(found.values()) == tuple(set(names.split()) for names in TABLE[family])


@pytest.mark.parametrize(
    ("family", "key", "visibility"),
    [
        pytest.param("tool_call", "initial_state", "evaluation_inputs", id="s8-tool-call"),
        pytest.param("tool_call", "expected_calls", "hidden", id="s8-tool-call-hidden"),
        pytest.param("browser_task", "credentials", "evaluation_inputs", id="s8-browser"),
        pytest.param("desktop_task", "success_check", "hidden", id="s8-desktop"),
        pytest.param("artifact_task", "rubric", "hidden", id="s8-artifact"),
        pytest.param("multimodal_qa", "answer", "hidden", id="s8-multimodal"),
        pytest.param("preference_pair", "preference", "hidden", id="s8-preference"),
        pytest.param("haiku", "tests", "hidden", id="s8-anything-unlisted"),
    ],
)
def test_families_without_verifier_compile_too(family: str, key: str, visibility: str) -> None:
    assert visibility_of(family, key) == visibility


@pytest.mark.parametrize(
    ("part", "clash"),
    [
        pytest.param({"input": {"x": 1}, "eval": {"x": 2}}, "x", id="s8-clash"),
        pytest.param({"input": {"assets": 1}, "assets": [{"path": "a"}]}, "assets", id="s8-assets"),
    ],
)
def test_two_resources_of_one_name_are_refused(
    tmp_path: Path, part: dict[str, Any], clash: str
) -> None:
    pack = write_pack(tmp_path, [{"id": "t", "family": "haiku"} | part], files={"assets/a": ""})
    (problem,) = checked(pack).errors
    assert (problem.type, problem.code, clash in problem.message) == (
        "ConfigError",
        "name_clash",
        True,
    )


@pytest.mark.parametrize("kinds", [pytest.param(("text", "json"), id="s8-kind")])
def test_the_kind_is_text_for_text_only(tmp_path: Path, kinds: tuple[str, str]) -> None:
    resources = task_of(write_pack(tmp_path, [row()])).resources
    assert (resources["question"].kind, resources["choices"].kind) == kinds


@pytest.mark.parametrize("forged", [pytest.param({"id": "other"}, id="s8-metadata")])
def test_a_row_cannot_forge_where_it_comes_from(tmp_path: Path, forged: Any) -> None:
    own = {"benchmark_pack": forged, "environment": 1, "topic": "x", "row_metadata": 2}
    pack = write_pack(tmp_path, [row(metadata=own)])
    task = task_of(pack)
    place = str(tmp_path / "manifest.yaml")
    assert task.metadata["benchmark_pack"] == {"id": "bars", "version": 1, "manifest_path": place}
    assert task.metadata["environment"] == {}
    assert task.metadata["topic"] == "x"
    assert task.metadata["row_metadata"] == own
    assert task.metadata["asset_defaults"] == {"read_only": True}


@pytest.mark.parametrize(
    ("component", "names"),
    [
        pytest.param("agent", {"prompt"}, id="s8-agent"),
        pytest.param("test_sandbox", {"prompt", "tests"}, id="s8-test-sandbox"),
        pytest.param("evaluator", {"prompt", "reference_solution"}, id="s8-evaluator"),
        pytest.param("result", {"prompt", "tests", "reference_solution"}, id="s8-result"),
    ],
)
def test_a_component_sees_its_part(tmp_path: Path, component: Component, names: set[str]) -> None:
    raw = row("code_completion", eval__reference_solution="canary-1")
    seen = view(task_of(write_pack(tmp_path, [raw])), component)
    assert {r.name for r in seen} == names
    assert ("canary-1" in str(seen)) is (component == "evaluator")
    assert [r.redacted for r in seen] == [
        component == "result" and r.name != "prompt" for r in seen
    ]


FILES = {"assets/d/b.txt": "B", "assets/d/a.txt": "A", "hidden/k.txt": "K"}


@pytest.mark.parametrize(
    ("component", "places"),
    [
        pytest.param(
            "agent",
            [
                "in/a.txt",
                "in/b.txt",
                "securebench/public/assets.json",
                "securebench/public/instructions.json",
            ],
            id="s8-prefix-agent",
        ),
        pytest.param(
            "test_sandbox",
            [
                "in/a.txt",
                "in/b.txt",
                "securebench/evaluation_inputs/checker.json",
                "securebench/evaluation_inputs/k.txt",
                "securebench/public/assets.json",
                "securebench/public/instructions.json",
            ],
            id="s8-prefix-test-sandbox",
        ),
        pytest.param(
            "evaluator",
            [
                "securebench/evaluator/assets.json",
                "securebench/evaluator/expected_state.json",
                "securebench/evaluator/instructions.json",
            ],
            id="s8-prefix-evaluator",
        ),
    ],
)
def test_a_component_finds_its_files(tmp_path: Path, component: str, places: list[str]) -> None:
    raw = row(
        "terminal_task",
        assets=[{"path": "d", "mount": "in"}],
        eval__test_files={"path": "k.txt"},
        eval__expected_state="canary-2",
    )
    pack = open_pack(str(write_pack(tmp_path / "p", [raw], files=FILES)))
    (task,) = pack.tasks()
    plan = plan_for(task, component, pack.files)
    assert [file.destination for file in plan.files] == places
    materialise(plan, pack.files, tmp_path / "w")
    written = sorted(p.relative_to(tmp_path / "w").as_posix() for p in _files(tmp_path / "w"))
    assert written == places
    texts = "".join(p.read_text() for p in _files(tmp_path / "w"))
    assert ("canary-2" in texts) is (component == "evaluator")


def _files(root: Path) -> list[Path]:
    return [p for p in root.rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("component", "error"),
    [
        pytest.param("result", MaterializationError, id="s8-result-has-no-directory"),
        pytest.param("judge", PathPolicyError, id="s10-unknown-component"),
    ],
)
def test_some_components_have_no_directory(
    tmp_path: Path, component: str, error: type[Exception]
) -> None:
    pack = open_pack(str(write_pack(tmp_path, [row()])))
    with pytest.raises(error):
        plan_for(pack.tasks()[0], component, pack.files)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, id=f"s8-name-{i}")
        for i, n in enumerate(["", "a/b", "a\\b", "..", "/x", "a\0b"])
    ],
)
def test_a_name_that_is_no_file_name_is_refused_before_a_run(tmp_path: Path, name: str) -> None:
    pack = write_pack(tmp_path, [{"id": "t", "family": "haiku", "input": {name: 1}}])
    assert brief(checked(pack).errors) == [("MaterializationError", "bad_name", "$")]


@pytest.mark.parametrize(
    "reserved", [pytest.param("in", id="s5-task-file"), pytest.param("in/a.txt", id="s5-artifact")]
)
def test_assets_may_not_touch_files_of_the_tester(tmp_path: Path, reserved: str) -> None:
    raw = row("terminal_task", assets=[{"path": "d", "mount": "in"}])
    pack = open_pack(str(write_pack(tmp_path, [raw], files=FILES)))
    plan = plan_for(pack.tasks()[0], "agent", pack.files)
    with pytest.raises(ConfigError):
        require_free(plan, [reserved])
    require_free(plan, ["task.json"])


@pytest.mark.parametrize("kind", [pytest.param("link", id="s8-whole-plan"), "file"])
def test_nothing_is_written_when_something_stands_in_the_way(tmp_path: Path, kind: str) -> None:
    pack = open_pack(str(write_pack(tmp_path / "p", [row()])))
    plan = plan_for(pack.tasks()[0], "agent", pack.files)
    work, outside = tmp_path / "w", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    if kind == "link":
        (work / "securebench").symlink_to(outside)
    else:
        (work / "securebench").write_text("mine")
    with pytest.raises(MaterializationError, match="in the way"):
        materialise(plan, pack.files, work)
    assert list(outside.iterdir()) == []
    assert [p.name for p in work.iterdir()] == ["securebench"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["outside", "p", "w"]


def test_an_existing_directory_keeps_what_it_had(tmp_path: Path) -> None:
    pack = open_pack(str(write_pack(tmp_path / "p", [row()])))
    plan = plan_for(pack.tasks()[0], "agent", pack.files)
    (tmp_path / "w" / "securebench").mkdir(parents=True)
    (tmp_path / "w" / "mine.txt").write_text("mine")
    materialise(plan, pack.files, tmp_path / "w")
    materialise(plan, pack.files, tmp_path / "w")
    assert (tmp_path / "w" / "mine.txt").read_text() == "mine"
    written = (tmp_path / "w/securebench/public/choices.json").read_text()
    assert written == '[\n  "Lagos",\n  "Oslo",\n  "Quito"\n]\n'


SPEC: dict[str, Any] = {
    "id": "t",
    "benchmark_id": "b",
    "task_type": "code_completion",
    "metadata": None,
    "resources": {"prompt": {"value": "p", "visibility": "public"}},
}


@pytest.mark.parametrize("spec", [pytest.param(SPEC, id="s8-spec")])
def test_a_task_can_be_written_out(spec: dict[str, Any]) -> None:
    task = task_from_spec(spec)
    assert (task.id, task.family, task.candidate_kind, task.metadata) == (
        "t",
        "code_completion",
        "code",
        {},
    )
    assert task.resources["prompt"].kind == "text"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"id": ""}, id="s8-spec-id"),
        pytest.param({"task_type": None}, id="s8-spec-type"),
        pytest.param({"metadata": []}, id="s8-spec-metadata"),
        pytest.param({"resources": None}, id="s8-spec-resources"),
        pytest.param({"resources": {"": {"value": 1, "visibility": "public"}}}, id="s8-spec-name"),
        pytest.param({"resources": {"prompt": {"visibility": "public"}}}, id="s8-spec-value"),
        pytest.param({"resources": {"prompt": {"value": 1}}}, id="s8-spec-visibility"),
        pytest.param(
            {"resources": {"prompt": {"value": 1, "visibility": "public", "expose": True}}},
            id="s8-spec-expose",
        ),
        pytest.param({"resources": {}}, id="s8-spec-needs-prompt"),
        pytest.param({"task_type": "multiple_choice"}, id="s8-spec-needs-choices"),
    ],
)
def test_a_wrong_task_spec_is_a_value_error(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\S") as caught:
        task_from_spec(SPEC | changes)
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("kinds", [pytest.param(None, id="s10-siblings")])
def test_the_three_errors_are_siblings_and_value_errors(kinds: None) -> None:
    errors = (ConfigError, MaterializationError, PathPolicyError)
    assert all(issubclass(e, ValueError) for e in errors)
    assert not any(issubclass(a, b) for a in errors for b in errors if a is not b)


def test_digests_follow_what_they_are_about(tmp_path: Path) -> None:
    raw = row("terminal_task", assets=[{"path": "d"}])

    def digests(name: str, rows: list[Any], **files: str) -> tuple[str | None, str]:
        folder = write_pack(tmp_path / name, rows, files=FILES | files)
        pack = open_pack(str(folder))
        return pack.tasks()[0].row_digest, pack.digest()

    first = digests("a", [raw])
    assert digests("b", [raw]) == first
    changed = digests("c", [raw], **{"assets/d/a.txt": "other"})
    assert changed[0] != first[0]
    assert changed[1] != first[1]
    longer = digests("d", [raw, row(id="u")])
    assert (longer[0] == first[0], longer[1] == first[1]) == (True, False)


def test_metadata_is_strict_json(tmp_path: Path) -> None:
    task = task_of(write_pack(tmp_path, [row(metadata={"x": 1.5})]))
    assert json.loads(json.dumps(task.metadata, allow_nan=False))["x"] == 1.5
    assert codes(checked(tmp_path).warnings) == []


def test_a_link_at_the_last_place_keeps_the_first_file_from_being_written(tmp_path: Path) -> None:
    pack = open_pack(str(write_pack(tmp_path / "p", [row()])))
    plan = plan_for(pack.tasks()[0], "agent", pack.files)
    public = tmp_path / "w" / "securebench" / "public"
    public.mkdir(parents=True)
    (tmp_path / "target").write_text("mine")
    (public / "question.json").symlink_to(tmp_path / "target")
    assert plan.files[0].destination == "securebench/public/choices.json"
    with pytest.raises(MaterializationError):
        materialise(plan, pack.files, tmp_path / "w")
    assert [p.name for p in public.iterdir()] == ["question.json"]
    assert (tmp_path / "target").read_text() == "mine"
