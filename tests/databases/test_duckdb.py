"""DuckDB: values, limits, files, schema."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sqljury.databases import Database, open_databases
from sqljury.errors import InfrastructureError
from sqljury.execution import MIB, Limits, ResultTable, Status
from sqljury.schema import Column, ForeignKey, Table

duckdb = pytest.importorskip("duckdb")

LIMITS = Limits(seconds=10)


def make(path: Path, script: str = "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)") -> Path:
    connection = duckdb.connect(str(path))
    connection.execute(script)
    connection.close()
    return path


def opened(path: Path) -> Database:
    database = open_databases(path).open(path.stem)
    assert database is not None
    return database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return opened(make(tmp_path_factory.mktemp("duckdb") / "plain.duckdb"))


@pytest.mark.parametrize(
    ("sql", "columns", "row"),
    [
        ("SELECT 1 AS a, 2 AS a", ("a", "a"), (1, 2)),
        ("SELECT 1.50 AS d", ("d",), (Decimal("1.50"),)),
        ("SELECT 170141183460469231731687303715884105727 AS h", ("h",), (2**127 - 1,)),
        ("SELECT [1, 2] AS l, {'a': 1, 'b': 'x'} AS s", ("l", "s"), ([1, 2], {"a": 1, "b": "x"})),
        ("SELECT '\\x00\\xFF'::BLOB AS b, true AS t", ("b", "t"), (b"\x00\xff", True)),
        ("SELECT DATE '2020-02-29' AS d", ("d",), (dt.date(2020, 2, 29),)),
        ("SELECT INTERVAL 1 MONTH AS i", ("i",), (dt.timedelta(days=30),)),
        (
            "SELECT '00000000-0000-0000-0000-00000000000f'::UUID AS u, [u] AS l, {'k': u} AS s",
            ("u", "l", "s"),
            (
                "00000000-0000-0000-0000-00000000000f",
                ["00000000-0000-0000-0000-00000000000f"],
                {"k": "00000000-0000-0000-0000-00000000000f"},
            ),
        ),
        ("SELECT current_setting('TimeZone') AS z", ("z",), ("UTC",)),
        ("FROM t", ("a",), (1,)),
        ("SELECT a FROM t; -- done", ("a",), (1,)),
        ("PIVOT (SELECT 'x' AS k, 1 AS v) ON k USING sum(v)", ("x",), (1,)),
    ],
)
def test_values(database: Database, sql: str, columns: tuple[str, ...], row: Any) -> None:
    execution = database.execute(sql, LIMITS)
    assert execution.table == ResultTable(columns, [row]), execution.message


def test_a_million_rows_to_the_last(database: Database) -> None:
    full = database.execute("SELECT * FROM range(1000000)", LIMITS).table
    assert full is not None
    assert (len(full.rows), full.rows[-1]) == (1_000_000, (999_999,))
    over = database.execute("SELECT * FROM range(1000001)", LIMITS)
    assert (over.status, over.message) == (Status.TOO_LARGE, "more than 1000000 rows, the limit")


@pytest.mark.parametrize(
    ("sql", "limits", "status", "words"),
    [
        ("SELECT * FROM range(10)", Limits(rows=10), Status.OK, ""),
        ("SELECT * FROM range(10)", Limits(rows=9), Status.TOO_LARGE, "more than 9 rows"),
        ("SELECT * FROM range(1000000000)", Limits(), Status.TOO_LARGE, "1000000 rows"),
        ("SELECT repeat('a', 1000)", Limits(bytes=999), Status.TOO_LARGE, "999 bytes"),
        ("SELECT range(1000)", Limits(bytes=20_000), Status.TOO_LARGE, "20000 bytes"),
        (
            "SELECT * FROM range(10000000) ORDER BY hash(range)",
            Limits(memory=50 * MIB),
            Status.OUT_OF_MEMORY,
            "52428800 bytes of memory",
        ),
        ("SELECT missing FROM t", Limits(), Status.ERROR, '"missing" not found'),
        ("SELECT * FROM t WHERE a = ?", Limits(), Status.ERROR, "parameter"),
        ("SELECT error('mine')", Limits(), Status.ERROR, "mine"),
        ("SELECT 'x'::INTEGER", Limits(), Status.ERROR, "Could not convert"),
        ("WITH x AS (SELECT 1) DELETE FROM t", Limits(), Status.REFUSED, "DELETE"),
        ("SELECT * FROM read_csv('x.csv')", Limits(), Status.REFUSED, "disabled"),
    ],
)
def test_each_limit_ends_in_its_own_status(
    database: Database, sql: str, limits: Limits, status: Status, words: str
) -> None:
    execution = database.execute(sql, limits)
    assert execution.status is status, execution.message
    assert words in execution.message
    assert (execution.table is not None) == execution.ok
    after = database.execute("SELECT 1", LIMITS).table
    assert after is not None
    assert after.rows == [(1,)]


def test_seconds(database: Database) -> None:
    start = time.process_time()
    execution = database.execute(
        "SELECT sum(a.range * b.range) FROM range(1000000) AS a, range(1000000) AS b",
        Limits(seconds=0.2),
    )
    assert time.process_time() - start < (os.cpu_count() or 1)
    assert (execution.status, execution.message) == (Status.TIMEOUT, "exceeded 0.2 s")


def test_queries_after_a_timeout_are_not_interrupted(database: Database) -> None:
    slow = "SELECT count(*) FROM range(100000000) AS a, range(1000) AS b WHERE a.range < b.range"
    for _ in range(5):
        assert database.execute(slow, Limits(seconds=0.03)).status is Status.TIMEOUT
        for _ in range(20):
            assert database.execute("SELECT sum(range) FROM range(1000)", LIMITS).ok


@pytest.mark.parametrize("name", ["with space", "grün", "a#b", "50%"])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    before = make(tmp_path / f"{name}.db").read_bytes()
    database = open_databases(tmp_path).open(name)
    assert database is not None
    assert database.dialect == "duckdb"  # told by the contents
    assert database.execute("SELECT a FROM t", LIMITS).ok
    database.close()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {f"{name}.db": before}


def test_a_log_that_was_not_merged(tmp_path: Path) -> None:
    path = make(tmp_path / "t.duckdb")
    program = (
        "import duckdb, os, sys\n"
        "c = duckdb.connect(sys.argv[1])\n"
        "c.execute('INSERT INTO t VALUES (2)')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert "t.duckdb.wal" in before
    execution = opened(path).execute("SELECT a FROM t", LIMITS)
    assert execution.table is not None, execution.message
    assert execution.table.rows == [(1,), (2,)]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_database(tmp_path: Path) -> None:
    path = tmp_path / "broken.duckdb"
    path.write_bytes(b"01234567DUCK" + b"\0" * 100)
    with pytest.raises(InfrastructureError, match=r"^SJ221 .*broken\.duckdb"):
        opened(path)


def test_schema(tmp_path: Path) -> None:
    path = make(
        tmp_path / "shop.duckdb",
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, code VARCHAR NOT NULL UNIQUE);
        CREATE TABLE child (
            a INTEGER REFERENCES parent (id), d DECIMAL(10, 2), l INTEGER[], UNIQUE (a, d)
        );
        COMMENT ON TABLE child IS 'belongs to a parent';
        COMMENT ON COLUMN child.d IS 'a price';
        CREATE VIEW seen AS SELECT id AS number FROM parent;
        CREATE SCHEMA other;
        CREATE TABLE other.t (x INTEGER);
        """,
    )
    schema = opened(path).schema()
    assert schema.dialect == "duckdb"
    assert {table.name: table for table in schema.tables} == {
        "parent": Table(
            name="parent",
            columns=(
                Column(name="id", type="INTEGER", nullable=False),
                Column(name="code", type="VARCHAR", nullable=False),
            ),
            primary_key=("id",),
            unique=(("code",),),
        ),
        "child": Table(
            name="child",
            columns=(
                Column(name="a", type="INTEGER"),
                Column(name="d", type="DECIMAL(10,2)", description="a price"),
                Column(name="l", type="INTEGER[]"),
            ),
            unique=(("a", "d"),),
            foreign_keys=(
                ForeignKey(columns=("a",), target_table="parent", target_columns=("id",)),
            ),
            description="belongs to a parent",
        ),
        "seen": Table(name="seen", columns=(Column(name="number", type="INTEGER"),), is_view=True),
        "other.t": Table(name="other.t", columns=(Column(name="x", type="INTEGER"),)),
    }


def test_fingerprint(tmp_path: Path) -> None:
    path = make(tmp_path / "a.duckdb")
    database = opened(path)
    first = database.fingerprint()
    assert database.fingerprint() == first
    database.close()
    make(path, "UPDATE t SET a = 2")
    assert opened(path).fingerprint() != first


def test_a_file_opened_twice(tmp_path: Path) -> None:
    path = make(tmp_path / "a.duckdb")
    first, second = opened(path), opened(path)
    assert second.execute("SELECT a FROM t", Limits()).ok
    first.close()
    assert second.execute("SELECT a FROM t", Limits()).ok
    second.close()
