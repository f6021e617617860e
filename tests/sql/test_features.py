"""SQL in, features out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.sql import FEATURES, features

PLAIN = "joins:0 nesting:0"

# SQL, its features
TABLE = [
    ("SELECT a FROM t", PLAIN),
    ("select A from T;", PLAIN),
    ("SELECT a FROM t WHERE b = 'select join order by'", PLAIN),
    ("SELECT a FROM t -- ORDER BY a LIMIT 1", PLAIN),
    ("SELECT a /* DISTINCT */ FROM t", PLAIN),
    # names that look like keywords
    ('SELECT "distinct", [limit], `case` FROM "order by"', PLAIN),
    ("SELECT t.limit FROM t", PLAIN),
    ("SELECT total FROM t", PLAIN),
    ("SELECT a IS NOT DISTINCT FROM b FROM t", PLAIN),
    ("SELECT EXTRACT(YEAR FROM a), b FROM t", PLAIN),
    # joins: JOIN and commas of FROM, not of lists
    ("SELECT a, b FROM t JOIN u ON t.x = u.x", "joins:1 nesting:0"),
    ("SELECT a FROM t, u WHERE b IN (1, 2)", "joins:1 nesting:0"),
    (
        "SELECT a FROM t LEFT OUTER JOIN u USING (x, y), v GROUP BY 1, 2",
        "grouping joins:2 nesting:0",
    ),
    ("SELECT a FROM t, u, v NATURAL JOIN w ORDER BY 1, 2", "joins:3+ nesting:0 ordering"),
    ("SELECT a FROM t, u UNION SELECT a, b FROM v", "joins:1 nesting:0 set_operation"),
    # nesting
    ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", "joins:0 nesting:1"),
    ("SELECT a FROM (SELECT a FROM (SELECT a FROM t))", "joins:0 nesting:2+"),
    ("SELECT (SELECT 1), (SELECT 2)", "joins:0 nesting:1"),
    ("SELECT ((a)) FROM t WHERE ((b = 1))", PLAIN),
    ("(SELECT a FROM t)", PLAIN),
    ("(SELECT a FROM t) UNION ALL (SELECT a FROM u)", "joins:0 nesting:0 set_operation"),
    ("WITH x AS (SELECT a FROM t) SELECT * FROM x", "cte joins:0 nesting:1"),
    # ordering is the query's, at any level
    ("SELECT a FROM t ORDER BY a LIMIT 1", "joins:0 limit nesting:0 ordering"),
    ("SELECT a FROM (SELECT a FROM t ORDER BY a)", "joins:0 nesting:1 ordering"),
    ("SELECT rank() OVER (ORDER BY a) FROM t", "joins:0 nesting:0 window"),
    ("SELECT group_concat(a ORDER BY b) FROM t", "aggregate joins:0 nesting:0"),
    ("SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY b)", "aggregate joins:0 nesting:0 window"),
    # the rest
    ("SELECT count(DISTINCT a) FROM t", "aggregate distinct joins:0 nesting:0"),
    ("SELECT DISTINCT a FROM t", "distinct joins:0 nesting:0"),
    ("SELECT CASE WHEN a THEN 1 END FROM t", "case joins:0 nesting:0"),
    (
        "SELECT a FROM t GROUP BY a HAVING max (b) > 1",
        "aggregate grouping having joins:0 nesting:0",
    ),
    ("SELECT a FROM t EXCEPT SELECT b FROM u", "joins:0 nesting:0 set_operation"),
    # broken SQL has features as far as it can be cut into tokens
    ("SELECT FROM t JOIN WHERE GROUP BY", "grouping joins:1 nesting:0"),
    ("SELECT )) FROM t, u (((", "joins:1 nesting:0"),
    ("SELECT 'abc FROM t", ""),
    ("", ""),
    ("-- nothing", ""),
]


@pytest.mark.parametrize(("sql", "expected"), TABLE)
def test_features(sql: str, expected: str) -> None:
    assert " ".join(features(sql)) == expected


def test_brackets_are_values_elsewhere() -> None:
    assert features("SELECT [distinct] FROM t") == ("joins:0", "nesting:0")
    assert "distinct" in features("SELECT [(SELECT DISTINCT 1)]", "duckdb")


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    found = features(text)
    assert set(found) <= set(FEATURES)
    assert list(found) == sorted(set(found))
