"""The database in memory: filled again and again, under the guard of database files."""

from __future__ import annotations

import pytest
from hostile import HARMLESS, Hostile, for_engine

from sqljury.databases.generated import ScratchDatabase
from sqljury.databases.generated.scratch import create_table
from sqljury.execution import Limits
from sqljury.schema import Column, Table

T = Table(name="t", columns=(Column(name="id", type="INTEGER"), Column(name="name", type="TEXT")))
LIMITS = Limits(seconds=0.5, rows=10_000)
ROWS = [(i, f"n{i}") for i in range(20)]


@pytest.fixture(scope="module")
def scratch() -> ScratchDatabase:
    database = ScratchDatabase([T])
    database.fill({"t": ROWS})
    return database


@pytest.mark.parametrize("hostile", for_engine("sqlite"), ids=str)
def test_hostile_statements_change_nothing(scratch: ScratchDatabase, hostile: Hostile) -> None:
    scratch.execute(hostile.sql, LIMITS)
    left = scratch.execute("SELECT * FROM t ORDER BY id", Limits())
    assert left.table is not None
    assert left.table.rows == ROWS


@pytest.mark.parametrize("sql", HARMLESS)
def test_harmless_statements_run(scratch: ScratchDatabase, sql: str) -> None:
    found = scratch.execute(sql, Limits())
    assert found.table is not None
    assert found.table.rows == [(1,)]


def test_rows_are_replaced() -> None:
    database = ScratchDatabase([T])
    for rows in ([(1, "a")], [], [(2, "b"), (2, "b")]):
        database.fill({"t": rows})
        found = database.execute("SELECT * FROM t", LIMITS)
        assert found.table is not None
        assert found.table.rows == rows


def test_a_join_reads_rows_in_the_order_in_which_they_were_written() -> None:
    database = ScratchDatabase([T, Table(name="s", columns=T.columns)])
    rows = [(1, "b"), (1, "a"), (1, "c")]
    database.fill({"t": [(1, "x")], "s": rows})
    found = database.execute("SELECT s.name FROM t CROSS JOIN s ON t.id = s.id", LIMITS)
    assert found.table is not None
    assert found.table.rows == [(name,) for _, name in rows]


def test_rows_are_read_in_the_order_in_which_they_were_written() -> None:
    keyed = Table(name="k", columns=T.columns, primary_key=("id",), unique=(("name",),))
    database = ScratchDatabase([keyed])
    for rows in ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")]):
        database.fill({"k": rows})
        found = database.execute("SELECT * FROM k", LIMITS)
        assert found.table is not None
        assert found.table.rows == rows


@pytest.mark.parametrize(
    "declared",
    ["INT) ; DROP TABLE t --", "TEXT DEFAULT (1)", "a'b", "REFERENCES t", "INT)", "É", "x" * 500],
)
def test_a_type_is_no_more_than_a_type(declared: str) -> None:
    table = Table(name="x", columns=(Column(name="a", type=declared), Column(name="b")))
    database = ScratchDatabase([table])
    database.fill({"x": [(1, 2)]})
    assert database.execute("SELECT a, b FROM x", LIMITS).ok


def test_names_are_quoted() -> None:
    table = Table(name='a"b', columns=(Column(name="group by", type="INT"),))
    assert create_table(table) == 'CREATE TABLE "a""b" ("group by" INT)'
