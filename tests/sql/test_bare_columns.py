"""Bare columns are those of any row: the least value, or the greatest."""

from __future__ import annotations

import sqlite3

import pytest

from sqljury.sql import bare_chosen

CHOICES = [
    ("SELECT b, count(*) FROM t GROUP BY a", [("x", 2), ("z", 1)], [("y", 2), ("z", 1)]),
    ("SELECT b, count(*) FROM t", [("x", 3)], [("z", 3)]),
    ("SELECT t.b || '!', sum(a) FROM t GROUP BY a", [("x!", 2), ("z!", 2)], [("y!", 2), ("z!", 2)]),
    (
        "SELECT a, b, count(*) FROM t GROUP BY 1",
        [(1, "x", 2), (2, "z", 1)],
        [(1, "y", 2), (2, "z", 1)],
    ),
    (
        "SELECT b FROM (SELECT t.b, count(*) AS n FROM t GROUP BY t.a) q WHERE n = 2",
        [("x",)],
        [("y",)],
    ),
    ("SELECT a FROM t GROUP BY a ORDER BY b DESC LIMIT 1", [(2,)], [(2,)]),
    ("SELECT a FROM t GROUP BY a HAVING t.b = 'y'", [], [(1,)]),
    ("SELECT DISTINCT a FROM t ORDER BY b = 'y'", [(1,), (2,)], [(2,), (1,)]),
    ("SELECT a AS k, b FROM t GROUP BY k", [(1, "x"), (2, "z")], [(1, "y"), (2, "z")]),
]


@pytest.mark.parametrize(("sql", "least", "greatest"), CHOICES)
def test_choices(sql: str, least, greatest) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'y'), (1, 'x'), (2, 'z');"
    )
    chosen = bare_chosen(sql)
    assert chosen is not None
    assert [connection.execute(text).fetchall() for text in chosen] == [least, greatest]
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT a, count(b) FROM t GROUP BY a",
        "SELECT t.a FROM t GROUP BY a",
        "SELECT count(*) FROM t",
        "SELECT b, max(a) FROM t",
        "SELECT b FROM t GROUP BY a ORDER BY max(b)",
        "SELECT DISTINCT a, b AS c FROM t ORDER BY c, t.a, 2",
        "SELECT a AS c, count(*) FROM t GROUP BY a ORDER BY c",
        "SELECT a, rank() OVER (ORDER BY b) FROM t GROUP BY a, b",
        "SELECT a, (SELECT count(*) + t.b FROM t AS u) FROM t",
        "SELECT FROM (",
        "",
    ],
)
def test_nothing_to_choose(sql: str) -> None:
    assert bare_chosen(sql) is None
