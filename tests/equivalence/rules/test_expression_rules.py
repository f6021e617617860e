"""What expressions become, and that their values stay, for every row of a grid in real engines."""

from __future__ import annotations

import pytest
from truth_tables import TABLE, refuted, scope, spelled

from sqljury.equivalence.simplify import simplify, simplify_condition
from sqljury.schema import Schema
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption
from sqljury.trees.from_sql import build_tree
from sqljury.trees.nodes import Expression, Filter, Project

WITHOUT_TYPES = ALL_ASSUMPTIONS - {Assumption.TYPES}
SQLITE, DUCKDB, BOTH = ("sqlite",), ("duckdb",), ("sqlite", "duckdb")


def value(text: str, dialect: str) -> Expression:
    """An expression over the table's columns as a value."""
    tree = build_tree(f"SELECT {text} FROM t", Schema(dialect=dialect, tables=(TABLE,)), dialect)
    assert isinstance(tree, Project), tree
    return tree.expressions[0]


def condition(text: str, dialect: str) -> Expression:
    """An expression over the table's columns as a condition."""
    sql = f"SELECT i FROM t WHERE {text}"
    tree = build_tree(sql, Schema(dialect=dialect, tables=(TABLE,)), dialect)
    assert isinstance(tree, Project), tree
    assert isinstance(tree.input, Filter), tree
    return tree.input.condition


# Conditions that become the same, and in which dialects.
EQUAL_CONDITIONS = [
    # logic
    ("i = 1 AND s = 'a'", "s = 'a' AND i = 1", BOTH),
    ("i = 1 AND (s = 'a' AND r > 2)", "(r > 2 AND i = 1) AND s = 'a' AND i = 1", BOTH),
    ("i = 1 OR TRUE", "TRUE", BOTH),
    ("i = 1 AND 1 = 1", "i = 1", BOTH),
    ("i = 1 AND 1", "i = 1", SQLITE),
    ("i = 1 AND NULL", "FALSE", BOTH),
    ("i = 1 OR NULL", "i = 1", BOTH),
    ("(i = 1 AND s = 'a') OR (i = 1 AND s = 'b')", "i = 1 AND s IN ('b', 'a')", BOTH),
    ("(i = 1 OR r > 2) AND (i = 1 OR s = 'b')", "i = 1 OR (s = 'b' AND r > 2)", BOTH),
    # NOT
    ("NOT i = 1", "i <> 1", BOTH),
    ("NOT (i < 1 OR s = 'a')", "i >= 1 AND s <> 'a'", BOTH),
    ("NOT (i = 1 AND NOT s = 'a')", "i <> 1 OR s = 'a'", BOTH),
    ("NOT NOT i", "i", SQLITE),
    ("NOT i BETWEEN 1 AND 3", "i < 1 OR i > 3", BOTH),
    ("i NOT IN (1, 3)", "i <> 3 AND i <> 1", BOTH),
    # directions
    ("1 < i", "i > 1", BOTH),
    ("i < j", "j > i", BOTH),
    ("i = j", "j = i", BOTH),
    ("i + j = 1", "1 = j + i", BOTH),
    ("i * 2 > j", "2 * i > j", BOTH),
    # lists and ranges
    ("i BETWEEN 1 AND 3", "i >= 1 AND i <= 3", BOTH),
    ("i IN (3, 1, 3)", "i = 1 OR i = 3", BOTH),
    ("i IN (1)", "i = 1", BOTH),
    ("i IN (1, NULL)", "i = 1", BOTH),
    ("i NOT IN (1, NULL)", "FALSE", BOTH),
    ("i IN (1, 2, 3)", "i BETWEEN 1 AND 3", BOTH),
    ("i IN (1, 3) OR i = 5 OR s = 'a'", "s = 'a' OR i IN (5, 3, 1)", BOTH),
    ("s IN ('a', 'b', 'c') AND s <> 'b'", "s IN ('c', 'a')", BOTH),
    ("i > 2", "i >= 3", BOTH),
    ("i < 2.5", "i <= 2", BOTH),
    ("i > 1 AND i < 3", "i = 2", BOTH),
    ("i > 1 AND i > 3", "i > 3", BOTH),
    ("i > 3 AND i < 2", "FALSE", BOTH),
    ("i = 1 AND i = 2", "FALSE", BOTH),
    ("r > 1.5 AND r > 0.5", "r > 1.5", BOTH),
    ("r > 1.5 OR r = 1.5", "r >= 1.5", BOTH),
    ("r < 1.5 OR r > 1.5", "r <> 1.5", BOTH),
    ("i < 3 OR i > 2", "i IS NOT NULL", BOTH),
    ("i < 3 OR i IS NULL OR i > 2", "TRUE", BOTH),
    ("i > 2 AND i IS NOT NULL", "i > 2", BOTH),
    ("i > 2 AND i IS NULL", "FALSE", BOTH),
    ("d >= '2010-01-01' AND d >= '2009-01-01'", "d >= '2010-01-01'", BOTH),
    ("LENGTH(s) > 0", "LENGTH(s) <> 0", BOTH),
    ("b <> 0", "b = 1", SQLITE),
    # comparisons of columns
    ("i = i", "i IS NOT NULL", BOTH),
    ("i <> i", "FALSE", BOTH),
    ("j IS NOT NULL", "TRUE", BOTH),
    ("i IS 1", "i = 1", SQLITE),
    ("i IS NOT DISTINCT FROM 1", "i = 1", BOTH),
    ("i IS NOT DISTINCT FROM j", "i = j", BOTH),
    ("(i > 1) = TRUE", "i > 1", BOTH),
    ("(i > 1) IS TRUE", "i > 1", BOTH),
    ("(i > 1) = 0", "i <= 1", SQLITE),
    ("(i > 1) IS FALSE", "i <= 1", BOTH),
    ("b = TRUE", "b", BOTH),
    ("b = FALSE", "NOT b", BOTH),
    ("i", "i <> 0", SQLITE),
    ("NOT i", "i = 0", SQLITE),
    # constants
    ("i > 1 + 2", "i > 3", BOTH),
    ("r > 7 / 2", "r > 3", SQLITE),
    ("s = 'a' || 'b'", "s = 'ab'", BOTH),
    ("LOWER(s) = LOWER('AB')", "LOWER(s) = 'ab'", BOTH),
    ("i = NULL", "FALSE", BOTH),
    ("i = 1.0", "i = 1", BOTH),
    # affinities
    ("i > '13'", "i > 13", BOTH),
    ("i IN ('1', '3')", "i IN (1, 3)", BOTH),
    ("r < '1.5'", "r < 1.5", SQLITE),
    ("s = 1", "s = '1'", SQLITE),
    ("s IN (1, 3)", "s IN ('1', '3')", SQLITE),
    # CASE and COALESCE
    ("CASE WHEN i > 1 THEN 1 ELSE 0 END", "i > 1", SQLITE),
    ("CASE WHEN i > 1 THEN 5 WHEN 1 = 0 THEN 6 ELSE 5 END = j", "j = 5", BOTH),
    ("COALESCE(i, j) IS NULL", "FALSE", BOTH),
    # patterns
    ("s LIKE '%%a%'", "s LIKE '%a%'", BOTH),
    ("s LIKE 'A%'", "s LIKE 'a%'", SQLITE),
    ("LOWER(s) LIKE '%A%'", "s LIKE '%a%'", SQLITE),
    ("s LIKE '2010'", "s = '2010'", BOTH),
    ("s LIKE 'ab'", "LOWER(s) = 'ab'", SQLITE),
    ("UPPER(s) = 'AB'", "LOWER(s) = 'ab'", SQLITE),
    ("s LIKE 'ab'", "s = 'ab'", DUCKDB),
    ("SUBSTR(s, 1, 4) = '2010'", "s LIKE '2010%'", BOTH),
    ("SUBSTRING(s, 1, 2) > 'a'", "SUBSTR(s, 1, 2) > 'a'", BOTH),
    # dates
    ("CAST(STRFTIME('%Y', d) AS INTEGER) >= 2010", "STRFTIME('%Y', d) >= '2010'", SQLITE),
    ("CAST(STRFTIME('%m', d) AS INT) = 5", "STRFTIME('%m', d) = '05'", SQLITE),
    ("STRFTIME('%Y-%m-%d', d) = '2010-01-05'", "DATE(d) = '2010-01-05'", SQLITE),
]
# Near misses: they must not become the same. Each has a row in the grid that tells them apart.
DIFFERENT_CONDITIONS = [
    ("i > 2", "i >= 2", BOTH),
    ("r > 2", "r >= 3", BOTH),
    ("i = 1 OR i = 2", "i = 1 AND i = 2", BOTH),
    ("NOT i = 1", "i <> 1 OR i IS NULL", BOTH),
    ("i NOT IN (1, NULL)", "i NOT IN (1)", BOTH),
    ("i BETWEEN 1 AND 3", "i BETWEEN 3 AND 1", BOTH),
    ("s LIKE 'ab'", "s = 'ab'", SQLITE),
    ("s LIKE 'A%'", "s LIKE 'a%'", DUCKDB),
    ("s LIKE 'a%'", "s LIKE '%a'", BOTH),
    ("s LIKE '_'", "s LIKE '%'", BOTH),
    ("s GLOB 'A*'", "s GLOB 'a*'", SQLITE),
    ("s = 'a'", "s = 'A'", BOTH),
    ("s = '01'", "s = 1", SQLITE),
    ("i = j", "i IS NOT DISTINCT FROM r", BOTH),
    ("u > '1'", "u > 1", SQLITE),
    ("i IS NOT 1", "i <> 1", SQLITE),
    ("s > 'a' OR s < 'a'", "s IS NOT NULL", BOTH),
    ("COALESCE(i, 5) > 3", "i > 3", BOTH),
    ("CASE WHEN i > 1 THEN 1 END = 1", "i <= 1", BOTH),
    ("r > 7 / 2", "r > 3", DUCKDB),
    ("(i > 1) IS FALSE", "NOT (i > 1) OR i IS NULL", BOTH),
    ("s LIKE '%' OR i = 1", "TRUE", BOTH),
    ("j = 1 OR j = 5", "j BETWEEN 1 AND 5", BOTH),
    ("i + 0 = '1'", "i = '1'", SQLITE),
]
EQUAL_VALUES = [
    ("CASE WHEN i > 1 THEN 'x' ELSE 'x' END", "'x'", BOTH),
    ("CASE WHEN i IS NULL THEN 0 ELSE i END", "COALESCE(i, 0)", BOTH),
    ("CASE WHEN i IS NOT NULL THEN i ELSE 0 END", "IFNULL(i, 0)", BOTH),
    ("COALESCE(i, NULL, j, 5)", "COALESCE(i, j)", BOTH),
    ("COALESCE(COALESCE(i, r), j)", "COALESCE(i, r, j)", BOTH),
    ("IIF(i > 1, 'x', 'y')", "CASE WHEN 1 < i THEN 'x' ELSE 'y' END", SQLITE),
    (
        "CASE WHEN i > 1 THEN 'x' WHEN i < 0 THEN 'x' END",
        "CASE WHEN i > 1 OR i < 0 THEN 'x' END",
        BOTH,
    ),
    ("CASE WHEN j > 1 THEN 1 ELSE 0 END", "j > 1", SQLITE),
    (
        "CASE WHEN i IS NULL THEN 'y' ELSE 'x' END",
        "CASE WHEN i IS NOT NULL THEN 'x' ELSE 'y' END",
        BOTH,
    ),
    ("CASE i WHEN 1 THEN 'a' ELSE 'b' END", "CASE WHEN i = 1 THEN 'a' ELSE 'b' END", BOTH),
    ("i * 1.0", "CAST(i AS FLOAT)", SQLITE),
    ("CAST(i AS REAL) / j", "i / CAST(j AS DOUBLE)", SQLITE),
    ("CAST(i AS REAL) * 100 / j", "100.0 * i / j", SQLITE),
    ("CAST(i AS INTEGER)", "i", SQLITE),
    ("CAST(s AS VARCHAR(20))", "s", SQLITE),
    ("CAST(u AS INT)", "CAST(u AS BIGINT)", SQLITE),
    ("ROUND(r, 0)", "ROUND(r)", BOTH),
    ("1 + 2 * 3", "7", BOTH),
    ("-7 / 2", "-3", SQLITE),
    ("-7 % 3", "-1", SQLITE),
    ("i > 1 AND TRUE", "1 < i", BOTH),
    ("i / NULLIF(j, 0)", "i / j", SQLITE),
    ("STRFTIME('%Y', d) - 1", "CAST(STRFTIME('%Y', DATE(d)) AS INT) - 1", SQLITE),
    ("STRFTIME('%Y', CURRENT_TIMESTAMP)", "STRFTIME('%Y', 'now')", SQLITE),
]
DIFFERENT_VALUES = [
    ("i / j", "CAST(i AS REAL) / j", SQLITE),
    ("i = 1 AND i = 2", "FALSE", BOTH),
    ("i = i", "i IS NOT NULL", BOTH),
    ("CASE WHEN i > 1 THEN 1 ELSE 0 END", "i > 1", SQLITE),
    ("COALESCE(i, j)", "COALESCE(j, i)", BOTH),
    ("i - j", "j - i", BOTH),
    ("s + 0", "s", SQLITE),
    ("u * 1", "u", SQLITE),
    ("CAST(r AS INTEGER)", "r", SQLITE),
    (
        "CAST(CASE WHEN i > 1 THEN 1.5 ELSE 2 END AS REAL)",
        "CASE WHEN i > 1 THEN 1.5 ELSE 2 END",
        SQLITE,
    ),
    ("NULLIF(i, 0)", "COALESCE(i, 0)", BOTH),
    ("ROUND(r, 1)", "ROUND(r)", BOTH),
    ("i AND TRUE", "i", SQLITE),
    ("CASE WHEN j = 0 THEN 0 ELSE i / j END", "i / j", SQLITE),
    ("CASE WHEN j = 1 THEN NULL ELSE i / j END", "i / j", SQLITE),
    ("i / NULLIF(j, 1)", "i / j", SQLITE),
    ("STRFTIME('%m', d) || '-01'", "CAST(STRFTIME('%m', d) AS INT) || '-01'", SQLITE),
]


def cases(table: list[tuple[str, str, tuple[str, ...]]]) -> list[tuple[str, str, str]]:
    return [(one, other, dialect) for one, other, dialects in table for dialect in dialects]


@pytest.mark.parametrize(("one", "other", "dialect"), cases(EQUAL_CONDITIONS))
def test_conditions_become_equal(one: str, other: str, dialect: str) -> None:
    found = [simplify_condition(condition(text, dialect), scope(dialect)) for text in (one, other)]
    assert found[0].expression == found[1].expression, _shown(found, dialect)
    for text, simple in zip((one, other), found, strict=True):
        assert refuted(condition(text, dialect), simple, dialect, True) is None


@pytest.mark.parametrize(("one", "other", "dialect"), cases(EQUAL_VALUES))
def test_values_become_equal(one: str, other: str, dialect: str) -> None:
    found = [simplify(value(text, dialect), scope(dialect)) for text in (one, other)]
    assert found[0].expression == found[1].expression, _shown(found, dialect)
    for text, simple in zip((one, other), found, strict=True):
        assert refuted(value(text, dialect), simple, dialect, False) is None


@pytest.mark.parametrize(("one", "other", "dialect"), cases(DIFFERENT_CONDITIONS))
def test_conditions_stay_apart(one: str, other: str, dialect: str) -> None:
    found = [simplify_condition(condition(text, dialect), scope(dialect)) for text in (one, other)]
    assert found[0].expression != found[1].expression
    assert refuted(condition(one, dialect), found[1], dialect, True) is not None


@pytest.mark.parametrize(("one", "other", "dialect"), cases(DIFFERENT_VALUES))
def test_values_stay_apart(one: str, other: str, dialect: str) -> None:
    found = [simplify(value(text, dialect), scope(dialect)) for text in (one, other)]
    assert found[0].expression != found[1].expression
    assert refuted(value(one, dialect), found[1], dialect, False) is not None


def _shown(found: list, dialect: str) -> list[str | None]:  # type: ignore[type-arg]
    return [spelled(simple.expression, dialect) for simple in found]


# What SQLite's columns hold is not what they declare: only under Assumption.TYPES are these equal.
BY_TYPES = [
    ("i > 2", "i >= 3"),
    ("i > 1 AND i < 3", "i = 2"),
    ("i IN (1, 2, 3)", "i BETWEEN 1 AND 3"),
    ("i", "i <> 0"),
    ("b <> 0", "b = 1"),
    ("s LIKE '2010'", "s = '2010'"),
]


@pytest.mark.parametrize(("one", "other"), BY_TYPES)
def test_types_are_assumed(one: str, other: str) -> None:
    assuming = [simplify_condition(condition(t, "sqlite"), scope("sqlite")) for t in (one, other)]
    assert Assumption.TYPES in assuming[0].assumed | assuming[1].assumed
    plain = scope("sqlite", WITHOUT_TYPES)
    without = [simplify_condition(condition(t, "sqlite"), plain) for t in (one, other)]
    assert without[0].expression != without[1].expression
    assert not without[0].assumed | without[1].assumed


def test_nothing_is_assumed_without_need() -> None:
    for text in ("i IN (1, 3)", "i = 1 OR i = 3", "i >= 3", "s = 'a' AND i = 1"):
        assert not simplify_condition(condition(text, "sqlite"), scope("sqlite")).assumed
