"""What each kind of rewrite and mutation makes of a query, and that rewrites keep its rows."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.schema import Column, Schema, Table
from sqljury.variants import mutations, rewrites
from sqljury.variants.base import Changes, changed, context_of, readable, text_of
from sqljury.variants.mutations import MUTATIONS
from sqljury.variants.rewrites import RARE, REWRITES

DDL = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, city TEXT, depth INT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, year INT, length REAL,
  harbour_id INT REFERENCES harbour (id));
"""
SCHEMA = replace(schema_from_ddl(DDL), dialect="sqlite")
VALUES = {
    ("boat", "name"): ("Bea", "Anton", "Ann"),
    ("boat", "year"): (1999, 38),
    ("boat", "length"): (7.5,),
}

JOINED = "SELECT b.name FROM boat AS b JOIN harbour AS h ON b.harbour_id = h.id"

_LINE = re.compile(r"(\w+) (\w+): (.+?)(?: => (.+))?")


def table(what: str) -> list[tuple[str, ...]]:
    """The lines of kinds.txt: kind, query, and what is among the kind's variants of it."""
    text = (Path(__file__).parent / "kinds.txt").read_text(encoding="utf-8")
    rows = [_LINE.fullmatch(line) for line in text.splitlines() if line[:2] not in ("", "--")]
    assert None not in rows
    return [row.groups()[1:] for row in rows if row is not None and row[1] == what]


REWRITTEN, MUTATED = table("rewrite"), table("mutation")
UNTOUCHED = [(kind, sql) for kind, sql, _ in table("stays")]


def of_kind(changes: Changes, sql: str) -> list[str]:
    """All that a kind makes of a query."""
    tree = readable(sql, SCHEMA, "sqlite")
    assert tree is not None
    here = context_of(tree, SCHEMA, VALUES)
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


def test_values_are_used_only_where_they_are_known() -> None:
    sql = "SELECT id FROM boat WHERE name = 'Ann' AND year > 38"
    with_values = mutations(sql, SCHEMA, most=60, values=VALUES)
    assert sum(variant.kinds == ("value",) for variant in with_values) > 5
    assert not any(variant.kinds == ("value",) for variant in mutations(sql, SCHEMA, most=60))


def test_texts_in_double_quotes_stay_texts_next_to_other_tables() -> None:
    found = of_kind(REWRITES["derived_table"], 'SELECT id FROM boat WHERE name = "Ann"')
    assert "SELECT boat.id FROM (SELECT boat.id FROM boat WHERE boat.name = 'Ann') AS boat" in found


def test_not_in_of_a_list_is_no_subquery_to_be_joined() -> None:
    assert mutations("SELECT id FROM boat WHERE name NOT IN ('Ann', 'Bea')", SCHEMA, most=40)


def test_new_names_are_quoted_where_case_counts():
    columns = tuple(Column(name=name, type="TEXT") for name in ("id", "port", "KIND"))
    schema = Schema(dialect="snowflake", tables=(Table(name="BOAT", columns=columns),))
    sql = 'SELECT "id" FROM boat WHERE "id" = \'a\' ORDER BY "id"'
    found = [one.sql for one in mutations(sql, schema, most=40, dialect="snowflake")]
    assert any('"port"' in text for text in found)
    assert not any(re.search(r"(?<!\")\bport\b", text) for text in found)


def test_rows_that_are_fetched_are_a_limit():
    schema = Schema(dialect="postgres", tables=(Table(name="t", columns=(Column(name="a"),)),))
    sql = "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY"
    found = [one.sql for one in mutations(sql, schema, most=40, dialect="postgres")]
    assert "SELECT a FROM t ORDER BY a LIMIT 4" in found
