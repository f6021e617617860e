"""Order keys beside the rows: the text that runs, and what it returns on a real engine."""

from __future__ import annotations

import sqlite3

import pytest

from sqljury.sql import keyed_for_ties, without_limit

K = "AS sqljury_key_"

# SQL, the keyed text (None: cannot be done; the same: the keys are columns already), the places
TABLE = [
    ("SELECT a FROM t ORDER BY b", f"SELECT a, b {K}1 FROM t ORDER BY b", [(True, 0)]),
    (
        "SELECT a FROM t ORDER BY b DESC NULLS LAST, c+1 ASC LIMIT 2;",
        f"SELECT a, b {K}1, c+1 {K}2 FROM t ORDER BY b DESC NULLS LAST, c+1 ASC LIMIT 2;",
        [(True, 0), (True, 1)],
    ),
    # keys that are columns of the result
    ("SELECT a, b FROM t ORDER BY b", "=", [(False, 1)]),
    ("SELECT a, b FROM t ORDER BY 2, 1", "=", [(False, 1), (False, 0)]),
    ("SELECT a AS x FROM t ORDER BY X", "=", [(False, 0)]),
    ("SELECT a x FROM t ORDER BY x", "=", [(False, 0)]),
    ("SELECT a AS b, b FROM t ORDER BY b", "=", [(False, 0)]),
    ("SELECT a, count(*) FROM t GROUP BY a ORDER BY COUNT(*)", "=", [(False, 1)]),
    # mixed
    ("SELECT a FROM t ORDER BY 1, b", f"SELECT a, b {K}1 FROM t ORDER BY 1, b", None),
    (
        "SELECT a FROM t GROUP BY a ORDER BY count(*) DESC",
        f"SELECT a, count(*) {K}1 FROM t GROUP BY a ORDER BY count(*) DESC",
        None,
    ),
    # a star: a number counts from the left, names are added
    ("SELECT * FROM t ORDER BY b", f"SELECT *, b {K}1 FROM t ORDER BY b", [(True, 0)]),
    ("SELECT *, a+b AS s FROM t ORDER BY s", "=", [(False, -1)]),
    ("SELECT * FROM t ORDER BY 2", "=", [(False, 1)]),
    # DISTINCT: only what is there
    ("SELECT DISTINCT a FROM t ORDER BY a", "=", [(False, 0)]),
    ("SELECT DISTINCT t.a FROM t ORDER BY a", "=", [(False, 0)]),
    ("SELECT DISTINCT a FROM t ORDER BY b", None, None),
    ("SELECT DISTINCT * FROM t ORDER BY b", None, None),
    ("SELECT a FROM t GROUP BY ALL ORDER BY b", None, None),
    # set operations: names and numbers
    ("SELECT a FROM t UNION SELECT b FROM t ORDER BY a", "=", [(False, 0)]),
    ("SELECT a AS x FROM t UNION SELECT b FROM t ORDER BY 1", "=", [(False, 0)]),
    ("SELECT a FROM t UNION SELECT b FROM t ORDER BY a + 1", None, None),
    ("SELECT * FROM t UNION SELECT * FROM t ORDER BY a", None, None),
    # an alias inside of an expression cannot be repeated in the list
    ("SELECT a AS x FROM t ORDER BY x + 1", None, None),
    (
        "SELECT a AS b FROM t ORDER BY t.b",
        f"SELECT a AS b, t.b {K}1 FROM t ORDER BY t.b",
        [(True, 0)],
    ),
    # other order keys than they look like
    ("SELECT a FROM t ORDER BY random()", None, None),
    ("SELECT a FROM t ORDER BY b COLLATE RTRIM", None, None),
    # what is not the query's own list or order
    ("SELECT a FROM t", None, None),
    ("SELECT a FROM (SELECT a FROM t ORDER BY b)", None, None),
    ("SELECT rank() OVER (ORDER BY b) FROM t", None, None),
    ("SELECT 'ORDER BY b' FROM t", None, None),
    ("(SELECT a FROM t ORDER BY b)", None, None),
    (
        "SELECT (SELECT max(a) FROM t), 'FROM' FROM t ORDER BY b",
        f"SELECT (SELECT max(a) FROM t), 'FROM', b {K}1 FROM t ORDER BY b",
        None,
    ),
    (
        "WITH x AS (SELECT a, b FROM t ORDER BY a) SELECT a FROM x ORDER BY b",
        f"WITH x AS (SELECT a, b FROM t ORDER BY a) SELECT a, b {K}1 FROM x ORDER BY b",
        None,
    ),
    (
        "SELECT a IS DISTINCT FROM b FROM t ORDER BY c",
        f"SELECT a IS DISTINCT FROM b, c {K}1 FROM t ORDER BY c",
        None,
    ),
    (
        "SELECT a -- first, ORDER BY\nFROM t ORDER BY b -- last",
        f"SELECT a, b {K}1 -- first, ORDER BY\nFROM t ORDER BY b -- last",
        None,
    ),
    ("SELECT [a b] FROM t ORDER BY `é`", f"SELECT [a b], `é` {K}1 FROM t ORDER BY `é`", None),
    ("SELECT a FROM t ORDER BY", None, None),
    ("SELECT a FROM t ORDER BY 'x", None, None),
    ("ORDER BY a SELECT a FROM t", None, None),
]


@pytest.mark.parametrize(("sql", "expected", "places"), TABLE)
def test_keyed(sql: str, expected: str | None, places: list[tuple[bool, int]] | None) -> None:
    keyed = keyed_for_ties(sql)
    if expected is None:
        assert keyed is None
        return
    assert keyed is not None
    assert keyed.sql == (sql if expected == "=" else expected)
    assert places is None or list(keyed.places) == places


SCRIPT = """
CREATE TABLE t (a TEXT, b INTEGER, c REAL);
INSERT INTO t VALUES ('x', 1, 0.5), ('y', 1, 0.5), ('Z', 2, NULL), ('z', 2, 0.5), ('w', NULL, 1);
"""


@pytest.fixture(scope="module")
def connection():
    with sqlite3.connect(":memory:") as opened:
        opened.executescript(SCRIPT)
        yield opened


RUNNING = [sql for sql, expected, _ in TABLE if expected is not None and "[a b]" not in sql]


@pytest.mark.parametrize("sql", RUNNING)
def test_same_rows_and_contiguous_ties(connection: sqlite3.Connection, sql: str) -> None:
    keyed = keyed_for_ties(sql)
    assert keyed is not None
    rows = connection.execute(keyed.sql).fetchall()
    assert [keyed.plain(row) for row in rows] == connection.execute(sql).fetchall()
    keys = [keyed.keys(row) for row in rows]
    starts = [key for before, key in zip([None, *keys], keys, strict=False) if key != before]
    assert len(starts) == len(set(keys))


# collation: does x tie with X
FOLDS = [
    ("SELECT a FROM t ORDER BY a COLLATE NOCASE", "sqlite", True),
    ("SELECT a FROM t ORDER BY a COLLATE BINARY", "sqlite", False),
    ("SELECT a FROM t ORDER BY a", "sqlite", False),
    ("SELECT a FROM t ORDER BY a", "mysql", True),
    ("SELECT a FROM t ORDER BY a COLLATE utf8mb4_general_ci", "mysql", True),
    ("SELECT a FROM t ORDER BY a", "postgres", False),
]


@pytest.mark.parametrize(("sql", "dialect", "folds"), FOLDS)
def test_collation(sql: str, dialect: str, folds: bool) -> None:
    keyed = keyed_for_ties(sql, dialect)
    assert keyed is not None
    rows = [("x", "x"), ("X", "X")] if keyed.added else [("x",), ("X",)]
    assert (keyed.keys(rows[0]) == keyed.keys(rows[1])) is folds


# SQL, the text of one row more, the limit
LIMITS = [
    ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a LIMIT 4", 3),
    ("SELECT a FROM t ORDER BY a LIMIT 9;", "SELECT a FROM t ORDER BY a LIMIT 10;", 9),
    (
        "SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 1",
        "SELECT a FROM t ORDER BY a LIMIT 4 OFFSET 1",
        3,
    ),
    ("SELECT a FROM t ORDER BY a LIMIT 1, 3", "SELECT a FROM t ORDER BY a LIMIT 1, 4", 3),
    ("SELECT a FROM t ORDER BY b LIMIT 1", f"SELECT a, b {K}1 FROM t ORDER BY b LIMIT 2", 1),
    ("SELECT a FROM t ORDER BY a", None, 0),
    ("SELECT a FROM t LIMIT 3", None, 0),
    ("SELECT a FROM t ORDER BY a LIMIT -1", None, 0),
    ("SELECT a FROM t ORDER BY a LIMIT 1 + 1", None, 0),
    ("SELECT a FROM t ORDER BY a LIMIT (SELECT 1)", None, 0),
    ("SELECT a FROM (SELECT a FROM t LIMIT 3) ORDER BY a", None, 0),
]


@pytest.mark.parametrize(("sql", "expected", "limit"), LIMITS)
def test_one_row_more(sql: str, expected: str | None, limit: int) -> None:
    wider = without_limit(sql)
    assert (wider.query.sql if wider else None) == expected
    assert wider is None or wider.limit == limit
