"""What every test may rely on: no network, parts that are named, a throw-away PostgreSQL."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support.postgres import throwaway_postgres
from tests.support.prefect_server import prefect_server

# A busy machine is no reason to fail: how long an example takes is not what these tests are about.
settings.register_profile("assent", deadline=None)
settings.load_profile("assent")

pytest_plugins = ["pytester", "tests.support.parts", "tests.support.network"]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """SQLAlchemy URL of an empty PostgreSQL; the test also needs the mark `needs("postgresql")`."""
    with throwaway_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def prefect_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real Prefect server that all tests share."""
    with prefect_server(tmp_path_factory.mktemp("prefect")) as url:
        yield url
