"""Every LIMIT chooses the smallest of what ties, or the largest."""

from __future__ import annotations

import sqlite3

import pytest

from sqljury.sql import tie_broken

# SQL, the rows with the smallest, the rows with the largest
CHOICES = [
    ("SELECT b FROM t ORDER BY a LIMIT 1", [("x",)], [("y",)]),
    ("SELECT b FROM t ORDER BY a DESC LIMIT 1", [("z",)], [("z",)]),
    ("SELECT b FROM t LIMIT 1", [("x",)], [("z",)]),
    ("SELECT (SELECT b FROM t)", [("x",)], [("z",)]),
    ("SELECT a FROM t WHERE b = (SELECT b FROM t GROUP BY b)", [(1,)], [(2,)]),
    ("SELECT max(b) FROM t WHERE b = (SELECT min(b) FROM t)", [("x",)], [("x",)]),
    ("SELECT b FROM t ORDER BY a", [("x",), ("y",), ("z",)], [("y",), ("x",), ("z",)]),
    ("SELECT a, count(*) FROM t GROUP BY a LIMIT 1", [(1, 2)], [(2, 1)]),
    ("SELECT b FROM t GROUP BY b ORDER BY count(*) LIMIT 1", [("x",)], [("z",)]),
    ("SELECT b FROM t UNION SELECT b FROM t LIMIT 1", [("x",)], [("z",)]),
    ("SELECT DISTINCT b FROM t ORDER BY b LIMIT 1", [("x",)], [("x",)]),
    ("SELECT a FROM t WHERE b = (SELECT b FROM t ORDER BY a LIMIT 1)", [(1,)], [(1,)]),
    ("SELECT b FROM t WHERE b = (SELECT b FROM t ORDER BY a LIMIT 1)", [("x",)], [("y",)]),
    ("SELECT * FROM (SELECT b FROM t LIMIT 1 OFFSET 1)", [("y",)], [("y",)]),
    ("WITH q AS (SELECT b FROM t LIMIT 2) SELECT min(b) FROM q", [("x",)], [("y",)]),
]


@pytest.mark.parametrize(("sql", "smallest", "largest"), CHOICES)
def test_choices(sql: str, smallest, largest) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'y'), (1, 'x'), (2, 'z');"
    )
    broken = tie_broken(sql)
    assert broken is not None
    assert [connection.execute(text).fetchall() for text in broken] == [smallest, largest]
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT FROM (",
        "",
        "SELECT a FROM (SELECT a FROM t ORDER BY a)",
        "SELECT a FROM t WHERE b IN (SELECT b FROM t)",
    ],
)
def test_nothing_to_choose(sql: str) -> None:
    assert tie_broken(sql) is None
