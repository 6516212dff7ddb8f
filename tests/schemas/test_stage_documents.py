"""Documents that stages hand on."""

import pytest

from schemas.documents import Document, MetricsDocument, SampleTable, StoredFile, VerdictTable

FILE = StoredFile(path="stages/a", sha256="0" * 64, size=3)
OTHER = StoredFile(path="stages/b", sha256="1" * 64, size=4)


def samples(n_failed: int) -> SampleTable:
    return SampleTable(
        file=FILE, n_samples=5, n_failed=n_failed, n_undrawn=0, request_digest="d", model_id=None
    )


@pytest.mark.parametrize(("n_failed", "reusable"), [(0, True), (1, False)])
def test_a_table_with_failed_samples_is_asked_again(n_failed: int, reusable: bool) -> None:
    assert samples(n_failed).is_reusable() is reusable


def test_other_documents_may_be_used_again() -> None:
    assert MetricsDocument(file=FILE).is_reusable()


def test_a_document_knows_its_files() -> None:
    verdicts = VerdictTable(file=FILE, samples=OTHER, n_items=1, n_missing=0)
    assert verdicts.files() == (FILE, OTHER)


def test_documents_are_found_by_the_name_of_their_class() -> None:
    assert Document.registry["SampleTable"] is SampleTable
    stored = samples(0).model_dump(mode="json")
    assert Document.registry["SampleTable"].model_validate(stored) == samples(0)
