"""Layout, discovery and the manifest."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from schemas.errors import UserError
from schemas.published import stored
from tasks.packs.manifests import check_manifest
from tasks.storage.packs import open_pack
from tests.support.packs import (
    MANIFEST,
    brief,
    checked,
    codes,
    row,
    task_of,
    write_files,
    write_pack,
)

CONFIG = "ConfigError"


@pytest.mark.parametrize(
    ("changes", "place", "code"),
    [
        pytest.param({"id": 7}, "$.id", "type", id="s2-id-number"),
        pytest.param({"id": True}, "$.id", "type", id="s2-id-bool"),
        pytest.param({"id": ""}, "$.id", "min_length", id="s2-id-empty"),
        pytest.param({"id": " \t"}, "$.id", "min_length", id="s2-id-blank"),
        pytest.param({"version": True}, "$.version", "type", id="s2-version-bool"),
        pytest.param({"version": 1.0}, "$.version", "type", id="s2-version-float"),
        pytest.param({"version": "1"}, "$.version", "type", id="s2-version-string"),
        pytest.param({"version": None}, "$.version", "type", id="s2-version-null"),
        pytest.param({"defaults": []}, "$.defaults", "type", id="s2-defaults-list"),
        pytest.param(
            {"defaults": {"family": ""}}, "$.defaults.family", "min_length", id="s2-default-family"
        ),
        pytest.param(
            {"defaults": {"environment": [1]}},
            "$.defaults.environment",
            "type",
            id="s2-default-environment",
        ),
        pytest.param({"asset_roots": "x"}, "$.asset_roots", "type", id="s2-roots-text"),
        pytest.param(
            {"asset_roots": {"public": 3}}, "$.asset_roots.public", "type", id="s2-root-number"
        ),
        pytest.param(
            {"asset_roots": {"eval": ""}}, "$.asset_roots.eval", "min_length", id="s2-root-empty"
        ),
        pytest.param(
            {"asset_roots": {"public": "a\\b"}},
            "$.asset_roots.public",
            "unsafe_path",
            id="s2-root-backslash",
        ),
        pytest.param(
            {"asset_roots": {"public": "/a"}},
            "$.asset_roots.public",
            "unsafe_path",
            id="s2-root-absolute",
        ),
        pytest.param(
            {"asset_roots": {"eval": "a/../b"}},
            "$.asset_roots.eval",
            "unsafe_path",
            id="s2-root-dotdot",
        ),
        pytest.param(
            {"asset_roots": {"public": "./"}},
            "$.asset_roots.public",
            "unsafe_path",
            id="s2-root-dot",
        ),
        pytest.param(
            {"asset_defaults": {"read_only": "yes"}},
            "$.asset_defaults.read_only",
            "type",
            id="s2-read-only-text",
        ),
        pytest.param(
            {"asset_defaults": {"read_only": 1}},
            "$.asset_defaults.read_only",
            "type",
            id="s2-read-only-number",
        ),
        pytest.param(
            {"asset_roots": {"public": "data", "eval": "data/answers"}},
            "$.asset_roots",
            "root_overlap",
            id="FIX-2-nested",
        ),
        pytest.param(
            {"asset_roots": {"public": "Data/", "eval": "./data"}},
            "$.asset_roots",
            "root_overlap",
            id="FIX-2-equal-in-another-case",
        ),
        pytest.param({"schema_version": "2.0"}, "$", "pack_version", id="s0-later-format"),
    ],
)
def test_a_wrong_manifest_is_refused(
    tmp_path: Path, changes: dict[str, Any], place: str, code: str
) -> None:
    found = checked(write_pack(tmp_path, [row()], MANIFEST | changes))
    assert brief(found.errors) == [(CONFIG, code, place)]
    assert found.errors[0].file == str(tmp_path / "manifest.yaml")


@pytest.mark.parametrize(
    "key", [pytest.param("id", id="s2-id"), pytest.param("version", id="s2-v")]
)
def test_a_missing_key_is_told_at_its_parent(tmp_path: Path, key: str) -> None:
    manifest = {k: v for k, v in MANIFEST.items() if k != key}
    assert brief(checked(write_pack(tmp_path, [], manifest)).errors) == [(CONFIG, "required", "$")]


def test_all_problems_of_a_manifest_are_told_at_once(tmp_path: Path) -> None:
    manifest = {"id": 1, "version": "x", "asset_defaults": {"read_only": 0}}
    assert len(checked(write_pack(tmp_path, [], manifest)).errors) == 3


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"defaults": None}, id="s2-defaults-null"),
        pytest.param(
            {"defaults": {"family": None, "environment": None}}, id="s2-inner-defaults-null"
        ),
        pytest.param({"asset_roots": None}, id="s2-roots-null"),
        pytest.param({"asset_defaults": None}, id="s2-asset-defaults-null"),
    ],
)
def test_null_stands_for_absence(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = checked(write_pack(tmp_path, [row()], MANIFEST | changes))
    assert (found.rows, found.errors, found.warnings) == (1, (), ())
    jsonschema.validate(MANIFEST | changes, stored("pack-manifest-1"))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"version": 0}, "low_version", id="s2-version-zero"),
        pytest.param({"version": -3}, "low_version", id="s2-version-negative"),
        pytest.param({"titel": "typo"}, "additional_property", id="s2-anything-else"),
        pytest.param({"defaults": {"famly": "x"}}, "additional_property", id="s2-inner-typo"),
    ],
)
def test_an_odd_manifest_is_valid_with_a_warning(
    tmp_path: Path, changes: dict[str, Any], code: str
) -> None:
    found = checked(write_pack(tmp_path, [row()], MANIFEST | changes))
    assert (found.errors, codes(found.warnings)) == ((), [code])


def test_strict_takes_unknown_keys_for_errors(tmp_path: Path) -> None:
    found = checked(write_pack(tmp_path, [row()], MANIFEST | {"titel": 1}), strict=True)
    assert brief(found.errors) == [(CONFIG, "additional_property", "$")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(b"[1, 2]", "type", id="s2-root-not-a-mapping"),
        pytest.param(b"", "invalid_yaml", id="s1-empty"),
        pytest.param(b"id: [", "invalid_yaml", id="s1-syntax"),
        pytest.param(b"id: \xff", "invalid_yaml", id="s1-not-utf8"),
        pytest.param(b"id: a\nid: b\nversion: 1", "duplicate_key", id="s1-key-twice"),
        pytest.param(
            b"id: !!python/object/apply:os.getcwd []\nversion: 1", "invalid_yaml", id="s1-tag"
        ),
        pytest.param(b"[" * 5000, "invalid_yaml", id="s1-nesting"),
        pytest.param(b"x: " + b"a" * 2_000_000, "invalid_yaml", id="s1-size"),
        pytest.param(
            b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            b"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
            b"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]",
            "yaml_alias",
            id="s1-billion-laughs",
        ),
        pytest.param(b"a: &a [*a]", "yaml_alias", id="s1-self-reference"),
        pytest.param(b"id: x\nversion: 1\ntimeout: .nan", "type", id="s1-nan"),
        pytest.param(b'id: "\\ud800"\nversion: 1', "invalid_yaml", id="s1-half-a-pair"),
    ],
)
def test_a_manifest_that_is_no_plain_yaml_is_refused(text: bytes, code: str) -> None:
    found = check_manifest(text)
    assert found.value is None
    assert codes(found.errors)[0] == code
    assert all(p.type == CONFIG for p in found.errors)


def test_modest_aliases_and_merge_keys_are_read() -> None:
    text = b"""
id: x
version: 1
shared: &shared {image: "img:1", timeout_seconds: 3}
defaults:
  environment:
    <<: *shared
    timeout_seconds: 5
"""
    found = check_manifest(text)
    assert found.value is not None
    assert found.value.defaults.environment == {"image": "img:1", "timeout_seconds": 5}


def test_a_tester_file_is_recognised_where_a_manifest_is_due() -> None:
    (problem,) = check_manifest(b'schema_version: "0.2"\nharness: {}\n').errors
    assert (problem.code, "tester file" in problem.message) == ("pack_version", True)


@pytest.mark.parametrize(
    "name", [pytest.param("manifest.yaml", id="s1-yaml"), pytest.param("manifest.yml", id="s1-yml")]
)
def test_a_directory_is_searched_for_a_manifest(tmp_path: Path, name: str) -> None:
    write_pack(tmp_path, [row()])
    (tmp_path / "manifest.yaml").rename(tmp_path / name)
    assert checked(tmp_path).rows == 1


@pytest.mark.parametrize("both", [pytest.param(True, id="s1-yaml-before-yml")])
def test_of_two_manifests_the_first_name_counts(tmp_path: Path, both: bool) -> None:
    write_pack(tmp_path, [row()])
    (tmp_path / "manifest.yml").write_text("[]")
    assert checked(tmp_path).errors == ()


@pytest.mark.parametrize("name", [pytest.param("whatever.txt", id="s1-free-names")])
def test_the_manifest_may_have_any_name(tmp_path: Path, name: str) -> None:
    write_pack(tmp_path, [row()])
    (tmp_path / "manifest.yaml").rename(tmp_path / name)
    assert checked(tmp_path / name).rows == 1


@pytest.mark.parametrize("rows", [pytest.param("other/rows.txt", id="s1-base-directory")])
def test_asset_roots_start_from_the_manifest_not_from_the_rows(tmp_path: Path, rows: str) -> None:
    pack = write_pack(tmp_path / "p", [], files={"assets/a.txt": "A"})
    elsewhere = write_pack(tmp_path / "other", [row(assets=[{"path": "a.txt"}])])
    found = checked(pack, tasks=str(elsewhere / "tasks.jsonl"))
    assert (found.rows, found.errors) == (1, ())


@pytest.mark.parametrize(
    "changes", [pytest.param({"asset_roots": {"public": "pub", "eval": "sec"}}, id="s1-assets")]
)
def test_roots_can_be_named(tmp_path: Path, changes: dict[str, Any]) -> None:
    write_pack(tmp_path, [row(assets=[{"path": "a"}])], MANIFEST | changes, {"pub/a": "A"})
    assert checked(tmp_path).errors == ()
    assert task_of(tmp_path).metadata["asset_roots"] == changes["asset_roots"]


@pytest.mark.parametrize("mark", [pytest.param(b"\xef\xbb\xbf", id="FIX-1")])
def test_one_byte_order_mark_is_dropped_from_both_files(tmp_path: Path, mark: bytes) -> None:
    write_pack(tmp_path, [row()])
    for name in ("manifest.yaml", "tasks.jsonl"):
        path = tmp_path / name
        path.write_bytes(mark + path.read_bytes())
    assert (checked(tmp_path).rows, checked(tmp_path).errors) == (1, ())


@pytest.mark.parametrize("root", [pytest.param("assets", id="s2-root-link")])
def test_a_root_that_leaves_through_a_link_is_refused_at_load(tmp_path: Path, root: str) -> None:
    pack = write_pack(tmp_path / "p", [row()])
    write_files(tmp_path / "outside", {"a.txt": "A"})
    (pack / root).symlink_to("../outside")
    assert brief(checked(pack).errors) == [(CONFIG, "link_in_assets", "$.asset_roots.public")]


@pytest.mark.parametrize("target", [pytest.param("hidden", id="FIX-2-through-a-link")])
def test_a_root_that_is_a_link_to_the_other_is_refused(tmp_path: Path, target: str) -> None:
    pack = write_pack(tmp_path, [row()], files={"hidden/k.txt": "K"})
    (pack / "assets").symlink_to(target)
    assert brief(checked(pack).errors) == [(CONFIG, "root_overlap", "$.asset_roots")]


def test_lines_of_the_manifest_are_told_in_words() -> None:
    (problem,) = check_manifest(b"id: x\nversion: 1\nid: y\n").errors
    assert (problem.line, problem.message.endswith("(line 3)")) == (None, True)


def test_missing_files_are_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="without manifest"):
        open_pack(str(tmp_path))
    (tmp_path / "manifest.yaml").write_text("id: x\nversion: 1\n")
    assert codes(checked(tmp_path).errors) == ["unreadable"]
