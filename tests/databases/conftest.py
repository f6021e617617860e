"""Fixtures for engines that are servers; their tests are skipped where none listens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import MYSQL_URL, POSTGRESQL_URL, MySQL, PostgreSQL, Server, require


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server; databases made on it are dropped."""
    pytest.importorskip("psycopg")
    require(POSTGRESQL_URL)
    server = PostgreSQL()
    yield server
    server.drop()


@pytest.fixture(scope="session")
def mysql() -> Iterator[Server]:
    """A MySQL or MariaDB server; databases made on it are dropped."""
    pytest.importorskip("pymysql")
    require(MYSQL_URL)
    server = MySQL()
    yield server
    server.drop()
