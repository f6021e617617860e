"""Witnesses: as small as they get, valid as before, and the same when made anew."""

from __future__ import annotations

import sqlite3

import pytest
from shops import QUERIES, SHOP, material

from sqljury.databases.generated import (
    DataProfile,
    Material,
    Plan,
    Rows,
    ScratchDatabase,
    broken_rules,
    in_duckdb,
    make_rows,
    minimise,
    plans_for,
    replayed,
    script,
)
from sqljury.execution import Limits

LIMITS = Limits()


def _count(rows: Rows) -> int:
    return sum(map(len, rows.values()))


def test_rows_and_values_fall_away() -> None:
    made = material(*QUERIES["join"])
    rows = make_rows(made, Plan(DataProfile.CLEAN, 1, tuples=9, wide=True))

    def still(candidate: Rows) -> bool:
        return any(row[2] is not None for row in candidate["sale"])

    small = minimise(made, rows, still)
    # A sale keeps the customer and the item that it points to.
    assert {name: len(own) for name, own in small.items()} == {"customer": 1, "item": 1, "sale": 1}
    assert broken_rules(made, small) == frozenset()
    assert small["customer"][0][0] == small["sale"][0][0]


@pytest.mark.parametrize("profile", list(DataProfile))
def test_a_minimised_database_uses_no_more_licence(profile: DataProfile) -> None:
    made = material(SHOP, "SELECT * FROM customer c JOIN sale s ON s.customer_id = c.id")
    rows = make_rows(made, Plan(profile, 5, tuples=8))
    licence = broken_rules(made, rows)
    most = _count(rows) - 3
    small = minimise(made, rows, lambda candidate: _count(candidate) >= most)
    assert _count(small) == most
    assert broken_rules(made, small) <= licence


def test_the_work_is_bounded() -> None:
    made = material(*QUERIES["all tables"])
    rows = make_rows(made, Plan(DataProfile.CLEAN, 2, tuples=60, wide=True))
    calls = 0

    def never(_: Rows) -> bool:
        nonlocal calls
        calls += 1
        return False

    assert minimise(made, rows, never) == rows
    assert calls <= 400


@pytest.mark.parametrize("name", list(QUERIES))
def test_a_script_makes_the_same_rows(name: str) -> None:
    made = material(*QUERIES[name])
    for plan in plans_for(made, seed=4):
        rows = make_rows(made, plan)
        connection = sqlite3.connect(":memory:")
        connection.executescript(script(made, rows))
        _same_rows(made, rows, connection)
        connection.close()


def _same_rows(made: Material, rows: Rows, connection: sqlite3.Connection) -> None:
    for name, own in rows.items():
        found = connection.execute('SELECT * FROM "' + name.replace('"', '""') + '"').fetchall()
        assert sorted(map(repr, found)) == sorted(map(repr, own)), name


def test_replayed_in_sqlite_and_duckdb() -> None:
    pytest.importorskip("duckdb")
    made = material(SHOP, "SELECT name FROM customer WHERE town = 'Rye'")
    rows: Rows = {"customer": [(1, "it's", "Rye", None), (2, "b", "Rye", "2014-01-01")]}
    queries = ["SELECT name FROM customer ORDER BY id", "SELECT nothing FROM customer"]
    for runs in (
        replayed(script(made, rows), queries, LIMITS),
        in_duckdb(made.tables, rows, queries, LIMITS),
    ):
        assert runs is not None
        assert runs[0].table is not None
        assert runs[0].table.rows == [("it's",), ("b",)]
        assert not runs[1].ok


def test_a_script_that_fails_is_said() -> None:
    runs = replayed("CREATE TABLE t (a); CREATE TABLE t (a);", ["SELECT 1"], LIMITS)
    assert [run.ok for run in runs] == [False]


def test_scratch_and_script_give_the_same_results() -> None:
    schema, sql = QUERIES["join"]
    made = material(schema, sql)
    scratch = ScratchDatabase(made.tables)
    for plan in plans_for(made, [DataProfile.CLEAN, DataProfile.NULLS]):
        rows = make_rows(made, plan)
        scratch.fill(rows)
        here, there = (
            scratch.execute(sql, LIMITS).table,
            replayed(script(made, rows), [sql], LIMITS),
        )
        assert here is not None
        assert there[0].table is not None
        assert sorted(here.rows) == sorted(there[0].table.rows)
