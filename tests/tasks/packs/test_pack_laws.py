"""What holds for any rows and manifests, however odd."""

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemas.pack import Manifest
from schemas.pack_task import Lane
from tasks.packs.lines import Line
from tasks.packs.lint import Linter
from tasks.packs.manifests import check_manifest
from tasks.packs.reading import ReadRow, RowReader
from tasks.packs.references import Found
from tests.support.packs import ROWS, row

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", " ", "A", "path", "inline", "../x", "x,y", "\u2028", "\x00"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["path", "mount", "type", "x", "a/b", ""]), inner),
    ),
    max_leaves=6,
)


class EveryPath:
    """A pack where everything that is asked for exists."""

    def look(self, lane: Lane, path: str) -> Found:
        return Found("file", (path,), "0")

    def read(self, lane: Lane, path: str) -> bytes:
        return b"text"


def read(raw: Any) -> ReadRow:
    manifest = Manifest.model_validate({"id": "x", "version": 1})
    data = json.dumps(raw).encode()
    return RowReader(manifest, EveryPath()).row(Line(1, data))


@st.composite
def spoilt_rows(draw: st.DrawFn) -> Any:
    """A sound row of which one or two places hold something else."""
    raw = row(draw(st.sampled_from([*ROWS])))
    for _ in range(draw(st.integers(1, 2))):
        place: Any = raw
        while True:
            key = draw(st.sampled_from([*place, "extra"]))
            inner = place.get(key)
            if not isinstance(inner, dict) or not inner or draw(st.booleans()):
                place[key] = draw(VALUES)
                break
            place = inner
    return raw


@given(spoilt_rows())
def test_a_spoilt_row_is_a_task_or_problems_and_never_a_crash(raw: Any) -> None:
    found = read(raw)
    assert (found.task is None) == bool(found.errors)
    for problem in (*found.errors, *found.warnings):
        assert problem.message
        assert "\n" not in problem.message
        assert problem.location.startswith("$")
        assert problem.line == 1
    assert all(p.type for p in found.errors)
    if found.task is not None:
        Linter(EveryPath()).warnings(found.task)


@given(VALUES)
def test_any_value_in_place_of_a_row_is_answered(raw: Any) -> None:
    assert read(raw).errors


@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(["id", "version", "defaults", "asset_roots"], VALUES)
    )
)
def test_a_manifest_is_read_as_yaml_reads_it_or_refused(raw: dict[str, Any]) -> None:
    text = yaml.safe_dump(raw, allow_unicode=True).encode()
    found = check_manifest(text)
    assert (found.value is None) == bool(found.errors)
    if found.value is not None:
        assert (found.value.id, found.value.version) == (raw["id"], raw["version"])


@given(st.binary(max_size=60))
def test_any_bytes_in_place_of_a_manifest_are_answered(data: bytes) -> None:
    found = check_manifest(data)
    assert (found.value is None) == bool(found.errors)
