"""Columns of plain values become the arrays that pyarrow itself would make of them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.storage import columns
from tasks.storage.columns import TooLong, column
from tasks.storage.tables import write_parquet_to

KINDS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.string(), st.text(st.characters(codec="utf-8"))),
    (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.float64(), st.floats(allow_nan=False)),
    (pa.bool_(), st.booleans()),
]


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=lambda part: str(part)[:6])
@given(data=st.data())
def test_an_array_equals_the_one_that_pyarrow_makes(
    kind: pa.DataType, values: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    given_values = data.draw(st.lists(st.none() | values, max_size=40))
    made = column(given_values, kind)
    made.validate(full=True)
    assert made.equals(pa.array(given_values, kind))
    assert made.to_pylist() == given_values


def test_texts_too_long_for_one_array_are_written_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "LONGEST_COLUMN_BYTES", 10)
    schema = pa.schema([("text", pa.string())])
    rows = [{"text": word} for word in ("four", "score", "and", "seven", "years", "ago")]
    write_parquet_to(tmp_path / "t.parquet", schema, rows)
    with pq.ParquetFile(tmp_path / "t.parquet") as file:
        assert file.read().to_pylist() == rows
    with pytest.raises(TooLong):
        write_parquet_to(tmp_path / "u.parquet", schema, [{"text": "fourscore years"}])


def test_writing_a_table_does_not_load_pandas(tmp_path: Path) -> None:
    code = (
        "import sys, pyarrow as pa\n"
        "from tasks.storage.tables import read_rows, write_parquet_to\n"
        "from pathlib import Path\n"
        "path = Path(sys.argv[1])\n"
        "write_parquet_to(path, pa.schema([('n', pa.int64())]), [{'n': 1}, {'n': None}])\n"
        "assert list(read_rows(path)) == [{'n': 1}, {'n': None}]\n"
        "sys.exit('pandas' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "t.parquet")]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[3])
