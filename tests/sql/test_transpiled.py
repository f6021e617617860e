"""Queries in another dialect mean the same there, or there are none."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from sqljury.sql import transpiled

LOST = [
    "SELECT a FROM t USING SAMPLE 1",
    "SELECT a FROM t TABLESAMPLE 10%",
    "SELECT last_value(a IGNORE NULLS) OVER (ORDER BY b) FROM t",
    "SELECT a FROM t SEMI JOIN u USING (a)",
    "SELECT a FROM t ANTI JOIN u USING (a)",
    "SELECT a FROM t ASOF JOIN u USING (a)",
    "SELECT a FROM t POSITIONAL JOIN u",
    "SELECT x FROM (SELECT 1) v(x)",
    "SELECT max(a, 2) FROM t",
]


@pytest.mark.parametrize("sql", LOST)
def test_nothing_is_left_out(sql: str) -> None:
    assert transpiled(sql, "duckdb", "sqlite") is None
    assert transpiled(sql, "duckdb", "duckdb") is not None


def test_ties_are_not_left_out() -> None:
    sql = "SELECT a FROM t ORDER BY b FETCH FIRST 3 ROWS WITH TIES"
    assert transpiled(sql, "postgres", "sqlite") is None
    assert transpiled(sql.replace("WITH TIES", "ONLY"), "postgres", "sqlite") is not None


KEPT = [
    ("SELECT a // b FROM t", "SELECT CAST(CAST(a AS REAL) / b AS INTEGER) FROM t"),
    ("SELECT a / b FROM t", "SELECT CAST(a AS REAL) / b FROM t"),
    ("SELECT a FROM t WHERE a IS DISTINCT FROM b", "SELECT a FROM t WHERE a IS NOT b"),
    ("FROM t", "SELECT * FROM t"),
    (
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v (x, y) WHERE x > 1",
        "SELECT * FROM (SELECT 1 AS x, 'a' AS y UNION ALL SELECT 2 AS x, 'b' AS y) AS v WHERE x > 1",
    ),
    ("SELECT a FROM t, (VALUES (4)) AS v (x)", "SELECT a FROM t, (SELECT 4 AS x) AS v"),
]


@pytest.mark.parametrize(("sql", "written"), KEPT)
def test_what_is_written_otherwise(sql: str, written: str) -> None:
    assert transpiled(sql, "duckdb", "sqlite") == written


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("postgres", "SELECT a FROM t WHERE a > ALL (SELECT a FROM u)"),
        ("postgres", "SELECT a FROM t WHERE a = ANY (ARRAY[1, 2])"),
        ("postgres", "SELECT a FROM t EXCEPT ALL SELECT a FROM u"),
        ("mysql", "SELECT EXTRACT(YEAR FROM d) FROM t"),
        ("postgres", "SELECT q.a FROM t, LATERAL (SELECT a FROM u WHERE u.id = t.id) q"),
        ("postgres", "SELECT a AS $f0 FROM t"),
    ],
)
def test_what_sqlite_cannot_say(dialect: str, sql: str) -> None:
    assert transpiled(sql, dialect, "sqlite") is None


SAME_ROWS = [
    "(SELECT a FROM t UNION SELECT a FROM u) EXCEPT (SELECT b FROM t)",
    "SELECT a FROM t UNION (SELECT a FROM u INTERSECT (SELECT b FROM t))",
    "SELECT b FROM t UNION SELECT a FROM u INTERSECT SELECT a FROM t",
    "SELECT b FROM t EXCEPT (SELECT a FROM u EXCEPT (SELECT a FROM t UNION SELECT 3))",
    "(SELECT a FROM t ORDER BY a DESC LIMIT 1) UNION ALL (SELECT a FROM u ORDER BY a LIMIT 1)",
    "((SELECT a FROM t) UNION ALL ((SELECT a FROM u))) ORDER BY a LIMIT 2",
    "SELECT b FROM t WHERE a = ANY (SELECT a FROM u)",
    "SELECT b FROM t WHERE a <> ALL (SELECT a FROM u WHERE a IS NOT NULL)",
    "SELECT b FROM t WHERE a <> ALL (SELECT a FROM u)",
    "SELECT b FROM t WHERE a IN ((SELECT a FROM u))",
    "SELECT CONCAT(s, '-', CONCAT(a, b)) FROM t",
]


@pytest.mark.parametrize("sql", SAME_ROWS)
def test_the_same_rows_in_sqlite(sql: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    script = (
        "CREATE TABLE t (a INTEGER, b INTEGER, s VARCHAR); CREATE TABLE u (a INTEGER);"
        "INSERT INTO t VALUES (1, 2, 'x'), (2, 3, NULL), (NULL, 4, 'y'), (5, NULL, 'z');"
        "INSERT INTO u VALUES (3), (2), (2), (NULL);"
    )
    with duckdb.connect(":memory:") as there, closing(sqlite3.connect(":memory:")) as here:
        there.execute(script)
        here.executescript(script)
        written = transpiled(sql, "duckdb", "sqlite")
        assert written is not None
        found = here.execute(written).fetchall()
        assert Counter(found) == Counter(there.execute(sql).fetchall())


def test_xor_and_names_with_dollars() -> None:
    written = transpiled("SELECT x.$l XOR x.r FROM x", "mysql", "sqlite")
    assert written is not None and '"$l"' in written
    values = "(0, 0), (0, 2), (3, 2), (NULL, 1), (1, NULL)"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(f'CREATE TABLE x ("$l", r); INSERT INTO x VALUES {values}')
        found = [row[0] for row in connection.execute(written)]
    assert found == [0, 1, 0, None, None]
