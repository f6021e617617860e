"""Queries in another dialect mean the same there, or there are none."""

from __future__ import annotations

import pytest

from sqljury.queries import transpiled

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
