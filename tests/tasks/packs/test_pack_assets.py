"""Files that rows name: safe paths, sources, destinations."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.packs.paths import UnsafePath, clashes, overlap, safe_path
from tests.support.packs import brief, checked, codes, row, task_of, write_files, write_pack

FILES = {"assets/a.txt": "A", "assets/d/b.txt": "B", "assets/d/e/c.txt": "C", "hidden/k.txt": "K"}
MATERIAL, POLICY = "MaterializationError", "PathPolicyError"


def pack_with(tmp_path: Path, assets: list[Any], **changes: Any) -> Path:
    raw = row("terminal_task", assets=assets, **changes)
    return write_pack(tmp_path, [raw], files=FILES)


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        pytest.param("a.txt", "a.txt", id="s5-plain"),
        pytest.param("./d//b.txt/", "d/b.txt", id="s5-normalised"),
        pytest.param("...", "...", id="s5-three-dots"),
        pytest.param("ü/é", "ü/é", id="s5-letters"),
    ],
)
def test_a_safe_path_is_normalised(path: str, normal: str) -> None:
    assert safe_path(path) == normal


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("", id="s5-empty"),
        pytest.param(None, id="s5-null"),
        pytest.param(3, id="s5-number"),
        pytest.param("a\\b", id="s5-backslash"),
        pytest.param("/a", id="s5-absolute"),
        pytest.param("a/../b", id="s5-dotdot"),
        pytest.param("..", id="s5-up"),
        pytest.param("./.", id="s5-dot"),
        pytest.param("a\0b", id="FIX-7-nul"),
        pytest.param("a\nb", id="FIX-7-newline"),
        pytest.param("a\x7fb", id="FIX-7-delete"),
        pytest.param("a,b", id="FIX-7-comma"),
        pytest.param('a"b', id="FIX-7-quote"),
        pytest.param("C:x", id="FIX-7-drive"),
        pytest.param("a/" * 600 + "b", id="FIX-7-long"),
        pytest.param("é" * 128, id="FIX-7-long-name"),
    ],
)
def test_an_unsafe_path_is_refused(path: object) -> None:
    assert isinstance(safe_path(path), UnsafePath)


@given(st.text(st.characters(codec="utf-8")))
def test_no_safe_path_leaves_its_root(path: str) -> None:
    found = safe_path(path)
    if not isinstance(found, UnsafePath):
        root = "/root/of/pack"
        assert os.path.normpath(f"{root}/{found}").startswith(f"{root}/")
        assert safe_path(found) == found


@given(st.lists(st.lists(st.sampled_from("aAb"), min_size=1, max_size=3).map("/".join)))
def test_clashes_are_found_exactly_where_two_paths_overlap(paths: list[str]) -> None:
    later = {j for j in range(len(paths)) for i in range(j) if overlap(paths[i], paths[j])}
    told = {index for pair in clashes(paths) for index in pair}
    assert bool(later) == bool(told)
    assert all(overlap(paths[i], paths[j]) for i, j in clashes(paths))


@pytest.mark.parametrize(
    ("asset", "error", "place"),
    [
        pytest.param({"mount": "x"}, MATERIAL, "$.assets[0]", id="s5-path-missing"),
        pytest.param({"path": "gone"}, MATERIAL, "$.assets[0].path", id="s5-source-missing"),
        pytest.param({"path": "../hidden/k.txt"}, MATERIAL, "$.assets[0].path", id="s5-escape"),
        pytest.param(
            {"path": "a.txt", "mount": None}, MATERIAL, "$.assets[0].mount", id="s5-mount-null"
        ),
        pytest.param(
            {"path": "a.txt", "mount": "../x"}, MATERIAL, "$.assets[0].mount", id="s5-mount-up"
        ),
        pytest.param(
            {"path": "a.txt", "read_only": None},
            MATERIAL,
            "$.assets[0].read_only",
            id="s5-read-only-null",
        ),
        *(
            pytest.param(
                {"path": "a.txt", "mount": mount},
                POLICY,
                "$.assets[0].mount",
                id=f"s5-denied-{mount.replace('/', '-')}",
            )
            for mount in (
                "ground_truth",
                "ground_truth/x",
                "scorer",
                "eval",
                "EVAL/x",
                "task/hidden.json",
                "task/evaluation_inputs.json",
                "input/hidden.json",
                "output/score.json",
                "securebench/evaluation_inputs/x",
                "securebench/evaluator",
            )
        ),
        pytest.param(
            {"path": "a.txt", "mount": "securebench/public/instructions.json"},
            POLICY,
            "$.assets[0]",
            id="s5-on-a-public-value",
        ),
    ],
)
def test_a_wrong_asset_is_found_before_a_run(
    tmp_path: Path, asset: dict[str, Any], error: str, place: str
) -> None:
    found = checked(pack_with(tmp_path, [asset])).errors
    assert [(p.type, p.location) for p in found] == [(error, place)]


@pytest.mark.parametrize(
    "mounts",
    [
        pytest.param(("x", "x"), id="s5-equal"),
        pytest.param(("x/y", "x"), id="s5-parent"),
        pytest.param(("x", "x/y"), id="s5-child"),
        pytest.param(("X", "x"), id="FIX-7-case"),
        pytest.param(("\u00e9", "e\u0301"), id="FIX-7-composed"),
    ],
)
def test_two_destinations_may_not_overlap(tmp_path: Path, mounts: tuple[str, str]) -> None:
    assets = [{"path": "a.txt", "mount": mount} for mount in mounts]
    found = checked(pack_with(tmp_path, assets)).errors
    assert [(p.type, p.code) for p in found] == [(POLICY, "mount_overlap")]


@pytest.mark.parametrize(
    ("asset", "mount", "read_only"),
    [
        pytest.param({"path": "./a.txt"}, "a.txt", True, id="s5-mount-default"),
        pytest.param({"path": "d", "mount": "in//d/"}, "in/d", True, id="s5-directory"),
        pytest.param({"path": "a.txt", "read_only": False}, "a.txt", False, id="s5-writable"),
        pytest.param({"path": "a.txt", "mount": "evaluate"}, "evaluate", True, id="s5-near-name"),
    ],
)
def test_an_asset_gets_its_place(
    tmp_path: Path, asset: dict[str, Any], mount: str, read_only: bool
) -> None:
    (found,) = task_of(pack_with(tmp_path, [asset])).mounts
    assert (found.mount, found.read_only, found.lane) == (mount, read_only, "public")


@pytest.mark.parametrize("default", [pytest.param(False, id="s5-read-only-default")])
def test_assets_follow_the_default_of_the_manifest(tmp_path: Path, default: bool) -> None:
    manifest = {"id": "x", "version": 1, "asset_defaults": {"read_only": default}}
    raw = row("terminal_task", assets=[{"path": "a.txt"}], eval__test_files={"path": "k.txt"})
    public, hidden = task_of(write_pack(tmp_path, [raw], manifest, FILES)).mounts
    assert (public.read_only, hidden.read_only) == (False, True)


@pytest.mark.parametrize(
    ("key", "code"),
    [
        pytest.param("type", "no_effect", id="s5-type"),
        pytest.param("mode", "no_effect", id="s5-mode"),
        pytest.param("mout", "additional_property", id="s5-unknown"),
    ],
)
def test_keys_of_assets_without_effect_are_warnings(tmp_path: Path, key: str, code: str) -> None:
    found = checked(pack_with(tmp_path, [{"path": "a.txt", key: "x"}]))
    assert (found.errors, codes(found.warnings)) == ((), [code])


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        pytest.param("assets/l", "a.txt", "l", id="s5-link"),
        pytest.param("assets/d/l", "../a.txt", "d", id="s5-link-in-a-directory"),
        pytest.param("assets/l", "../../out", "l/x.txt", id="s5-link-on-the-way"),
        pytest.param("assets/l", "d", "l/b.txt", id="s5-link-inside"),
    ],
)
def test_links_are_refused(tmp_path: Path, link: str, target: str, path: str) -> None:
    pack = write_pack(tmp_path / "p", [row("terminal_task", assets=[{"path": path}])], files=FILES)
    write_files(tmp_path / "out", {"x.txt": "X"})
    (pack / link).symlink_to(target)
    assert brief(checked(pack).errors) == [(MATERIAL, "link_in_assets", "$.assets[0].path")]


@pytest.mark.parametrize("place", [pytest.param("assets/d/pipe", id="s5-special")])
def test_only_files_and_directories_are_accepted(tmp_path: Path, place: str) -> None:
    pack = pack_with(tmp_path, [{"path": "d"}])
    os.mkfifo(pack / place)
    assert codes(checked(pack).errors) == ["special_file"]


@pytest.mark.parametrize(
    ("family", "changes", "mounts"),
    [
        pytest.param(
            "terminal_task",
            {"eval__test_files": {"path": "k.txt"}},
            ["securebench/evaluation_inputs/k.txt"],
            id="s5-reference-inputs",
        ),
        pytest.param(
            "terminal_task",
            {"eval__expected_state": {"path": "k.txt"}},
            ["securebench/evaluator/k.txt"],
            id="s5-reference-hidden",
        ),
        pytest.param(
            "terminal_task",
            {
                "eval__test_files": {
                    "path": "k.txt",
                    "mount": "securebench/evaluation_inputs/sub/x",
                }
            },
            ["securebench/evaluation_inputs/sub/x"],
            id="s5-reference-mount",
        ),
        pytest.param(
            "terminal_task",
            {"eval__test_files": {"path": "gone", "note": "x"}},
            [],
            id="s5-extra-key-is-data",
        ),
        pytest.param(
            "short_answer", {"input__context": {"path": "gone"}}, [], id="s5-public-is-data"
        ),
    ],
)
def test_file_references_get_their_places(
    tmp_path: Path, family: str, changes: dict[str, Any], mounts: list[str]
) -> None:
    pack = write_pack(tmp_path, [row(family, **changes)], files=FILES)
    assert [m.mount for m in task_of(pack).mounts] == mounts


@pytest.mark.parametrize(
    ("value", "code"),
    [
        pytest.param({"path": "gone"}, "missing_file", id="FIX-8"),
        pytest.param({"path": "k.txt", "mount": "x"}, "mount_prefix", id="s5-reference-outside"),
        pytest.param(
            {"path": "k.txt", "mount": "securebench/evaluator/x"},
            "mount_prefix",
            id="s5-reference-other-prefix",
        ),
        pytest.param({"path": "../assets/a.txt"}, "unsafe_path", id="s5-reference-escape"),
    ],
)
def test_a_wrong_file_reference_is_refused_without_naming_it(
    tmp_path: Path, value: dict[str, Any], code: str
) -> None:
    pack = write_pack(tmp_path, [row("terminal_task", eval__test_files=value)], files=FILES)
    (problem,) = checked(pack).errors
    assert (problem.type, problem.code) == (MATERIAL, code)
    assert value["path"] not in problem.message
