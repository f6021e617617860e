"""The tables a query is about."""

from __future__ import annotations

import sqlite3

import pytest

from sqljury.schema import ForeignKey, Schema, Table
from sqljury.sql import neighbours_of, some_values, tables_of


def table(name: str, *targets: str) -> Table:
    keys = tuple(
        ForeignKey(columns=("a",), target_table=target, target_columns=("b",)) for target in targets
    )
    return Table(name=name, columns=(), foreign_keys=keys)


SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        table("Boat", "berth"),
        table("berth"),
        table("boat type"),
        table("trip", "boat"),
        table("other.log"),
    ),
)

NAMED = [
    ("SELECT * FROM boat", ["Boat"]),
    ("SELECT * FROM BOAT b JOIN berth ON 1 = 1", ["Boat", "berth"]),
    ("SELECT berth FROM trip", ["trip"]),  # a column's name, no table
    ("SELECT 'boat' FROM trip", ["trip"]),
    ('SELECT * FROM "boat type"', ["boat type"]),
    ("SELECT * FROM t WHERE x IN (SELECT y FROM boat)", ["Boat"]),
    ("WITH n AS (SELECT * FROM trip) SELECT * FROM n", ["trip"]),
    ("SELECT 1 UNION SELECT a FROM berth", ["berth"]),
    ("SELECT * FROM other.log", ["other.log"]),
    ("SELECT * FROM main.boat", ["Boat"]),
    ("SELECT 1", []),
    ("SELECT * FROM boats", []),  # not a part of a word
    # What cannot be parsed is read word by word.
    ("SELECT FROM boat WHERE", ["Boat"]),
    ("SELECT FROM 'x", None),
]


@pytest.mark.parametrize(("sql", "names"), NAMED)
def test_tables_of(sql, names) -> None:
    found = tables_of(sql, "sqlite", SCHEMA)
    assert (None if found is None else [t.name for t in found]) == names


@pytest.mark.parametrize(
    ("name", "near"),
    [("Boat", ["berth", "trip"]), ("berth", ["Boat"]), ("trip", ["Boat"]), ("boat type", [])],
)
def test_neighbours(name, near) -> None:
    own = SCHEMA.table(name)
    assert own is not None
    assert [t.name for t in neighbours_of([own], SCHEMA)] == near


DIALECTS = [
    ("sqlite", 'SELECT DISTINCT "c" FROM "a.b" WHERE NOT "c" IS NULL ORDER BY 1 LIMIT 3'),
    ("duckdb", 'SELECT DISTINCT "c" FROM "a"."b" WHERE NOT "c" IS NULL ORDER BY 1 LIMIT 3'),
    ("mysql", "SELECT DISTINCT `c` FROM `a.b` WHERE NOT `c` IS NULL ORDER BY 1 LIMIT 3"),
    ("postgres", 'SELECT DISTINCT "c" FROM "a"."b" WHERE NOT "c" IS NULL ORDER BY 1 LIMIT 3'),
]


@pytest.mark.parametrize(("dialect", "sql"), DIALECTS)
def test_some_values(dialect, sql) -> None:
    assert some_values("a.b", "c", dialect, 3) == sql


def test_names_are_quoted_whatever_they_hold() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE "t""; DROP" ("a"" b" TEXT)')
    connection.executemany('INSERT INTO "t""; DROP" VALUES (?)', [("y",), ("x",), ("x",), (None,)])
    sql = some_values('t"; DROP', 'a" b', "sqlite", 5)
    assert connection.execute(sql).fetchall() == [("x",), ("y",)]
