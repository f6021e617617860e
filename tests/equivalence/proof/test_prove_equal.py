"""Pairs that only a proof by z3 makes equal, and near misses that it must leave apart."""

from __future__ import annotations

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.equivalence.canonical import equality
from sqljury.equivalence.proof import prove_equal
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import DECLARED_ASSUMPTIONS, Assumption
from sqljury.trees.nodes import Relation, Unreadable

pytest.importorskip("z3")

HARBOUR = """
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT);
CREATE TABLE boat (
    id INTEGER PRIMARY KEY, name TEXT, owner_id INTEGER REFERENCES owner (id),
    length INTEGER, year INTEGER, berth TEXT
);
CREATE TABLE trip (boat_id INTEGER NOT NULL REFERENCES boat (id), day TEXT, miles INTEGER);
"""
SCHEMA = schema_from_ddl(HARBOUR)
ALLOWED = DECLARED_ASSUMPTIONS | {Assumption.NO_OVERFLOW}


def tree(sql: str, schema: Schema = SCHEMA) -> Relation:
    found = build_tree(sql, schema, schema.dialect)
    assert not isinstance(found, Unreadable), found
    return found


def proved(left: str, right: str, **options) -> list[str] | None:
    # More than the default: a collection of garbage among thousands of tests counts as work.
    options = {"assuming": ALLOWED, "seconds": 20.0, **options}
    found = prove_equal(tree(left), tree(right), SCHEMA, "sqlite", **options)
    return None if found is None else sorted(found)


# Left, right, what the proof assumes.
EQUAL = [
    # Conditions
    (
        "SELECT name FROM boat WHERE length + 1 > year",
        "SELECT name FROM boat WHERE year - length < 1",
        ["no overflow", "types"],
    ),
    (
        "SELECT name FROM boat WHERE (length > 3 OR year > 3) AND NOT (length > 3 AND year <= 3)",
        "SELECT name FROM boat WHERE year > 3",
        None,
    ),
    (
        "SELECT name FROM boat WHERE year > 5 AND length = year AND length > 2",
        "SELECT name FROM boat WHERE length > 5 AND length = year",
        [],
    ),
    (
        "SELECT CASE WHEN year > 3 THEN year ELSE 3 END FROM boat WHERE year > 2",
        "SELECT CASE WHEN year <= 3 THEN 3 ELSE year END FROM boat WHERE year > 2",
        [],
    ),
    # Joins in another order, with conditions that follow from others
    (
        "SELECT a.name FROM boat a JOIN boat b ON a.length = b.length JOIN owner o"
        " ON o.id = b.owner_id AND a.owner_id = o.id",
        "SELECT x.name FROM owner o, boat y, boat x WHERE y.owner_id = x.owner_id"
        " AND x.owner_id = o.id AND y.length = x.length",
        [],
    ),
    # Sets: a join that adds nothing
    (
        "SELECT DISTINCT a.name FROM boat a JOIN boat b ON a.name = b.name WHERE a.year > 3",
        "SELECT DISTINCT name FROM boat WHERE year > 3 AND name IS NOT NULL",
        [],
    ),
    (
        "SELECT id FROM owner o WHERE EXISTS (SELECT 1 FROM boat b WHERE b.owner_id = o.id"
        " AND b.length > 5 AND b.length > 3)",
        "SELECT DISTINCT o.id FROM owner o JOIN boat b ON b.owner_id = o.id WHERE b.length > 5",
        ["primary key"],
    ),
    # A row that is looked up
    (
        "SELECT b.name FROM boat b LEFT JOIN owner o ON o.id = b.owner_id"
        " WHERE o.id IS NULL OR b.year > 3",
        "SELECT name FROM boat b WHERE year > 3 OR"
        " NOT EXISTS (SELECT 1 FROM owner o WHERE o.id = b.owner_id)",
        ["primary key"],
    ),
    # UNION ALL
    (
        "SELECT name FROM boat WHERE year > 3 UNION ALL SELECT name FROM boat WHERE year <= 3",
        "SELECT name FROM boat WHERE year IS NOT NULL",
        [],
    ),
    (
        "SELECT name FROM boat WHERE year > 3 AND year < 2 UNION ALL SELECT name FROM owner",
        "SELECT name FROM owner",
        None,
    ),
    # Groups
    (
        "SELECT berth, SUM(n) FROM (SELECT berth, year, COUNT(*) AS n FROM boat"
        " GROUP BY berth, year) GROUP BY berth",
        "SELECT berth, COUNT(*) FROM boat GROUP BY berth",
        None,
    ),
    (
        "SELECT berth, MAX(m) FROM (SELECT berth, year, MAX(length) AS m FROM boat"
        " GROUP BY berth, year) GROUP BY berth",
        "SELECT berth, MAX(length) FROM boat GROUP BY berth",
        None,
    ),
    (
        "SELECT length, SUM(year) FROM boat WHERE length = year GROUP BY length",
        "SELECT year, SUM(length) FROM boat WHERE length = year GROUP BY year",
        None,
    ),
    # Order
    (
        "SELECT name FROM boat WHERE year = length ORDER BY year",
        "SELECT name FROM boat WHERE year = length ORDER BY length, name",
        [],
    ),
    (
        "SELECT name FROM boat WHERE year = length ORDER BY year LIMIT 3",
        "SELECT name FROM boat WHERE year = length ORDER BY length LIMIT 3",
        [Assumption.NO_TIES],
    ),
]

DIFFERENT = [
    # Overflow, NULL, types
    ("SELECT name FROM boat WHERE length > 3", "SELECT name FROM boat WHERE NOT length <= 4"),
    ("SELECT name FROM boat WHERE length = length", "SELECT name FROM boat"),
    ("SELECT length / 2 FROM boat", "SELECT length / 2.0 FROM boat"),
    ("SELECT length * 1.5 + year * 0.1 - year * 0.1 FROM boat", "SELECT length * 1.5 FROM boat"),
    ("SELECT name = 'a' FROM boat", "SELECT name = 'A' FROM boat"),
    # A bag is not a set
    (
        "SELECT a.name FROM boat a JOIN boat b ON a.name = b.name",
        "SELECT name FROM boat WHERE name IS NOT NULL",
    ),
    (
        "SELECT name FROM boat WHERE year > 3 UNION ALL SELECT name FROM boat WHERE year <= 4",
        "SELECT name FROM boat WHERE year IS NOT NULL",
    ),
    # No key: more than one row may fit
    (
        "SELECT b.name FROM boat b LEFT JOIN trip t ON t.boat_id = b.id WHERE t.miles > 3",
        "SELECT name FROM boat b WHERE EXISTS"
        " (SELECT 1 FROM trip t WHERE t.boat_id = b.id AND t.miles > 3)",
    ),
    # Groups
    (
        "SELECT berth, AVG(m) FROM (SELECT berth, year, AVG(length) AS m FROM boat"
        " GROUP BY berth, year) GROUP BY berth",
        "SELECT berth, AVG(length) FROM boat GROUP BY berth",
    ),
    (
        "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM boat GROUP BY berth)",
        "SELECT COUNT(*) FROM boat",
    ),
    (
        "SELECT berth, COUNT(name) FROM boat GROUP BY berth",
        "SELECT berth, COUNT(*) FROM boat GROUP BY 1",
    ),
    ("SELECT COUNT(*) FROM boat", "SELECT SUM(1) FROM boat"),
    # Order
    ("SELECT name FROM boat ORDER BY year, length", "SELECT name FROM boat ORDER BY year"),
    (
        "SELECT name FROM boat ORDER BY year LIMIT 3",
        "SELECT name FROM boat ORDER BY year, name LIMIT 3",
    ),
    # Chance
    ("SELECT RANDOM() FROM boat", "SELECT RANDOM() FROM boat"),
]


@pytest.mark.parametrize(("left", "right", "assumed"), EQUAL)
def test_equal(left: str, right: str, assumed: list[str] | None) -> None:
    found = proved(left, right)
    assert found is not None
    assert assumed is None or found == assumed
    assert proved(right, left) is not None or "ORDER BY" in left


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different(left: str, right: str) -> None:
    assert proved(left, right) is None


def test_most_of_it_is_news() -> None:
    """Canonical trees alone do not make these pairs equal."""
    known = [
        equality(tree(left), tree(right), SCHEMA, "sqlite", assuming=ALLOWED) is not None
        for left, right, _ in EQUAL
    ]
    assert sum(known) < len(known) / 2


def test_who_reads_the_rows() -> None:
    ordered = "SELECT name FROM boat WHERE year = length ORDER BY year"
    free = "SELECT name FROM boat WHERE length = year"
    assert proved(ordered, free) is None
    assert proved(free, ordered) == []
    assert proved(ordered, free, order="free") == []
    twice = "SELECT a.name FROM boat a JOIN boat b ON a.name = b.name"
    once = "SELECT name FROM boat WHERE name = name"
    assert proved(twice, once) is None
    assert proved(twice, once, duplicates=False) == []
    turned = "SELECT year, name FROM boat WHERE year = length"
    assert proved("SELECT name, year FROM boat WHERE length = year", turned) is None
    assert proved("SELECT name, length FROM boat WHERE length = year", turned, permuted=True) == []


def test_a_hostile_query_takes_little_time() -> None:
    chain = " AND ".join(f"b{i}.year = b{i + 1}.length" for i in range(11))
    tables = ", ".join(f"boat b{i}" for i in range(12))
    left = f"SELECT b0.name FROM {tables} WHERE {chain}"
    right = f"SELECT b0.name FROM {tables} WHERE {chain} AND b3.year > 3"
    assert proved(left, right, seconds=0.5) is None
    deep = "SELECT name FROM boat WHERE " + "NOT (" * 40 + "year > 3" + ")" * 40
    assert proved(deep, "SELECT name FROM boat WHERE year > 4", seconds=0.5) is None
