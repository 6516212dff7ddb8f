"""Tables whose columns are defined by row models."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import Unfinished
from schemas.tables import MetricRow, PromptRow, SampleRow, VerdictRow
from tasks.storage.home import Home
from tasks.storage.tables import (
    BATCH_ROWS,
    arrow_schema,
    copy_with_metadata,
    read_rows,
    write_table,
)


def metric(name: str, value: float | None = 1.0) -> dict[str, object]:
    nothing = dict.fromkeys(("n", "low", "high", "method", "reason"))
    return {"scope": "overall", "cell": "", "metric": name, "value": value, **nothing}


def test_types_and_nullability_come_from_the_model() -> None:
    schema = arrow_schema(VerdictRow)
    assert schema.field("verdict") == pa.field("verdict", pa.string(), nullable=True)
    assert schema.field("tie_broken") == pa.field("tie_broken", pa.bool_(), nullable=False)
    assert arrow_schema(SampleRow).field("wall_time_ms").type == pa.float64()
    assert arrow_schema(PromptRow).field("ordinal").type == pa.int64()


@pytest.mark.parametrize("count", [0, 1, BATCH_ROWS, BATCH_ROWS + 1])
def test_rows_come_back_in_order(tmp_path: Path, count: int) -> None:
    home = Home(tmp_path)
    rows = [metric(f"m{i}", i / 7) for i in range(count)]
    file, written = write_table(home, "stage", MetricRow, rows)
    assert written == count
    assert list(read_rows(home.locate(file))) == rows
    assert list(home.scratch().iterdir()) == []


def test_equal_rows_make_the_same_file(tmp_path: Path) -> None:
    home = Home(tmp_path)
    files = [write_table(home, "stage", MetricRow, [metric("a")])[0] for _ in range(2)]
    assert files[0] == files[1]


def test_a_copy_has_the_rows_and_the_metadata(tmp_path: Path) -> None:
    home = Home(tmp_path)
    rows = [metric(f"m{i}") for i in range(BATCH_ROWS + 5)]
    file, _ = write_table(home, "stage", MetricRow, rows)
    with (tmp_path / "copy").open("wb") as target:
        copy_with_metadata(home.locate(file), target, {"a": "b"})
    table = pq.read_table(tmp_path / "copy")
    assert table.to_pylist() == rows
    assert table.schema.metadata == {b"a": b"b"}


def test_a_generator_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    home = Home(tmp_path)

    def rows() -> object:
        yield metric("a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_table(home, "stage", MetricRow, rows())  # type: ignore[arg-type]  # a generator
    assert list(home.scratch().iterdir()) == []
    assert not (tmp_path / "stages").exists()


def test_a_home_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(Unfinished, match="ASSENT_HOME"):
        write_table(Home(tmp_path / "home"), "stage", MetricRow, [])
