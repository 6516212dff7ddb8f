"""What every test may rely on: no network, parts that are named, a throw-away PostgreSQL."""

from collections.abc import Iterator

import pytest

from tests.support.postgres import throwaway_postgres

pytest_plugins = ["pytester", "tests.support.parts", "tests.support.network"]


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """SQLAlchemy URL of an empty PostgreSQL; the test also needs the mark `needs("postgresql")`."""
    with throwaway_postgres() as url:
        yield url
