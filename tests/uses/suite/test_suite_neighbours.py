"""Neighbours of a query, and the few databases that tell them apart."""

from __future__ import annotations

import random
import sqlite3

import pytest

from sqljury.schema import Column, Schema, Table
from sqljury.uses.suite.build import distil
from sqljury.variants import neighbours

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(
            name="boat",
            columns=(
                Column(name="id", type="INTEGER"),
                Column(name="year", type="INT"),
                Column(name="name", type="TEXT"),
                Column(name="berth", type="TEXT"),
            ),
        ),
        Table(name="trip", columns=(Column(name="boat_id", type="INT"),)),
    ),
)

# query, neighbours that must be among its own
KINDS = [
    ("SELECT id FROM boat WHERE year > 3", ["SELECT id FROM boat WHERE year >= 3"]),
    ("SELECT id FROM boat WHERE year > 3", ["SELECT id FROM boat"]),
    ("SELECT id FROM boat WHERE year > 3", ["SELECT id FROM boat WHERE year > 2"]),
    ("SELECT id FROM boat WHERE year > 3", ["SELECT year FROM boat WHERE year > 3"]),
    (
        "SELECT id FROM boat WHERE year > 3 AND name = 'a'",
        [
            "SELECT id FROM boat WHERE year > 3",
            "SELECT id FROM boat WHERE name = 'a'",
            "SELECT id FROM boat WHERE year > 3 OR name = 'a'",
            "SELECT id FROM boat WHERE year > 3 AND berth = 'a'",
            "SELECT id FROM boat WHERE year > 3 AND name LIKE '%a%'",
        ],
    ),
    (
        "SELECT MAX(year), COUNT(name) FROM boat",
        [
            "SELECT MIN(year), COUNT(name) FROM boat",
            "SELECT MAX(year), COUNT(DISTINCT name) FROM boat",
            "SELECT MAX(year), COUNT(*) FROM boat",
        ],
    ),
    (
        "SELECT name FROM boat ORDER BY year DESC LIMIT 3",
        [
            "SELECT DISTINCT name FROM boat ORDER BY year DESC LIMIT 3",
            "SELECT name FROM boat ORDER BY year LIMIT 3",
            "SELECT name FROM boat LIMIT 3",
            "SELECT name FROM boat ORDER BY year DESC",
            "SELECT name FROM boat ORDER BY year DESC LIMIT 4",
        ],
    ),
    (
        "SELECT b.name FROM boat AS b JOIN trip AS t ON b.id = t.boat_id",
        [
            "SELECT b.name FROM boat AS b LEFT JOIN trip AS t ON b.id = t.boat_id",
            "SELECT b.name FROM boat AS b",
            "SELECT b.berth FROM boat AS b JOIN trip AS t ON b.id = t.boat_id",
        ],
    ),
    (
        "SELECT id FROM boat EXCEPT SELECT boat_id FROM trip",
        ["SELECT id FROM boat UNION SELECT boat_id FROM trip", "SELECT id FROM boat"],
    ),
    (
        "SELECT name FROM boat WHERE id IN (SELECT boat_id FROM trip)",
        ["SELECT name FROM boat WHERE NOT id IN (SELECT boat_id FROM trip)"],
    ),
]


@pytest.mark.parametrize(("sql", "expected"), KINDS)
def test_kinds(sql: str, expected: list[str]) -> None:
    assert set(expected) <= set(neighbours(sql, SCHEMA))


def test_neighbours_are_different_texts_that_mostly_run() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE boat (id, year, name, berth); CREATE TABLE trip (boat_id)"
    )
    for sql, _ in KINDS:
        found = neighbours(sql, SCHEMA)
        assert len(set(found)) == len(found)
        assert sql not in found
        runs = 0
        for text in found:
            try:
                connection.execute(text)
                runs += 1
            except sqlite3.Error:
                pass
        assert runs >= 0.7 * len(found)
    connection.close()


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
def test_what_is_no_query_or_too_long_has_none_or_few(sql: str) -> None:
    assert len(neighbours(sql, SCHEMA, most=10)) <= 10


def test_kinds_take_turns() -> None:
    sql = "SELECT name FROM boat WHERE year > 3 AND id > 4 AND berth = 'x' ORDER BY year LIMIT 1"
    few = neighbours(sql, SCHEMA, most=16)
    assert any("LIMIT 2" in text for text in few)
    assert any("DISTINCT" in text for text in few)


# what databases tell apart, how often each is asked for, what is kept
COVERS = [
    ([], 1, []),
    ([set()], 1, []),
    ([{1}, {1, 2}, {3}], 1, [1, 2]),
    ([{1}, {1}], 1, [0]),
    ([{1}, {1}], 2, [0, 1]),
    ([{1}, {1, 2}], 3, [1, 0]),
]


@pytest.mark.parametrize(("told_apart", "times", "kept"), COVERS)
def test_distilled(told_apart: list[set[int]], times: int, kept: list[int]) -> None:
    assert distil([frozenset(found) for found in told_apart], times=times) == kept


def test_what_any_database_tells_apart_the_kept_ones_do_as_often_as_asked() -> None:
    source = random.Random(0)
    for times in (1, 2, 3):
        databases = [frozenset(source.sample(range(60), source.randrange(12))) for _ in range(50)]
        kept = distil(databases, times=times)
        for n in range(60):
            there = sum(n in found for found in databases)
            assert sum(n in databases[i] for i in kept) >= min(times, there)
