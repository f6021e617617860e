"""Hostile statements on every engine: stopped, named for what they are, all content as before."""

from __future__ import annotations

import importlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hostile import (
    ERROR,
    HARMLESS,
    MEMORY,
    OK,
    REFUSED,
    ROWS,
    TIMEOUT,
    TOO_LARGE,
    Hostile,
    for_engine,
)
from servers import Server, on

from sqljury.databases import Database, open_databases
from sqljury.execution import MIB, Limits, Status

FILES, SERVERS = ("sqlite", "duckdb"), ("postgresql", "mysql")
ENGINES = (*FILES, *SERVERS)
LIMITS = {
    **dict.fromkeys(FILES, Limits(seconds=1.0, rows=100_000)),
    **dict.fromkeys(SERVERS, Limits(seconds=0.5, rows=100_000, bytes=64 * MIB)),
}
AT_LEISURE = Limits(seconds=30, rows=100_000, bytes=64 * MIB)
"""For what is not about time: a busy machine is no fault."""
SECONDS = {"sqlite": 3.0, "duckdb": 3.0 * (os.cpu_count() or 1)}
"""Of processor time, in which a statement in our own process must be stopped."""
GRACE = 10.0
"""A server that does not stop takes minutes; one on a busy machine may take seconds."""

TABLES = {
    "postgresql": (
        "CREATE TABLE t (id integer PRIMARY KEY, name text)",
        f"INSERT INTO t SELECT i, 'n' || i FROM generate_series(0, {ROWS - 1}) AS i",
        "CREATE SEQUENCE s",
        "SELECT lo_from_bytea(4711, 'large')",
        "CREATE FUNCTION erase() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'",
        "CREATE FUNCTION erase_quietly() RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
        "BEGIN DELETE FROM t; EXCEPTION WHEN OTHERS THEN RETURN 0; END; RETURN 1; END $$",
        "CREATE FUNCTION open_up() RETURNS text LANGUAGE sql AS "
        "$$ SELECT set_config('transaction_read_only', 'off', false) $$",
    ),
    "mysql": (
        "CREATE TABLE t (id integer PRIMARY KEY, name varchar(100))",
        f"INSERT INTO t VALUES {', '.join(f'({i}, {i})' for i in range(ROWS))}",
        "CREATE TABLE m (id integer) ENGINE = MyISAM",
        "CREATE FUNCTION erase() RETURNS int DETERMINISTIC BEGIN DELETE FROM t; RETURN 1; END",
        "CREATE FUNCTION fill() RETURNS int DETERMINISTIC "
        "BEGIN INSERT INTO m VALUES (1); RETURN 1; END",
        "CREATE FUNCTION open_up() RETURNS int DETERMINISTIC BEGIN "
        "SET SESSION tx_read_only = 0; DELETE FROM t; RETURN 1; END",
    ),
}

# Everything that a statement could have changed, as far as the server can tell.
CONTENTS = {
    "postgresql": (
        "SELECT * FROM t ORDER BY id",
        "SELECT last_value, is_called FROM s",
        "SELECT loid, data FROM pg_largeobject ORDER BY 1",
        "SELECT oid, relname, relkind FROM pg_class WHERE oid > 16000 ORDER BY 1",
        "SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1",
        "SELECT oid, proname, prosrc FROM pg_proc WHERE oid > 16000 ORDER BY 1",
        "SELECT rolname, rolsuper, rolpassword FROM pg_authid "
        "WHERE rolname NOT LIKE 'sqljury_test%' ORDER BY 1",
        "SELECT datname FROM pg_database WHERE datname = current_database()",
        "SELECT extname FROM pg_extension ORDER BY 1",
        "SELECT setdatabase, setconfig FROM pg_db_role_setting "
        "WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())) "
        "ORDER BY 1",
        "SELECT name, setting FROM pg_settings WHERE source = 'configuration file' ORDER BY 1",
        "SELECT slot_name FROM pg_replication_slots",
        "SELECT objid FROM pg_locks WHERE locktype = 'advisory' "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        "SELECT name FROM pg_ls_dir('.') AS name WHERE name NOT LIKE 'pg_internal%' ORDER BY 1",
        "SELECT name FROM pg_ls_dir('/tmp') AS name WHERE name LIKE '%stolen%'",
    ),
    "mysql": (
        "SELECT * FROM t ORDER BY id",
        "SELECT * FROM m",
        "SELECT table_name, table_type FROM information_schema.tables "
        "WHERE table_schema = database() ORDER BY 1",
        "SELECT routine_name, routine_definition FROM information_schema.routines "
        "WHERE routine_schema = database() ORDER BY 1",
        "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = database()",
        "SELECT user, host FROM mysql.user WHERE user NOT LIKE 'sqljury_test%' ORDER BY 1, 2",
        "SELECT @@global.max_statement_time, @@global.sql_mode, @@global.read_only",
        "SELECT load_file('/tmp/stolen.csv')",
    ),
}


def _all(engine: str, *pairs: tuple[str, tuple[object, ...]]) -> list[Hostile]:
    return [Hostile(sql, sql, statuses, (engine,)) for sql, statuses in pairs]  # type: ignore[arg-type]


_NO = (REFUSED, ERROR)
POSTGRESQL = _all(
    "postgresql",
    ("SELECT erase()", (REFUSED,)),
    ("SELECT erase_quietly()", (OK, REFUSED)),
    ("SELECT open_up(), erase()", _NO),
    ("SELECT erase() FROM open_up()", _NO),
    ("SELECT nextval('s')", (REFUSED,)),
    ("SELECT setval('s', 5)", (REFUSED,)),
    ("SELECT set_config('transaction_read_only', 'off', false)", (REFUSED,)),
    ("SELECT set_config('default_transaction_read_only', 'off', false)", (REFUSED,)),
    ("SELECT pg_catalog . \"set_config\" ('statement_timeout', '0', false)", (REFUSED,)),
    ("SELECT U&\"\\0073et_config\"('statement_timeout', '0', false)", (REFUSED,)),
    ("SELECT lo_export(4711, '/tmp/stolen')", (REFUSED,)),
    ("SELECT 1 AS €$$, lo_export(4711, '/tmp/stolen') AS €$$", (REFUSED,)),
    (
        "SELECT query_to_xml('SELECT lo_' || 'export(4711, ''/tmp/stolen'')', true, true, '')",
        (REFUSED,),
    ),
    ("SELECT lo_import('/etc/passwd')", (REFUSED,)),
    ("SELECT lo_unlink(4711)", (OK, REFUSED)),
    ("SELECT lo_put(4711, 0, 'x')", (OK, REFUSED)),
    ("SELECT lo_create(0)", (OK, REFUSED)),
    ("SELECT pg_read_file('/etc/passwd')", (REFUSED,)),
    ("SELECT PG_READ_BINARY_FILE('/etc/passwd')", (REFUSED,)),
    ("SELECT * FROM pg_ls_dir('/')", (REFUSED,)),
    ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", (REFUSED,)),
    ("SELECT pg_cancel_backend(pg_backend_pid())", (REFUSED,)),
    ("SELECT pg_reload_conf()", (REFUSED,)),
    ("SELECT pg_rotate_logfile()", (REFUSED,)),
    ("SELECT pg_switch_wal()", (REFUSED,)),
    ("SELECT pg_stat_reset()", (REFUSED,)),
    ("SELECT pg_create_physical_replication_slot('stolen', true)", (REFUSED,)),
    ("SELECT pg_logical_emit_message(false, 'a', 'b')", (REFUSED,)),
    ("SELECT pg_advisory_lock(1)", (REFUSED,)),
    ("SELECT pg_notify('a', 'b')", (OK, REFUSED)),
    ("SELECT dblink_exec('dbname=postgres', 'CREATE TABLE u (i int)')", (REFUSED,)),
    ("SELECT * FROM dblink('dbname=postgres', 'DROP TABLE t') AS q (i int)", (REFUSED,)),
    ("SELECT pg_import_system_collations('public')", (OK, REFUSED, ERROR)),
    ("COPY t TO PROGRAM 'touch /tmp/stolen'", (REFUSED,)),
    ("COPY (SELECT 1) TO '/tmp/stolen'", (REFUSED,)),
    ("LISTEN a", (REFUSED,)),
    ("NOTIFY a", (REFUSED,)),
    ("PREPARE p AS DELETE FROM t", (REFUSED,)),
    ("ALTER SYSTEM SET work_mem = '1MB'", (REFUSED,)),
    ("SECURITY LABEL ON TABLE t IS 'x'", _NO),
    ("REFRESH MATERIALIZED VIEW v", (REFUSED,)),
    ("SELECT * INTO TEMP u FROM t", (REFUSED,)),
    ("SELECT * FROM t FOR UPDATE", (REFUSED,)),
    ("WITH d AS (UPDATE t SET name = '' RETURNING *) SELECT * FROM d", (REFUSED,)),
    ("WITH d AS (INSERT INTO t VALUES (-1) RETURNING *) TABLE d", (REFUSED,)),
    ("SELECT pg_sleep(30)", (TIMEOUT,)),
    ("SELECT pg_sleep(0.3) FROM t", (TIMEOUT,)),
    # The server's memory is looked at from time to time, so which limit is met first is chance.
    ("SELECT repeat('x', 1000000000)", (TOO_LARGE, TIMEOUT, MEMORY)),
    (
        "SELECT array_agg(repeat('x', 1000000)) FROM t",
        (TOO_LARGE, TIMEOUT, ERROR, MEMORY),
    ),
    (
        "SELECT md5(string_agg(repeat(name, 99), '')) FROM t, t AS u",
        (TOO_LARGE, TIMEOUT, ERROR, MEMORY),
    ),
    (f"SELECT {'(' * 5000}1{')' * 5000}", (OK, ERROR)),
    (
        "SELECT regexp_matches(repeat('a', 30), '(a|a)*(a|a)*(a|a)*\\1b') FROM t, t AS u",
        (OK, TIMEOUT, ERROR),
    ),
)
MYSQL = _all(
    "mysql",
    ("SELECT erase()", (REFUSED,)),
    ("SELECT fill()", (REFUSED,)),
    ("SELECT open_up()", _NO),
    ("SELECT * FROM t INTO OUTFILE '/tmp/stolen.csv'", (REFUSED,)),
    ("SELECT name FROM t LIMIT 1 INTO/**/DUMPFILE '/tmp/stolen.csv'", (REFUSED,)),
    ("SELECT 1 UNION SELECT 2 INTO OUTFILE '/tmp/stolen.csv'", (REFUSED,)),
    ("SELECT 1 /*!50000 INTO OUTFILE '/tmp/stolen.csv' */", (REFUSED,)),
    ("SELECT 1 /*M!100000 INTO OUTFILE '/tmp/stolen.csv' */", (REFUSED,)),
    ("SELECT load_file('/etc/passwd')", (REFUSED,)),
    ("SELECT `load_file`('/etc/passwd')", (REFUSED,)),
    ("SELECT get_lock('a', 5)", (REFUSED,)),
    ("SELECT sleep(30)", (TIMEOUT,)),
    ("SELECT sleep(0.3) FROM t", (TIMEOUT,)),
    ("SELECT benchmark(1000000000, md5('a'))", (TIMEOUT,)),
    ("SELECT 1 INTO @x", (ERROR,)),
    ("SELECT * FROM t FOR UPDATE", (OK, REFUSED)),
    ("HANDLER t OPEN", (REFUSED,)),
    ("LOCK TABLES t WRITE", (REFUSED,)),
    ("FLUSH TABLES WITH READ LOCK", (REFUSED,)),
    ("KILL 1", (REFUSED,)),
    ("SET STATEMENT max_statement_time = 0 FOR SELECT sleep(9)", (REFUSED,)),
    ("SET GLOBAL read_only = 1", (REFUSED,)),
    ("DO sleep(9)", (REFUSED,)),
    ("SHUTDOWN", (REFUSED,)),
    ("LOAD DATA LOCAL INFILE '/etc/hosts' INTO TABLE t", (REFUSED,)),
    ("SELECT repeat('x', 1000000) FROM t", (TOO_LARGE, TIMEOUT)),
    ("SELECT @@global.read_only := 1", (ERROR,)),
)
STATEMENTS = {
    **{engine: list(for_engine(engine)) for engine in FILES},
    "postgresql": [*for_engine("postgresql"), *POSTGRESQL],
    "mysql": [*for_engine("mysql"), *MYSQL],
}

# Without the guard: what a read-only transaction alone must stop.
WRITES = ("INSERT ", "UPDATE ", "DELETE ", "TRUNCATE ", "DROP ", "ALTER TABLE", "CREATE ", "MERGE ")
SECOND = ("SELECT 1; ", "SELECT ';'", "COMMIT; ")


@dataclass(frozen=True)
class Place:
    """An open database, all that a statement could have changed there, and its folder."""

    database: Database
    contents: Callable[[], object]
    folder: Path | None = None


def make_file(engine: str, folder: Path) -> None:
    path = folder / f"t.{engine}"
    if engine == "sqlite":
        connection: Any = sqlite3.connect(path)
    else:
        connection = pytest.importorskip("duckdb").connect(str(path)).begin()
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"n{i}") for i in range(ROWS)])
    connection.commit()
    connection.close()


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def places() -> Iterator[dict[str, Place]]:
    found: dict[str, Place] = {}
    yield found
    for place in found.values():
        place.database.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest,
    places: dict[str, Place],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Database]:
    """The engine under test; all its contents must be the same afterwards."""
    engine = request.param
    if engine not in places:
        if engine in FILES:
            folder = tmp_path_factory.mktemp(engine)
            make_file(engine, folder)
            made = open_databases(folder).open("t")
            assert made is not None
            places[engine] = Place(made, partial(bytes_in, folder), folder)
        else:
            server: Server = request.getfixturevalue(engine)
            name = server.create(*TABLES[engine])
            made = open_databases(server.url + name).open(name)
            assert made is not None
            asked = partial(server.run_each, *CONTENTS[engine], database=name)
            places[engine] = Place(made, lambda: [list(rows) for rows in asked()])
    place = places[engine]
    if place.folder is not None:
        monkeypatch.chdir(place.folder)  # where relative paths in statements lead
    before = place.contents()
    yield place.database
    assert place.contents() == before


def _statements(kept: Callable[[str, Hostile], bool] = lambda *_: True) -> pytest.MarkDecorator:
    pairs = [on(e, each) for e in ENGINES for each in STATEMENTS[e] if kept(e, each)]
    return pytest.mark.parametrize(("database", "statement"), pairs, indirect=["database"])


@_statements()
def test_stopped(database: Database, statement: Hostile, request: pytest.FixtureRequest) -> None:
    engine = request.node.callspec.params["database"]
    about_time = TIMEOUT in statement.statuses
    # What others take of the machine is not ours.
    clock = time.process_time if engine in FILES else time.monotonic
    start = clock()
    execution = database.execute(statement.sql, LIMITS[engine] if about_time else AT_LEISURE)
    if about_time or engine in FILES:
        assert clock() - start < SECONDS.get(engine, LIMITS[engine].seconds + GRACE)
    assert execution.status in statement.statuses, execution.message
    assert execution.ok or execution.message
    after = database.execute("SELECT count(*) FROM t", AT_LEISURE)
    assert after.table is not None
    assert after.table.rows == [(ROWS,)]


def _alone(engine: str, statement: Hostile) -> bool:
    """Whether the engine must stop a statement by itself."""
    if engine in FILES:
        return statement.statuses == (REFUSED,)
    return statement.sql.startswith((*WRITES, *SECOND))


@_statements(_alone)
def test_the_engine_alone_stops_it(
    database: Database, statement: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(type(database).__module__)
    monkeypatch.setattr(module, "admit", lambda sql, _: sql)
    execution = database.execute(statement.sql, AT_LEISURE)
    assert execution.status in (REFUSED, ERROR), execution


@pytest.mark.parametrize(
    ("database", "sql"),
    [on(engine, sql) for engine in ENGINES for sql in HARMLESS],
    indirect=["database"],
)
def test_harmless(database: Database, sql: str) -> None:
    execution = database.execute(sql, AT_LEISURE)
    assert execution.status is Status.OK, execution
    assert execution.table is not None
    assert execution.table.rows == [(1,)]


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


@pytest.mark.parametrize("engine", FILES)
def test_ctrl_c_is_not_swallowed(tmp_path: Path, engine: str) -> None:
    make_file(engine, tmp_path)
    result = subprocess.run(
        [sys.executable, "-c", _CTRL_C, str(tmp_path)], capture_output=True, text=True
    )
    assert result.stdout == "interrupted, then ok\n", result.stderr


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
