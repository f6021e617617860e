"""DISTINCT removed, text normalised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.sql import normalise_text, remove_distinct

# SQL, the same without DISTINCT
DISTINCT = [
    ("SELECT DISTINCT a FROM t", "SELECT  a FROM t"),
    ("SELECT COUNT(DISTINCT a) FROM t", "SELECT COUNT( a) FROM t"),
    ("SELECT Distinct(a) FROM t", "SELECT (a) FROM t"),
    ("SELECT\ndistinct\na FROM t", "SELECT\n\na FROM t"),
    ("a UNION DISTINCT b", "a UNION  b"),
    ("SELECT a FROM t", "SELECT a FROM t"),
    # not the keyword
    ("SELECT 'DISTINCT' FROM t", None),
    ("SELECT 'it''s DISTINCT' FROM t", None),
    ('SELECT "distinct" FROM t', None),
    ("SELECT `distinct`, [distinct] FROM t", None),
    ("SELECT a -- DISTINCT\nFROM t", None),
    ("SELECT a /* don't\nDISTINCT */ FROM t", None),
    ("SELECT distinctive, a_distinct, t.distinct FROM t", None),
    ("SELECT a IS DISTINCT FROM b FROM t", None),
    # broken
    ("SELECT 'DISTINCT", None),
    ("SELECT DISTINCT 'x", "SELECT  'x"),
]


@pytest.mark.parametrize(("sql", "expected"), DISTINCT)
def test_remove_distinct(sql: str, expected: str | None) -> None:
    assert remove_distinct(sql) == (sql if expected is None else expected)


PIECES = st.sampled_from(
    ["DISTINCT", "distinct", "'", '"', "`", "[", "]", "--", "/*", "*/", "\n", " ", "a", ".", "FROM"]
)


@given(st.lists(PIECES, max_size=30).map(" ".join))
def test_remove_distinct_is_idempotent(sql: str) -> None:
    once = remove_distinct(sql)
    assert remove_distinct(once) == once


# two texts, the same or not
SAME = [
    ("SELECT a FROM t", "select  A\n from T ;", True),
    ("SELECT a FROM t;;", "SELECT a FROM t", True),
    ("SELECT a -- name\nFROM t /* all */", "SELECT a FROM t", True),
    ("SELECT count(*) FROM t GROUP   BY a", "SELECT COUNT ( * ) FROM t group by a", True),
    ("SELECT a FROM t WHERE b='x'", "SELECT a FROM t WHERE b = 'x'", True),
    # quoted text is kept
    ("SELECT a FROM t WHERE b = 'X'", "SELECT a FROM t WHERE b = 'x'", False),
    ("SELECT a FROM t WHERE b = 'x  y'", "SELECT a FROM t WHERE b = 'x y'", False),
    ('SELECT a FROM t WHERE b = "X"', 'SELECT a FROM t WHERE b = "x"', False),
    ("SELECT '--' FROM t", "SELECT '' FROM t", False),
    ("SELECT 'a;' FROM t", "SELECT 'a' FROM t", False),
    ("SELECT ab FROM t", "SELECT a b FROM t", False),
    ("SELECT a <> b", "SELECT a != b", False),
    # cannot be cut into tokens: white space only
    ("SELECT  'x", "SELECT 'x", True),
    ("SELECT 'x", "select 'x", False),
]


@pytest.mark.parametrize(("left", "right", "same"), SAME)
def test_normalise_text(left: str, right: str, same: bool) -> None:
    assert (normalise_text(left) == normalise_text(right)) is same


@given(st.text(max_size=200))
def test_normalise_any_text(text: str) -> None:
    once = normalise_text(text)
    assert "\n" not in once or "'" in once or '"' in once or "`" in once or "[" in once
