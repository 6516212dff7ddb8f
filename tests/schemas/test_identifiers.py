import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.identifiers import benchmark_id_fault, file_name_fault, run_id_fault


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("a/b", "slash", id="slash"),
        pytest.param("..\\b", "slash", id="backslash"),
        pytest.param("a\nb", "control character", id="newline"),
        pytest.param("a\x00", "control character", id="null byte"),
        pytest.param("a\u202eb", "control character", id="direction override"),
        pytest.param("..", "dot", id="parent"),
        pytest.param(".hidden", "dot", id="hidden"),
        pytest.param("é" * 101, "200 bytes", id="too long in bytes"),
        pytest.param("a\ud800", "control character", id="lone surrogate"),
    ],
)
def test_what_is_no_plain_file_name_is_refused(name: str, reason: str) -> None:
    for fault in (file_name_fault(name), benchmark_id_fault(name), run_id_fault(name)):
        assert fault is not None
        assert reason in fault


@pytest.mark.parametrize("name", ["a", "stop-sign-v1", "ü b", "a" * 200, "é" * 100, "v1.2"])
def test_plain_file_names_are_kept(name: str) -> None:
    assert file_name_fault(name) is None
    assert benchmark_id_fault(name) is None
    assert run_id_fault(name) is None


@pytest.mark.parametrize("name", ["schemas", "artifacts"])
def test_a_benchmark_is_not_called_like_our_own_directories(name: str) -> None:
    assert benchmark_id_fault(name) is not None
    assert run_id_fault(name) is None


@pytest.mark.parametrize("name", ["output", "results", "metrics", "eval", "Output", "EVAL"])
def test_a_run_is_not_called_by_a_name_that_says_nothing(name: str) -> None:
    assert run_id_fault(name) is not None
    assert benchmark_id_fault(name) is None


@given(st.text())
def test_a_name_without_fault_is_one_part_of_a_path(name: str) -> None:
    if file_name_fault(name) is None:
        assert name.isprintable()
        assert not set(name) & {"/", "\\"}
        assert name not in {"", ".", ".."}
        assert len(name.encode()) <= 200
