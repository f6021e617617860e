"""Databases through SQLAlchemy: here SQLite, and what must hold for any."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hostile import ERROR, HARMLESS, REFUSED, ROWS, Hostile, for_engine
from servers import Server

from needs import needs
from sqljury.databases import Database, open_databases
from sqljury.errors import InfrastructureError
from sqljury.execution import Limits, Status
from sqljury.judges.base import failed_prediction, failed_reference
from sqljury.schema import Column, ForeignKey
from sqljury.verdict import Outcome

pytestmark = needs("sqlalchemy")

LIMITS = Limits(seconds=0.5, rows=100_000)
AT_LEISURE = Limits(rows=100_000)
"""For what is not about time: a busy machine is no fault."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlalchemy") / "t.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE pair (a INTEGER, b TEXT NOT NULL, PRIMARY KEY (b, a), UNIQUE (a));
            CREATE TABLE u (
              a INTEGER, b TEXT, t INTEGER REFERENCES t (id),
              FOREIGN KEY (b, a) REFERENCES pair (b, a));
            CREATE VIEW names AS SELECT name FROM t;
            """
        )
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"n{i}") for i in range(ROWS)])
        connection.commit()
    return path


@pytest.fixture
def database(file: Path) -> Iterator[Database]:
    before = file.read_bytes()
    database = open_databases(f"sqlite+pysqlite:///{file}").open("")
    assert database is not None
    yield database
    database.close()
    assert file.read_bytes() == before
    assert [p.name for p in file.parent.iterdir()] == ["t.db"]


@pytest.mark.parametrize(
    "statement",
    [
        s
        for s in for_engine("sqlite")
        # What only the engine can refuse is not promised here.
        if s.statuses == (REFUSED,)
        and "load_extension" not in s.sql
        and "pragma_" not in s.sql
        and "tokenizer" not in s.sql
    ],
    ids=str,
)
def test_stopped(database: Database, statement: Hostile) -> None:
    execution = database.execute(statement.sql, AT_LEISURE)
    assert execution.status in (REFUSED, ERROR)
    assert execution.message


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("WITH x AS (SELECT 1) DELETE FROM t", "not a query"),
        ("SELECT * INTO u2 FROM t", "INTO inside a query"),
        ("SELECT * FROM t FOR UPDATE", "LOCK inside a query"),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "DELETE inside a query"),
        ("WITH d AS (UPDATE t SET id = 1 RETURNING *) SELECT * FROM d", "UPDATE inside a query"),
        ("WITH d AS (INSERT INTO t SELECT 1, 2) SELECT * FROM d", "INSERT inside a query"),
    ],
)
def test_a_write_inside_a_query(database: Database, sql: str, words: str) -> None:
    execution = database.execute(sql, AT_LEISURE)
    assert (execution.status, execution.message) == (REFUSED, words)


@pytest.mark.parametrize("sql", [sql for sql in HARMLESS if not sql.startswith(";")])
def test_harmless(database: Database, sql: str) -> None:
    execution = database.execute(sql, AT_LEISURE)
    assert execution.table is not None, execution
    assert execution.table.rows == [(1,)]


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT 1 AS a, 2 AS a", Status.OK),
        ("SELECT name FROM names WHERE name LIKE '%5' AND 5 % 3 = 2", Status.OK),
        ("VALUES (1), (2)", Status.OK),
        ("SELECT id FROM t UNION SELECT 1 ORDER BY 1", Status.OK),
        ("SELECT * FROM nope", Status.ERROR),
        ("SELECT (", Status.UNREAD),
        ("SELECT a.id FROM t AS a, t AS b", Status.TOO_LARGE),
        (
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT sum(x) FROM r",
            Status.TIMEOUT,
        ),
    ],
)
def test_how_it_ends(database: Database, sql: str, status: Status) -> None:
    start = time.thread_time()
    execution = database.execute(sql, LIMITS if status is Status.TIMEOUT else AT_LEISURE)
    assert time.thread_time() - start < LIMITS.seconds + 1
    assert execution.status is status, execution
    after = database.execute("SELECT count(*), min(id) FROM t", AT_LEISURE)
    assert after.table is not None
    assert after.table.rows == [(ROWS, 0)]


def test_close_cancels(database: Database) -> None:
    timer = threading.Timer(0.2, database.close)
    timer.start()
    sql = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT sum(x) FROM r"
    start = time.monotonic()
    execution = database.execute(sql, Limits())
    timer.join()
    assert execution.status is Status.UNAVAILABLE
    assert time.monotonic() - start < 15


def test_schema(database: Database) -> None:
    assert database.engine.startswith("sqlite3.")
    schema = database.schema()
    assert [(t.name, t.is_view) for t in schema.tables] == [
        ("pair", False),
        ("t", False),
        ("u", False),
        ("names", True),
    ]
    pair, u = schema.table("pair"), schema.table("u")
    assert pair is not None
    assert pair.columns[1] == Column(name="b", type="TEXT", nullable=False)
    assert pair.primary_key == ("b", "a")
    assert pair.unique == (("a",),)
    assert u is not None
    assert sorted(u.foreign_keys, key=lambda key: key.columns) == [
        ForeignKey(columns=("b", "a"), target_table="pair", target_columns=("b", "a")),
        ForeignKey(columns=("t",), target_table="t", target_columns=("id",)),
    ]


def test_fingerprint(database: Database) -> None:
    assert database.fingerprint() == database.fingerprint()


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert open_databases(f"sqlite+pysqlite:///{tmp_path}/{{db_id}}.db").open("t") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:s%65cret@127.0.0.1:1/shop",
        "oracle+nodriver://u:secret@h/shop",
        "nosuchdialect://u:secret@h/shop",
        "nosuchdialect://u:secret@h:port/shop",
    ],
)
def test_a_database_that_cannot_be_used(url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(InfrastructureError, match="SJ272") as caught:
        open_databases(url).open("shop")
    assert "cret" not in str(caught.value)


@pytest.mark.postgresql
def test_a_server(postgresql: Server) -> None:
    name = postgresql.create(
        "CREATE TABLE t (id int)",
        "INSERT INTO t VALUES (1), (2)",
        "CREATE FUNCTION erase() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'",
    )
    url = postgresql.url.replace("postgresql://", "postgresql+psycopg://")
    database = open_databases(url + name).open(name)
    assert database is not None
    with closing(database):
        assert database.dialect == "postgres"
        assert database.warnings() == []  # type: ignore[attr-defined]
        assert "read-only" in database.execute("SELECT erase()", LIMITS).message
        assert database.execute("SELECT pg_sleep(9)", LIMITS).status is Status.TIMEOUT
        sql = "SELECT i FROM generate_series(1, 1000000) AS i, t"
        assert database.execute(sql, LIMITS).status in (Status.TOO_LARGE, Status.TIMEOUT)
        assert database.execute("SELECT '%' FROM t", LIMITS).ok
        postgresql.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' "
            "AND pid <> pg_backend_pid() AND query NOT LIKE 'INSERT%'"
        )
        assert database.execute("SELECT '%' FROM t", LIMITS).ok


def test_what_cannot_be_read_says_nothing_about_the_prediction(database: Database) -> None:
    run = database.execute("SELECT (", AT_LEISURE)
    assert failed_prediction(run).outcome is failed_reference(run).outcome is Outcome.UNKNOWN
    assert run.message.startswith("not run, as it cannot be read as sqlite: ")
