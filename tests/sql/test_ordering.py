"""Which queries are ordered."""

from __future__ import annotations

import pytest

from sqljury.sql import any_order, top_level_order

# SQL, ordered at the top, "order by" anywhere
TABLE = [
    ("SELECT a FROM t ORDER BY a", True, True),
    ("select a from t order\n  by a", True, True),
    ("SELECT a FROM t ORDER BY a DESC LIMIT 3;", True, True),
    ("(SELECT a FROM t ORDER BY a)", True, True),
    ("((SELECT a FROM t ORDER BY a));", True, True),
    ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True, True),
    ("WITH x AS (SELECT a FROM t) SELECT a FROM x ORDER BY a", True, True),
    ("SELECT a FROM t WHERE b IN (SELECT 1) ORDER BY (SELECT 2)", True, True),
    ("SELECT a FROM t", False, False),
    ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False, True),
    ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 1) AS x WHERE a = 1", False, True),
    ("WITH x AS (SELECT a FROM t ORDER BY a) SELECT a FROM x", False, True),
    ("(SELECT a FROM t ORDER BY a LIMIT 1) UNION (SELECT 1 ORDER BY 1)", False, True),
    ("SELECT rank() OVER (ORDER BY a) FROM t", False, True),
    ("SELECT group_concat(a ORDER BY b) FROM t", False, True),
    ("SELECT a FROM t -- ORDER BY a", False, True),
    ("SELECT a FROM t /* ORDER BY a */", False, True),
    ("SELECT 'ORDER BY' FROM t", False, True),
    ("SELECT [order by] FROM t", False, True),
    ('SELECT "order", `by` FROM t', False, False),
    ("SELECT orders FROM t", False, False),
    ("SELECT 'x ORDER BY a", False, True),
    ("", False, False),
]


@pytest.mark.parametrize(("sql", "top", "anywhere"), TABLE)
def test_order(sql: str, top: bool, anywhere: bool) -> None:
    assert top_level_order(sql) is top
    assert any_order(sql) is anywhere
