"""SQLite: values, limits, files of every kind, schema."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqljury.databases import Database, open_databases
from sqljury.errors import InfrastructureError
from sqljury.execution import MIB, Execution, Limits, ResultTable, Status
from sqljury.schema import Column, ForeignKey, Table

LIMITS = Limits(seconds=10)


def make(path: Path, script: str = "CREATE TABLE t (a); INSERT INTO t VALUES (1)") -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def opened(path: Path) -> Database:
    database = open_databases(path).open(path.stem)
    assert database is not None
    return database


def rows(execution: Execution) -> list[tuple[Any, ...]]:
    assert execution.status is Status.OK, execution.message
    assert execution.table is not None
    return execution.table.rows


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return opened(make(tmp_path / "plain.sqlite"))


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("sql", "columns", "expected"),
    [
        ("SELECT 1 AS a, 2 AS a", ("a", "a"), [(1, 2)]),
        ("SELECT NULL, '', 0, 'None'", ("NULL", "''", "0", "'None'"), [(None, "", 0, "None")]),
        ("SELECT 1.5 AS x, 9223372036854775807 AS y", ("x", "y"), [(1.5, 2**63 - 1)]),
        ("SELECT x'00ff' AS b", ("b",), [(b"\x00\xff",)]),
        ("SELECT 1e999 AS x", ("x",), [(float("inf"),)]),
        ("SELECT a FROM t WHERE 0", ("a",), []),
        ('SELECT "no such column" AS x', ("x",), [("no such column",)]),  # Spider needs it
        ("SELECT 'a' AS \"x [y]\"", ("x [y]",), [("a",)]),
        ("SELECT value FROM json_each('[1, 2]')", ("value",), [(1,), (2,)]),
        ("SELECT name FROM pragma_table_info('t')", ("name",), [("a",)]),
        ("SELECT name FROM sqlite_master", ("name",), [("t",)]),
        ("SELECT 'grün' AS x", ("x",), [("grün",)]),
    ],
)
def test_values(database: Database, sql: str, columns: tuple[str, ...], expected: Any) -> None:
    assert database.execute(sql, LIMITS).table == ResultTable(columns, expected)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = make(
        tmp_path / "latin.sqlite",
        "CREATE TABLE t (a); INSERT INTO t VALUES ('caf' || CAST(x'e9' AS TEXT)),"
        "('caf' || CAST(x'e8' AS TEXT)), ('café')",
    )
    database = opened(path)
    assert rows(database.execute("SELECT a FROM t", LIMITS)) == [
        ("caf\\xe9",),
        ("caf\\xe8",),
        ("café",),
    ]
    large = rows(database.execute("SELECT a, zeroblob(1000000) FROM t ORDER BY a", LIMITS))
    assert [name for name, _ in large] == ["café", "caf\\xe8", "caf\\xe9"]
    assert rows(database.execute("SELECT 1", LIMITS)) == [(1,)]


def test_a_million_rows_to_the_last(database: Database) -> None:
    sql = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT {}) SELECT x FROM r"
    full = rows(database.execute(sql.format(1_000_000), LIMITS))
    assert len(full) == 1_000_000
    assert full[-1] == (1_000_000,)
    over = database.execute(sql.format(1_000_001), LIMITS)
    assert (over.status, over.message) == (Status.TOO_LARGE, "more than 1000000 rows, the limit")


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("sql", "limits", "status", "words"),
    [
        ("SELECT 1 UNION SELECT 2", Limits(rows=2), Status.OK, ""),
        ("SELECT 1 UNION SELECT 2", Limits(rows=1), Status.TOO_LARGE, "more than 1 rows"),
        ("SELECT length(zeroblob(300000000))", Limits(), Status.TOO_LARGE, "too big"),
        ("SELECT zeroblob(10000000)", Limits(bytes=11_000_000), Status.OK, ""),
        ("SELECT zeroblob(10000000)", Limits(bytes=9_000_000), Status.TOO_LARGE, "9000000 bytes"),
        ("SELECT zeroblob(300000)", Limits(bytes=200_000), Status.TOO_LARGE, "200000 bytes"),
        ("SELECT zeroblob(100)", Limits(bytes=99), Status.TOO_LARGE, "99 bytes"),
        ("SELECT replace(hex(zeroblob(500000)), '0', 'é')", Limits(), Status.OK, ""),
        ("SELECT missing FROM t", Limits(), Status.ERROR, "no such column: missing"),
        ("SELECT * FROM nowhere", Limits(), Status.ERROR, "no such table: nowhere"),
        ("SELECT ?", Limits(), Status.ERROR, "binding"),
        ("SELECT nofunction(1)", Limits(), Status.ERROR, "no such function"),
        ("SELECT abs(-9223372036854775808)", Limits(), Status.ERROR, "integer overflow"),
    ],
)
def test_each_limit_ends_in_its_own_status(
    database: Database, sql: str, limits: Limits, status: Status, words: str
) -> None:
    execution = database.execute(sql, limits)
    assert execution.status is status, execution.message
    assert words in execution.message
    assert (execution.table is not None) == execution.ok
    assert rows(database.execute("SELECT 1", LIMITS)) == [(1,)]


def test_format_of_a_long_text_is_not_null(database: Database) -> None:
    half = "hex(zeroblob(100000))"  # two of them are longer than what is allowed at first
    for function in ("printf", "PRINTF", "format ", "Format"):
        sql = f"SELECT length({function}('%s%s', {half}, {half}))"
        assert rows(database.execute(sql, LIMITS)) == [(400_000,)]


def test_seconds(database: Database) -> None:
    sql = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
    start = time.thread_time()
    execution = database.execute(sql, Limits(seconds=0.2))
    assert time.thread_time() - start < 1
    assert (execution.status, execution.message) == (Status.TIMEOUT, "exceeded 0.2 s")
    assert 0.2 <= execution.seconds < 10


def test_one_long_operation_is_a_timeout_all_the_same(database: Database) -> None:
    sql = "SELECT instr(hex(zeroblob(100000)), hex(zeroblob(50000)) || 'x') FROM t"
    execution = database.execute(sql, Limits(seconds=0.01))
    assert execution.seconds > 0.01
    assert execution.status is Status.TIMEOUT


def test_memory(tmp_path: Path) -> None:
    make(tmp_path / "plain.sqlite")
    # In a process of its own: SQLite's heap limit holds for the whole process.
    program = (
        "import sys\n"
        "from sqljury.databases import open_databases\n"
        "from sqljury.execution import Limits\n"
        "database = open_databases(sys.argv[1]).open('plain')\n"
        "limits = Limits(memory=32 * 1024 * 1024)\n"
        "sql = '''WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 200000)\n"
        "SELECT x FROM r ORDER BY hex(randomblob(200))'''\n"
        "print(database.execute(sql, limits).status.value)\n"
        "print(database.execute('SELECT 1', limits).status.value)\n"
        "print(database.execute('SELECT group_concat(x) FROM (' + sql + ')', limits).status)\n"
        "print(database.execute('SELECT 1', limits).status.value)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "plain.sqlite")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == ["out_of_memory", "ok", "out_of_memory", "ok"]


def test_a_large_value_costs_no_more_than_the_limit(database: Database) -> None:
    execution = database.execute(
        f"SELECT zeroblob({50 * MIB}) FROM t, json_each('[{'1,' * 1000}1]')",
        Limits(bytes=120 * MIB),
    )
    assert execution.status is Status.TOO_LARGE


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    "name", ["with space", "grün 数据", "what?", "a#b", "100%20", "semi;colon", "quote'"]
)
def test_names_of_files(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    make(folder / f"{name}.sqlite")
    database = open_databases(tmp_path).open(name)
    assert database is not None
    assert rows(database.execute("SELECT a FROM t", LIMITS)) == [(1,)]
    assert [path.name for path in folder.iterdir()] == [f"{name}.sqlite"]


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_write_ahead_log_that_is_merged(tmp_path: Path) -> None:
    path = make(
        tmp_path / "wal.sqlite",
        "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
    )
    before = _snapshot(tmp_path)
    assert list(before) == ["wal.sqlite"]
    database = opened(path)
    assert rows(database.execute("SELECT a FROM t", LIMITS)) == [(1,)]
    assert _snapshot(tmp_path) == before
    database.close()
    assert _snapshot(tmp_path) == before


def test_write_ahead_log_with_transactions_in_it(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "wal.sqlite", isolation_level=None)
    writer.executescript(
        "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"
    )
    before = _snapshot(tmp_path)
    assert "wal.sqlite-wal" in before
    database = opened(tmp_path / "wal.sqlite")
    first = database.fingerprint()
    assert rows(database.execute("SELECT a FROM t", LIMITS)) == [(1,), (2,)]
    database.close()
    assert _snapshot(tmp_path) == before
    writer.execute("INSERT INTO t VALUES (3)")
    assert opened(tmp_path / "wal.sqlite").fingerprint() != first
    writer.close()


def test_read_only_folder(tmp_path: Path) -> None:
    for mode in ("DELETE", "WAL"):
        folder = tmp_path / mode
        folder.mkdir()
        path = make(
            folder / "t.sqlite",
            f"PRAGMA journal_mode = {mode}; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
        )
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            database = opened(path)
            assert rows(database.execute("SELECT a FROM t", LIMITS)) == [(1,)]
            database.close()
        finally:
            folder.chmod(0o755)


def test_an_unfinished_transaction_is_left_alone(tmp_path: Path) -> None:
    path = make(tmp_path / "hot.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    program = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('PRAGMA cache_spill = 1')\n"
        "c.execute('BEGIN')\n"
        "c.executemany('INSERT INTO t VALUES (zeroblob(3000))', [()] * 200)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    before = _snapshot(tmp_path)
    assert "hot.sqlite-journal" in before
    with pytest.raises(InfrastructureError, match=r"^SJ211 .*hot\.sqlite"):
        opened(path)
    assert _snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "content", [b"no database, only text of some length" * 50, b"SQLite format 3"]
)
def test_no_database(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.sqlite"
    path.write_bytes(content)
    with pytest.raises(InfrastructureError, match="not a database"):
        opened(path)


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    database = opened(path)
    assert database.schema().tables == ()
    assert path.stat().st_size == 0


def test_a_damaged_page_is_no_fault_of_the_query(tmp_path: Path) -> None:
    path = make(
        tmp_path / "damaged.sqlite",
        "CREATE TABLE t (a); WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r"
        " LIMIT 9999) INSERT INTO t SELECT x FROM r",
    )
    content = bytearray(path.read_bytes())
    content[8192:40960] = os.urandom(32768)
    path.write_bytes(content)
    execution = opened(path).execute("SELECT sum(a) FROM t", LIMITS)
    assert execution.status is Status.UNAVAILABLE, execution


def test_another_connection_can_write_meanwhile(tmp_path: Path) -> None:
    path = make(tmp_path / "shared.sqlite")
    database = opened(path)
    assert database.execute("SELECT a FROM t, json_each('[1,2,3]')", Limits(rows=1)).table is None
    writer = sqlite3.connect(path, timeout=0)
    writer.execute("INSERT INTO t VALUES (2)")
    writer.commit()
    writer.close()
    assert rows(database.execute("SELECT count(*) FROM t", LIMITS)) == [(2,)]


def test_virtual_tables(tmp_path: Path) -> None:
    path = make(
        tmp_path / "search.sqlite",
        "CREATE VIRTUAL TABLE f4 USING fts4(a); INSERT INTO f4 VALUES ('hello world');"
        "CREATE VIRTUAL TABLE f5 USING fts5(a); INSERT INTO f5 VALUES ('hello world');"
        "CREATE VIRTUAL TABLE r USING rtree(id, low, high); INSERT INTO r VALUES (1, 2, 3);",
    )
    before = _snapshot(tmp_path)
    database = opened(path)
    for sql in (
        "SELECT 1 FROM f4 WHERE f4 MATCH 'hello'",
        "SELECT 1 FROM f5 WHERE f5 MATCH 'world'",
        "SELECT 1 FROM r WHERE low > 1",
    ):
        assert rows(database.execute(sql, LIMITS)) == [(1,)]
    assert _snapshot(tmp_path) == before


# ---------------------------------------------------------------- schema and fingerprint


def test_schema(tmp_path: Path) -> None:
    path = make(
        tmp_path / "shop.sqlite",
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);
        CREATE TABLE pair (x INT, y TEXT, z, PRIMARY KEY (y, x));
        CREATE TABLE "odd name" (
            a INTEGER REFERENCES PARENT,
            b TEXT REFERENCES parent (code),
            c INT, d TEXT,
            e AS (c + 1),
            FOREIGN KEY (d, c) REFERENCES pair,
            FOREIGN KEY (c) REFERENCES nowhere,
            UNIQUE (a, b)
        );
        CREATE UNIQUE INDEX whole ON "odd name" (c);
        CREATE UNIQUE INDEX part ON "odd name" (d) WHERE c > 1;
        CREATE UNIQUE INDEX expression ON "odd name" (lower(b));
        CREATE VIEW seen AS SELECT id AS number, code FROM parent;
        CREATE VIEW broken AS SELECT * FROM gone;
        """,
    )
    schema = opened(path).schema()
    assert schema.dialect == "sqlite"
    assert [table.name for table in schema.tables if table.declaration] == ["odd name"]
    assert tuple(replace(table, declaration=()) for table in schema.tables) == (
        Table(
            name="parent",
            columns=(
                Column(name="id", type="INTEGER", nullable=False),
                Column(name="code", type="TEXT", nullable=False),
            ),
            primary_key=("id",),
            unique=(("code",),),
        ),
        Table(
            name="pair",
            columns=(Column(name="x", type="INT"), Column(name="y", type="TEXT"), Column(name="z")),
            primary_key=("y", "x"),
            nullable_key=True,
        ),
        Table(
            name="odd name",
            columns=(
                Column(name="a", type="INTEGER"),
                Column(name="b", type="TEXT"),
                Column(name="c", type="INT"),
                Column(name="d", type="TEXT"),
                Column(name="e", generated=True),
            ),
            unique=(("a", "b"), ("c",)),
            foreign_keys=(
                ForeignKey(columns=("a",), target_table="PARENT", target_columns=("id",)),
                ForeignKey(columns=("b",), target_table="parent", target_columns=("code",)),
                ForeignKey(columns=("d", "c"), target_table="pair", target_columns=("y", "x")),
                ForeignKey(columns=("c",), target_table="nowhere", target_columns=()),
            ),
        ),
        Table(
            name="seen",
            columns=(Column(name="number", type="INTEGER"), Column(name="code", type="TEXT")),
            is_view=True,
        ),
        Table(name="broken", columns=(), is_view=True),
    )


def test_fingerprint(tmp_path: Path) -> None:
    path = make(tmp_path / "a.sqlite")
    first = opened(path).fingerprint()
    copy = tmp_path / "b.sqlite"
    copy.write_bytes(path.read_bytes())
    assert opened(copy).fingerprint() == first
    make(copy, "UPDATE t SET a = 2")
    assert opened(copy).fingerprint() != first


def test_fingerprint_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqljury.databases.protocol._WHOLE", 1000)
    path = make(
        tmp_path / "a.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000000))"
    )
    first = opened(path).fingerprint()
    assert opened(path).fingerprint() == first
    make(path, "UPDATE t SET a = zeroblob(9000000 - 1) || 'x'")
    assert opened(path).fingerprint() != first


def test_engine_and_name(database: Database) -> None:
    assert database.engine == f"sqlite{sqlite3.sqlite_version}"
    assert (database.dialect, database.db_id) == ("sqlite", "plain")


@pytest.mark.data
def test_every_spider_dev_reference_runs(data_dir: Path) -> None:
    databases = open_databases(data_dir / "spider" / "databases")
    lines = (data_dir / "spider" / "dev_gold.sql").read_text(encoding="utf-8").splitlines()
    cases = [line.rpartition("\t") for line in lines if line.strip()]
    found = {db_id: databases.open(db_id) for db_id in {db_id for _, _, db_id in cases}}
    assert [db_id for db_id, database in found.items() if database is None] == ["wta_1"]
    outcomes = [
        (sql, database.execute(sql, LIMITS))
        for sql, _, db_id in cases
        if (database := found[db_id]) is not None
    ]
    assert len(outcomes) == 972
    assert [(sql, execution) for sql, execution in outcomes if not execution.ok] == []


@pytest.mark.slow
@pytest.mark.data
def test_real_predictions_give_what_plain_sqlite_gives(data_dir: Path) -> None:
    folder = data_dir / "spider" / "databases"
    databases = open_databases(folder)
    differing = []
    with gzip.open(data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz", "rt") as lines:
        groups = [group for group in map(json.loads, lines) if group["has_db"]]
    for group in groups:
        database = databases.open(group["db_id"])
        assert database is not None
        path = folder / group["db_id"] / f"{group['db_id']}.sqlite"
        plain = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        plain.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
        for sql in {candidate["sql"]: None for candidate in group["candidates"]}:
            execution = database.execute(sql, LIMITS)
            try:
                expected = plain.execute(sql).fetchall()
            except (sqlite3.Error, sqlite3.Warning):
                expected = None
            found = None if execution.table is None else execution.table.rows
            if found != expected:
                differing.append((sql, execution))
        plain.close()
        database.close()
    assert differing == []
