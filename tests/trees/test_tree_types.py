"""Types, NULLs and affinities of output columns; what is said not to be NULL never is."""

from __future__ import annotations

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.context import Context
from sqljury.trees.nodes import Field, Type, Unreadable
from sqljury.trees.types import column_type, fields


def _schema(dialect: str) -> Schema:
    columns = (
        Column(name="i", type="INTEGER", nullable=False),
        Column(name="n", type="int"),
        Column(name="r", type="REAL", nullable=False),
        Column(name="s", type="VARCHAR(20)"),
        Column(name="d", type="DATE"),
        Column(name="x"),
    )
    return Schema(dialect=dialect, tables=(Table(name="t", columns=columns),))


def _fields(sql: str, dialect: str = "sqlite") -> tuple[Field, ...]:
    schema = _schema(dialect)
    tree = build_tree(sql, schema, dialect)
    assert not isinstance(tree, Unreadable), tree
    return fields(tree, Context(schema, dialect))


DECLARED = [
    ("INTEGER", "sqlite", Type.INTEGER),
    ("bigint unsigned", "mysql", Type.INTEGER),
    ("tinyint(1)", "mysql", Type.BOOLEAN),
    ("tinyint(1)", "sqlite", Type.INTEGER),
    ("VARCHAR(20)", "sqlite", Type.TEXT),
    ("character varying", "postgres", Type.TEXT),
    ("double precision", "postgres", Type.REAL),
    ("NUMERIC", "sqlite", Type.DECIMAL),
    ("decimal(10,2)", "mysql", Type.DECIMAL),
    ("number", "sqlite", Type.DECIMAL),
    ("bool", "sqlite", Type.BOOLEAN),
    ("BIT", "sqlite", Type.ANY),
    ("timestamp with time zone", "postgres", Type.INSTANT),
    ("timestamptz", "duckdb", Type.INSTANT),
    ("timestamp", "mysql", Type.INSTANT),
    ("timestamp without time zone", "postgres", Type.TIMESTAMP),
    ("timestamp_ntz", "snowflake", Type.TIMESTAMP),
    ("DATETIME", "sqlite", Type.TIMESTAMP),
    ("date", "duckdb", Type.DATE),
    ("time", "sqlite", Type.TIME),
    ("BLOB", "sqlite", Type.BLOB),
    ("bytea", "postgres", Type.BLOB),
    ("STRING", "sqlite", Type.ANY),
    ("STRING", "bigquery", Type.TEXT),
    ("INTEGER[]", "duckdb", Type.ANY),
    ("interval", "postgres", Type.ANY),
    ("point", "postgres", Type.ANY),
    ("", "sqlite", Type.ANY),
]


@pytest.mark.parametrize(("declared", "dialect", "expected"), DECLARED)
def test_declared_types(declared: str, dialect: str, expected: Type) -> None:
    assert column_type(declared, dialect) is expected


# The expression, its type, whether it may be NULL.
EXPRESSIONS = [
    ("i", Type.INTEGER, False),
    ("n", Type.INTEGER, True),
    ("x", Type.ANY, True),
    ("1", Type.INTEGER, False),
    ("NULL", Type.NULL, True),
    ("i = n", Type.BOOLEAN, True),
    ("i = 1 AND r > 2", Type.BOOLEAN, False),
    ("n IS NULL", Type.BOOLEAN, False),
    ("n IS s", Type.BOOLEAN, False),
    ("i IN (1, n)", Type.BOOLEAN, True),
    ("i BETWEEN 1 AND 2", Type.BOOLEAN, False),
    ("i + 1", Type.INTEGER, False),
    ("i + r", Type.REAL, True),  # infinity minus infinity
    ("i / 2", Type.INTEGER, True),
    ("i || 'x'", Type.TEXT, False),
    ("coalesce(n, 0)", Type.INTEGER, False),
    ("coalesce(n, x)", Type.ANY, True),
    ("nullif(i, 1)", Type.INTEGER, True),
    ("CASE WHEN i > 1 THEN 1 ELSE 2 END", Type.INTEGER, False),
    ("CASE WHEN i > 1 THEN 1 END", Type.INTEGER, True),
    ("CASE WHEN i > 1 THEN 1 ELSE 'a' END", Type.ANY, False),
    ("cast(s AS INTEGER)", Type.INTEGER, True),
    ("cast(i AS TEXT)", Type.TEXT, False),
    ("length(s)", Type.INTEGER, True),
    ("length(i)", Type.INTEGER, False),
    ("round(i, 2)", Type.REAL, False),
    ("date(d)", Type.TEXT, True),
    ("count(*)", Type.INTEGER, False),
    ("sum(i)", Type.INTEGER, True),
    ("total(n)", Type.REAL, False),
    ("avg(i)", Type.REAL, True),
    ("max(s)", Type.TEXT, True),
    ("(SELECT i FROM t)", Type.INTEGER, True),
    ("(SELECT count(*) FROM t)", Type.INTEGER, False),
    ("EXISTS (SELECT 1)", Type.BOOLEAN, False),
    ("i IN (SELECT i FROM t)", Type.BOOLEAN, False),
    ("i IN (SELECT n FROM t)", Type.BOOLEAN, True),
    ("row_number() OVER ()", Type.INTEGER, False),
    ("max(i) OVER ()", Type.INTEGER, False),
    ("lag(i) OVER ()", Type.INTEGER, True),
    ("max(i) OVER (ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)", Type.INTEGER, True),
]


@pytest.mark.parametrize(("expression", "type_", "nullable"), EXPRESSIONS)
def test_expressions(expression: str, type_: Type, nullable: bool) -> None:
    (field,) = _fields(f"SELECT {expression} FROM t")
    assert (field.type, field.nullable) == (type_, nullable)


# What follows SELECT, and which columns may be NULL.
NULLS = [
    ("i, n FROM t WHERE n > 1", [False, False]),
    ("n FROM t WHERE n IS NOT NULL", [False]),
    ("n FROM t WHERE NOT n = 1 AND s LIKE 'x'", [False]),
    ("n FROM t WHERE n > 1 OR n < 0", [False]),
    ("n, s FROM t WHERE n > 1 OR s = 'x'", [True, True]),
    ("n FROM t WHERE n IN (SELECT x FROM t)", [False]),
    ("n FROM t WHERE n NOT IN (SELECT x FROM t)", [True]),
    ("n, x FROM t WHERE i BETWEEN n AND x", [False, False]),
    ("n, x FROM t WHERE NOT i BETWEEN n AND x", [True, True]),
    ("a.i, b.i FROM t a LEFT JOIN t b ON a.i = b.i", [False, True]),
    ("a.i, b.i FROM t a RIGHT JOIN t b ON a.i = b.i", [True, False]),
    ("a.i, b.i FROM t a FULL JOIN t b ON a.i = b.i", [True, True]),
    ("a.n, b.n FROM t a JOIN t b ON a.n = b.n", [False, False]),
    ("i, sum(i), max(n) FROM t GROUP BY i", [False, False, True]),
    ("i FROM t UNION SELECT n FROM t", [True]),
    ("n FROM t INTERSECT SELECT i FROM t", [False]),
    ("i FROM t EXCEPT SELECT n FROM t", [False]),
]


@pytest.mark.parametrize(("rest", "expected"), NULLS)
def test_nulls(rest: str, expected: list[bool]) -> None:
    assert [field.nullable for field in _fields(f"SELECT {rest}")] == expected


def test_dialects_differ_in_division() -> None:
    types = {
        dialect: _fields("SELECT i / 2 FROM t", dialect)[0].type
        for dialect in ("sqlite", "postgres", "duckdb", "mysql")
    }
    assert types == {
        "sqlite": Type.INTEGER,
        "postgres": Type.INTEGER,
        "duckdb": Type.REAL,
        "mysql": Type.DECIMAL,
    }


AFFINITIES = [
    ("i, s, d, x FROM t", ["INTEGER", "TEXT", "NUMERIC", "BLOB"]),
    ("i + 1, cast(i AS TEXT) FROM t", ["", "TEXT"]),
    ("y FROM (SELECT i AS y FROM t)", ["INTEGER"]),
    ("i FROM t UNION SELECT s FROM t", [None]),
    ("i, count(*) FROM t GROUP BY i", ["INTEGER", ""]),
    ("i, s FROM t GROUP BY i", ["INTEGER", "TEXT"]),
]


@pytest.mark.parametrize(("rest", "expected"), AFFINITIES)
def test_affinities(rest: str, expected: list[str | None]) -> None:
    assert [field.affinity for field in _fields(f"SELECT {rest}")] == expected
