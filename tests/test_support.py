"""The test support itself: missing parts, the network guard, the throw-away database."""

import asyncio
import shutil
import socket
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support.network import NetworkBlocked

PARTS_PROJECT = """
    from tests.support.parts import PARTS
    pytest_plugins = ["tests.support.parts"]
    PARTS["moon"] = lambda: False
    PARTS["earth"] = lambda: True
"""
NEEDS_MOON = """
    import pytest

    @pytest.mark.needs("moon")
    def test_landing():
        raise AssertionError("ran without its part")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("ASSENT_REQUIRE_PARTS", raising=False)
    root = Path(__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", str(root))
    pytester.makeconftest(PARTS_PROJECT)
    return pytester


def run(project: pytest.Pytester) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "no:randomly", "--strict-markers")


def test_a_test_whose_part_is_there_runs(project: pytest.Pytester) -> None:
    project.makepyfile("""
        import pytest

        @pytest.mark.needs("earth")
        def test_landing():
            pass
    """)
    run(project).assert_outcomes(passed=1)


def test_a_test_whose_part_is_missing_is_skipped_and_named(project: pytest.Pytester) -> None:
    project.makepyfile(test_flight=NEEDS_MOON)
    result = run(project)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["not run: moon missing: test_flight.py::test_landing"])
    assert result.ret == pytest.ExitCode.OK


def test_a_missing_part_fails_the_test_where_parts_are_required(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_REQUIRE_PARTS", "1")
    project.makepyfile(NEEDS_MOON)
    result = run(project)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*moon is missing*", "*1 error*"])
    result.stdout.no_fnmatch_line("*ran without its part*")


@pytest.mark.parametrize(
    "body",
    [
        "import pytest\ndef test_one():\n    pytest.skip('no moon')",
        "import pytest\n@pytest.mark.skip(reason='no moon')\ndef test_one(): pass",
        "import pytest\npytest.importorskip('no_such_module_anywhere')",
    ],
    ids=["in the test", "by mark", "whole module"],
)
def test_no_other_skip_slips_through_where_parts_are_required(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setenv("ASSENT_REQUIRE_PARTS", "1")
    project.makepyfile(body)
    assert run(project).ret not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


def test_an_expected_failure_is_no_skip(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_REQUIRE_PARTS", "1")
    project.makepyfile("import pytest\n@pytest.mark.xfail\ndef test_one(): raise ValueError")
    run(project).assert_outcomes(xfailed=1)


def test_an_unknown_part_is_refused_with_the_known_ones(project: pytest.Pytester) -> None:
    project.makepyfile("import pytest\n@pytest.mark.needs('sun')\ndef test_one(): pass")
    result = run(project)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'sun'*known:*'earth', 'moon', 'postgresql'*"])


@pytest.mark.needs("postgresql")
def test_the_throwaway_postgres_answers_a_query(postgres_url: str) -> None:
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8"])
def test_a_connection_beyond_this_machine_is_refused(address: str) -> None:
    with socket.socket() as sock, pytest.raises(NetworkBlocked, match=address):
        sock.connect((address, 80))


def test_a_datagram_beyond_this_machine_is_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(NetworkBlocked):
        sock.sendto(b"?", ("192.0.2.1", 53))


def test_a_name_beyond_this_machine_is_not_looked_up() -> None:
    with pytest.raises(NetworkBlocked, match=r"example\.org"):
        socket.getaddrinfo("example.org", 443)


def test_asyncio_cannot_leave_this_machine_either() -> None:
    with pytest.raises(NetworkBlocked):
        asyncio.run(asyncio.wait_for(asyncio.open_connection("192.0.2.1", 80), 5))


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port), timeout=5) as client:
            assert client.getpeername()[1] == port


def test_unix_sockets_are_open(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = str(tmp_path_factory.mktemp("s") / "s")
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(path)
        server.listen()
        client.connect(path)
        assert client.getpeername() == path


def test_the_command_stands_beside_the_interpreter() -> None:
    assert shutil.which("assent", path=Path(sys.executable).parent)
