"""Trino's own client against an HTTP server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from warehouses.trino_server import TrinoServer, trino_server

import sqljury as sj
from needs import needs
from sqljury.execution import Limits, Status

pytestmark = needs("trino")

LIMITS = Limits(seconds=10, rows=1000)


@pytest.fixture
def server() -> Iterator[TrinoServer]:
    with trino_server("CREATE TABLE boat (id BIGINT, name VARCHAR)") as found:
        found.database.execute("INSERT INTO boat VALUES (1, '50% off'), (2, NULL)")
        yield found


@pytest.fixture
def database(server: TrinoServer) -> Iterator[Any]:
    found = sj.open_databases(server.url.replace("{db_id}", "main")).open("main")
    assert found is not None
    with closing(found):
        yield found


def test_a_query_and_its_limits(database: Any, server: TrinoServer) -> None:
    found = database.execute("SELECT * FROM boat -- all\n;", LIMITS)
    assert found.table.columns == ("id", "name")
    assert found.table.rows == [(1, "50% off"), (2, None)]
    assert found.bill.money is None
    assert server.statements[-1] == "SELECT * FROM boat"
    assert "query_max_execution_time=10.000s" in server.sessions[-1]
    assert database.engine == "trino480"


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT nothing FROM boat", Status.ERROR),
        (
            "SELECT a.id FROM boat AS a CROSS JOIN UNNEST(sequence(1, 800)) AS t (x)",
            Status.TOO_LARGE,
        ),
        ("SELECT * FROM TABLE(system.query(query => 'x'))", Status.REFUSED),
    ],
)
def test_statuses(database: Any, sql: str, status: Status) -> None:
    assert database.execute(sql, LIMITS).status is status


def test_a_statement_that_runs_too_long_is_cancelled(database: Any, server: TrinoServer) -> None:
    found = database.execute("SELECT 'endless' AS x", Limits(seconds=0.5))
    assert found.status is Status.TIMEOUT
    assert server.cancelled == [len(server.statements) - 1]
    assert database.execute("SELECT 1 AS one", LIMITS).ok


def test_the_price_by_the_hour(server: TrinoServer) -> None:
    url = server.url.replace("{db_id}", "main") + "?price_per_hour=36"
    database: Any = sj.open_databases(url).open("main")
    with closing(database):
        found = database.execute("SELECT 1 AS one", LIMITS)
    assert found.bill.money == pytest.approx(found.seconds / 100)


def test_the_schema(database: Any) -> None:
    (table,) = database.schema().tables
    assert [column.name for column in table.columns] == ["id", "name"]
