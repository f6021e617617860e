"""Hostile statements on SQLite and DuckDB: stopped, named for what they are, nothing changed."""

from __future__ import annotations

import importlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile import ERROR, HARMLESS, REFUSED, ROWS, Hostile, for_engine

from sqljury.databases import Database, open_databases
from sqljury.execution import Limits, Status

LIMITS = Limits(seconds=1.0, rows=100_000)
GRACE = 2.0
AT_LEISURE = Limits(rows=100_000)
"""For what is not about time: a busy machine is no fault."""
ENGINES = ("sqlite", "duckdb")
THREADS = {"sqlite": 1, "duckdb": os.cpu_count() or 1}
Snapshot = dict[str, bytes]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = {engine: tmp_path_factory.mktemp(engine) for engine in ENGINES}
    for engine, connect in (("sqlite", sqlite3.connect), ("duckdb", _connect_duckdb)):
        connection: Any = connect(folders[engine] / f"t.{engine}")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"n{i}") for i in range(ROWS)])
        connection.commit()
        connection.close()
    return folders


def _connect_duckdb(path: Path) -> Any:
    connection = pytest.importorskip("duckdb").connect(str(path))
    return connection.begin()


@pytest.fixture(scope="module")
def databases(folders: dict[str, Path]) -> Iterator[dict[str, Database]]:
    found = {engine: open_databases(folder).open("t") for engine, folder in folders.items()}
    opened = {engine: database for engine, database in found.items() if database is not None}
    yield opened
    for database in opened.values():
        database.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest,
    databases: dict[str, Database],
    folders: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Database]:
    """The engine under test; its folder must be the same to the byte afterwards."""
    folder = folders[request.param]
    monkeypatch.chdir(folder)  # where relative paths in statements lead
    before = _snapshot(folder)
    yield databases[request.param]
    assert _snapshot(folder) == before


def _snapshot(folder: Path) -> Snapshot:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _on_each_engine(*, refused_only: bool = False) -> pytest.MarkDecorator:
    pairs = [
        pytest.param(engine, statement, id=f"{engine}-{statement}")
        for engine in ENGINES
        for statement in for_engine(engine)
        if not refused_only or statement.statuses == (REFUSED,)
    ]
    return pytest.mark.parametrize(("database", "statement"), pairs, indirect=["database"])


@_on_each_engine()
def test_stopped(database: Database, statement: Hostile) -> None:
    start = time.process_time()  # what others take of the machine is not ours
    execution = database.execute(
        statement.sql, LIMITS if Status.TIMEOUT in statement.statuses else AT_LEISURE
    )
    taken = time.process_time() - start
    assert taken < (LIMITS.seconds + GRACE) * THREADS[database.dialect]
    assert execution.status in statement.statuses, execution.message
    assert execution.ok or execution.message
    after = database.execute("SELECT count(*) FROM t", AT_LEISURE)
    assert after.table is not None
    assert after.table.rows == [(ROWS,)]


@_on_each_engine(refused_only=True)
def test_the_engine_alone_stops_it(
    database: Database, statement: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(type(database).__module__)
    monkeypatch.setattr(module, "admit", lambda sql, _: sql)
    execution = database.execute(statement.sql, AT_LEISURE)
    assert execution.status in (REFUSED, ERROR), execution


_CTRL_C = """
import os, signal, sys, threading
from sqljury.databases import open_databases
from sqljury.execution import Limits
database = open_databases(sys.argv[1]).open("t")
sql = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    database.execute(sql, Limits(seconds=5))
except KeyboardInterrupt:
    print("interrupted, then", database.execute("SELECT 1", Limits()).status.value)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_is_not_swallowed(folders: dict[str, Path], engine: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", _CTRL_C, str(folders[engine])], capture_output=True, text=True
    )
    assert result.stdout == "interrupted, then ok\n", result.stderr


@pytest.mark.parametrize("database", ENGINES, indirect=True)
@pytest.mark.parametrize("sql", HARMLESS)
def test_harmless(database: Database, sql: str) -> None:
    execution = database.execute(sql, AT_LEISURE)
    assert execution.status is Status.OK, execution.message
    assert execution.table is not None
    assert execution.table.rows == [(1,)]


@pytest.mark.parametrize(
    ("database", "sql", "words"),
    [
        ("sqlite", "DROP TABLE t", "DROP is not a query"),
        ("sqlite", "SELECT 1; SELECT 2", "more than one statement"),
        ("sqlite", "WITH x AS (SELECT 1) DELETE FROM t", "not authorized: DELETE t"),
        ("sqlite", "SELECT load_extension('x')", "not authorized: FUNCTION load_extension"),
        ("sqlite", "FROM t", "a query cannot begin with 'FROM t'"),
        ("duckdb", "WITH x AS (SELECT 1) DELETE FROM t", "not a single query: DELETE"),
        ("duckdb", "SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
    ],
    indirect=["database"],
)
def test_the_refusal_says_why(database: Database, sql: str, words: str) -> None:
    assert words in database.execute(sql, AT_LEISURE).message
