"""What each kind of rewrite and mutation makes of a query, and that rewrites keep its rows."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter

import pytest

from sqljury.schema import Column, ForeignKey, Schema, Table
from sqljury.variants import mutations, rewrites
from sqljury.variants.base import Changes, changed, context_of, readable, text_of
from sqljury.variants.mutations import MUTATIONS
from sqljury.variants.rewrites import RARE, REWRITES

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(
            name="harbour",
            columns=(
                Column(name="id", type="INTEGER", nullable=False),
                Column(name="city", type="TEXT"),
                Column(name="depth", type="INT"),
            ),
            primary_key=("id",),
        ),
        Table(
            name="boat",
            columns=(
                Column(name="id", type="INTEGER", nullable=False),
                Column(name="name", type="TEXT"),
                Column(name="year", type="INT"),
                Column(name="length", type="REAL"),
                Column(name="harbour_id", type="INT"),
            ),
            primary_key=("id",),
            foreign_keys=(
                ForeignKey(columns=("harbour_id",), target_table="harbour", target_columns=("id",)),
            ),
        ),
    ),
)
DDL = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, city TEXT, depth INT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, year INT, length REAL, harbour_id INT);
"""

JOINED = "SELECT b.name FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id"

# kind, query, what is among the kind's variants of it
REWRITTEN = [
    (
        "turned_comparison",
        "SELECT id FROM boat WHERE year > 3",
        "SELECT id FROM boat WHERE 3 < year",
    ),
    ("integer_bound", "SELECT id FROM boat WHERE year > 3", "SELECT id FROM boat WHERE year >= 4"),
    ("integer_bound", "SELECT id FROM boat WHERE year <= 3", "SELECT id FROM boat WHERE year < 4"),
    (
        "integer_bound",
        "SELECT name FROM boat GROUP BY name HAVING COUNT(*) > 2",
        "SELECT name FROM boat GROUP BY name HAVING COUNT(*) >= 3",
    ),
    (
        "between",
        "SELECT id FROM boat WHERE year BETWEEN 1 AND 3",
        "SELECT id FROM boat WHERE year >= 1 AND year <= 3",
    ),
    (
        "between",
        "SELECT id FROM boat WHERE year >= 1 AND year <= 3",
        "SELECT id FROM boat WHERE year BETWEEN 1 AND 3",
    ),
    (
        "between",
        "SELECT id FROM boat WHERE NOT year BETWEEN 1 AND 3",
        "SELECT id FROM boat WHERE NOT (year >= 1 AND year <= 3)",
    ),
    (
        "in_list",
        "SELECT id FROM boat WHERE year IN (1, 3)",
        "SELECT id FROM boat WHERE (year = 1 OR year = 3)",
    ),
    (
        "in_list",
        "SELECT id FROM boat WHERE year = 1 OR year = 3",
        "SELECT id FROM boat WHERE year IN (1, 3)",
    ),
    ("negation", "SELECT id FROM boat WHERE year <> 3", "SELECT id FROM boat WHERE NOT year = 3"),
    (
        "operand_order",
        "SELECT id FROM boat WHERE year = 3 AND name = 'a'",
        "SELECT id FROM boat WHERE name = 'a' AND year = 3",
    ),
    (
        "join_order",
        JOINED,
        "SELECT b.name FROM harbour AS h JOIN boat AS b ON b.harbour_id = h.id",
    ),
    (
        "join_condition",
        JOINED,
        "SELECT b.name FROM boat AS b, harbour AS h WHERE b.harbour_id = h.id",
    ),
    (
        "join_condition",
        JOINED + " WHERE h.city = 'x' AND b.year = 1",
        "SELECT b.name FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id AND h.city = 'x' "
        "WHERE b.year = 1",
    ),
    (
        "join_to_in",
        JOINED + " WHERE h.city = 'x'",
        "SELECT b.name FROM boat AS b WHERE b.harbour_id IN "
        "(SELECT h.id FROM harbour AS h WHERE h.city = 'x')",
    ),
    (
        "in_to_join",
        "SELECT name FROM boat WHERE harbour_id IN (SELECT id FROM harbour WHERE depth > 3)",
        "SELECT boat.name FROM boat JOIN harbour ON boat.harbour_id = harbour.id "
        "WHERE harbour.depth > 3",
    ),
    (
        "in_to_join",
        "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat)",
        "SELECT harbour.city FROM harbour JOIN (SELECT DISTINCT boat.harbour_id FROM boat) AS q "
        "ON harbour.id = q.harbour_id",
    ),
    (
        "in_to_exists",
        "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat)",
        "SELECT harbour.city FROM harbour WHERE EXISTS(SELECT 1 FROM boat "
        "WHERE boat.harbour_id = harbour.id)",
    ),
    (
        "in_to_exists",
        "SELECT name FROM boat WHERE id IN (SELECT id FROM boat WHERE year = 1)",
        "SELECT boat.name FROM boat WHERE EXISTS(SELECT 1 FROM boat AS s "
        "WHERE s.year = 1 AND s.id = boat.id)",
    ),
    (
        "not_in_to_outer_join",
        "SELECT city FROM harbour WHERE NOT id IN (SELECT harbour_id FROM boat WHERE year = 1)",
        "SELECT harbour.city FROM harbour LEFT JOIN boat ON harbour.id = boat.harbour_id "
        "AND boat.year = 1 WHERE boat.harbour_id IS NULL",
    ),
    (
        "set_to_membership",
        "SELECT id FROM harbour EXCEPT SELECT harbour_id FROM boat",
        "SELECT DISTINCT id FROM harbour WHERE NOT id IN (SELECT harbour_id FROM boat)",
    ),
    (
        "membership_to_set",
        "SELECT id FROM harbour WHERE NOT id IN (SELECT harbour_id FROM boat)",
        "SELECT id FROM harbour EXCEPT SELECT harbour_id FROM boat",
    ),
    (
        "union_to_or",
        "SELECT name FROM boat WHERE year = 1 UNION SELECT name FROM boat WHERE year = 2",
        "SELECT DISTINCT name FROM boat WHERE (year = 1) OR (year = 2)",
    ),
    (
        "or_to_union",
        "SELECT id FROM boat WHERE year = 1 OR name = 'a'",
        "SELECT id FROM boat WHERE year = 1 UNION SELECT id FROM boat WHERE name = 'a'",
    ),
    ("count_rows", "SELECT COUNT(*) FROM boat", "SELECT COUNT(boat.id) FROM boat"),
    ("count_rows", "SELECT COUNT(id) FROM boat", "SELECT COUNT(*) FROM boat"),
    ("count_rows", "SELECT COUNT(DISTINCT id) FROM boat", "SELECT COUNT(*) FROM boat"),
    (
        "count_case",
        "SELECT COUNT(*) FROM boat WHERE year = 1",
        "SELECT COUNT(CASE WHEN year = 1 THEN 1 END) FROM boat",
    ),
    ("distinct_of_key", "SELECT id, name FROM boat", "SELECT DISTINCT id, name FROM boat"),
    ("distinct_of_key", "SELECT DISTINCT id FROM boat", "SELECT id FROM boat"),
    ("distinct_to_group", "SELECT DISTINCT name FROM boat", "SELECT name FROM boat GROUP BY name"),
    ("distinct_to_group", "SELECT name FROM boat GROUP BY name", "SELECT DISTINCT name FROM boat"),
    (
        "idle_clause",
        "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat)",
        "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat ORDER BY harbour_id)",
    ),
    (
        "table_names",
        JOINED,
        "SELECT boat.name FROM boat JOIN harbour ON boat.harbour_id = harbour.id",
    ),
    ("unqualified", "SELECT b.name FROM boat AS b", "SELECT name FROM boat AS b"),
    ("unqualified", "SELECT name FROM boat", "SELECT boat.name FROM boat"),
    (
        "output_names",
        "SELECT name, COUNT(*) FROM boat GROUP BY name ORDER BY COUNT(*)",
        "SELECT name, COUNT(*) AS num FROM boat GROUP BY name ORDER BY num",
    ),
    (
        "positions",
        "SELECT name, COUNT(*) FROM boat GROUP BY name ORDER BY COUNT(*)",
        "SELECT name, COUNT(*) FROM boat GROUP BY name ORDER BY 2",
    ),
    ("identifier_style", "SELECT Name FROM Boat", 'SELECT "Name" FROM "Boat"'),
    (
        "derived_table",
        "SELECT name FROM boat WHERE year > 3",
        "SELECT boat.name FROM (SELECT boat.name, boat.year FROM boat) AS boat WHERE boat.year > 3",
    ),
    (
        "derived_table",
        "SELECT name FROM boat WHERE year > 3",
        "SELECT boat.name FROM (SELECT boat.name FROM boat WHERE boat.year > 3) AS boat",
    ),
    ("outer_select", "SELECT name FROM boat", "SELECT * FROM (SELECT name FROM boat) AS t"),
    (
        "common_table",
        "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat)",
        "WITH part AS (SELECT harbour_id FROM boat) SELECT city FROM harbour "
        "WHERE id IN (SELECT harbour_id FROM part)",
    ),
    (
        "first_of_order",
        "SELECT MAX(year) FROM boat",
        "SELECT year FROM boat ORDER BY year DESC LIMIT 1",
    ),
    (
        "equal_column",
        "SELECT h.id FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id",
        "SELECT b.harbour_id FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id",
    ),
    (
        "further_group_key",
        "SELECT name FROM boat GROUP BY id",
        "SELECT name FROM boat GROUP BY id, name",
    ),
    (
        "having_to_where",
        "SELECT name FROM boat GROUP BY name HAVING COUNT(*) > 2",
        "SELECT g.name FROM (SELECT name, COUNT(*) AS n0 FROM boat GROUP BY name) AS g "
        "WHERE g.n0 > 2",
    ),
    (
        "having_to_where",
        "SELECT name FROM boat GROUP BY name HAVING MAX(year) > (SELECT AVG(depth) FROM harbour)",
        "SELECT g.name FROM (SELECT name, MAX(year) AS n0 FROM boat GROUP BY name) AS g "
        "WHERE g.n0 > (SELECT AVG(depth) FROM harbour)",
    ),
    (
        "implied_condition",
        "SELECT id FROM boat WHERE year > 3",
        "SELECT id FROM boat WHERE year > 3 AND NOT year IS NULL",
    ),
    (
        "number_as_text",
        "SELECT id FROM boat WHERE year = 3",
        "SELECT id FROM boat WHERE year = '3'",
    ),
    (
        "cast",
        "SELECT id FROM boat WHERE year = 3",
        "SELECT id FROM boat WHERE CAST(year AS INTEGER) = 3",
    ),
    ("output_order", "SELECT id, name FROM boat", "SELECT name, id FROM boat"),
    (
        "equality_to_in",
        "SELECT id FROM boat WHERE year = (SELECT MAX(year) FROM boat)",
        "SELECT id FROM boat WHERE year IN (SELECT MAX(year) FROM boat)",
    ),
    (
        "average",
        "SELECT AVG(year) FROM boat",
        "SELECT CAST(SUM(year) * 1.0 AS REAL) / COUNT(year) FROM boat",
    ),
]

# kind, query, nothing of the kind is made of it
UNTOUCHED = [
    ("integer_bound", "SELECT id FROM boat WHERE length > 3"),
    ("integer_bound", "SELECT id FROM boat WHERE year > 2.5"),
    (
        "join_to_in",
        "SELECT h.city FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id WHERE b.year = 1",
    ),
    ("join_to_in", "SELECT * FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id"),
    ("join_to_in", "SELECT DISTINCT COUNT(*) FROM harbour AS h JOIN boat AS b ON b.year = h.depth"),
    ("having_to_where", "SELECT name FROM boat GROUP BY name, year HAVING COUNT(*) > year"),
    (
        "not_in_to_outer_join",
        "WITH b AS (SELECT harbour_id FROM boat) SELECT city FROM harbour WHERE id NOT IN (SELECT harbour_id FROM b)",
    ),
    ("or_to_union", "SELECT name FROM boat WHERE year = 1 OR year = 2"),
    ("membership_to_set", "SELECT city FROM harbour WHERE id IN (SELECT harbour_id FROM boat)"),
    (
        "membership_to_set",
        "SELECT id FROM harbour WHERE NOT id IN (SELECT MAX(harbour_id) FROM boat)",
    ),
    (
        "set_to_membership",
        "SELECT id FROM harbour EXCEPT SELECT SUM(harbour_id) FROM boat",
    ),
    ("distinct_of_key", "SELECT name FROM boat"),
    ("union_to_or", "SELECT name FROM boat UNION ALL SELECT name FROM boat"),
    ("count_rows", "SELECT COUNT(name) FROM boat"),
    ("join_order", "SELECT * FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id"),
    ("number_as_text", "SELECT id FROM boat WHERE name = 3"),
    (
        "output_order",
        "WITH q(a, b) AS (SELECT id, name FROM boat) SELECT a FROM q UNION SELECT b FROM q",
    ),
]

MUTATED = [
    *(
        ("bound", "SELECT id FROM boat WHERE year > 3", f"SELECT id FROM boat WHERE year {near}")
        for near in (">= 3", "> 2", "> 4", ">= 2", ">= 4")
    ),
    (
        "literal_case",
        "SELECT id FROM boat WHERE name = 'Ann'",
        "SELECT id FROM boat WHERE name = 'ann'",
    ),
    (
        "redundant_join",
        "SELECT name FROM boat",
        "SELECT boat.name FROM boat JOIN harbour ON boat.harbour_id = harbour.id",
    ),
    (
        "group_key",
        "SELECT name, COUNT(*) FROM boat GROUP BY id",
        "SELECT name, COUNT(*) FROM boat GROUP BY name",
    ),
    ("foreign_column", JOINED, JOINED.replace("b.name", "h.city")),
    ("output", "SELECT id, name FROM boat", "SELECT id FROM boat"),
    ("output", "SELECT name FROM boat", "SELECT name, boat.id FROM boat"),
    (
        "set_to_condition",
        "SELECT name FROM boat WHERE year = 1 INTERSECT SELECT name FROM boat WHERE year = 2",
        "SELECT name FROM boat WHERE (year = 1) AND (year = 2)",
    ),
    (
        "union_all",
        "SELECT name FROM boat UNION SELECT city FROM harbour",
        "SELECT name FROM boat UNION ALL SELECT city FROM harbour",
    ),
    (
        "extreme",
        "SELECT name FROM boat ORDER BY year DESC LIMIT 1",
        "SELECT name FROM boat WHERE year = (SELECT MAX(year) FROM boat)",
    ),
    (
        "extreme",
        "SELECT name FROM boat WHERE year = (SELECT MIN(year) FROM boat)",
        "SELECT name FROM boat ORDER BY year LIMIT 1",
    ),
    ("join_key", JOINED, JOINED.replace("b.harbour_id", "b.id")),
    ("counted", "SELECT COUNT(*) FROM boat", "SELECT COUNT(DISTINCT boat.name) FROM boat"),
    ("counted", "SELECT COUNT(*) FROM boat", "SELECT SUM(boat.year) FROM boat"),
    (
        "membership",
        "SELECT name FROM boat WHERE harbour_id IN (SELECT id FROM harbour)",
        "SELECT name FROM boat WHERE harbour_id = (SELECT id FROM harbour)",
    ),
    (
        "membership",
        "SELECT city FROM harbour WHERE NOT id IN (SELECT harbour_id FROM boat)",
        "SELECT harbour.city FROM harbour JOIN boat ON harbour.id <> boat.harbour_id",
    ),
]


def of_kind(changes: Changes, sql: str) -> list[str]:
    """All that a kind makes of a query."""
    tree = readable(sql, SCHEMA, "sqlite")
    assert tree is not None
    here = context_of(tree, SCHEMA)
    found = []
    for index, node in enumerate(tree.walk()):
        for change in changes(node, here):
            made = changed(tree, index, change)
            text = None if made is None else text_of(made, "sqlite")
            if text is not None:
                found.append(text)
    return found


@pytest.mark.parametrize(("kind", "sql", "expected"), REWRITTEN)
def test_rewritten(kind: str, sql: str, expected: str) -> None:
    assert expected in of_kind(REWRITES[kind], sql)


@pytest.mark.parametrize(("kind", "sql"), UNTOUCHED)
def test_not_rewritten(kind: str, sql: str) -> None:
    assert of_kind(REWRITES[kind], sql) == []


@pytest.mark.parametrize(("kind", "sql", "expected"), MUTATED)
def test_mutated(kind: str, sql: str, expected: str) -> None:
    assert expected in of_kind(MUTATIONS[kind], sql)


def test_every_rewrite_is_in_the_table() -> None:
    assert {kind for kind, _, _ in REWRITTEN} == set(REWRITES)
    assert set(REWRITES) > RARE


def rows_of(connection: sqlite3.Connection, sql: str) -> Counter[tuple[object, ...]]:
    """The rows as a bag; columns may stand in any order, numbers are compared as such."""
    return Counter(
        tuple(sorted(map(repr, (round(v, 9) if isinstance(v, float) else v for v in row))))
        for row in connection.execute(sql)
    )


@pytest.fixture(scope="module")
def filled() -> list[sqlite3.Connection]:
    """Databases without NULL whose keys and foreign keys hold."""
    source = random.Random(7)
    found = []
    for _ in range(6):
        connection = sqlite3.connect(":memory:")
        connection.executescript(DDL)
        for number in range(1, 6):
            row = (number, source.choice("xyz"), source.randrange(6))
            connection.execute("INSERT INTO harbour VALUES (?, ?, ?)", row)
        for number in range(1, 25):
            name, year = source.choice(("a", "b", "Ann")), source.randrange(6)
            row = (number, name, year, year + 0.5, source.randrange(1, 6))
            connection.execute("INSERT INTO boat VALUES (?, ?, ?, ?, ?)", row)
        found.append(connection)
    return found


@pytest.mark.parametrize("sql", sorted({sql for _, sql, _ in REWRITTEN}))
def test_rewrites_on_top_of_each_other_keep_the_rows(
    sql: str, filled: list[sqlite3.Connection]
) -> None:
    for variant in rewrites(sql, SCHEMA, most=12, steps=3):
        for connection in filled:
            assert rows_of(connection, variant.sql) == rows_of(connection, sql), variant


def test_the_same_seed_the_same_variants() -> None:
    sql = JOINED + " WHERE h.city = 'x' AND b.year > 1 ORDER BY b.name LIMIT 3"
    assert rewrites(sql, SCHEMA, seed=1) == rewrites(sql, SCHEMA, seed=1)
    assert rewrites(sql, SCHEMA, seed=1) != rewrites(sql, SCHEMA, seed=2)
    found = mutations(sql, SCHEMA, seed=1, most=10)
    assert found == mutations(sql, SCHEMA, seed=1, most=10)
    assert len({variant.kinds for variant in found}) == 10, "kinds take turns"
    assert len({variant.sql for variant in found}) == 10


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "SELECT",
        "DROP TABLE boat",
        "SELECT " + "(" * 5000,
        "SELECT 1 WHERE " + "1=1 AND " * 900 + "1",
    ],
)
def test_what_is_no_query_or_too_long_has_none(sql: str) -> None:
    assert rewrites(sql, SCHEMA) == mutations(sql, SCHEMA) == []


def test_a_bound_is_put_off_first() -> None:
    sql = JOINED + " WHERE h.city = 'x' AND b.year > 1 ORDER BY b.name LIMIT 3"
    for seed in range(20):
        assert mutations(sql, SCHEMA, seed=seed, most=3)[0].kinds == ("bound",)


def test_texts_in_double_quotes_stay_texts_next_to_other_tables() -> None:
    found = of_kind(REWRITES["derived_table"], 'SELECT id FROM boat WHERE name = "Ann"')
    assert "SELECT boat.id FROM (SELECT boat.id FROM boat WHERE boat.name = 'Ann') AS boat" in found


def test_not_in_of_a_list_is_no_subquery_to_be_joined() -> None:
    assert mutations("SELECT id FROM boat WHERE name NOT IN ('Ann', 'Bea')", SCHEMA, most=40)
