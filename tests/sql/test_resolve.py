"""Names that the schema lacks, and values that a query looks for."""

from __future__ import annotations

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.sql.resolve import resolve

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(name="Boat", columns=(Column(name="id"), Column(name="Name"), Column(name="port"))),
        Table(name="port", columns=(Column(name="id"), Column(name="town"))),
    ),
)


@pytest.mark.parametrize(
    ("sql", "tables", "columns"),
    [
        ("SELECT name FROM boat", "", ""),
        ("SELECT * FROM boat", "", ""),
        ("SELECT count(*), boat.* FROM boat", "", ""),
        ("SELECT rowid FROM boat", "", ""),
        ("SELECT age FROM boat", "", "age"),
        ("SELECT b.town FROM boat AS b", "", "b.town"),
        ("SELECT c.name FROM boat AS b", "", "c.name"),
        ("SELECT name FROM ship", "ship", ""),
        ("SELECT name, age FROM ship JOIN boat USING (id)", "ship", ""),
        ('SELECT name FROM boat WHERE name = "Vasa"', "", ""),
        ("SELECT name AS n FROM boat ORDER BY n", "", ""),
        ("SELECT name FROM boat WHERE EXISTS (SELECT 1 FROM port AS p WHERE p.id = boat.port)", "", ""),
        ("SELECT name FROM boat WHERE port IN (SELECT id FROM port WHERE name = 1)", "", ""),
        ("SELECT name FROM boat WHERE port IN (SELECT harbour FROM port)", "", "harbour"),
        ("SELECT n FROM (SELECT name AS n FROM boat)", "", ""),
        ("SELECT m FROM (SELECT name AS n FROM boat)", "", "m"),
        ("WITH t AS (SELECT id FROM boat) SELECT t.id FROM t", "", ""),
        ("WITH t AS (SELECT id FROM boat) SELECT t.name FROM t", "", "t.name"),
        ("WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT i FROM t", "", ""),
        ("SELECT name FROM boat UNION SELECT town FROM port ORDER BY name", "", ""),
        ("SELECT name FROM boat UNION SELECT city FROM port", "", "city"),
        ("SELECT value FROM json_each('[1]')", "", ""),
    ],
)  # fmt: skip
def test_names(sql: str, tables: str, columns: str) -> None:
    found = resolve(sql, "sqlite", SCHEMA)
    assert found is not None
    assert (",".join(found.unknown_tables), ",".join(found.unknown_columns)) == (tables, columns)


@pytest.mark.parametrize(
    "sql",
    ["This question cannot be answered.", "not_answerable", "", "UPDATE boat SET name = 1",
     "SELECT 1; SELECT 2", "(" * 5000, "SELECT " + "-" * 20_000 + "1", "DROP TABLE boat"],
)  # fmt: skip
def test_what_is_no_query(sql: str) -> None:
    assert resolve(sql, "sqlite", SCHEMA) is None


@pytest.mark.parametrize(
    ("where", "sought"),
    [
        ("name = 'Vasa'", ["boat.name = 'Vasa'"]),
        ("'Vasa' = name", ["boat.name = 'Vasa'"]),
        ('b.name = "Vasa"', ["boat.name = 'Vasa'"]),
        ("name IN ('a', 'b')", ["boat.name = 'a'", "boat.name = 'b'"]),
        ("name LIKE '%a%'", ["boat.name LIKE '%a%'"]),
        ("id = 3 AND port = 1", ["boat.id = 3", "boat.port = 1"]),
        ("NOT name = 'Vasa'", []),
        ("name <> 'Vasa' OR id > 3", []),
        ("name NOT LIKE '%a%'", []),
        ("name NOT IN ('a')", []),
        ("lower(name) = 'vasa'", []),
        ("town = 'Oslo'", []),
    ],
)
def test_values(where: str, sought: list[str]) -> None:
    found = resolve(f"SELECT 1 FROM boat AS b WHERE {where}", "sqlite", SCHEMA)
    assert found is not None
    shown = [
        f"{one.table}.{one.column} {'LIKE' if one.is_pattern else '='} {one.value}"
        for one in found.sought
    ]
    assert sorted(shown) == sorted(sought)


def test_a_statement_that_looks_for_a_value() -> None:
    found = resolve("SELECT 1 FROM boat WHERE name = 'O''Hara'", "sqlite", SCHEMA)
    assert found is not None
    statement = found.sought[0].statement("mysql")
    assert statement == "SELECT 1 FROM `boat` WHERE `name` = 'O''Hara' LIMIT 1"
