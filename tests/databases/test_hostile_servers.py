"""Hostile statements on servers: stopped, named for what they are, all content as before."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hostile import ERROR, HARMLESS, OK, REFUSED, ROWS, TIMEOUT, TOO_LARGE, Hostile, for_engine
from servers import Rows, Server

from sqljury.databases import Database, open_databases
from sqljury.execution import Limits

LIMITS = Limits(seconds=0.5, rows=100_000, bytes=64 * 1024 * 1024)
AT_LEISURE = replace(LIMITS, seconds=30)
"""For what is not about time: a busy machine is no fault."""
GRACE = 10.0
"""A server that does not stop takes minutes; one on a busy machine may take seconds."""
ENGINES = ("postgresql", "mysql")

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
    ("SELECT repeat('x', 1000000000)", (TOO_LARGE, TIMEOUT)),
    ("SELECT array_agg(repeat('x', 1000000)) FROM t", (TOO_LARGE, TIMEOUT, ERROR)),
    ("SELECT md5(string_agg(repeat(name, 99), '')) FROM t, t AS u", (TOO_LARGE, TIMEOUT, ERROR)),
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
    "postgresql": [*for_engine("postgresql"), *POSTGRESQL],
    "mysql": [*for_engine("mysql"), *MYSQL],
}

# Without the guard: what a read-only transaction alone must stop.
WRITES = ("INSERT ", "UPDATE ", "DELETE ", "TRUNCATE ", "DROP ", "ALTER TABLE", "CREATE ", "MERGE ")
SECONDS = ("SELECT 1; ", "SELECT ';'", "COMMIT; ")


@pytest.fixture(scope="module")
def opened(request: pytest.FixtureRequest) -> Iterator[dict[str, tuple[Server, Database]]]:
    found: dict[str, tuple[Server, Database]] = {}
    yield found
    for _, database in found.values():
        database.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest, opened: dict[str, tuple[Server, Database]]
) -> Iterator[Database]:
    """The engine under test; all its contents must be the same afterwards."""
    engine = request.param
    server: Server = request.getfixturevalue(engine)
    if engine not in opened:
        name = server.create(*TABLES[engine])
        made = open_databases(server.url + name).open(name)
        assert made is not None
        opened[engine] = (server, made)
    database = opened[engine][1]
    before = _contents(server, engine, database.db_id)
    yield database
    assert _contents(server, engine, database.db_id) == before


def _contents(server: Server, engine: str, name: str) -> list[Rows]:
    return [list(rows) for rows in server.run_each(*CONTENTS[engine], database=name)]


def _on(engine: str, value: object) -> object:
    return pytest.param(
        engine, value, id=f"{engine}-{str(value)[:60]}", marks=getattr(pytest.mark, engine)
    )


def _on_each_engine(wanted: tuple[str, ...] = ("",)) -> pytest.MarkDecorator:
    pairs = [
        _on(engine, statement)
        for engine in ENGINES
        for statement in STATEMENTS[engine]
        if statement.sql.startswith(wanted)
    ]
    return pytest.mark.parametrize(("database", "statement"), pairs, indirect=["database"])


@_on_each_engine()
def test_stopped(database: Database, statement: Hostile) -> None:
    start = time.monotonic()
    about_time = TIMEOUT in statement.statuses
    execution = database.execute(statement.sql, LIMITS if about_time else AT_LEISURE)
    assert not about_time or time.monotonic() - start < LIMITS.seconds + GRACE
    assert execution.status in statement.statuses, execution.message
    assert execution.ok or execution.message
    after = database.execute("SELECT count(*) FROM t", AT_LEISURE)
    assert after.table is not None
    assert after.table.rows == [(ROWS,)]


@_on_each_engine((*WRITES, *SECONDS))
def test_the_engine_alone_stops_it(
    database: Database, statement: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(type(database).__module__)
    monkeypatch.setattr(module, "admit", lambda sql, _: sql)
    execution = database.execute(statement.sql, AT_LEISURE)
    assert execution.status in (REFUSED, ERROR), execution


@pytest.mark.parametrize(
    ("database", "sql"),
    [_on(engine, sql) for engine in ENGINES for sql in HARMLESS],
    indirect=["database"],
)
def test_harmless(database: Database, sql: str) -> None:
    execution = database.execute(sql, AT_LEISURE)
    assert execution.table is not None, execution
    assert execution.table.rows == [(1,)]
