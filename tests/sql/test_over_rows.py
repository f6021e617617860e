"""Queries over rows that are written into them."""

from __future__ import annotations

import pytest

from sqljury.schema import Column, Table
from sqljury.sql import over_rows

BOAT = Table(
    name="boat",
    columns=(
        Column(name="Id", type="serial"),
        Column(name="name", type="VARCHAR(20)"),
        Column(name="built", type="timestamp"),
        Column(name="price", type="decimal(8, 2)"),
    ),
)
TRIP = Table(name="Trip", columns=(Column(name="miles"),))
ROWS = {"boat": [(1, "O'Hara\\", "2001-02-03", None)], "Trip": []}

WRITTEN = [
    (
        "postgres",
        "SELECT id FROM Boat",
        'WITH "boat" ("id", "name", "built", "price") AS (SELECT CAST(1 AS integer), '
        "CAST('O''Hara\\' AS VARCHAR(20)), CAST('2001-02-03' AS timestamp), "
        "CAST(NULL AS decimal(8, 2))) SELECT id FROM Boat",
    ),
    (
        "mysql",
        "SELECT id FROM Boat",
        "WITH `Boat` (`Id`, `name`, `built`, `price`) AS (SELECT 1, 'O''Hara\\\\', "
        "CAST('2001-02-03' AS DATETIME), CAST(NULL AS DECIMAL(8, 2))) SELECT id FROM Boat",
    ),
    (
        "mysql",
        "-- trips\nWITH RECURSIVE t AS (SELECT * FROM Trip) SELECT * FROM t",
        "-- trips\nWITH RECURSIVE `Trip` (`miles`) AS (SELECT NULL FROM DUAL WHERE 1 = 0), "
        "t AS (SELECT * FROM Trip) SELECT * FROM t",
    ),
    (
        "postgres",
        'WITH t AS (SELECT * FROM "Trip", trip) SELECT * FROM t',
        'WITH "Trip" ("miles") AS (SELECT CAST(NULL AS text) WHERE 1 = 0), '
        '"trip" ("miles") AS (SELECT CAST(NULL AS text) WHERE 1 = 0), '
        't AS (SELECT * FROM "Trip", trip) SELECT * FROM t',
    ),
    ("postgres", "SELECT 1", "SELECT 1"),
]


@pytest.mark.parametrize(("dialect", "sql", "written"), WRITTEN)
def test_the_rows_stand_in_front(dialect: str, sql: str, written: str) -> None:
    assert over_rows(sql, dialect, [BOAT, TRIP], ROWS) == written


def test_a_quoted_column_keeps_its_capitals() -> None:
    written = over_rows('SELECT "Id" FROM boat', "postgres", [BOAT], ROWS)
    assert written is not None
    assert '"boat" ("Id", ' in written


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM harbour.boat",
        "SELECT * FROM public.boat b",
        "SELECT * FROM boat, pier",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT FROM WHERE",
        "",
        "SELECT 1; SELECT 2",
    ],
)
def test_nothing_that_would_read_a_table_of_the_server(sql: str) -> None:
    assert over_rows(sql, "postgres", [BOAT, TRIP], ROWS) is None
