import pytest

from schemas.documents import (
    CheckedBenchmark,
    Document,
    Provenance,
    SampleTable,
    StoredFile,
    VerdictTable,
)

FILE = StoredFile(path="tables/ab.parquet", sha256="ab", size=1)
OTHER = StoredFile(path="tables/cd.parquet", sha256="cd", size=2)


def test_a_document_names_every_file_that_it_needs() -> None:
    table = VerdictTable(file=FILE, samples=OTHER, n_items=1, n_missing=0)
    assert table.files() == (FILE, OTHER)
    assert Provenance(block={}).files() == ()


def test_documents_are_found_by_name() -> None:
    assert Document.registry["CheckedBenchmark"] is CheckedBenchmark
    assert "Document" not in Document.registry


@pytest.mark.parametrize(("n_failed", "reusable"), [(0, True), (1, False)])
def test_samples_are_reused_only_when_none_failed(n_failed: int, reusable: bool) -> None:
    table = SampleTable(
        file=FILE, n_samples=2, n_failed=n_failed, n_undrawn=0, request_digest="d", model_id=None
    )
    assert table.is_reusable() is reusable
    assert Provenance(block={}).is_reusable()
